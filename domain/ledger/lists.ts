// What callers may ask of the lists that belong to no single run: leases, waiting steps, pages of the log.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Identifier } from "../canonical/text.ts"
import { Timestamp } from "../canonical/timestamp.ts"
import type { InvalidInput } from "../foundation/errors.ts"
import { DEFAULT_PAGE_ROWS, PageLimit } from "../foundation/page.ts"
import type { JsonObject } from "../canonical/json.ts"
import { payloadOf } from "./decide.ts"
import type { StoreCorrupt } from "./errors.ts"
import type { ReceiptRow, StepRow } from "./rows.ts"
import { runFields, runRange, type TextRange } from "./run-range.ts"

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

/** A page of the log, behind a position. */
export const ListEvents = Schema.Struct({
  ...runFields,
  after: Schema.optional(Position),
  limit: Schema.optional(PageLimit)
})
export type ListEvents = typeof ListEvents.Type

export interface PreparedEvents {
  readonly runs: TextRange
  readonly after: number
  readonly limit: number
}

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

export const prepareEvents = ({
  after = 0,
  limit = DEFAULT_PAGE_ROWS,
  ...of
}: ListEvents): Result.Result<PreparedEvents, InvalidInput> =>
  Result.map(runRange(of), (runs) => ({ runs, after, limit }))

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
