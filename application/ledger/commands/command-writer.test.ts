// The one writer: commands that wait together are committed together, a refused one leaves nothing, a storage
// error fails them all, and interruption and closing mean exactly what they promise. Where a test must hold or
// break a unit of work, the real store is wrapped.
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import * as Stream from "effect/Stream"
import { InvariantViolation } from "../../../domain/foundation/errors.ts"
import { StorageFailure } from "../../../domain/foundation/storage-errors.ts"
import type { LedgerStore } from "./ledger-store.ts"
import {
  closableLedger,
  diskFull,
  findingCodesOf,
  openLedger,
  post,
  run,
  temporaryFile
} from "../../../infrastructure/testing/ledgers.ts"
import { countedTransactions, withTransaction } from "../../../infrastructure/testing/watched-stores.ts"

type Store = LedgerStore["Service"]

/** Holds every transaction, before it begins or after it has committed, until the gate is opened. */
const holding = (when: "before" | "after") =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const reached = yield* Deferred.make<void>()
    const hold = Deferred.succeed(reached, undefined).pipe(Effect.andThen(Deferred.await(gate)))
    const wrap = (store: Store): Partial<Store> => ({
      transact: (work) =>
        when === "before"
          ? Effect.andThen(hold, store.transact(work))
          : Effect.tap(store.transact(work), () => hold)
    })
    return { wrap, reached: Deferred.await(reached), open: Deferred.succeed(gate, undefined) }
  })

/** Lets everything that can run now run. */
const settle = Effect.gen(function* () {
  for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
})

const postAll = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

