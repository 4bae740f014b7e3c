/**
 * The write-ahead log moves into the database while nothing is written, not while writing goes on, and a checkpoint
 * that fails is tried again. The last test waits for it in real time, with a bound.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { vi } from "vitest"
import { post, smallHistory, withLedger } from "../../testing/programs/ledger-program.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { openLedgerFile } from "./ledger-file.ts"
import { makeSqliteLedgerStore } from "../sqlite-ledger-store.ts"

/** A store whose checkpoints are counted and, when `fails` says so, fail. */
const countedStore = (fails: () => boolean = () => false) =>
  Effect.gen(function* () {
    const file = yield* openLedgerFile({ filename: join(temporaryFolder(), "a.db") })
    const checkpoints = { tried: 0 }
    const { pragma } = file.host
    Object.assign(file.host, {
      pragma: (text: string) => {
        if (!text.startsWith("wal_checkpoint")) return pragma(text)
        checkpoints.tried += 1
        if (fails()) throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" })
        return pragma(text)
      }
    })
    const store = yield* makeSqliteLedgerStore(file)
    return { checkpoints, write: store.transact(() => undefined) }
  })

/** The wait is real time under any clock of a host, so it is the timers that are turned on here. */
const second = Effect.promise(() => vi.advanceTimersByTimeAsync(1_000))

const withTurnedTimers = <A, E>(test: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })),
    () => Effect.scoped(test),
    () => Effect.sync(() => vi.useRealTimers())
  )

describe("the idle checkpoint", () => {
  it.live("comes once after a write and a quiet second, not before and not again", () =>
    Effect.gen(function* () {
      const { checkpoints, write } = yield* countedStore()
      yield* second
      yield* second
      assert.strictEqual(checkpoints.tried, 0, "nothing was written")
      yield* write
      yield* second
      yield* write
      yield* second
      assert.strictEqual(checkpoints.tried, 0, "something was written in each second")
      yield* second
      assert.strictEqual(checkpoints.tried, 1)
      yield* second
      yield* second
      assert.strictEqual(checkpoints.tried, 1)
      yield* write
      yield* second
      yield* second
      assert.strictEqual(checkpoints.tried, 2)
    }).pipe(withTurnedTimers)
  )

  it.live("is tried again when it fails", () =>
    Effect.gen(function* () {
      let full = true
      const { checkpoints, write } = yield* countedStore(() => full)
      yield* write
      yield* second
      yield* second
      assert.strictEqual(checkpoints.tried, 1)
      yield* second
      assert.strictEqual(checkpoints.tried, 2)
      full = false
      yield* second
      assert.strictEqual(checkpoints.tried, 3)
      yield* second
      assert.strictEqual(checkpoints.tried, 3)
    }).pipe(withTurnedTimers)
  )

  it.live("moves the log into the file", () =>
    Effect.gen(function* () {
      const MOST_TRIES = 100
      const filename = join(temporaryFolder(), "a.db")
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          yield* smallHistory
          yield* post("r3", 1)
          const before = statSync(filename).size
          assert.isAbove(statSync(`${filename}-wal`).size, before)
          for (let tries = 0; statSync(filename).size === before; tries++) {
            assert.isBelow(tries, MOST_TRIES)
            yield* Effect.sleep("100 millis")
          }
        })
      )
    })
  )
})
