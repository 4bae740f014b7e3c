// What an id that a person typed may name. Ids of messages, jobs, steps and receipts are told by their form, and a number is a
// position; runs and thoughts have names that others choose, which may look like anything. Where one text names several things,
// `event:17`, `run:17` and `thought:17` say which is meant.
import type { IdKind } from "../ledger/lists.ts"

/** What can be shown. */
export type HistoryKind = IdKind | "event"

/** A job or step by its numbers: `2.1` is the first job of the message at position 2, and `2.1.3` that job's third step. */
export interface Numbered {
  readonly kind: "job" | "step"
  readonly position: number
  readonly job: number
  readonly step: number
}

/** How a text may be read. */
export interface IdReadings {
  /** The position that it is, if it is one. */
  readonly position: number | undefined
  readonly numbered: Numbered | undefined
  /** Of which kinds it may be an id, or the beginning of one. */
  readonly kinds: ReadonlyArray<IdKind>
  /** The text without the word that says its kind. */
  readonly id: string
}

/** How ids that are told by their form begin. */
const FORMS = { msg_: "message", job_: "job", step_: "step", rcpt_: "receipt" } as const satisfies Record<
  string,
  IdKind
>

const WHOLE_NUMBER = /^[1-9]\d{0,15}$/
const NUMBERED = /^([1-9]\d{0,12})\.([1-9]\d{0,3})(?:\.([1-9]\d{0,4}))?$/
const EXPLICIT = /^(event|run|thought):(.+)$/s

const positionOf = (text: string): number | undefined =>
  WHOLE_NUMBER.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

const numberedOf = (text: string): Numbered | undefined => {
  const [found, position, job, step] = NUMBERED.exec(text) ?? []
  return found === undefined
    ? undefined
    : {
        kind: step === undefined ? "job" : "step",
        position: Number(position),
        job: Number(job),
        step: Number(step ?? 0)
      }
}

/** Every way in which a text may be read. */
export const readingsOf = (text: string): IdReadings => {
  const [, word, rest] = EXPLICIT.exec(text) ?? []
  const nothing = { position: undefined, numbered: undefined, kinds: [], id: rest ?? text }
  if (word === "event") return { ...nothing, position: positionOf(rest ?? "") }
  if (word === "run" || word === "thought") return { ...nothing, kinds: [word] }
  const form = Object.entries(FORMS).find(([beginning]) => text.startsWith(beginning))
  if (form !== undefined) return { ...nothing, kinds: [form[1]] }
  return { ...nothing, position: positionOf(text), numbered: numberedOf(text), kinds: ["run", "thought"] }
}

/** A text that names one thing alone, where its id could name others. */
export const explicitId = (kind: HistoryKind, id: string): string =>
  kind === "event" || kind === "run" || kind === "thought" ? `${kind}:${id}` : id