/** "done", or the tag of the error. */
const tagOf = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>): Effect.Effect<string> =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "done" })

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe("group commit", () => {
  it.effect("commits what waits together in few transactions, in the order of asking", () =>
    Effect.gen(function* () {
      const { seen, wrap } = countedTransactions()
      const ledger = yield* openLedger({ wrap })
      const before = yield* ledger.head
      const posted = yield* postAll(numbers(64).map((n) => post(ledger, n)))
      const after = yield* ledger.head
      assert.strictEqual(after.position, before.position + 64)
      assert.isAtMost(seen.transactions, 4)
      const messages = yield* ledger.messages(run)
      assert.deepStrictEqual(
        messages.map((message) => [message.message_id, message.payload_json]),
        posted.map(({ message_id }, n) => [message_id, `{"intent":"work","n":${n}}`])
      )
      assert.deepStrictEqual(yield* findingCodesOf(ledger), [])
    })
  )

  it.effect("commits more than one group holds", () =>
    Effect.gen(function* () {
      const { seen, wrap } = countedTransactions()
      const ledger = yield* openLedger({ wrap, queueCapacity: 100 })
      yield* postAll(numbers(600).map((n) => post(ledger, n)))
      assert.strictEqual((yield* ledger.head).position, 601)
      assert.isAtLeast(seen.transactions, 3)
      assert.isAtMost(seen.transactions, 30)
    })
  )

  it.effect(
    "ends a group before its texts weigh too much, so that large posts do not hold the lock long",
    () =>
      Effect.gen(function* () {
        const { seen, wrap } = countedTransactions()
        const ledger = yield* openLedger({ wrap })
        const posts = Array.from({ length: 12 }, (_, n) =>
          ledger.postMessage({ run_id: run, source: "USER", payload: { n, text: "x".repeat(1_000_000) } })
        )
        yield* Effect.all(posts, { concurrency: "unbounded" })
        assert.isAtLeast(seen.transactions, 3)
        assert.strictEqual((yield* ledger.head).position, 13)
      })
  )

  it.effect("takes commands that are given while a reply goes out", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      for (const n of numbers(3)) yield* post(ledger, n)
      // Each commit wakes the stream, whose reader posts in turn.
      yield* ledger.events({ after: 4 }).pipe(
        Stream.take(40),
        Stream.runForEach(({ position }) => post(ledger, position)),
        (reading) => Effect.all([reading, post(ledger, 4)], { concurrency: "unbounded" })
      )
      assert.strictEqual((yield* ledger.head).position, 45)
    })
  )

  it.effect("leaves nothing of a refused command, and the others stand", () =>
    Effect.gen(function* () {
      const { seen, wrap } = countedTransactions()
      const ledger = yield* openLedger({ wrap })
      const keyed = (n: number) =>
        tagOf(ledger.postMessage({ run_id: run, source: "USER", payload: { n }, idempotency_key: "one key" }))
      const claim = tagOf(ledger.claimStep({ run_id: "empty run", worker_id: "w" }))
      const tags = yield* postAll([keyed(1), claim, keyed(2), keyed(1), tagOf(post(ledger, 3))])
      assert.deepStrictEqual(tags, ["done", "NoPendingStep", "IdempotencyConflict", "done", "done"])
      assert.strictEqual((yield* ledger.head).position, 3)
      assert.isAtMost(seen.transactions, 2)
      assert.deepStrictEqual(yield* findingCodesOf(ledger), [])
    })
  )

  it.effect("decides each command on what those before it in the group did", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* postAll(numbers(3).map((n) => post(ledger, n)))
      const tags = yield* postAll(
        numbers(4).map((n) => tagOf(ledger.claimStep({ run_id: run, worker_id: `w${n}` })))
      )
      assert.deepStrictEqual(tags, ["done", "done", "done", "NoPendingStep"])
      const steps = yield* ledger.steps({ run_id: run })
      assert.deepStrictEqual(
        steps.map(({ lease_owner }) => lease_owner),
        ["w0", "w1", "w2"]
      )
    })
  )

  it.effect("goes on when the store's own rules refuse one event", () =>
    Effect.gen(function* () {
      let appended = 0
      const ledger = yield* openLedger({
        wrap: withTransaction((transaction) => ({
          append: (event) => {
            appended += 1
            if (appended === 2) throw new InvariantViolation({ message: "append-only" })
            transaction.append(event)
          }
        }))
      })
      const tags = yield* postAll(
        numbers(3).map((n) => tagOf(ledger.postMessage({ run_id: run, source: "USER", payload: { n } })))
      )
      assert.deepStrictEqual(tags, ["done", "InvariantViolation", "done"])
      const messages = yield* ledger.messages(run)
      assert.deepStrictEqual(
        messages.map(({ event_position, payload_json }) => [event_position, payload_json]),
        [
          [2, `{"n":0}`],
          [3, `{"n":2}`]
        ]
      )
      assert.deepStrictEqual(yield* findingCodesOf(ledger), [])
    })
  )

  it.effect("fails as a whole when the storage fails in the middle, and goes on afterwards", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      let appended = 0
      const ledger = yield* openLedger({
        filename,
        wrap: withTransaction((transaction) => ({
          append: (event) => {
            appended += 1
            if (appended === 3) throw diskFull()
            transaction.append(event)
          }
        }))
      })
      const before = yield* ledger.head
      const message = (n: number) =>
        ledger.postMessage({ run_id: run, source: "USER" as const, payload: { n } })
      const errors = yield* postAll(numbers(5).map((n) => Effect.flip(message(n))))
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        numbers(5).map(() => "StorageFull")
      )
      assert.deepStrictEqual(yield* ledger.head, before)
      assert.deepStrictEqual(yield* ledger.messages(run), [])
      yield* postAll(numbers(5).map(message))
      assert.strictEqual((yield* ledger.head).position, before.position + 5)
      assert.deepStrictEqual(yield* findingCodesOf(ledger), [])
    })
  )

  it.effect("tells no caller that anything stands when the commit itself fails", () =>
    Effect.gen(function* () {
      const failure = new StorageFailure({ file: "f", code: "SQLITE_IOERR", reason: "disk" })
      const ledger = yield* openLedger({ wrap: () => ({ transact: () => Effect.fail(failure) }) })
      const errors = yield* postAll(
        numbers(3).map((n) =>
          Effect.flip(ledger.postMessage({ run_id: run, source: "USER", payload: { n } }))
        )
      )
      assert.deepStrictEqual(errors, [failure, failure, failure])
    })
  )
})

describe("the runtime's other work", () => {
  it.effect("gets its turn while one caller asks without a pause", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      let turns = 0
      const other = yield* Effect.forkChild(
        Effect.gen(function* () {
          while (true) {
            turns += 1
            yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
          }
        })
      )
      for (const n of numbers(64)) yield* post(ledger, n)
      yield* Fiber.interrupt(other)
      assert.isAtLeast(turns, 8)
    })
  )
})

describe("an interrupted caller", () => {
  it.effect("writes nothing when its group had not begun", () =>
    Effect.gen(function* () {
      const { open, reached, wrap } = yield* holding("before")
      const ledger = yield* openLedger({ wrap })
      const first = yield* Effect.forkChild(post(ledger, 1))
      yield* reached
      const interrupted = yield* Effect.forkChild(post(ledger, 2))
      const last = yield* Effect.forkChild(post(ledger, 3))
      yield* settle
      yield* Fiber.interrupt(interrupted)
      yield* open
      yield* Fiber.join(first)
      yield* Fiber.join(last)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(interrupted)))
      const messages = yield* ledger.messages(run)
      assert.deepStrictEqual(
        messages.map(({ payload_json }) => payload_json),
        [`{"intent":"work","n":1}`, `{"intent":"work","n":3}`]
      )
    })
  )

  it.effect("ends as interrupted, and its command stands, when its group had begun", () =>
    Effect.gen(function* () {
      const { open, reached, wrap } = yield* holding("after")
      const ledger = yield* openLedger({ wrap })
      const fiber = yield* Effect.forkChild(post(ledger, 1))
      yield* reached
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      yield* open
      yield* post(ledger, 2)
      assert.lengthOf(yield* ledger.messages(run), 2)
    })
  )
})

