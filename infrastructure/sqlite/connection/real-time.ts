// Waiting in real time. What concerns locks and files of the machine must not follow Effect's Clock, which a test may
// stop, or turn by years in one step; everything that is data takes its time from that Clock.
import * as Effect from "effect/Effect"

/** Ends after so many real milliseconds, for which the process lives; an interrupt ends it at once. */
export const realSleep = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** The same for housekeeping, which keeps no process alive: one that has nothing else to do ends meanwhile. */
export const idleSleep = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis).unref()
    return Effect.sync(() => clearTimeout(timer))
  })
