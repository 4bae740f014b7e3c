// What the contract of faults shows in a moment, for as long as it takes in earnest: another process holds the write lock
// of a ledger, a corpus database and a cassette for ten seconds, of all three at the same time.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { HELD_LOCK_OUTCOME, heldLock } from "../infrastructure/testing/held-lock.ts"
import { type StoreName, storeKinds } from "../infrastructure/testing/store-kinds.ts"

/** As long as a writer waits by default (milliseconds). */
const HELD_MILLIS = 10_000

describe("a lock that is held for ten seconds", () => {
  it.live("lets who waits longer write, tells who does not, and holds up no reader", () =>
    Effect.gen(function* () {
      const names = Object.keys(storeKinds) as ReadonlyArray<StoreName>
      const outcomes = yield* Effect.forEach(names, (name) => heldLock(name, HELD_MILLIS), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        outcomes,
        names.map(() => HELD_LOCK_OUTCOME)
      )
    })
  )
})
