// What became of a turn, of an attempt of an activity and of a clock: the receipts of their steps, for the fold that reads them
// back and for the person who reads the log.
import { isJsonObject, type JsonObject, type JsonValue } from "../canonical/json.ts"
import type { Outcome } from "../ledger/rows.ts"
import type { Wake, WakeKind } from "./wakes.ts"

/** What a turn tells beside its end. */
interface TurnNotes {
  /** What the turn was asked for by; null for a message that no engine wrote. */
  readonly wake: WakeKind | null
  /** Up to which event the body had read its execution: what woke it before needs no turn of its own. */
  readonly seen?: number
  /** Attempts that an earlier turn finished and that the body did not ask for: its code has changed. */
  readonly unused?: ReadonlyArray<string>
}

export type TurnReceipt =
  /** The body ended; `result` is the encoded `Complete`. */
  | (TurnNotes & { readonly turn: "complete"; readonly result: JsonValue })
  /** The body suspended; `result` is the encoded `Suspended`, `waits` the deferreds that it awaits. */
  | (TurnNotes & {
      readonly turn: "suspended"
      readonly result: JsonValue
      readonly waits: ReadonlyArray<string>
      readonly failed: boolean
    })
  /** The body died of `cause`, a defect that the workflow does not capture, or stopped by itself; any wake tries it again. */
  | (TurnNotes & { readonly turn: "died"; readonly cause: JsonValue })
  /** No turn of its own: an earlier turn had seen what it says. */
  | (TurnNotes & { readonly turn: "merged" })
  /** No turn: the execution was complete. */
  | (TurnNotes & { readonly turn: "late" })
  /** No turn: nothing has been executed yet; what the message says is kept. */
  | (TurnNotes & { readonly turn: "early" })
  /** No turn: the execution stopped at a failure, and only a person wakes it. */
  | (TurnNotes & { readonly turn: "ignored" })

/** A receipt with its outcome. */
export interface Recorded {
  readonly outcome: Outcome
  readonly receipt: JsonObject
}

/** The receipt of a turn as a JSON object. */
export const turnReceipt = (receipt: TurnReceipt): JsonObject => {
  const { unused = [], ...rest } = receipt
  const { failed, ...told } = { failed: undefined, ...rest }
  return {
    ...told,
    ...(failed === true ? { failed } : {}),
    ...(unused.length === 0 ? {} : { unused })
  }
}

const texts = (value: JsonValue | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : []

/** A turn's receipt as it was written; undefined for one that no engine wrote. */
export const readTurnReceipt = (receipt: JsonObject): TurnReceipt | undefined => {
  const { cause, failed, result, seen, turn, unused, waits, wake } = receipt
  const notes: TurnNotes = {
    wake: typeof wake === "string" ? (wake as WakeKind) : null,
    ...(typeof seen === "number" ? { seen } : {}),
    ...(unused === undefined ? {} : { unused: texts(unused) })
  }
  switch (turn) {
    case "complete":
      return result === undefined ? undefined : { turn, result, ...notes }
    case "suspended":
      return result === undefined
        ? undefined
        : { turn, result, waits: texts(waits), failed: failed === true, ...notes }
    case "died":
      return cause === undefined ? undefined : { turn, cause, ...notes }
    case "merged":
    case "late":
    case "early":
    case "ignored":
      return { turn, ...notes }
    default:
      return undefined
  }
}

/** The end of a wake that brought no turn. */
export type Dismissal = "merged" | "late" | "early" | "ignored"

export const dismissed = (turn: Dismissal, wake: Wake | undefined): Recorded => ({
  outcome: "SUCCESS",
  receipt: turnReceipt({ turn, wake: wake?.kind ?? null })
})

/** What an attempt ended with: the encoded exit, or nothing, since the execution was complete before it ended. */
export type AttemptReceipt = { readonly exit: JsonValue } | { readonly abandoned: true }

/** An attempt's receipt as it was written; undefined for one that no engine wrote. */
export const readAttemptReceipt = (receipt: JsonObject): AttemptReceipt | undefined => {
  const { abandoned, exit } = receipt
  if (abandoned === true) return { abandoned }
  return isJsonObject(exit) ? { exit } : undefined
}

/** The end of a step whose execution was complete before it. */
export const ABANDONED: Recorded = { outcome: "ABORTED", receipt: { abandoned: true } }

/** The end of a clock that rang. */
export const RANG: Recorded = { outcome: "SUCCESS", receipt: { rang: true } }

/** True for the receipt of a clock that an engine ended. */
export const isClockReceipt = ({ abandoned, rang }: JsonObject): boolean =>
  rang === true || abandoned === true
