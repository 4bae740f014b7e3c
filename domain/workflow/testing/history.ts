// Events of one run for tests of the journal, at positions that follow each other.
import type { JsonObject } from "../../canonical/json.ts"
import { timestampFromMillis } from "../../canonical/timestamp.ts"
import type { LedgerEvent } from "../../ledger/events.ts"
import { jobIdOf, stepIdOf } from "../../ledger/ids.ts"
import type { Outcome } from "../../ledger/rows.ts"

/** A history that grows; each function answers the event that it adds. */
export const history = (run = "workflow/Order/1") => {
  const events: Array<LedgerEvent> = []
  const add = (type: LedgerEvent["type"], data: object): LedgerEvent => {
    const event = {
      type,
      position: events.length + 2,
      stream_id: `run:${run}`,
      recorded_at: timestampFromMillis(0),
      data
    } as LedgerEvent
    events.push(event)
    return event
  }
  return {
    events,
    post: (payload: JsonObject, idempotency_key: string | null = null) => {
      const message_id = `msg_${String(events.length + 2).padStart(13, "0")}_0123456789abcdef`
      add("MessagePosted", { idempotency_key, message_id, payload, source: "AGENT" })
      return stepIdOf(jobIdOf(message_id, 1), 1)
    },
    claim: (step_id: string, fencing_token = 1, worker_id = "w1", ends = 60_000) =>
      add("StepClaimed", {
        fencing_token,
        lease_expires_at: timestampFromMillis(ends),
        scope: "job",
        step_id,
        worker_id
      }),
    renew: (step_id: string, fencing_token: number, worker_id = "w1", ends = 90_000) =>
      add("LeaseRenewed", {
        fencing_token,
        previous_token: fencing_token - 1,
        lease_expires_at: timestampFromMillis(ends),
        step_id,
        worker_id
      }),
    requeue: (step_id: string, fencing_token = 1) =>
      add("StepRequeued", {
        cause: "expired",
        fencing_token,
        reason: "expired",
        requested_by: "w2",
        step_id,
        worker_id: "w1"
      }),
    complete: (step_id: string, receipt: JsonObject, outcome: Outcome = "SUCCESS", fencing_token = 1) =>
      add("StepCompleted", { fencing_token, outcome, receipt, step_id, worker_id: "w1" })
  }
}
