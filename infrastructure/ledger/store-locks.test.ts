/**
 * Another process holds the write lock: commands wait for it without holding up the runtime, give up at the deadline
 * with nothing written, and succeed once the lock is free. Reading goes on all the while.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Ledger } from "../../application/ledger/ledger.ts"
import { startChild } from "../testing/programs/child-process.ts"
import { makeLedgerFile, post, withLedger } from "../testing/programs/ledger-program.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"

/** How often the event loop turns before the lock is let go; a loop that waits for the lock does not turn. */
const TURNS = 100

/** A ledger file whose write lock a child process holds. */
const lockedLedger = Effect.gen(function* () {
  const filename = join(temporaryFolder(), "a.db")
  yield* makeLedgerFile(filename)
  const child = startChild(["hold", filename])
  assert.strictEqual(yield* Effect.promise(() => child.line()), "held")
  return { child, filename }
})

describe("a write lock that another process holds", () => {
  it.live("lets commands wait and then succeed, while the event loop turns and queries answer", () =>
    Effect.gen(function* () {
      const { child, filename } = yield* lockedLedger
      yield* withLedger(
        { filename, busyDeadline: "1 minute" },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const before = yield* ledger.head
          const waiting = yield* Effect.forkChild(
            Effect.all([post("r9", 1), post("r9", 2)], { concurrency: "unbounded" }),
            { startImmediately: true }
          )
          for (let turns = 0; turns < TURNS; turns++) {
            yield* Effect.sleep("5 millis")
            assert.deepStrictEqual(yield* ledger.head, before, "nothing is written while the lock is held")
            assert.isUndefined(waiting.pollUnsafe())
          }
          child.send("let go")
          const posted = yield* Fiber.join(waiting)
          assert.deepStrictEqual(
            posted.map(({ created }) => created),
            [true, true]
          )
          assert.strictEqual((yield* ledger.head).position, before.position + 2)
        })
      )
    })
  )

  it.live("is StoreBusy at the deadline, with nothing written, and no hindrance later", () =>
    Effect.gen(function* () {
      const { child, filename } = yield* lockedLedger
      yield* withLedger(
        { filename, busyDeadline: 50 },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const before = yield* ledger.head
          const logBefore = statSync(`${filename}-wal`).size
          const errors = yield* Effect.all([Effect.flip(post("r9", 1)), Effect.flip(post("r9", 2))], {
            concurrency: "unbounded"
          })
          for (const error of errors) {
            assert.strictEqual(error._tag, "StoreBusy")
            assert.isAtLeast(error._tag === "StoreBusy" ? error.waited_ms : 0, 50)
          }
          assert.deepStrictEqual(yield* ledger.head, before)
          assert.strictEqual(statSync(`${filename}-wal`).size, logBefore)
          child.send("let go")
          assert.strictEqual(yield* Effect.promise(() => child.line()), "released")
          assert.isTrue((yield* post("r9", 1)).created)
          assert.strictEqual((yield* ledger.verifyCassette({ pure: true })).verdict, "PASS")
        })
      )
    })
  )

  it.live("does not keep others from opening a ledger that exists", () =>
    Effect.gen(function* () {
      const { filename } = yield* lockedLedger
      const verdicts = yield* Effect.forEach(["read", "write"] as const, (mode) =>
        withLedger(
          { filename, mode, busyDeadline: 50 },
          Ledger.use((ledger) => Effect.map(ledger.verifyCassette({ pure: true }), ({ verdict }) => verdict))
        )
      )
      assert.deepStrictEqual(verdicts, ["PASS", "PASS"])
    })
  )
})
