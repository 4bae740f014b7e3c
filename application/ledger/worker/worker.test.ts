// A worker on the SQLite adapter: what becomes of steps whose handlers answer, fail, die, run long, are stopped or lose their
// lease. The clock is the test's own.
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import type { JsonObject } from "../../../domain/canonical/json.ts"
import { StoreBusy } from "../../../domain/foundation/storage-errors.ts"
import type { Lease } from "../../../domain/ledger/commands.ts"
import { Ledger, type LedgerShape } from "../ledger.ts"
import { openLedger, post, run, type TestLedgerOptions } from "../../../infrastructure/testing/ledgers.ts"
import {
  countedClaims,
  countedTransactions,
  fillingStore
} from "../../../infrastructure/testing/watched-stores.ts"
import { finished, type Handler, run as runWorker, type StepEnding, type WorkerOptions } from "./worker.ts"

class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { id: Schema.String }) {
  override get message() {
    return `there is no ${this.id}`
  }
}

/** A ledger with so many steps in the run, and a worker on it. */
const setUp = (count: number, options: TestLedgerOptions = {}) =>
  Effect.gen(function* () {
    const ledger = yield* openLedger(options)
    for (let n = 0; n < count; n++) yield* post(ledger, n)
    const endings: Array<StepEnding> = []
    const work = <E, R, Stop extends E = never>(
      handler: Handler<E, R>,
      more: Partial<WorkerOptions<E, Stop>> = {}
    ) =>
      runWorker<E, R, Stop>(
        {
          worker_id: "w",
          run_id: run,
          ttl_seconds: 30,
          onStep: (ending) => Effect.sync(() => endings.push(ending)),
          ...more
        },
        handler
      ).pipe(Effect.provideService(Ledger, ledger))
    const tags = () => endings.map(({ _tag }) => _tag)
    return { ledger, work, endings, tags }
  })

const receiptsOf = (ledger: LedgerShape) =>
  Effect.map(ledger.receipts({ run_id: run }), (rows) =>
    rows.map(({ outcome, receipt_json }) => [outcome, JSON.parse(receipt_json) as unknown])
  )

const untilEmpty = { untilEmpty: true } as const

