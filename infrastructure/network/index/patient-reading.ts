// Readers wait for writers, too. A reader is seldom kept waiting in WAL mode, but short-lived programs meet the last writer
// as it takes the log away, or a program that puts a left log in order, many times a day. The wait is real time, as that for
// other writers is, and it is bounded: after the deadline the cassette is told to be locked.
import * as Effect from "effect/Effect"
import type { CassetteOffline } from "../../../domain/network/errors.ts"
import { DEFAULT_DEADLINE_MILLIS } from "../../../domain/network/limits.ts"
import { busyPause } from "../../sqlite/connection/busy-retry.ts"

/** Asks again while another program is at work in the file, until the deadline (milliseconds). */
export const patiently = <A>(
  ask: Effect.Effect<A, CassetteOffline>,
  deadlineMillis = DEFAULT_DEADLINE_MILLIS
): Effect.Effect<A, CassetteOffline> =>
  Effect.suspend(() => {
    const start = performance.now()
    const again: Effect.Effect<A, CassetteOffline> = Effect.catch(ask, (fault) => {
      const waited = Math.round(performance.now() - start)
      return fault.busy !== true || waited >= deadlineMillis
        ? Effect.fail(fault)
        : Effect.flatMap(busyPause(waited), () => again)
    })
    return again
  })
