// Work that may hang is awaited for a bounded time.
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Option from "effect/Option"

/** How work ended, or nothing when it took too long; work that cannot be interrupted is left behind. */
export const within = <A, E>(
  work: Effect.Effect<A, E>,
  millis: number
): Effect.Effect<Option.Option<Exit.Exit<A, E>>> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(work)
    return yield* Effect.timeoutOption(Fiber.await(fiber), millis).pipe(
      Effect.ensuring(Effect.sync(() => fiber.interruptUnsafe()))
    )
  })
