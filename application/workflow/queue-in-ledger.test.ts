// What a queue leaves in its ledger, and what becomes of elements whose workers die, sleep too long or meet a store that cannot
// write.
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { LedgerClosed } from "../../domain/ledger/errors.ts"
import {
  ReadOnlyStore,
  StorageFailure,
  StorageFull,
  StoreBusy
} from "../../domain/foundation/storage-errors.ts"
import { host, openLedger } from "../ledger/testing/ledgers.ts"
import { Ledger, type LedgerShape } from "../ledger/ledger.ts"
import { type PersistedQueueOptions, queueStoreLayer } from "./persisted-queue.ts"
import { failOne, holdOne, makeQueue, takeOne } from "./testing/queue-suite.ts"

const run_id = "queue/items"

/** A store on a ledger for the rest of the scope. */
const storeOn = (ledger: LedgerShape, options: PersistedQueueOptions = {}) =>
  Layer.build(
    PersistedQueue.layer.pipe(
      Layer.provideMerge(queueStoreLayer({ worker_id: "w", ...options })),
      Layer.provide(Layer.succeed(Ledger, ledger)),
      Layer.provide(host)
    )
  )

type QueueOptions = Parameters<typeof makeQueue>[0]

const queueOn = (ledger: LedgerShape, queue: QueueOptions = {}, options: PersistedQueueOptions = {}) =>
  Effect.flatMap(storeOn(ledger, options), (context) => Effect.provide(makeQueue(queue), context))

const at0 = { retrySchedule: Schedule.spaced(0) }

const receiptsOf = (ledger: LedgerShape) =>
  Effect.map(ledger.receipts({ run_id }), (rows) =>
    rows.map(({ outcome, receipt_json }) => [outcome, JSON.parse(receipt_json) as unknown])
  )

const boom = { _tag: "string", message: "boom" }

const isSound = (ledger: LedgerShape) =>
  Effect.map(ledger.verifyCassette(), ({ findings }) => assert.deepStrictEqual(findings, []))

const yields = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })

/** A ledger some of whose operations are others. */
const withOperations = (ledger: LedgerShape, operations: Partial<LedgerShape>): LedgerShape => ({
  ...ledger,
  ...operations
})

