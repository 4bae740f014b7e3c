// A clock that a test sets to any time, forwards and backwards, by years if it likes. A test clock would wake
// everybody who sleeps for every second that it skips; here anyone who sleeps does so in real time, as on a host
// whose wall clock was corrected.

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface ManualClock {
  readonly clock: Clock.Clock
  readonly now: () => number
  readonly set: (millis: number) => void
}

/** A clock that stands at `start` (milliseconds since 1970) until it is set. */
export const makeManualClock = (start: number): ManualClock => {
  let now = start
  const live = Effect.runSync(Clock.clockWith(Effect.succeed))
  // Spans ask for these alone; of no number there are none.
  const nanos = () => (Number.isFinite(now) ? BigInt(now) * 1_000_000n : 0n)
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: live.monotonicTimeNanos,
    sleep: (duration) => live.sleep(duration)
  }
  return {
    clock,
    now: () => now,
    set: (millis) => {
      now = millis
    }
  }
}

/** Runs an effect with this clock. */
export const withClock =
  ({ clock }: ManualClock) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Clock.Clock, clock)
