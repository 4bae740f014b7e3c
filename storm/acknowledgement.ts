// What a process of the storm was told by the ledger, and its log: one file for each process, a line for each answer,
// written before the next command goes out. The log is not flushed: it must outlive its process, not the machine. The
// last line of a killed process may be torn, and a torn line counts as never written.
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"

/** One answer of the ledger. */
export type Acknowledged =
  | { readonly did: "post"; readonly run_id: string; readonly key: string; readonly message_id: string }
  | { readonly did: "claim" | "requeue"; readonly step_id: string; readonly fencing_token: number }
  | {
      /** A lease that another of the same step came in place of; the token is the new one's. */
      readonly did: "renew"
      readonly step_id: string
      readonly fencing_token: number
      readonly previous_token: number
      /** The lease's worker, where a twin renewed it under that name. */
      readonly holder?: string
    }
  | {
      readonly did: "complete"
      readonly step_id: string
      readonly fencing_token: number
      readonly receipt_id: string
      readonly holder?: string
    }
  | { readonly did: "thought"; readonly id: string; readonly hash: string }
  | {
      /** `repeat` is a completion that was tried again after it had been answered. */
      readonly did: "refused"
      readonly command: "batch" | "post" | "claim" | "complete" | "renew" | "repeat" | "requeue" | "thought"
      readonly tag: string
      readonly step_id?: string
      readonly fencing_token?: number
      readonly holder?: string
      /** The worker knew that it had held the step for longer than its lease. */
      readonly late?: boolean
    }

/** One life of a process: it worked under this name, and these are the answers that it wrote down. */
export interface Life {
  readonly worker: string
  readonly answers: ReadonlyArray<Acknowledged>
}

export interface AcknowledgementLog {
  readonly write: (answer: Acknowledged) => void
  readonly close: () => void
}

const ENDING = ".jsonl"

/** Opens the log of one life in a folder that exists. */
export const openLog = (folder: string, worker: string): AcknowledgementLog => {
  const descriptor = openSync(join(folder, `${worker}${ENDING}`), "a")
  return {
    write: (answer) => {
      writeSync(descriptor, `${JSON.stringify(answer)}\n`)
    },
    close: () => closeSync(descriptor)
  }
}

/** The answers in a log's text; what follows the last LF was torn by the process's death. */
export const answersIn = (text: string): ReadonlyArray<Acknowledged> =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Acknowledged)

/** All lives that left a log in the folder, one at a time. */
export function* livesIn(folder: string): Generator<Life> {
  for (const name of readdirSync(folder).toSorted()) {
    if (!name.endsWith(ENDING)) continue
    const answers = answersIn(readFileSync(join(folder, name), "utf8"))
    yield { worker: name.slice(0, -ENDING.length), answers }
  }
}