describe("a queue in its ledger", () => {
  it.effect("has one message and one receipt for each attempt", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const queue = yield* queueOn(ledger, { maxAttempts: 3, retrySchedule: Schedule.spaced("1 second") })
      yield* queue.offer({ n: 1 }, { id: "a" })
      yield* failOne(queue)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* takeOne(queue), [1, 2])
      assert.deepStrictEqual(yield* receiptsOf(ledger), [
        ["FAILURE", { attempt: 1, error: boom, retry_due: 1_000 }],
        ["SUCCESS", { attempt: 2 }]
      ])
      const [first, second] = yield* ledger.messages(run_id)
      assert.strictEqual(first?.idempotency_key, "element/a")
      assert.deepInclude(JSON.parse(first?.payload_json ?? ""), { attempt: 1, element: { n: 1 } })
      assert.deepInclude(JSON.parse(second?.payload_json ?? ""), {
        attempt: 2,
        first_message: first?.message_id
      })
      yield* isSound(ledger)
    })
  )

  it.effect("commits a failure and the next attempt together", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const batches: Array<ReadonlyArray<string>> = []
      const queue = yield* queueOn(
        withOperations(ledger, {
          commands: (commands) => {
            batches.push(commands.map(({ _tag }) => _tag))
            return ledger.commands(commands)
          }
        }),
        at0
      )
      yield* queue.offer({ n: 1 })
      yield* failOne(queue)
      yield* takeOne(queue)
      assert.deepStrictEqual(batches, [["CompleteStep", "PostMessage"], ["CompleteStep"]])
    })
  )

  it.effect("tells the last attempt as a dead letter, as it tells what cannot be decoded", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const context = yield* storeOn(ledger)
      const queue = yield* Effect.provide(makeQueue({ maxAttempts: 1 }), context)
      const { offer } = yield* Effect.provide(PersistedQueue.PersistedQueueStore, context)
      yield* queue.offer({ n: 1 })
      yield* failOne(queue)
      yield* offer({ name: "items", id: "bad", element: "text", isCustomId: true })
      yield* queue.offer({ n: 2 })
      yield* takeOne(queue)
      const receipts = yield* receiptsOf(ledger)
      assert.deepStrictEqual(receipts[0], ["FAILURE", { attempt: 1, error: boom, dead_letter: true }])
      const [outcome, receipt] = receipts[1] ?? []
      assert.strictEqual(outcome, "FAILURE")
      assert.deepInclude(receipt as object, { attempt: 1, dead_letter: true })
      assert.include(JSON.stringify(receipt), "SchemaError")
      assert.lengthOf(yield* ledger.failures({ run_id }), 2)
    })
  )

  it.effect("knows an id for good, however often it is cleaned", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const context = yield* storeOn(ledger)
      const queue = yield* Effect.provide(makeQueue(), context)
      const { cleanup } = yield* Effect.provide(PersistedQueue.PersistedQueueStore, context)
      yield* queue.offer({ n: 1 }, { id: "a" })
      yield* takeOne(queue)
      yield* TestClock.adjust("1 hour")
      yield* cleanup({ timeToLive: 0 as never, failedTimeToLive: 0 as never })
      yield* queue.offer({ n: 2 }, { id: "a" })
      assert.lengthOf(yield* ledger.waiting({ run_id }), 0)
      assert.lengthOf(yield* ledger.messages(run_id), 1)
    })
  )

  it.effect("is opened from what waits, and not from its history", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const before = yield* queueOn(ledger, at0)
      for (let n = 0; n < 20; n++) {
        yield* before.offer({ n })
        yield* takeOne(before)
      }
      yield* before.offer({ n: 20 })
      yield* failOne(before)
      let events = 0
      const after = yield* queueOn(
        withOperations(ledger, {
          eventsAfter: (options) =>
            Effect.tap(ledger.eventsAfter(options), (page) => Effect.sync(() => (events += page.length)))
        })
      )
      assert.deepStrictEqual(yield* takeOne(after), [20, 2])
      assert.strictEqual(events, 0)
    })
  )

  it.effect("is not read again for what was offered here", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      let pages = 0
      const queue = yield* queueOn(
        withOperations(ledger, {
          eventsAfter: (options) => {
            pages += 1
            return ledger.eventsAfter(options)
          }
        })
      )
      yield* queue.offer({ n: 0 })
      yield* takeOne(queue)
      pages = 0
      for (const n of [1, 2, 3]) {
        yield* queue.offer({ n })
        assert.deepStrictEqual(yield* takeOne(queue), [n, 1])
      }
      assert.strictEqual(pages, 0)
      yield* (yield* queueOn(ledger, {}, { worker_id: "other" })).offer({ n: 4 })
      yield* yields
      yield* queue.offer({ n: 5 })
      assert.deepStrictEqual(
        [yield* takeOne(queue), yield* takeOne(queue)],
        [
          [4, 1],
          [5, 1]
        ]
      )
    })
  )

  it.effect("is opened whole, also when more waits than one page holds", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const before = yield* queueOn(ledger)
      for (let n = 0; n < 1_001; n++) yield* before.offer({ n }, n === 1_000 ? {} : { delay: "1 hour" })
      assert.deepStrictEqual(yield* takeOne(yield* queueOn(ledger)), [1_000, 1])
    })
  )

  it.effect("ends what other programs posted to its run, and goes on", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const queue = yield* queueOn(ledger)
      yield* ledger.postMessage({ run_id, source: "USER", payload: { hello: "world" } })
      yield* queue.offer({ n: 1 })
      assert.deepStrictEqual(yield* takeOne(queue), [1, 1])
      const [receipt] = yield* receiptsOf(ledger)
      assert.include(JSON.stringify(receipt), '"NotAnElement"')
    })
  )

  it.effect("shares its elements with other stores on the same ledger", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const queues = yield* Effect.forEach(["a", "b", "c"], (worker_id) =>
        queueOn(ledger, at0, { worker_id })
      )
      const [first] = queues
      assert.isDefined(first)
      const numbers = Array.from({ length: 30 }, (_, n) => n)
      for (const n of numbers) yield* first.offer({ n })
      const taken = yield* Effect.forEach(numbers, (n) => takeOne(queues[n % 3] ?? first), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        taken.map(([n]) => n).toSorted((a, b) => a - b),
        numbers
      )
      yield* isSound(ledger)
    })
  )
})