describe("a worker", () => {
  it.effect("works every step and commits what its handler answers", () =>
    Effect.gen(function* () {
      const { ledger, tags, work } = yield* setUp(3)
      const tally = yield* work(({ payload }) => Effect.succeed({ did: payload["n"] ?? null }), untilEmpty)
      assert.deepStrictEqual(tally, { completed: 3, given_back: 0, lost: 0 })
      assert.deepStrictEqual(tags(), ["Completed", "Completed", "Completed"])
      assert.deepStrictEqual(
        yield* receiptsOf(ledger),
        [0, 1, 2].map((did) => ["SUCCESS", { did }])
      )
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.effect("commits a completion and the next claim in one transaction", () =>
    Effect.gen(function* () {
      const { seen, wrap } = countedTransactions()
      const { work } = yield* setUp(10, { wrap })
      seen.transactions = 0
      yield* work(() => Effect.succeed({}), untilEmpty)
      // The first claim, ten completions with the next, and the claim that finds nothing.
      assert.strictEqual(seen.transactions, 12)
    })
  )

  it.effect("claims a step that comes once, however many of its slots are idle", () =>
    Effect.gen(function* () {
      const { claims, wrap } = countedClaims()
      const { ledger, tags, work } = yield* setUp(0, { wrap })
      const worker = yield* Effect.forkChild(work(() => Effect.succeed({}), { concurrency: 50 }))
      while (claims.count < 51) yield* Effect.yieldNow
      for (let n = 0; n < 20; n++) yield* Effect.yieldNow
      claims.count = 0
      yield* post(ledger, 1)
      while (tags().length < 1) yield* Effect.yieldNow
      for (let n = 0; n < 20; n++) yield* Effect.yieldNow
      assert.isAtMost(claims.count, 4)
      yield* Fiber.interrupt(worker)
    })
  )

  it.effect("makes a receipt of anything that was thrown, also where it cannot be read", () =>
    Effect.gen(function* () {
      const { ledger, work } = yield* setUp(1)
      const unreadable = new Proxy({}, { get: () => assert.fail("not to be read") })
      yield* work(() => Effect.die(unreadable), untilEmpty)
      assert.deepStrictEqual(yield* receiptsOf(ledger), [
        ["FAILURE", { error: { _tag: "Error", message: "" } }]
      ])
    })
  )

  it.effect("waits for steps until it is stopped", () =>
    Effect.gen(function* () {
      const { ledger, tags, work } = yield* setUp(0)
      const done = yield* Deferred.make<void>()
      const worker = yield* Effect.forkChild(work(() => Effect.as(Deferred.succeed(done, undefined), {})))
      yield* Effect.yieldNow
      yield* post(ledger)
      yield* Deferred.await(done)
      yield* ledger.changed(3)
      yield* Fiber.interrupt(worker)
      assert.deepStrictEqual(tags(), ["Completed"])
    })
  )

  it.effect("makes a failure's receipt of errors, defects and what is no JSON object", () =>
    Effect.gen(function* () {
      const { ledger, work } = yield* setUp(9)
      const circle: Record<string, unknown> = {}
      circle["self"] = circle
      const answers: ReadonlyArray<Effect.Effect<JsonObject, NotFound | string>> = [
        Effect.fail(new NotFound({ id: "x\u0000\ud800" })),
        Effect.fail("plain"),
        Effect.die(new TypeError("no function")),
        Effect.sync(() => {
          throw new RangeError("thrown")
        }),
        Effect.succeed(undefined as never),
        Effect.succeed([1] as never),
        Effect.succeed({ at: Number.NaN }),
        Effect.succeed(circle as JsonObject),
        Effect.interrupt
      ]
      yield* work(({ payload }) => answers[Number(payload["n"])] ?? Effect.die("no answer"), untilEmpty)
      const receipts = yield* receiptsOf(ledger)
      assert.deepStrictEqual(
        receipts.map(([outcome, receipt]) => {
          const { _tag, message } = (receipt as { error: { _tag: string; message: string } }).error
          return [outcome, _tag, message.split(":")[0]]
        }),
        [
          ["FAILURE", "NotFound", "there is no x\ufffd\ufffd"],
          ["FAILURE", "string", "plain"],
          ["FAILURE", "TypeError", "no function"],
          ["FAILURE", "RangeError", "thrown"],
          ["FAILURE", "InvalidReceipt", "the handler returned no JSON object"],
          ["FAILURE", "InvalidReceipt", "the handler returned no JSON object"],
          ["FAILURE", "InvalidInput", "/receipt_payload/at"],
          ["FAILURE", "InvalidInput", receipts[7] === undefined ? "" : "/receipt_payload/self"],
          ["FAILURE", "Interrupted", "the handler interrupted itself"]
        ]
      )
    })
  )

  it.effect("commits an outcome of the handler's own", () =>
    Effect.gen(function* () {
      const { ledger, work } = yield* setUp(1)
      yield* work(() => Effect.succeed(finished("ABORTED", { why: "cancelled" })), untilEmpty)
      assert.deepStrictEqual(yield* receiptsOf(ledger), [["ABORTED", { why: "cancelled" }]])
    })
  )

  it.effect("has as many steps in hand as it may", () =>
    Effect.gen(function* () {
      const { ledger, tags, work } = yield* setUp(10)
      let inHand = 0
      let most = 0
      const worker = yield* Effect.forkChild(
        work(
          () =>
            Effect.acquireUseRelease(
              Effect.sync(() => {
                most = Math.max(most, (inHand += 1))
              }),
              () => Effect.as(Effect.sleep("1 second"), {}),
              () => Effect.sync(() => (inHand -= 1))
            ),
          { ...untilEmpty, concurrency: 4 }
        )
      )
      for (const completed of [0, 4, 8]) {
        while (tags().length < completed || inHand < Math.min(4, 10 - completed)) yield* Effect.yieldNow
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(yield* Fiber.join(worker), { completed: 10, given_back: 0, lost: 0 })
      assert.strictEqual(most, 4)
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.effect("works every run with a prefix, round and round", () =>
    Effect.gen(function* () {
      const { ledger, work } = yield* setUp(0)
      for (const id of ["x-b", "x-a", "y", "x-b", "x-a"]) yield* post(ledger, 1, id)
      const runs: Array<string> = []
      yield* work(({ lease }) => Effect.sync(() => (runs.push(lease.run_id), {})), {
        ...untilEmpty,
        run_id: undefined,
        prefix: "x-"
      })
      assert.deepStrictEqual(runs, ["x-a", "x-b", "x-a", "x-b"])
      assert.lengthOf(yield* ledger.waiting(), 1)
    })
  )

  it.effect("works one job alone", () =>
    Effect.gen(function* () {
      const { ledger, work } = yield* setUp(1)
      const { job_id } = yield* post(ledger)
      yield* work(() => Effect.succeed({}), { ...untilEmpty, job_id })
      assert.strictEqual((yield* ledger.waiting()).length, 1)
      assert.strictEqual((yield* ledger.receipts({ job_id })).length, 1)
    })
  )

  it.effect("refuses options that mean nothing", () =>
    Effect.gen(function* () {
      const { work } = yield* setUp(0)
      for (const [wrong, path] of [
        [{ concurrency: 0 }, "/concurrency"],
        [{ ttl_seconds: 0 }, "/ttl_seconds"],
        [{ prefix: "a" }, "/prefix"],
        [{ run_id: undefined, job_id: "job_0000000000002_6bc3e907409fef01.0001" }, "/job_id"],
        [{ worker_id: "" }, "/worker_id"],
        [{ colour: 1 } as object, "/colour"]
      ] as const) {
        const refused = yield* Effect.flip(work(() => Effect.succeed({}), wrong))
        assert.include(refused.message, path)
      }
    })
  )
})

describe("a lease of a worker", () => {
  it.effect("is renewed while the handler runs, three times as long as it lasts", () =>
    Effect.gen(function* () {
      const { ledger, work } = yield* setUp(1)
      let runs = 0
      const leases: Array<Lease> = []
      const worker = yield* Effect.forkChild(
        work(
          (_, lease) =>
            Effect.gen(function* () {
              runs += 1
              leases.push(yield* lease)
              yield* Effect.sleep("90 seconds")
              leases.push(yield* lease)
              return { ok: true }
            }),
          untilEmpty
        )
      )
      while (leases.length === 0) yield* Effect.yieldNow
      for (let n = 1; n <= 9; n++) {
        yield* TestClock.adjust("10 seconds")
        if (n < 9) yield* ledger.changed(2 + n)
      }
      assert.deepStrictEqual(yield* Fiber.join(worker), { completed: 1, given_back: 0, lost: 0 })
      assert.strictEqual(runs, 1)
      assert.isAtLeast(leases[1]?.fencing_token ?? 0, 9)
      const renewed = yield* ledger.eventsAfter({ run_id: run })
      assert.isAtLeast(renewed.filter(({ type }) => type === "LeaseRenewed").length, 8)
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.effect("that was taken away stops the handler, and its result is dropped and told", () =>
    Effect.gen(function* () {
      const { endings, ledger, work } = yield* setUp(1)
      let stopped = false
      const begun = yield* Deferred.make<void>()
      const worker = yield* Effect.forkChild(
        work(
          () =>
            Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
              Effect.onInterrupt(() => Effect.sync(() => (stopped = true)))
            ),
          untilEmpty
        )
      )
      yield* Deferred.await(begun)
      const [step] = yield* ledger.leases()
      yield* ledger.requeueStep({ run_id: run, step_id: step?.step_id ?? "", reason: "stuck", force: true })
      const other = yield* ledger.claimStep({ run_id: run, worker_id: "other" })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(worker), { completed: 0, given_back: 0, lost: 1 })
      assert.isTrue(stopped)
      assert.deepInclude(endings[0], { _tag: "Lost" })
      yield* ledger.completeStep({ ...other.lease, receipt_payload: {}, outcome: "SUCCESS" })
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.effect("that had ended when the handler answered drops the answer, and the work goes on", () =>
    Effect.gen(function* () {
      const { ledger, tags, work } = yield* setUp(2)
      // As if the machine had slept: nothing of this program ran while another took the step.
      yield* work(
        ({ lease, payload }) =>
          payload["n"] === 0
            ? Effect.gen(function* () {
                yield* Effect.orDie(ledger.requeueStep({ ...lease, reason: "by a twin" }))
                yield* Effect.orDie(ledger.claimStep({ run_id: run, worker_id: "twin" }))
                return {}
              })
            : Effect.succeed({}),
        untilEmpty
      )
      assert.deepStrictEqual(tags(), ["Lost", "Completed"])
    })
  )
})

describe("a worker that is stopped", () => {
  it.effect("gives back what it claimed beside a receipt when its onStep dies", () =>
    Effect.gen(function* () {
      const { ledger, work } = yield* setUp(2)
      const onStep = () => Effect.die(new Error("no log"))
      const exit = yield* Effect.exit(work(() => Effect.succeed({}), { ...untilEmpty, onStep }))
      assert.isTrue(Exit.isFailure(exit))
      assert.lengthOf(yield* receiptsOf(ledger), 1)
      assert.lengthOf(yield* ledger.leases(), 0)
      assert.lengthOf(yield* ledger.waiting(), 1)
    })
  )

  it.effect("gives back its step when its stopOn throws", () =>
    Effect.gen(function* () {
      const { ledger, work } = yield* setUp(1)
      const stopOn = (_error: string): _error is never => assert.fail("no judge")
      const exit = yield* Effect.exit(work<string, never>(() => Effect.fail("bad"), { stopOn }))
      assert.isTrue(Exit.isFailure(exit))
      assert.lengthOf(yield* ledger.waiting(), 1)
    })
  )

  it.effect("ends while the store is busy, however long that lasts", () =>
    Effect.gen(function* () {
      let isBusy = false
      const attempts = { count: 0 }
      const { ledger, work } = yield* setUp(1, {
        wrap: (store) => ({
          transact: (unit) =>
            isBusy
              ? Effect.andThen(
                  Effect.yieldNow,
                  Effect.suspend(() => {
                    attempts.count += 1
                    return Effect.fail(new StoreBusy({ waited_ms: 0 }))
                  })
                )
              : store.transact(unit)
        })
      })
      isBusy = true
      const worker = yield* Effect.forkChild(work(() => Effect.succeed({})))
      while (attempts.count < 3) yield* Effect.yieldNow
      yield* Fiber.interrupt(worker)
      isBusy = false
      assert.lengthOf(yield* ledger.waiting(), 1)
    })
  )

  it.effect("gives back what it has in hand, and claims nothing more", () =>
    Effect.gen(function* () {
      const { endings, ledger, work } = yield* setUp(3)
      const worker = yield* Effect.forkChild(work(() => Effect.never, { concurrency: 2 }))
      while ((yield* ledger.leases()).length < 2) yield* Effect.yieldNow
      yield* Fiber.interrupt(worker)
      assert.deepStrictEqual(
        endings.map((ending) => [ending._tag, "reason" in ending && ending.reason]),
        [
          ["GivenBack", "the worker was stopped"],
          ["GivenBack", "the worker was stopped"]
        ]
      )
      assert.lengthOf(yield* ledger.leases(), 0)
      const again = yield* ledger.claimStep({ run_id: run, worker_id: "w2" })
      assert.strictEqual(again.fencing_token, 2)
    })
  )

  it.effect("keeps the lease of a handler that does not let itself be interrupted until it ends", () =>
    Effect.gen(function* () {
      const { ledger, tags, work } = yield* setUp(2)
      const worker = yield* Effect.forkChild(
        work(() => Effect.uninterruptible(Effect.as(Effect.sleep("100 seconds"), {})))
      )
      while ((yield* ledger.leases()).length < 1) yield* Effect.yieldNow
      const stopping = yield* Effect.forkChild(Fiber.interrupt(worker))
      for (let n = 1; n < 10; n++) {
        yield* TestClock.adjust("10 seconds")
        yield* ledger.changed(3 + n)
        assert.lengthOf(yield* ledger.leases({ expired: false }), 1)
      }
      assert.deepStrictEqual(tags(), [])
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(stopping)
      assert.deepStrictEqual(tags(), ["GivenBack"])
      assert.lengthOf(yield* ledger.waiting(), 2)
    })
  )

  it.effect("by an error that it must stop on gives the step back and fails with it", () =>
    Effect.gen(function* () {
      const { endings, ledger, work } = yield* setUp(2)
      const stopOn = (error: NotFound | string): error is NotFound => typeof error !== "string"
      const failed = yield* Effect.flip(
        work<NotFound | string, never, NotFound>(
          ({ payload }) =>
            payload["n"] === 0 ? Effect.fail("bad step") : Effect.fail(new NotFound({ id: "disk" })),
          { ...untilEmpty, stopOn }
        )
      )
      assert.strictEqual(failed._tag, "NotFound")
      assert.deepInclude(endings[1], { _tag: "GivenBack", reason: "the worker cannot go on: NOT_FOUND" })
      assert.lengthOf(yield* receiptsOf(ledger), 1)
      assert.lengthOf(yield* ledger.waiting(), 1)
    })
  )

  it.effect("by a store that is full fails with that, and nothing is lost", () =>
    Effect.gen(function* () {
      const { disk, wrap } = fillingStore()
      const { ledger, work } = yield* setUp(2, { wrap })
      const failed = yield* Effect.flip(work(() => Effect.sync(() => ((disk.full = true), {}))))
      assert.strictEqual(failed._tag, "StorageFull")
      disk.full = false
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
      assert.lengthOf(yield* ledger.leases(), 1)
    })
  )
})

describe("a worker that reaps", () => {
  it.effect("works what had ended before it says that no step waits", () =>
    Effect.gen(function* () {
      const { ledger, work } = yield* setUp(1)
      yield* ledger.claimStep({ run_id: run, worker_id: "dead", ttl_seconds: 5 })
      yield* TestClock.adjust("5 seconds")
      const tally = yield* work(() => Effect.succeed({}), { ...untilEmpty, reap: true })
      assert.deepStrictEqual(tally, { completed: 1, given_back: 0, lost: 0 })
    })
  )

  it.effect("requeues leases that have ended in its scope, and works them", () =>
    Effect.gen(function* () {
      const { ledger, work } = yield* setUp(2)
      yield* post(ledger, 1, "elsewhere")
      for (const run_id of [run, run, "elsewhere"]) {
        yield* ledger.claimStep({ run_id, worker_id: "dead", ttl_seconds: 5 })
      }
      const worker = yield* Effect.forkChild(work(() => Effect.succeed({}), { reap: true }))
      yield* TestClock.adjust("20 seconds")
      yield* ledger.changed(12)
      yield* Fiber.interrupt(worker)
      const events = yield* ledger.eventsAfter({ run_id: run })
      const requeued = events.filter(({ type }) => type === "StepRequeued")
      assert.deepStrictEqual(
        requeued.map(({ data }) => {
          const { cause, reason, requested_by } = JSON.parse(data) as Record<string, unknown>
          return [cause, reason, requested_by]
        }),
        [
          ["expired", "expired", "w"],
          ["expired", "expired", "w"]
        ]
      )
      assert.lengthOf(yield* receiptsOf(ledger), 2)
      assert.strictEqual((yield* ledger.leases())[0]?.run_id, "elsewhere")
    })
  )
})
