// What callers may ask of the lists that belong to no single run: leases, waiting steps, pages of the log.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Identifier } from "../canonical/text.ts"
import { Timestamp } from "../canonical/timestamp.ts"
import { invalidAt, type InvalidInput } from "../foundation/errors.ts"
import { DEFAULT_PAGE_ROWS, PageLimit } from "../foundation/page.ts"
import type { JsonObject } from "../canonical/json.ts"
import { payloadOf } from "./decide.ts"
import type { StoreCorrupt } from "./errors.ts"
import { runStream, taskStream } from "./event-envelope.ts"
import type { ReceiptRow, StepRow } from "./rows.ts"
import { ALL_TEXTS, runFields, runRange, type TextRange, textsWithPrefix } from "./run-range.ts"

/** A step that is leased. `expired` says that its lease has ended: the step waits again once it is requeued. */
export interface LeasedStep {
  readonly run_id: string
  readonly step_id: string
  readonly job_id: string
  readonly worker_id: string
  readonly fencing_token: number
  readonly lease_expires_at: string
  readonly expired: boolean
}

/** A step that waits to be claimed. */
export interface PendingStep {
  readonly run_id: string
  readonly step_id: string
  readonly job_id: string
  readonly ordinal: number
  readonly payload: JsonObject
  /** The token of its last lease; 0 when it was never leased. */
  readonly fencing_token: number
  readonly created_at: string
}

/** How the leases of a run, a job or several runs stand. */
export interface LeaseCounts {
  readonly leased: number
  readonly expired: number
  readonly earliest_expiry: string | null
}

/** Leased steps, the lease that ends first in front; behind the row `after`. */
export const ListLeases = Schema.Struct({
  ...runFields,
  /** true: only leases that have ended; false: only those that run. */
  expired: Schema.optional(Schema.Boolean),
  limit: Schema.optional(PageLimit),
  after: Schema.optional(Schema.Struct({ lease_expires_at: Timestamp, step_id: Identifier }))
})
export type ListLeases = typeof ListLeases.Type

export interface PreparedLeases {
  readonly runs: TextRange
  readonly expired: boolean | undefined
  readonly limit: number
  readonly after: { readonly lease_expires_at: string; readonly step_id: string }
}

/** Waiting steps in the order of their runs, and in a run in the order in which claims take them; behind the row `after`. */
export const ListWaiting = Schema.Struct({
  ...runFields,
  limit: Schema.optional(PageLimit),
  after: Schema.optional(Schema.Struct({ run_id: Identifier, step_id: Identifier }))
})
export type ListWaiting = typeof ListWaiting.Type

export interface PreparedWaiting {
  readonly runs: TextRange
  readonly limit: number
  readonly after: { readonly run_id: string; readonly step_id: string }
}

/** A receipt whose step did not succeed, with its run. */
export interface FailedReceipt extends ReceiptRow {
  readonly run_id: string
}

/** Receipts of FAILURE and ABORTED, the newest in front; before an event's position. */
export const ListFailures = Schema.Struct({
  ...runFields,
  limit: Schema.optional(PageLimit),
  before: Schema.optional(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1, { expected: "a position: a whole number from 1 on" }))
  )
})
export type ListFailures = typeof ListFailures.Type

export interface PreparedFailures {
  readonly runs: TextRange
  readonly limit: number
  readonly before: number
}

/** A position of the log: a whole number from 0 on. */
export const Position = Schema.Int.check(
  Schema.isGreaterThanOrEqualTo(0, { expected: "a position: a whole number from 0 on" })
)

/** A page of the log, behind a position: of the runs, or of the thoughts of a task. */
export const ListEvents = Schema.Struct({
  ...runFields,
  task_id: Schema.optional(Identifier),
  after: Schema.optional(Position),
  limit: Schema.optional(PageLimit)
})
export type ListEvents = typeof ListEvents.Type

export interface PreparedEvents {
  /** One stream, those of some runs, or undefined for all. */
  readonly streams: string | TextRange | undefined
  readonly after: number
  readonly limit: number
}

/** The log from its end: before a position, of a run or of a task; with `step_id` the events of the run that speak of the step. */
export const ListEventsBefore = Schema.Struct({
  run_id: Schema.optional(Identifier),
  task_id: Schema.optional(Identifier),
  step_id: Schema.optional(Identifier),
  before: Schema.optional(Position),
  limit: Schema.optional(PageLimit)
})
export type ListEventsBefore = typeof ListEventsBefore.Type