describe("a worker of a queue that dies", () => {
  /** Takes an element as a program that ends at once. */
  const dieWith = (ledger: LedgerShape) => ledger.claimStep({ run_id, worker_id: "dead", ttl_seconds: 60 })

  it.effect("has made an attempt, and the element is offered again when its lease has ended", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const queue = yield* queueOn(ledger)
      yield* queue.offer({ n: 1 })
      yield* dieWith(ledger)
      const taker = yield* Effect.forkScoped(takeOne(queue))
      yield* yields
      yield* TestClock.adjust(59_999)
      yield* yields
      assert.isUndefined(taker.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.join(taker), [1, 2])
      const [crashed] = yield* receiptsOf(ledger)
      assert.deepStrictEqual(crashed, [
        "FAILURE",
        { attempt: 1, error: { _tag: "LeaseExpired", message: "its worker's lease ended before it did" } }
      ])
      yield* isSound(ledger)
    })
  )

  it.effect("in the last attempt leaves a dead letter", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const queue = yield* queueOn(ledger, { maxAttempts: 1 })
      yield* queue.offer({ n: 1 })
      yield* dieWith(ledger)
      yield* TestClock.adjust("1 hour")
      const taker = yield* Effect.forkScoped(takeOne(queue))
      yield* yields
      assert.isUndefined(taker.pollUnsafe())
      const [crashed] = yield* receiptsOf(ledger)
      assert.include(JSON.stringify(crashed), '"dead_letter":true')
    })
  )

  it.effect("is noticed by takers that always have something to take", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const queue = yield* queueOn(ledger)
      yield* queue.offer({ n: 1 })
      yield* dieWith(ledger)
      const seen: Array<readonly [number, number]> = []
      for (let n = 2; n < 30; n++) {
        yield* queue.offer({ n })
        yield* TestClock.adjust("5 seconds")
        yield* queue.offer({ n: n + 100 })
        seen.push(yield* takeOne(queue))
      }
      assert.deepInclude(seen, [1, 2])
    })
  )

  it.effect("and whose step a person gave back has made no attempt", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const queue = yield* queueOn(ledger)
      yield* queue.offer({ n: 1 })
      const { step_id } = yield* dieWith(ledger)
      const taker = yield* Effect.forkScoped(takeOne(queue))
      yield* yields
      yield* ledger.requeueStep({ run_id, step_id, reason: "by hand", force: true })
      assert.deepStrictEqual(yield* Fiber.join(taker), [1, 1])
    })
  )
})

