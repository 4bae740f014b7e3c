/**
 * Processes that all open one file that does not exist, released by one word once each of them is ready: what each of
 * them was answered. They are started a few at a time, since a machine with few cores starts no more at once anyway.
 */
import { existsSync } from "node:fs"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startChild } from "./child-process.ts"
import type { StoreName } from "../store-kinds.ts"

const STARTED_AT_ONCE = 4

/** Each process writes so many things of its own at once; gives what became of every one. */
export const firstOpeners = Effect.fnUntraced(function* (
  name: StoreName,
  file: string,
  processes: number,
  writesEach: number
) {
  const children = yield* Effect.forEach(
    Array.from({ length: processes }, (_, n) => n),
    (n) =>
      Effect.promise(async () => {
        const child = startChild([name, "open", file, `${n * writesEach}`, `${writesEach}`], {
          script: "store"
        })
        assert.strictEqual(await child.line(), "ready")
        return child
      }),
    { concurrency: STARTED_AT_ONCE }
  )
  assert.isFalse(existsSync(file))
  for (const child of children) child.send("go")
  const answers = yield* Effect.promise(() => Promise.all(children.map((child) => child.line())))
  return answers.flat()
})
