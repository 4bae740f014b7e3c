// One readable line per event for the demo's timeline. The log itself is the truth; this only shows it.
import * as Result from "effect/Result"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import { decodeEvent, type LedgerEvent } from "../../domain/ledger/events.ts"

/** The part of a step id that tells it from its neighbours: the position of its message. */
const place = (id: string): string => `#${Number(id.slice(id.indexOf("_") + 1, id.indexOf("_") + 14))}`

const sentence = (event: LedgerEvent): string => {
  switch (event.type) {
    case "LedgerCreated":
      return `ledger ${event.data.ledger_id} was created`
    case "MessagePosted":
      return `${event.data.source} posted #${event.position}: ${String(event.data.payload["path"] ?? "")}`
    case "StepClaimed":
      return `${event.data.worker_id} claimed ${place(event.data.step_id)} with token ${event.data.fencing_token}`
    case "StepCompleted":
      return `${event.data.worker_id} finished ${place(event.data.step_id)}: ${event.data.outcome} ${JSON.stringify(event.data.receipt["lines"] ?? 0)} lines`
    case "StepRequeued":
      return `${place(event.data.step_id)} waits again (${event.data.cause}): ${event.data.reason}`
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
