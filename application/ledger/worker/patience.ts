// Work that must not end because another program holds the store for a while.
import * as Effect from "effect/Effect"
import { isRetryable } from "../../../domain/foundation/errors.ts"

/** The store's answer once it is not busy: its own deadline is in every attempt. `between` runs before each further one. */
export const patiently = <A, E extends { readonly _tag: string }>(
  work: Effect.Effect<A, E>,
  between: Effect.Effect<void> = Effect.void
): Effect.Effect<A, E> =>
  Effect.retry(work, {
    while: (error) => (isRetryable(error) ? Effect.as(between, true) : Effect.succeed(false))
  })
