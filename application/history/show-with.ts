// What every part of showing needs: the ledger, its thoughts, hashing, and whether bodies are folded.
import * as Effect from "effect/Effect"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import { IdNotFound } from "../../domain/history/errors.ts"
import type { LogPlace } from "../../domain/history/shown.ts"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import type { ThoughtsShape } from "../ledger/thoughts/thoughts.ts"

export interface ShowWith {
  readonly ledger: LedgerShape
  readonly thoughts: ThoughtsShape
  readonly sha256: Sha256
  /** Bodies above 4 KB whole too. */
  readonly isFull: boolean
}

/** Where an event stands. */
export const placeOf = ({ hash, position, recorded_at }: EventEnvelope): LogPlace => ({
  position,
  recorded_at,
  hash
})

/** The event at a position. */
export const eventAt = Effect.fnUntraced(function* (
  { ledger }: ShowWith,
  position: number,
  id = `event:${position}`
) {
  const [event] = yield* ledger.eventsAfter({ after: position - 1, limit: 1 })
  return event?.position === position ? event : yield* new IdNotFound({ id })
})
