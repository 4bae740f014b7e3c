// One readable line per event for the demo's timeline. The log itself is the truth; this only shows it.
import * as Result from "effect/Result"
import type { JsonObject } from "../../domain/canonical/json.ts"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import { decodeEvent, type LedgerEvent } from "../../domain/ledger/events.ts"

/** A step by its number in its job, which is the end of its id. */
const place = (id: string): string => `step ${Number(id.slice(id.lastIndexOf(".") + 1))}`

/** What a step came to: what was read and whether it had been read before, or why it was not. */
const result = ({ bytes_read, cache, error, slice }: JsonObject): string =>
  error === undefined
    ? `${JSON.stringify(bytes_read)} bytes of ${String(slice)} (${String(cache)})`
    : JSON.stringify(error)

const sentence = (event: LedgerEvent): string => {
  switch (event.type) {
    case "LedgerCreated":
      return `ledger ${event.data.ledger_id} was created`
    case "MessagePosted":
      return `${event.data.source} posted a job of ${event.data.steps?.length ?? 1} steps: ${String(event.data.payload["intent"] ?? "")}`
    case "StepClaimed":
      return `${event.data.worker_id} claimed ${place(event.data.step_id)} with token ${event.data.fencing_token}`
    case "StepCompleted":
      return `${event.data.worker_id} finished ${place(event.data.step_id)}: ${event.data.outcome}, ${result(event.data.receipt)}`
    case "StepRequeued":
      return `${place(event.data.step_id)} waits again (${event.data.cause}): ${event.data.reason}`
    case "LeaseRenewed":
      return `${event.data.worker_id} renewed its lease of ${place(event.data.step_id)}: token ${event.data.fencing_token}`
    case "ThoughtRecorded":
      return `${event.data.agent_id} thought (${event.data.type}): ${event.data.content}`
  }
}

/** Position, time, what happened and the beginning of the event's hash. */
export const timelineLine = (envelope: EventEnvelope): string => {
  const event = decodeEvent(envelope)
  const text = Result.isSuccess(event) ? sentence(event.success) : event.failure.message
  return `${String(envelope.position).padStart(4)}  ${envelope.recorded_at.slice(11, 23)}  ${envelope.hash.slice(0, 8)}  ${text}`
}
