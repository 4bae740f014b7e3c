// Other programs that meddle with the runs of an execution: they lease, finish and post steps that are the engine's. Nothing of it
// stops an execution for good.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { DurableClock, DurableDeferred, type WorkflowEngine } from "effect/workflow"
import { Ledger as LedgerService } from "../../application/ledger/ledger.ts"
import { runOf } from "../../domain/workflow/names.ts"
import { sha256 } from "../../infrastructure/hashing/node-hashing.ts"
import { temporaryFile } from "../../infrastructure/testing/ledgers.ts"
import { CassetteWorkflowEngine } from "./index.ts"
import {
  give,
  register,
  settle,
  startSuspended,
  textActivity,
  textDeferred,
  textWorkflow,
  told,
  untilEnded,
  untilSuspended
} from "./testing/behaviour.ts"

const Order = textWorkflow("Order")
const gate = textDeferred("gate")
const gated = register(Order, () => DurableDeferred.await(gate))
const napping = register(Order, () =>
  Effect.as(DurableClock.sleep({ name: "nap", duration: "1 hour", inMemoryThreshold: 0 }), "slept")
)
const execution = Order.executionId({ id: "1" })
const runNamed = (kind: "workflow" | "activity" | "timer") =>
  Effect.map(execution, (id) => runOf(sha256, kind, "Order", id))
const turns = runNamed("workflow")
const activities = runNamed("activity")
const clocks = runNamed("timer")
const ended = Effect.flatMap(execution, (id) => Effect.map(untilEnded(Order, id), told))

/** Another program leases the step that waits in a run. */
const lease = (run: typeof turns, ttl_seconds = 60) =>
  Effect.gen(function* () {
    const ledger = yield* LedgerService
    const { lease } = yield* ledger.claimStep({ run_id: yield* run, worker_id: "other", ttl_seconds })
    yield* settle
    return lease
  })

/** Another program finishes the step that waits in a run. */
const finish = (run: typeof turns) =>
  Effect.gen(function* () {
    const ledger = yield* LedgerService
    yield* ledger.completeStep({
      ...(yield* lease(run)),
      receipt_payload: { ok: true },
      outcome: "SUCCESS"
    })
    yield* settle
  })

/** Another program posts an attempt. */
const postAttempt = (intent: string) =>
  Effect.gen(function* () {
    const ledger = yield* LedgerService
    yield* ledger.postMessage({
      run_id: yield* activities,
      source: "USER",
      payload: { intent },
      idempotency_key: "measure/1"
    })
  })

type Life = Effect.Effect<void, unknown, LedgerService | Scope.Scope | WorkflowEngine.WorkflowEngine>

/** Engines on one file, one after the other, on a clock that the test moves; the last one verifies the file. */
const lives = (...lives: ReadonlyArray<Life>) =>
  Effect.gen(function* () {
    const engine = CassetteWorkflowEngine.layer({ filename: yield* temporaryFile, durability: "normal" })
    const verified = Effect.gen(function* () {
      const { findings, verdict } = yield* (yield* LedgerService).verifyCassette()
      assert.deepStrictEqual({ findings, verdict }, { findings: [], verdict: "PASS" })
    })
    for (const life of [...lives, verified]) {
      yield* Effect.provide(Effect.scoped(life), Layer.fresh(engine))
    }
  })

const start = startSuspended(Order, "1")

describe("another program", () => {
  it.effect("finishes a wake while no engine runs: the next caller's engine wakes the execution again", () =>
    lives(
      Effect.andThen(gated, start),
      Effect.gen(function* () {
        yield* give(gate, Order, yield* execution, "yes")
        yield* finish(turns)
      }),
      Effect.gen(function* () {
        yield* gated
        assert.strictEqual(yield* Order.execute({ id: "1" }), "yes")
      })
    )
  )

  it.effect("finishes the wake that it posts: the engine that runs wakes the execution again", () =>
    lives(
      Effect.gen(function* () {
        yield* gated
        yield* start
        const ledger = yield* LedgerService
        const run_id = yield* turns
        const { lease } = yield* ledger.postMessage({
          run_id,
          source: "USER",
          payload: { intent: "deferred", name: "gate", exit: { _tag: "Success", value: "yes" } },
          idempotency_key: "deferred/gate",
          claim: { worker_id: "other", ttl_seconds: 60 }
        })
        yield* ledger.completeStep({ ...lease!, receipt_payload: {}, outcome: "SUCCESS" })
        assert.strictEqual(yield* ended, "success yes")
      })
    )
  )

  it.effect("finishes an attempt of an activity: the body is told so", () =>
    lives(
      Effect.gen(function* () {
        yield* postAttempt("measure")
        yield* finish(activities)
        yield* register(Order, () => textActivity("measure", Effect.succeed("21")))
        yield* Order.execute({ id: "1" }, { discard: true })
        assert.match(yield* ended, /^defect The exit of activity measure .* cannot be read/u)
      })
    )
  )

  it.effect("gives a deferred what is no exit: the body is told which", () =>
    lives(
      Effect.gen(function* () {
        yield* gated
        yield* start
        const payload = { intent: "deferred", name: "gate", exit: "yes" }
        yield* (yield* LedgerService).postMessage({ run_id: yield* turns, source: "USER", payload })
        assert.match(yield* ended, /^defect The exit of deferred gate .* cannot be read/u)
      })
    )
  )

  it.effect("posts an attempt with a payload of its own: it is the attempt", () =>
    lives(
      Effect.gen(function* () {
        yield* register(Order, () =>
          Effect.gen(function* () {
            yield* textActivity("first", Effect.succeed(""))
            yield* Effect.orDie(
              Effect.provideService(postAttempt("garbage"), LedgerService, yield* LedgerService)
            )
            return yield* textActivity("measure", Effect.succeed("21"))
          })
        )
        yield* Order.execute({ id: "1" }, { discard: true })
        assert.strictEqual(yield* ended, "success 21")
      })
    )
  )

  it.effect("leases a clock and gives it back: it rings at its time", () =>
    lives(
      Effect.gen(function* () {
        yield* napping
        yield* start
        const ledger = yield* LedgerService
        yield* ledger.requeueStep({ ...(yield* lease(clocks)), reason: "not mine" })
        yield* settle
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* ended, "success slept")
      })
    )
  )

  it.effect("leases a clock and dies, before and after another engine comes: it rings at its time", () =>
    lives(
      Effect.gen(function* () {
        yield* napping
        yield* start
        yield* lease(clocks)
        yield* TestClock.adjust("2 minutes")
        yield* settle
        yield* lease(clocks)
      }),
      Effect.gen(function* () {
        yield* napping
        yield* TestClock.adjust("2 minutes")
        yield* settle
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* ended, "success slept")
      })
    )
  )

  it.effect("finishes a clock: it rings at its time", () =>
    lives(
      Effect.gen(function* () {
        yield* napping
        yield* start
        yield* finish(clocks)
        yield* TestClock.adjust("59 minutes")
        yield* untilSuspended(Order, yield* execution)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* ended, "success slept")
      })
    )
  )

  it.effect("finishes a clock while no engine runs: it rings at its time once the execution is resumed", () =>
    lives(
      Effect.andThen(napping, start),
      finish(clocks),
      Effect.gen(function* () {
        yield* napping
        yield* Order.resume(yield* execution)
        yield* untilSuspended(Order, yield* execution)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* ended, "success slept")
      })
    )
  )
})
