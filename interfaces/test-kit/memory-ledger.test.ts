// The ledger in memory beside the one on SQLite: the same commands give the same replies, the same log to the last byte and the
// same answer to every query. What only a file can do, the one in memory refuses by name.
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { memoryPorts } from "../../application/ledger/memory/memory-ports.ts"
import { MEMORY_WARNING } from "../../application/ledger/memory/memory-evidence.ts"
import { Ledger as LedgerService } from "../../application/ledger/ledger.ts"
import { LedgerStore } from "../../application/ledger/commands/ledger-store.ts"
import { Checkpoints } from "../../application/ledger/proofs/checkpoints.ts"
import { RandomIds } from "../../application/ledger/thoughts/random-ids.ts"
import { Thoughts } from "../../application/ledger/thoughts/thoughts.ts"
import { Ledger } from "../embedding/ledger.ts"
import { allAnswers } from "./all-answers.ts"
import { DrivenLedger, START } from "./driven-ledger.ts"
import { anyJump, anyPlan } from "./ledger-commands.ts"
import { LedgerModel } from "./ledger-model.ts"
import { memoryLedgerLayer, memoryLedgerPorts } from "./memory-ledger.ts"

/** Both ledgers have this id, so that their logs can be the same. */
const ledgerId = "both"
const onSqlite = () => Ledger.layer({ filename: ":memory:", ledgerId })
const inMemory = () =>
  LedgerService.layerFrom(
    // Not the ledger that stands below it, which has an id of its own.
    Layer.fresh(memoryPorts).pipe(
      Layer.provideMerge(Layer.succeed(RandomIds, { uuid: () => ledgerId })),
      Layer.provideMerge(memoryLedgerPorts)
    )
  )

const move = fc.oneof(
  { weight: 6, arbitrary: fc.record({ plan: anyPlan, jump: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ plan: anyPlan, jump: anyJump }) }
)

describe("a ledger in memory", () => {
  it("answers as the one on SQLite does, and has the same log", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 10, maxLength: 40, size: "max" }), async (moves) => {
        const both = [new DrivenLedger(onSqlite), new DrivenLedger(inMemory)] as const
        const model = new LedgerModel(START)
        try {
          for (const system of both) await system.open()
          for (const { jump, plan } of moves) {
            model.now += jump
            const command = plan(model)
            model.apply(command)
            const answers = []
            for (const system of both) {
              system.clock.set(model.now)
              answers.push(await system.perform([command]))
            }
            assert.deepStrictEqual(answers[1], answers[0])
          }
          const [disk, memory] = await Promise.all(both.map((one) => one.run(allAnswers(one.ledger))))
          assert.deepStrictEqual(memory, disk)
          const position = model.position
          const states = await Promise.all(both.map((one) => one.run(one.ledger.stateAt({ position }))))
          assert.deepStrictEqual(states[1], states[0])
        } finally {
          for (const system of both) await system.close()
        }
      }),
      { numRuns: 30 }
    )
  })

  it.effect("is another one each time it is built", () =>
    Effect.gen(function* () {
      const posted = Ledger.use((ledger) =>
        Effect.andThen(
          ledger.postMessage({ run_id: "r", source: "USER", payload: {} }),
          Effect.map(ledger.head, ({ position }) => [ledger.ledgerId, position] as const)
        )
      ).pipe(Effect.provide(memoryLedgerLayer))
      const [first, firstHead] = yield* posted
      const [second, secondHead] = yield* posted
      assert.notStrictEqual(first, second)
      assert.deepStrictEqual([firstHead, secondHead], [2, 2])
    })
  )

  it.effect("takes its time from the Clock, and a claim that waits is woken by a commit", () =>
    Effect.gen(function* () {
      const ledger = yield* LedgerService
      const waiting = yield* Effect.forkChild(
        ledger.claimStep({ run_id: "r", worker_id: "w", ttl_seconds: 60, wait: "1 hour" })
      )
      yield* TestClock.adjust(Duration.minutes(30))
      yield* ledger.postMessage({ run_id: "r", source: "USER", payload: {} })
      const { lease, lease_expires_at } = yield* Fiber.join(waiting)
      assert.strictEqual(lease_expires_at, "1970-01-01T00:31:00.000Z")
      yield* TestClock.adjust(Duration.seconds(60))
      const late = yield* Effect.flip(
        ledger.completeStep({ ...lease, receipt_payload: {}, outcome: "SUCCESS" })
      )
      assert.strictEqual(late._tag, "LeaseExpired")
    }).pipe(Effect.provide(memoryLedgerLayer))
  )

  it.effect("verifies every rung and says what that is worth; it has no file to copy", () =>
    Effect.gen(function* () {
      const ledger = yield* LedgerService
      const thoughts = yield* Thoughts
      yield* ledger.postMessage({ run_id: "r", source: "USER", payload: {}, claim: { worker_id: "w" } })
      for (const content of ["one", "two"]) {
        yield* thoughts.createThoughtRecord({ type: "plan", task_id: "t", agent_id: "a", content })
      }
      const report = yield* ledger.verifyCassette()
      assert.strictEqual(report.verdict, "PASS")
      assert.deepStrictEqual(
        report.rungs.map(({ name }) => name),
        ["structure", "chain", "events", "thoughts", "projections", "steps"]
      )
      assert.deepStrictEqual(report.warnings, [MEMORY_WARNING])
      assert.strictEqual((yield* ledger.verifyCassette({ runId: "r" })).verdict, "PASS")
      assert.deepStrictEqual(
        (yield* thoughts.listThoughtRecords({ task_id: "t", descending: true })).map(
          ({ content }) => content
        ),
        ["two", "one"]
      )
      assert.isTrue((yield* thoughts.verifyChain()).valid)
      for (const attempt of [ledger.backup("copy.db"), ledger.rebuild("copy.db")]) {
        const error = yield* Effect.flip(attempt)
        assert.include(error.message, "NO_FILE")
      }
    }).pipe(Effect.provide(memoryLedgerLayer))
  )

  it.effect("proves what is in it", () =>
    Effect.gen(function* () {
      const ledger = yield* LedgerService
      const checkpoints = yield* Checkpoints
      yield* ledger.postMessage({ run_id: "r", source: "USER", payload: {} })
      const proof = yield* checkpoints.proveInclusion({ position: 2 })
      assert.deepStrictEqual([proof.index, proof.size], [1, 2])
    }).pipe(Effect.provide(memoryLedgerLayer))
  )

  it.effect("takes back what a unit of work appended before it failed", () =>
    Effect.gen(function* () {
      const store = yield* LedgerStore
      const event = { position: 2, type: "X", stream_id: "s", schema_version: 1, data: "{}" }
      const wrong = { ...event, recorded_at: "never", prev_hash: "", hash: "" }
      const error = yield* Effect.flip(store.transact((transaction) => transaction.append(wrong)))
      assert.strictEqual(error._tag, "StorageFailure")
      assert.strictEqual((yield* store.transact((transaction) => transaction.head())).position, 1)
    }).pipe(Effect.provide(memoryLedgerPorts))
  )
})
