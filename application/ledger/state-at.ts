// The state as of an earlier position or time, folded from the log into an empty place. It asks the events alone, never
// the tables, so it answers the same on any copy of the history. For a whole ledger it holds every row of that moment.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Identifier } from "../../domain/canonical/text.ts"
import { Timestamp } from "../../domain/canonical/timestamp.ts"
import { InvalidInput } from "../../domain/ledger/errors.ts"
import { runStream } from "../../domain/ledger/event-envelope.ts"
import {
  type JobRow,
  type LedgerRows,
  type LedgerTable,
  type MessageRow,
  type ReceiptRow,
  rowOf,
  type StepRow,
  type ThoughtRow
} from "../../domain/ledger/rows.ts"
import { corrupt } from "./head-guard.ts"
import { decodeInput } from "./input.ts"
import { type FoldTarget, LedgerEvidence, type LedgerSnapshot } from "./ledger-evidence.ts"
import type { ReadError } from "./ledger-reader.ts"
import { foldInto, type FoldProblem } from "./projection-verification.ts"
import { reading } from "./rungs.ts"

/** When: the last position whose event counts, or a time (a timestamp) up to which events count. */
export type StateAtOptions = ({ readonly position: number } | { readonly time: string }) & {
  /** Only this run. */
  readonly runId?: string | undefined
}

export interface LedgerState {
  /** The position that was asked for, or that of the newest event at the time. */
  readonly position: number
  readonly messages: ReadonlyArray<MessageRow>
  readonly jobs: ReadonlyArray<JobRow>
  readonly steps: ReadonlyArray<StepRow>
  readonly receipts: ReadonlyArray<ReceiptRow>
  /** Empty when a run was asked for: thoughts belong to tasks. */
  readonly thoughts: ReadonlyArray<ThoughtRow>
}

/** The folded rows of a table, in the order of their keys. */
const rowsIn = <T extends LedgerTable>(target: FoldTarget, table: T): ReadonlyArray<LedgerRows[T]> =>
  Array.from(target.rows(table), (cells) => rowOf(table, cells))

const byEvent = (
  left: { readonly event_position: number },
  right: { readonly event_position: number }
): number => left.event_position - right.event_position

const When = Schema.Struct({
  position: Schema.optional(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { expected: "a whole number from 0 on" }))
  ),
  time: Schema.optional(Timestamp),
  runId: Schema.optional(Identifier)
})

const invalid = (path: string, message: string) =>
  new InvalidInput({ message: `${path}: ${message}`, issues: [{ path, message }] })

const decodeWhen = decodeInput(When, (when) =>
  (when.position === undefined) === (when.time === undefined)
    ? Result.fail(invalid("/position", "name either a position or a time"))
    : Result.succeed(when)
)

/** The position of the newest event up to a time; times never go back along the log. */
const positionAt = (snapshot: LedgerSnapshot, time: string, newest: number): number => {
  let low = 0
  let high = newest
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const [event] = snapshot.eventsAfter(middle - 1, 1)
    if (event !== undefined && event.recorded_at <= time) low = middle
    else high = middle - 1
  }
  return low
}

/** Folds the log up to a position or a time; an event that cannot follow from those before it is `StoreCorrupt`. */
export const stateAt = (
  options: StateAtOptions
): Effect.Effect<LedgerState, ReadError | InvalidInput, LedgerEvidence> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { position: wanted, runId, time } = yield* Effect.fromResult(decodeWhen(options))
      const evidence = yield* LedgerEvidence
      const snapshot = yield* evidence.snapshot
      const newest = (yield* reading(() => snapshot.head()))?.size ?? 0
      if (wanted !== undefined && wanted > newest) {
        return yield* invalid("/position", `the newest event is at position ${newest}`)
      }
      const position = wanted ?? (yield* reading(() => positionAt(snapshot, time ?? "", newest)))
      const target = yield* evidence.foldTarget
      const impossible = ({ code, message, position }: FoldProblem) => {
        throw corrupt({ code, where: `event ${position}`, message })
      }
      const streamId = runId === undefined ? undefined : runStream(runId)
      yield* foldInto(snapshot, target, impossible, { streamId, upTo: position })
      return yield* reading(() => ({
        position,
        messages: rowsIn(target, "cassette_messages"),
        jobs: rowsIn(target, "cassette_jobs"),
        steps: rowsIn(target, "cassette_steps"),
        receipts: rowsIn(target, "cassette_receipts"),
        thoughts: rowsIn(target, "thought_records").toSorted(byEvent)
      }))
    })
  )
