// A lock between processes that no crash leaves behind: the write lock of an empty SQLite database that is used for
// nothing else. The kernel gives it back when its holder dies, on every system that SQLite runs on; a lock file that
// exists or not could not promise that. To remove the file takes away no turn: a lock on a file that is no longer
// at its path is no lock, and is taken again. What it protects is its users' business.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StoreBusy } from "../../../domain/foundation/storage-errors.ts"
import { type Connection, openForWriting } from "./better-sqlite3-host.ts"
import { type AttemptFailure, retryBusy } from "./busy-retry.ts"
import { type PlaceCheck, watchPlace } from "../../files/opened-file-check.ts"
import { Busy } from "./sqlite-errors.ts"

/** Runs synchronous work while no other process does the like; `work` must not throw. */
export type ProcessLock = <A>(work: () => A) => Effect.Effect<A, AttemptFailure | StoreBusy>

const isInPlace = (assertInPlace: PlaceCheck): boolean => {
  try {
    assertInPlace()
    return true
  } catch {
    return false
  }
}

/** The lock with the file `file`, which is made when it is first taken; it waits for others up to the deadline. */
export const makeProcessLock = (
  file: string,
  deadlineMillis: number
): Effect.Effect<ProcessLock, never, Scope.Scope> =>
  Effect.gen(function* () {
    let held: { readonly connection: Connection; readonly assertInPlace: PlaceCheck } | undefined
    const close = () => {
      held?.connection.close()
      held = undefined
    }
    yield* Effect.addFinalizer(() => Effect.sync(close))
    const open = () => {
      const opened = openForWriting(file)
      // Nothing is stored, so nothing needs to be kept safe.
      opened.pragma("journal_mode = MEMORY")
      opened.pragma("synchronous = OFF")
      return { connection: opened, assertInPlace: watchPlace(file) }
    }
    return (work) =>
      retryBusy(file, deadlineMillis, () => {
        const { assertInPlace, connection } = (held ??= open())
        const done = connection.transaction(() => (isInPlace(assertInPlace) ? { value: work() } : undefined))
        if (done !== undefined) return done.value
        close()
        throw new Busy()
      })
  })