describe("the lease of an element in hand", () => {
  it.effect("is kept for as long as it is worked", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const queue = yield* queueOn(ledger)
      const other = yield* queueOn(ledger, {}, { worker_id: "other" })
      yield* queue.offer({ n: 1 })
      let begun = 0
      const slow = yield* Effect.forkScoped(
        queue.take(() =>
          Effect.andThen(
            Effect.sync(() => (begun += 1)),
            Effect.sleep("10 minutes")
          )
        )
      )
      yield* yields
      const waiting = yield* Effect.forkScoped(takeOne(other))
      for (let seconds = 0; seconds < 600; seconds += 10) {
        yield* yields
        yield* TestClock.adjust("10 seconds")
      }
      yield* Fiber.join(slow)
      yield* yields
      assert.isUndefined(waiting.pollUnsafe())
      assert.strictEqual(begun, 1)
      assert.deepStrictEqual(yield* receiptsOf(ledger), [["SUCCESS", { attempt: 1 }]])
    })
  )

  it.effect("that ended in a pause of the program still finishes what no other worker took", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      // As a program that stood still: it renewed nothing.
      const busy = new StoreBusy({ waited_ms: 0 })
      const asleep = withOperations(ledger, { renewLease: () => Effect.fail(busy) })
      for (const end of [Effect.succeed("done"), Effect.fail("boom")]) {
        const queue = yield* queueOn(asleep, at0)
        yield* queue.offer({ n: 1 })
        const go = yield* Deferred.make<void>()
        const slow = yield* Effect.forkScoped(
          Effect.exit(queue.take(() => Effect.andThen(Deferred.await(go), end)))
        )
        yield* yields
        yield* TestClock.adjust("1 hour")
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(slow)
      }
      const receipts = yield* receiptsOf(ledger)
      assert.deepStrictEqual(
        receipts.map(([outcome]) => outcome),
        ["SUCCESS", "FAILURE"]
      )
      assert.deepStrictEqual(yield* takeOne(yield* queueOn(ledger)), [1, 2])
    })
  )

  it.effect("that went to another worker drops what comes late, and an attempt that it posted is none", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const queue = yield* queueOn(ledger, at0)
      yield* queue.offer({ n: 1 })
      const go = yield* Deferred.make<void>()
      const paused = yield* Effect.forkScoped(
        Effect.flip(queue.take(() => Effect.andThen(Deferred.await(go), Effect.fail("boom"))))
      )
      yield* yields
      const [leased] = yield* ledger.leases({ run_id })
      yield* ledger.requeueStep({ run_id, step_id: leased?.step_id ?? "", reason: "stuck", force: true })
      assert.deepStrictEqual(yield* takeOne(yield* queueOn(ledger, {}, { worker_id: "other" })), [1, 1])
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual(yield* Fiber.join(paused), "boom")
      const taker = yield* Effect.forkScoped(takeOne(queue))
      yield* yields
      assert.isUndefined(taker.pollUnsafe())
      assert.deepStrictEqual(yield* receiptsOf(ledger), [
        ["SUCCESS", { attempt: 1 }],
        ["ABORTED", { attempt: 2, superseded: true }]
      ])
      yield* isSound(ledger)
    })
  )
})

