// Waiting for other writers. SQLite's own busy handler would block the event loop and starve (one process of four
// did nearly all the work), so a busy attempt is repeated with jitter until a deadline, and the runtime gets its
// turn in between. The waits are real time on purpose: a lock of another process does not follow a test's clock.
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import {
  NotALedger,
  ReadOnlyStore,
  StorageFailure,
  StorageFull,
  StoreBusy
} from "../../../domain/foundation/storage-errors.ts"
import { waitMillis } from "../../../application/foundation/wait.ts"
import { DatabaseDamaged } from "./database-damaged.ts"
import { realSleep } from "./real-time.ts"
import { Busy, type SqliteFailure, sqliteFailure } from "./sqlite-errors.ts"

/** How long a writer waits for others by default (milliseconds). */
export const DEFAULT_BUSY_DEADLINE_MILLIS = 10_000

/** How long an opening with this option waits for other writers, in milliseconds. */
export const busyDeadlineMillis = (busyDeadline: Duration.Input | undefined): number =>
  (busyDeadline === undefined ? undefined : waitMillis(busyDeadline)) ?? DEFAULT_BUSY_DEADLINE_MILLIS

/** The longest single wait between two attempts, at first (milliseconds). */
const MAX_WAIT_MILLIS = 4

/** How much waiting takes a millisecond off the longest wait (milliseconds). */
const PATIENCE_MILLIS = 10

/** The longest next wait: a writer that has waited longer tries more often, so that none is passed over for long. */
const nextWaitMillis = (waited: number): number => Math.max(1, MAX_WAIT_MILLIS - waited / PATIENCE_MILLIS)

/** The wait before the next attempt of who has waited so long already (milliseconds). */
export const busyPause = Effect.fnUntraced(function* (waited: number) {
  yield* realSleep(Math.ceil((yield* Random.next) * nextWaitMillis(waited)))
})

/** How the work of one attempt can fail for good. */
export type AttemptFailure = Exclude<SqliteFailure, Busy> | NotALedger

/** An attempt's result, or the failure of one that must not be repeated. */
const attempt = <A, E>(
  file: string,
  work: () => A,
  isRefusal: (error: unknown) => error is E
): Effect.Effect<A, AttemptFailure | E> | Busy => {
  try {
    return Effect.succeed(work())
  } catch (error) {
    if (error instanceof Busy) return error
    if (
      error instanceof NotALedger ||
      error instanceof DatabaseDamaged ||
      error instanceof StorageFailure ||
      error instanceof StorageFull ||
      error instanceof ReadOnlyStore ||
      isRefusal(error)
    ) {
      return Effect.fail(error)
    }
    const failure = sqliteFailure(file, error)
    return failure instanceof Busy ? failure : Effect.fail(failure)
  }
}

/**
 * Runs synchronous SQLite work, again and again while the store is busy; `StoreBusy` after the deadline. An
 * attempt that fails must have left nothing behind. `isRefusal` knows the errors with which the work itself refuses; other
 * errors that are no SQLite errors are defects.
 */
export const retryBusy = <A, E = never>(
  file: string,
  deadlineMillis: number,
  work: () => A,
  isRefusal: (error: unknown) => error is E = (_error): _error is never => false
): Effect.Effect<A, AttemptFailure | E | StoreBusy> =>
  Effect.suspend(() => {
    const first = attempt(file, work, isRefusal)
    if (!(first instanceof Busy)) return first
    const start = performance.now()
    return Effect.gen(function* () {
      while (true) {
        const waited = Math.round(performance.now() - start)
        if (waited >= deadlineMillis) return yield* new StoreBusy({ waited_ms: waited })
        yield* busyPause(waited)
        const next = attempt(file, work, isRefusal)
        if (!(next instanceof Busy)) return yield* next
      }
    })
  })
