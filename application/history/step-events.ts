// The events of one step, read from its newest one back to its first claim and no further. A token counts the claims and renewals, so
// that as many events as are still missing are asked for, and no event before the first claim is looked at.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import { decodeEvent, type LedgerEvent } from "../../domain/ledger/events.ts"
import { jobIdOfStep, ordinalOfStep, stepIdOf } from "../../domain/ledger/ids.ts"
import type { StepRow } from "../../domain/ledger/rows.ts"
import type { LedgerShape } from "../ledger/ledger.ts"

/** A step's row, which is the next behind that of the step before it. */
export const storedStep = Effect.fnUntraced(function* (ledger: LedgerShape, step_id: string) {
  const job_id = jobIdOfStep(step_id)
  const ordinal = ordinalOfStep(step_id)
  const after = ordinal > 1 ? stepIdOf(job_id, ordinal - 1) : undefined
  const [row] = yield* ledger.steps({ job_id }, { limit: 1, after })
  return row?.step_id === step_id ? row : undefined
})

/** Most events of a step that are read. */
const MOST_EVENTS = 1_000
const PAGE = 100

/** An event of a step with its place in the chain. */
export interface StepEvent {
  readonly event: LedgerEvent
  readonly envelope: EventEnvelope
}

interface StepEvents {
  /** In the order of the log, without the post. */
  readonly events: ReadonlyArray<StepEvent>
  /** False where the step has earlier events than those. */
  readonly isWhole: boolean
  /** Events that speak of the step and cannot be read. */
  readonly faults: ReadonlyArray<string>
}

const isOf = ({ data }: LedgerEvent, stepId: string): boolean => "step_id" in data && data.step_id === stepId

const tokenOf = ({ data, type }: LedgerEvent): number =>
  type === "StepClaimed" || type === "LeaseRenewed" ? data.fencing_token : Number.POSITIVE_INFINITY

/** The events of a step, from what its row says of the newest one. */
export const stepEvents = Effect.fnUntraced(function* (
  ledger: LedgerShape,
  { event_position, fencing_token, run_id, step_id }: StepRow
) {
  const events: Array<StepEvent> = []
  const faults: Array<string> = []
  let before = event_position + 1
  // A step that was never leased has no event but its post.
  let token = fencing_token === 0 ? 1 : fencing_token + 1
  while (token > 1 && events.length < MOST_EVENTS) {
    const page = yield* ledger.eventsBefore({ run_id, step_id, before, limit: Math.min(token, PAGE) })
    const last = page.at(-1)
    if (last === undefined) break
    before = last.position
    for (const envelope of page) {
      const decoded = decodeEvent(envelope)
      if (Result.isFailure(decoded)) faults.push(`event ${envelope.position}: ${decoded.failure.message}`)
      else if (isOf(decoded.success, step_id)) {
        events.push({ event: decoded.success, envelope })
        token = Math.min(token, tokenOf(decoded.success))
      }
    }
  }
  return {
    events: events.toReversed(),
    isWhole: events.length < MOST_EVENTS || token <= 1,
    faults
  } satisfies StepEvents
})
