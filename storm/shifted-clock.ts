// The machine's clock, wrong by an offset that jumps: what a process sees whose wall clock is corrected again and
// again. Sleeping and measuring are not moved by it.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface ShiftedClock {
  readonly clock: Clock.Clock
  /** Makes the clock wrong by so many milliseconds from now on. */
  readonly shift: (millis: number) => void
}

/** A clock that is right until it is shifted. */
export const makeShiftedClock = (): ShiftedClock => {
  const live = Effect.runSync(Clock.clockWith(Effect.succeed))
  let offset = 0
  const now = () => live.currentTimeMillisUnsafe() + offset
  const nanos = () => live.currentTimeNanosUnsafe() + BigInt(offset) * 1_000_000n
  return {
    clock: {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => live.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: live.monotonicTimeNanos,
      sleep: (duration) => live.sleep(duration)
    },
    shift: (millis) => {
      offset = millis
    }
  }
}
