// The log as a stream: first what is there, then what comes, from this ledger and from others on the same file,
// each event once and in order. Polling for other writers runs in real time.
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { EventStreamOptions } from "./event-stream.ts"
import type { LedgerShape } from "../ledger.ts"
import { claim, complete, openLedger, post, temporaryFile } from "../../../infrastructure/testing/ledgers.ts"

const positions = (ledger: LedgerShape, options?: EventStreamOptions) =>
  Effect.map(Stream.runCollect(ledger.events(options)), (events) => events.map(({ position }) => position))

/** Reads until `count` events have come; `started` is done when the first one has. */
const reading = (ledger: LedgerShape, count: number, options?: EventStreamOptions) =>
  Effect.gen(function* () {
    const started = yield* Deferred.make<void>()
    const fiber = yield* ledger.events(options).pipe(
      Stream.tap(() => Deferred.succeed(started, undefined)),
      Stream.take(count),
      Stream.runCollect,
      Effect.map((events) => events.map(({ position }) => position)),
      Effect.forkChild
    )
    return { fiber, started: Deferred.await(started) }
  })

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

const postMany = (ledger: LedgerShape, count: number, runId?: string) =>
  Effect.forEach(range(1, count), (n) => post(ledger, n, runId), { concurrency: "unbounded" })

/** A ledger that counts the pages of events that are read. */
const countedPages = Effect.gen(function* () {
  const pages = { count: 0 }
  const ledger = yield* openLedger({
    wrapReader: ({ events }) => ({
      events: (...of) => {
        pages.count += 1
        return events(...of)
      }
    })
  })
  return { ledger, pages }
})

describe("the stream of events", () => {
  it.effect("of one run does not look at the store for the commits of others", () =>
    Effect.gen(function* () {
      const { ledger, pages } = yield* countedPages
      yield* postMany(ledger, 3, "others")
      const reader = yield* Effect.forkChild(
        Stream.runCollect(Stream.take(ledger.events({ runId: "run-1" }), 1))
      )
      while (pages.count < 1) yield* Effect.yieldNow
      for (let n = 1; n <= 5; n++) {
        yield* post(ledger, n, "others")
        for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      }
      assert.strictEqual(pages.count, 1)
      yield* post(ledger, 1, "run-1")
      assert.deepStrictEqual(
        (yield* Fiber.join(reader)).map(({ position }) => position),
        [10]
      )
    })
  )

  it.effect("is given the commits of this process from memory, without a look at the store", () =>
    Effect.gen(function* () {
      const { ledger, pages } = yield* countedPages
      const seen: Array<number> = []
      yield* Effect.forkChild(
        Stream.runForEach(ledger.events(), ({ position }) => Effect.sync(() => seen.push(position)))
      )
      for (let n = 1; n <= 5; n++) {
        while (seen.length < n) yield* Effect.yieldNow
        yield* post(ledger, n)
      }
      while (seen.length < 6) yield* Effect.yieldNow
      assert.deepStrictEqual(seen, range(1, 6))
      // The first event, and the page that has nothing more.
      assert.isAtMost(pages.count, 2)
    })
  )

  it.effect("ends with the newest event when it is not live", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      assert.deepStrictEqual(yield* positions(ledger, { live: false }), [1])
      yield* postMany(ledger, 3)
      assert.deepStrictEqual(yield* positions(ledger, { live: false }), [1, 2, 3, 4])
      assert.deepStrictEqual(yield* positions(ledger, { live: false, after: 2 }), [3, 4])
      assert.deepStrictEqual(yield* positions(ledger, { live: false, after: 4 }), [])
      assert.deepStrictEqual(yield* positions(ledger, { live: false, after: 99 }), [])
    })
  )

  it.effect("reads many pages without a gap", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* postMany(ledger, 1_250)
      assert.deepStrictEqual(yield* positions(ledger, { live: false }), range(1, 1_251))
    })
  )

  it.effect("narrows to one run", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* post(ledger, 1, "run-1")
      yield* post(ledger, 1, "run-2")
      yield* complete(ledger, yield* claim(ledger))
      yield* post(ledger, 1, "run-11")
      assert.deepStrictEqual(yield* positions(ledger, { live: false, runId: "run-1" }), [2, 4, 5])
      assert.deepStrictEqual(yield* positions(ledger, { live: false, runId: "run-2" }), [3])
      assert.deepStrictEqual(yield* positions(ledger, { live: false, runId: "run-1", after: 2 }), [4, 5])
      assert.deepStrictEqual(yield* positions(ledger, { live: false, runId: "run" }), [])
    })
  )

  it.effect("gives the events as they are stored", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* post(ledger)
      const events = yield* Stream.runCollect(ledger.events({ live: false }))
      const head = yield* ledger.head
      assert.deepStrictEqual(
        events.map(({ prev_hash, stream_id, type }) => [type, stream_id, prev_hash]),
        [
          ["LedgerCreated", "ledger", "0".repeat(64)],
          ["MessagePosted", "run:run-1", events[0]?.hash]
        ]
      )
      assert.strictEqual(events[1]?.hash, head.hash)
    })
  )

  it.live("goes on with what this ledger commits, also in memory", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* postMany(ledger, 3)
      const { fiber, started } = yield* reading(ledger, 44)
      yield* started
      yield* postMany(ledger, 20)
      for (const n of range(1, 20)) yield* post(ledger, n)
      assert.deepStrictEqual(yield* Fiber.join(fiber), range(1, 44))
    })
  )

  it.effect("needs no polling for this ledger's own commits", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const { fiber, started } = yield* reading(ledger, 4)
      yield* started
      for (const n of range(1, 3)) yield* post(ledger, n)
      assert.deepStrictEqual(yield* Fiber.join(fiber), [1, 2, 3, 4])
    })
  )

  it.live("goes on with what others commit to the same file", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const ledger = yield* openLedger({ filename })
      const other = yield* openLedger({ filename })
      const { fiber, started } = yield* reading(ledger, 61)
      const filtered = yield* reading(ledger, 20, { runId: "theirs" })
      yield* started
      yield* Effect.all(
        [
          Effect.forEach(range(1, 20), (n) => post(other, n, "theirs").pipe(Effect.delay("1 millis"))),
          Effect.forEach(range(1, 40), (n) => post(ledger, n, "ours"))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* Fiber.join(fiber), range(1, 61))
      const theirs = yield* positions(other, { live: false, runId: "theirs" })
      assert.deepStrictEqual(yield* Fiber.join(filtered.fiber), theirs)
    })
  )

  it.live("shows two readers the same, however slow one is", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const quick = yield* reading(ledger, 31)
      const slow = yield* ledger.events().pipe(
        Stream.tap(() => Effect.sleep("1 millis")),
        Stream.take(31),
        Stream.runCollect,
        Effect.forkChild
      )
      yield* quick.started
      yield* postMany(ledger, 30)
      assert.deepStrictEqual(yield* Fiber.join(quick.fiber), range(1, 31))
      assert.deepStrictEqual(
        (yield* Fiber.join(slow)).map(({ position }) => position),
        range(1, 31)
      )
    })
  )
})
