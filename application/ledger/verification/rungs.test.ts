// Long walks give the runtime its turn, and what a walk throws arrives as its own kind of failure.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { StorageFailure } from "../../../domain/foundation/storage-errors.ts"
import { inTurns } from "./rungs.ts"

function* walk(seen: Array<string>, end: () => number): Generator<undefined, number> {
  for (let turn = 0; turn < 3; turn++) {
    seen.push("walk")
    yield
  }
  return end()
}

describe("a walk in turns", () => {
  it.effect("lets other fibers run between its turns and gives its result", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const other = Effect.gen(function* () {
        for (let turn = 0; turn < 3; turn++) {
          seen.push("other")
          yield* Effect.yieldNow
        }
      })
      const [result] = yield* Effect.all([inTurns(walk(seen, () => 7)), other], { concurrency: "unbounded" })
      assert.strictEqual(result, 7)
      assert.deepStrictEqual(seen, ["walk", "other", "walk", "other", "walk", "other"])
    })
  )

  it.effect("fails with the storage's failure and dies of anything else", () =>
    Effect.gen(function* () {
      const failure = new StorageFailure({ file: "f", code: "SQLITE_IOERR", reason: "gone" })
      const throwing = (error: unknown) =>
        Effect.exit(
          inTurns(
            walk([], () => {
              throw error
            })
          )
        )
      assert.deepStrictEqual(yield* throwing(failure), Exit.fail(failure))
      const defect = new Error("a bug")
      assert.deepStrictEqual(yield* throwing(defect), Exit.die(defect))
    })
  )
})