describe("a full queue", () => {
  it.effect("lets callers wait for a place and loses none of them", () =>
    Effect.gen(function* () {
      const { open, reached, wrap } = yield* holding("before")
      const ledger = yield* openLedger({ wrap, queueCapacity: 2 })
      const first = yield* Effect.forkChild(post(ledger, 0))
      yield* reached
      const rest = yield* Effect.forEach(numbers(9), (n) => Effect.forkChild(post(ledger, n + 1)))
      yield* settle
      // The last one waits for a place and gives up.
      const last = rest.at(-1)
      if (last !== undefined) yield* Fiber.interrupt(last)
      assert.deepStrictEqual(
        rest.slice(0, -1).map((fiber) => fiber.pollUnsafe()),
        numbers(8).map(() => undefined)
      )
      yield* open
      yield* Effect.forEach([first, ...rest.slice(0, -1)], Fiber.join)
      const messages = yield* ledger.messages(run)
      assert.deepStrictEqual(
        messages.map(({ payload_json }) => payload_json),
        numbers(9).map((n) => `{"intent":"work","n":${n}}`)
      )
    })
  )
})

describe("a full queue and a caller that must yield before it has its place", () => {
  for (const operations of [5, 6, 7, 8, 9, 10]) {
    it.live(`is answered all the same, yielding after ${operations} operations`, () =>
      Effect.gen(function* () {
        const ledger = yield* openLedger({ queueCapacity: 1 })
        const first = yield* Effect.forkChild(post(ledger, 0), { startImmediately: true })
        const second = yield* Effect.forkChild(
          post(ledger, 1).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, operations)),
          { startImmediately: true }
        )
        yield* Fiber.join(first)
        yield* Fiber.join(second)
        assert.lengthOf(yield* ledger.messages(run), 2)
      })
    )
  }
})

describe("closing", () => {
  it.effect("finishes what waits and refuses what comes", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const { open, reached, wrap } = yield* holding("before")
      const { close, ledger } = yield* closableLedger({ filename, wrap, queueCapacity: 3 })
      const first = yield* Effect.forkChild(post(ledger, 0))
      yield* reached
      const waiting = yield* Effect.forEach(numbers(6), (n) => Effect.forkChild(post(ledger, n + 1)))
      yield* settle
      const closing = yield* Effect.forkChild(close)
      yield* settle
      const late = yield* Effect.flip(ledger.postMessage({ run_id: run, source: "USER", payload: {} }))
      assert.strictEqual(late._tag, "LedgerClosed")
      assert.strictEqual(closing.pollUnsafe(), undefined)
      yield* open
      yield* Effect.forEach([first, ...waiting], Fiber.join)
      yield* Fiber.join(closing)
      const reopened = yield* openLedger({ filename })
      assert.lengthOf(yield* reopened.messages(run), 7)
      assert.deepStrictEqual(yield* findingCodesOf(reopened), [])
    })
  )

  it.effect("refuses what a caller asks for as soon as it is told, though its command was alone", () =>
    Effect.gen(function* () {
      const { open, reached, wrap } = yield* holding("after")
      const { close, ledger } = yield* closableLedger({ wrap })
      const asking = yield* Effect.forkChild(
        Effect.andThen(
          post(ledger, 0),
          Effect.flip(ledger.postMessage({ run_id: run, source: "USER", payload: {} }))
        )
      )
      yield* reached
      const closing = yield* Effect.forkChild(close)
      yield* settle
      yield* open
      const refused = yield* Fiber.join(asking)
      assert.strictEqual(refused._tag, "LedgerClosed")
      yield* Fiber.join(closing)
    })
  )

  it.effect("refuses every command afterwards", () =>
    Effect.gen(function* () {
      const { close, ledger } = yield* closableLedger()
      yield* close
      const refused = yield* Effect.flip(ledger.claimStep({ run_id: run, worker_id: "w" }))
      assert.strictEqual(refused._tag, "LedgerClosed")
    })
  )
})
