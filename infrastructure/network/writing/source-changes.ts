// Tells when files below a folder may have changed. Changes that come close together are one; what the network itself writes, and
// git's own files, are none.
import { watch } from "node:fs"
import { sep } from "node:path"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { realSleep } from "../../sqlite/connection/real-time.ts"

/** How long to wait for further changes (milliseconds). */
const QUIET_MILLIS = 300

const isInteresting = (path: string | null): boolean => {
  const parts = (path ?? "").split(sep)
  return !parts.includes(".git") && (parts[0] !== "CORTEX" || parts.at(-1)?.endsWith(".yaml") === true)
}

/** An element for every change below the root; the beginning counts as one. */
export const sourceChanges = <E>(root: Effect.Effect<string, E>): Stream.Stream<void, E> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const folder = yield* root
      const changes = yield* Queue.sliding<true>(1)
      yield* Queue.offer(changes, true)
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          watch(folder, { recursive: true }, (_, path) => {
            if (isInteresting(path)) Queue.offerUnsafe(changes, true)
          }).on("error", () => Queue.offerUnsafe(changes, true))
        ),
        (watcher) => Effect.sync(() => watcher.close())
      )
      return Stream.fromEffectRepeat(
        Effect.gen(function* () {
          yield* Queue.take(changes)
          yield* realSleep(QUIET_MILLIS)
          yield* Queue.clear(changes)
        })
      )
    })
  )
