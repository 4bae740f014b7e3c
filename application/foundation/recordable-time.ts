// The time that is about to be stored, as the clock gives it. A clock outside the years that can be written down is one
// named error at every door, never a defect; comparing with what is stored takes the nearest time instead and works on.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { hasTimestamp, timestampFromMillis } from "../../domain/canonical/timestamp.ts"
import { InvariantViolation } from "../../domain/foundation/errors.ts"

/** Why nothing can be dated at this number of milliseconds since 1970, or undefined. */
export const clockFault = (epochMillis: number): InvariantViolation | undefined =>
  hasTimestamp(epochMillis)
    ? undefined
    : new InvariantViolation({
        message: "the clock is outside the years 0000 to 9999, and nothing can be dated: set it"
      })

/** Milliseconds since 1970 that can be stored; `InvariantViolation` when the clock shows no such time. */
export const datableMillis: Effect.Effect<number, InvariantViolation> = Effect.flatMap(
  Clock.currentTimeMillis,
  (millis) => {
    const fault = clockFault(millis)
    return fault === undefined ? Effect.succeed(millis) : Effect.fail(fault)
  }
)

/** The time to store; `InvariantViolation` when the clock shows none that can be stored. */
export const datedNow: Effect.Effect<string, InvariantViolation> = Effect.map(
  datableMillis,
  timestampFromMillis
)
