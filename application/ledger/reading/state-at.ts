// The state as of an earlier position or time, folded from the log into an empty place. It asks the events alone, never
// the tables, so it answers the same on any copy of the history. For a whole ledger it holds every row of that moment.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Identifier } from "../../../domain/canonical/text.ts"
import { Timestamp } from "../../../domain/canonical/timestamp.ts"
import { invalidAt, type InvalidInput } from "../../../domain/foundation/errors.ts"
import { runStream } from "../../../domain/ledger/event-envelope.ts"
import {
  type JobRow,
  type LedgerRows,
  type LedgerTable,
  type MessageRow,
  type ReceiptRow,
  rowOf,
  type StepRow,
  type ThoughtRow
} from "../../../domain/ledger/rows.ts"
import type { Cell } from "../../../domain/ledger/table-digest.ts"
import { corrupt } from "../commands/head-check.ts"
import { decodeInput } from "../../foundation/input.ts"
import { type FoldTarget, LedgerEvidence, type LedgerSnapshot } from "../verification/ledger-evidence.ts"
import type { ReadError, RunSummary } from "./ledger-reader.ts"
import { foldInto, type FoldProblem } from "../verification/projection-verification.ts"
import { rowPages } from "./row-pages.ts"
import { reading, ROWS_PER_TURN } from "../verification/rungs.ts"

/** When: the last position whose event counts, or a time (a timestamp) up to which events count. */
export type StateAtOptions = ({ readonly position: number } | { readonly time: string }) & {
  /** Only this run. */
  readonly runId?: string | undefined
}

/** The rows as they were after the event at `position`. */
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

/** How many messages and steps a run has, and where the steps stand. */
export type RunCounts = Pick<RunSummary, "run_id" | "messages" | "jobs" | "pending" | "leased" | "committed">

/** The state of a moment as streams, which give rows for as long as the scope stands that it was opened in. */
export interface StateRows {
  /** The position that was asked for, or that of the newest event at the time. */
  readonly position: number
  /** Messages in the order of their ids. */
  readonly messages: Stream.Stream<MessageRow, ReadError>
  /** Jobs in the order of their ids. */
  readonly jobs: Stream.Stream<JobRow, ReadError>
  /** Steps in the order of their ids. */
  readonly steps: Stream.Stream<StepRow, ReadError>
  /** Receipts in the order of their ids. */
  readonly receipts: Stream.Stream<ReceiptRow, ReadError>
  /** Empty when a run was asked for: thoughts belong to tasks. */
  readonly thoughts: Stream.Stream<ThoughtRow, ReadError>
  /** How much of what each run has, in the order of the runs' ids. */
  readonly runs: Stream.Stream<RunCounts, ReadError>
}

/** How much text ends a page (UTF-16 units). */
const PAGE_UNITS = 1_048_576

/** The folded rows of a table, a page at a time. */
const streamed = <T extends LedgerTable>(
  table: T,
  rows: () => Iterable<ReadonlyArray<Cell>>
): Stream.Stream<LedgerRows[T], ReadError> =>
  Stream.suspend(() => {
    const cells = rows()[Symbol.iterator]()
    return Stream.paginate(undefined, () =>
      reading(() => {
        const page: Array<LedgerRows[T]> = []
        let units = 0
        while (page.length < ROWS_PER_TURN && units < PAGE_UNITS) {
          const next = cells.next()
          if (next.done === true) return [page, Option.none<undefined>()] as const
          page.push(rowOf(table, next.value))
          for (const cell of next.value) units += typeof cell === "string" ? cell.length : 0
        }
        return [page, Option.some(undefined)] as const
      })
    )
  })

const When = Schema.Struct({
  position: Schema.optional(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { expected: "a whole number from 0 on" }))
  ),
  time: Schema.optional(Timestamp),
  runId: Schema.optional(Identifier)
})

const decodeWhen = decodeInput(When, (when) =>
  (when.position === undefined) === (when.time === undefined)
    ? Result.fail(invalidAt("/position", "name either a position or a time"))
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

/** The runs of a fold. Leases are not judged: that would be as of now, not of then. */
const runsOf = (target: FoldTarget): Stream.Stream<RunCounts, ReadError> =>
  rowPages({
    page: (last: RunSummary | undefined) =>
      reading(() => target.runs("", { after: last?.run_id ?? "", limit: ROWS_PER_TURN })),
    placeOf: ({ run_id }) => [run_id],
    nameOf: ({ run_id }) => `run ${run_id}`
  }).pipe(
    Stream.map(({ committed, jobs, leased, messages, pending, run_id }) => ({
      run_id,
      messages,
      jobs,
      pending,
      leased,
      committed
    }))
  )

/** Folds the log up to a position or a time; an event that cannot follow from those before it is `StoreCorrupt`. */
export const stateRowsAt = Effect.fnUntraced(function* (
  options: StateAtOptions
): Effect.fn.Return<StateRows, ReadError | InvalidInput, LedgerEvidence | Scope.Scope> {
  const { position: wanted, runId, time } = yield* Effect.fromResult(decodeWhen(options))
  const evidence = yield* LedgerEvidence
  const snapshot = yield* evidence.snapshot
  const newest = (yield* reading(() => snapshot.head()))?.size ?? 0
  if (wanted !== undefined && wanted > newest) {
    return yield* invalidAt("/position", `the newest event is at position ${newest}`)
  }
  const position = wanted ?? (yield* reading(() => positionAt(snapshot, time ?? "", newest)))
  const target = yield* evidence.foldTarget
  const impossible = ({ code, message, position: at }: FoldProblem) => {
    throw corrupt({ code, where: `event ${at}`, message })
  }
  const streamId = runId === undefined ? undefined : runStream(runId)
  yield* foldInto(snapshot, target, impossible, { streamId, upTo: position })
  const rowsOf = <T extends LedgerTable>(table: T) => streamed(table, () => target.rows(table))
  return {
    position,
    messages: rowsOf("cassette_messages"),
    jobs: rowsOf("cassette_jobs"),
    steps: rowsOf("cassette_steps"),
    receipts: rowsOf("cassette_receipts"),
    thoughts: streamed("thought_records", target.thoughts),
    runs: runsOf(target)
  }
})

/** The state as data: all rows at once. A large ledger's rows are better read as streams (`stateRowsAt`). */
export const stateAt = (
  options: StateAtOptions
): Effect.Effect<LedgerState, ReadError | InvalidInput, LedgerEvidence> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { jobs, messages, position, receipts, steps, thoughts } = yield* stateRowsAt(options)
      return {
        position,
        messages: yield* Stream.runCollect(messages),
        jobs: yield* Stream.runCollect(jobs),
        steps: yield* Stream.runCollect(steps),
        receipts: yield* Stream.runCollect(receipts),
        thoughts: yield* Stream.runCollect(thoughts)
      }
    })
  )
