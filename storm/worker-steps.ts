// The steps of the workers' storm: how long each is to be held, as its payload says, against a lease of a second.
import type { JsonObject } from "../domain/canonical/json.ts"

export const RUN = "workers"

/** How long a lease lasts. */
export const LEASE_SECONDS = 1

/** How long a handler takes that outlasts its lease three times (milliseconds). */
export const HELD_LONG = LEASE_SECONDS * 3_000

/** Longest time that other handlers take (milliseconds). */
const HELD_SHORT = 60

/** One of so many steps is held long. */
const LONG_EVERY = 25

/** The payload of the n-th step. */
export const payloadOf = (n: number): JsonObject => ({
  hold: n % LONG_EVERY === 0 ? HELD_LONG : (n * 7) % HELD_SHORT
})

/** How long a handler is to take (milliseconds). */
export const holdOf = (payload: JsonObject): number => Number(payload["hold"])
