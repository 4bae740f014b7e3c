// When a write in a cassette happens, and when what it writes expires: both are stored, so both must be times that can be.
import * as Effect from "effect/Effect"
import { datableMillis } from "../../../application/foundation/recordable-time.ts"
import { hasTimestamp, timestampFromMillis } from "../../../domain/canonical/timestamp.ts"
import { InvariantViolation } from "../../../domain/foundation/errors.ts"

/** When documents are added, and until when an ephemeral cassette keeps them (timestamps). */
export interface WriteTime {
  readonly now: string
  readonly expires: string
}

/** The time of a write whose content lives so long (milliseconds). */
export const writeTime = Effect.fnUntraced(function* (
  ttlMillis: number
): Effect.fn.Return<WriteTime, InvariantViolation> {
  const now = yield* datableMillis
  const expires = now + ttlMillis
  if (!hasTimestamp(expires)) {
    const message = "what is written would expire after the year 9999: shorten the cassette's ttl"
    return yield* new InvariantViolation({ message })
  }
  return { now: timestampFromMillis(now), expires: timestampFromMillis(expires) }
})