export interface PreparedEventsBefore {
  readonly stream_id: string | undefined
  readonly step_id: string | undefined
  readonly before: number
  readonly limit: number
}

/** What has a row with an id. */
const ROW_KINDS = ["message", "job", "step", "receipt", "thought"] as const
export type RowKind = (typeof ROW_KINDS)[number]

/** What has an id that may be given by its beginning. */
const ID_KINDS = [...ROW_KINDS, "run"] as const
export type IdKind = (typeof ID_KINDS)[number]

/** The first ids of a kind that begin with a text. */
export const ListIds = Schema.Struct({
  kind: Schema.Literals(ID_KINDS),
  prefix: Identifier,
  /** An id that begins so: only those behind it. */
  after: Schema.optional(Identifier),
  limit: Schema.optional(PageLimit)
})
export type ListIds = typeof ListIds.Type

export const prepareLeases = ({
  after = { lease_expires_at: "", step_id: "" },
  expired,
  limit = DEFAULT_PAGE_ROWS,
  ...of
}: ListLeases): Result.Result<PreparedLeases, InvalidInput> =>
  Result.map(runRange(of), (runs) => ({ runs, expired, limit, after }))

export const prepareWaiting = ({
  after = { run_id: "", step_id: "" },
  limit = DEFAULT_PAGE_ROWS,
  ...of
}: ListWaiting): Result.Result<PreparedWaiting, InvalidInput> =>
  Result.map(runRange(of), (runs) => ({ runs, limit, after }))

export const prepareFailures = ({
  before = Number.MAX_SAFE_INTEGER,
  limit = DEFAULT_PAGE_ROWS,
  ...of
}: ListFailures): Result.Result<PreparedFailures, InvalidInput> =>
  Result.map(runRange(of), (runs) => ({ runs, limit, before }))

const refused = (path: string, message: string) => Result.fail(invalidAt(path, message))

/** The stream of a run, which is read by its index; the streams of some runs; all streams for all runs. */
const streamsOf = (runId: string | undefined, runs: TextRange): string | TextRange | undefined => {
  if (runId !== undefined) return runStream(runId)
  return runs === ALL_TEXTS
    ? undefined
    : {
        from: runStream(runs.from),
        before: runs.before === undefined ? textsWithPrefix(runStream("")).before : runStream(runs.before)
      }
}

export const prepareEvents = ({
  after = 0,
  limit = DEFAULT_PAGE_ROWS,
  task_id,
  ...of
}: ListEvents): Result.Result<PreparedEvents, InvalidInput> => {
  if (task_id === undefined) {
    return Result.map(runRange(of), (runs) => ({ streams: streamsOf(of.run_id, runs), after, limit }))
  }
  return of.run_id === undefined && of.prefix === undefined
    ? Result.succeed({ streams: taskStream(task_id), after, limit })
    : refused("/task_id", "use either task_id or runs")
}

export const prepareEventsBefore = ({
  before = Number.MAX_SAFE_INTEGER,
  limit = DEFAULT_PAGE_ROWS,
  run_id,
  step_id,
  task_id
}: ListEventsBefore): Result.Result<PreparedEventsBefore, InvalidInput> => {
  if (run_id !== undefined && task_id !== undefined) {
    return refused("/task_id", "use either task_id or run_id")
  }
  if (run_id === undefined && step_id !== undefined) return refused("/step_id", "give its run_id too")
  const ofTask = task_id === undefined ? undefined : taskStream(task_id)
  const stream_id = run_id === undefined ? ofTask : runStream(run_id)
  return Result.succeed({ stream_id, step_id, before, limit })
}

/** Waiting steps as their rows say; a payload that is not canonical JSON is damage. */
export const pendingSteps = (
  rows: ReadonlyArray<StepRow>
): Result.Result<ReadonlyArray<PendingStep>, StoreCorrupt> => {
  const steps: Array<PendingStep> = []
  for (const { created_at, fencing_token, job_id, ordinal, payload_json, run_id, step_id } of rows) {
    const payload = payloadOf(step_id, payload_json)
    if (Result.isFailure(payload)) return Result.fail(payload.failure)
    steps.push({ run_id, step_id, job_id, ordinal, payload: payload.success, fencing_token, created_at })
  }
  return Result.succeed(steps)
}