describe("a queue refuses", () => {
  const refusedWith = (element: unknown, id = "a", name = "items") =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const context = yield* storeOn(ledger)
      const { offer } = yield* Effect.provide(PersistedQueue.PersistedQueueStore, context)
      const error = yield* Effect.flip(offer({ name, id, element, isCustomId: true }))
      assert.instanceOf(error, PersistedQueue.PersistedQueueError)
      assert.lengthOf(yield* ledger.messages("queue/items"), 0)
      return error.message
    })

  it.effect("what the ledger cannot hold, and says which element of which queue that is", () =>
    Effect.gen(function* () {
      const big = yield* refusedWith("x".repeat(1_048_576))
      assert.include(big, 'Queue "items" does not take element "a"')
      assert.include(big, "over 1048576 bytes")
      assert.include(yield* refusedWith({ text: "\u0000" }), "U+0000")
      assert.include(yield* refusedWith({ text: "\ud800" }), "/payload/element/text")
      assert.include(yield* refusedWith({ n: 1n }), "/payload/element/n")
      assert.include(yield* refusedWith(Number.NaN), "/payload/element")
      assert.include(yield* refusedWith(1, "x".repeat(70_000)), "at most 65536 bytes")
      assert.include(yield* refusedWith(1, "\ud800"), "well-formed")
      assert.include(yield* refusedWith(1, "a", "\ud800"), "well-formed")
    })
  )

  it.effect("a value that does not fit the queue's schema, before it comes to the store", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const queue = yield* queueOn(ledger)
      const error = yield* Effect.flip(queue.offer({ n: "one" } as never))
      assert.instanceOf(error, Schema.SchemaError)
      assert.lengthOf(yield* ledger.messages(run_id), 0)
    })
  )

  it.effect("options that mean nothing", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      for (const [wrong, path] of [
        [{ ttl_seconds: 0 }, "/ttl_seconds"],
        [{ worker_id: "" }, "/worker_id"],
        [{ colour: 1 } as object, "/colour"]
      ] as const) {
        assert.include((yield* Effect.flip(storeOn(ledger, wrong))).message, path)
      }
    })
  )

  it.effect("to take and to offer where the ledger is closed, full or read-only, and says so", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      for (const error of [
        new LedgerClosed(),
        new StorageFull({ file: "work.db" }),
        new ReadOnlyStore({ file: "work.db" })
      ]) {
        const queue = yield* queueOn(
          withOperations(ledger, {
            postMessage: () => Effect.fail(error),
            claimStep: () => Effect.fail(error)
          })
        )
        const refused = yield* Effect.flip(queue.offer({ n: 1 }))
        assert.include(refused.message, error.message)
        yield* (yield* queueOn(ledger)).offer({ n: 1 })
        const taking = yield* Effect.forkScoped(Effect.flip(takeOne(queue)))
        yield* yields
        yield* TestClock.adjust("1 second")
        const { cause, message } = (yield* Fiber.join(taking)) as PersistedQueue.PersistedQueueError
        assert.include(message, 'Queue "items" cannot be taken from')
        assert.strictEqual(cause, error)
      }
    })
  )

  it.effect("to wait on a log that cannot be read, says so, and goes on when it can be", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const broken = yield* Deferred.make<never, StorageFailure>()
      let streams = 0
      const queue = yield* queueOn(
        withOperations(ledger, {
          events: (options) =>
            (streams += 1) === 1 ? Stream.fromEffect(Deferred.await(broken)) : ledger.events(options)
        })
      )
      const first = yield* Effect.forkScoped(Effect.flip(takeOne(queue)))
      yield* yields
      const second = yield* Effect.forkScoped(takeOne(queue))
      yield* yields
      const failure = new StorageFailure({ file: "work.db", code: "SQLITE_IOERR", reason: "disk I/O error" })
      yield* Deferred.fail(broken, failure)
      yield* yields
      yield* TestClock.adjust("1 second")
      const { cause } = (yield* Fiber.join(first)) as PersistedQueue.PersistedQueueError
      assert.strictEqual(cause, failure)
      yield* (yield* queueOn(ledger)).offer({ n: 1 })
      assert.deepStrictEqual(yield* Fiber.join(second), [1, 1])
      assert.strictEqual(streams, 2)
    })
  )

  it.effect("to hide that the end of an attempt could not be written, and offers the element again", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const full = new StorageFull({ file: "work.db" })
      const queue = yield* queueOn(withOperations(ledger, { commands: () => Effect.fail(full) }))
      yield* queue.offer({ n: 1 })
      const exit = yield* Effect.exit(takeOne(queue))
      assert.include(String(exit), 'could not record the end of attempt 1 on "')
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* takeOne(yield* queueOn(ledger)), [1, 2])
    })
  )

  it.effect("no taker what another's failed claim put back", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      let claims = 0
      const queue = yield* queueOn(
        withOperations(ledger, {
          claimStep: (input) =>
            (claims += 1) === 1
              ? Effect.andThen(Effect.yieldNow, Effect.fail(new StorageFull({ file: "work.db" })))
              : ledger.claimStep(input)
        })
      )
      const takers = yield* Effect.forEach([1, 2], () => Effect.forkScoped(Effect.exit(takeOne(queue))))
      yield* yields
      yield* queue.offer({ n: 1 })
      yield* yields
      yield* TestClock.adjust("1 second")
      const ends = yield* Effect.forEach(takers, Fiber.join)
      assert.deepStrictEqual(ends.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
    })
  )
})

describe("a taker that is interrupted", () => {
  it.effect("gives back what it has in hand to another that waits", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const queue = yield* queueOn(ledger)
      yield* queue.offer({ n: 1 })
      const { fiber } = yield* holdOne(queue)
      const other = yield* Effect.forkScoped(takeOne(yield* queueOn(ledger, {}, { worker_id: "other" })))
      yield* yields
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* Fiber.join(other), [1, 1])
      const requeued = (yield* ledger.eventsAfter({ run_id })).filter(({ type }) => type === "StepRequeued")
      assert.lengthOf(requeued, 1)
    })
  )
})
