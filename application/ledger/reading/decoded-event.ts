// An event as it was written, for all who go on with what it says.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { decodeEvent, type LedgerEvent } from "../../../domain/ledger/events.ts"

/** The event in an envelope; one that cannot be read is damage of the ledger, with its place. */
export const decoded = (envelope: EventEnvelope): Effect.Effect<LedgerEvent, StoreCorrupt> => {
  const event = decodeEvent(envelope)
  if (Result.isSuccess(event)) return Effect.succeed(event.success)
  const where = `event ${event.failure.position}`
  return Effect.fail(new StoreCorrupt({ code: "EVENT_INVALID", where, finding: event.failure.message }))
}
