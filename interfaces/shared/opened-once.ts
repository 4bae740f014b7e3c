// Opens what tools share at the first call that needs it, and keeps it for the server's life. A failure to open is told
// each time and tried again; callers that come meanwhile wait.
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** An opening that happens once, with the argument of the first that comes. */
export const openedOnce = <Argument, A, E>(open: (argument: Argument) => Effect.Effect<A, E>) =>
  Effect.map(Semaphore.make(1), (lock) => {
    let opened: { readonly value: A } | undefined
    const opening = (argument: Argument): Effect.Effect<A, E> =>
      Effect.suspend(() =>
        opened === undefined
          ? Effect.tap(open(argument), (value) =>
              Effect.sync(() => {
                opened = { value }
              })
            )
          : Effect.succeed(opened.value)
      )
    return (argument: Argument) => lock.withPermits(1)(opening(argument))
  })
