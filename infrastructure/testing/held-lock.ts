/**
 * A write lock that another process holds for a while, on a store of any kind: what comes of a writer that waits longer
 * than that, of one that does not, and of a reader. How long it is held is the caller's; no time is judged here.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { startChild } from "./programs/child-process.ts"
import { type Refusal, type StoreKind, type StoreName, storeKinds } from "./store-kinds.ts"
import { temporaryFolder } from "./temporary-folder.ts"

/** How long the impatient writer waits; far less than any lock is held (milliseconds). */
const IMPATIENT_MILLIS = 100

/** How much longer than the lock is held the patient writer would wait, on a machine however busy (milliseconds). */
const SPARE_MILLIS = 60_000

const outcome = (effect: Effect.Effect<void, Refusal>): Effect.Effect<string> =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "done" })

/** What must come of it, of every kind. */
export const HELD_LOCK_OUTCOME = {
  impatient: "StoreBusy",
  readMeanwhile: 1,
  doneMeanwhile: false,
  patient: "done",
  impatientLater: "done",
  count: 3
}

/** Makes a store with one thing in it, has its lock held for so long, and tells what came of everybody. */
export const heldLock = Effect.fnUntraced(function* (name: StoreName, heldMillis: number) {
  const { count, write }: StoreKind = storeKinds[name]
  const file = join(temporaryFolder(), "a.db")
  yield* write(file, 1)
  const child = startChild([name, "hold", file], { script: "store" })
  yield* Effect.promise(() => child.line())
  const waiting = yield* Effect.forkChild(
    outcome(write(file, 2, { busyDeadline: heldMillis + SPARE_MILLIS })),
    { startImmediately: true }
  )
  const impatient = yield* outcome(write(file, 3, { busyDeadline: IMPATIENT_MILLIS }))
  const readMeanwhile = yield* count(file)
  yield* Effect.sleep(heldMillis)
  const doneMeanwhile = waiting.pollUnsafe() !== undefined
  child.send("let go")
  const patient = yield* Fiber.join(waiting)
  yield* Effect.promise(() => child.ended)
  const impatientLater = yield* outcome(write(file, 3, { busyDeadline: IMPATIENT_MILLIS }))
  return { impatient, readMeanwhile, doneMeanwhile, patient, impatientLater, count: yield* count(file) }
})
