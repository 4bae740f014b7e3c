// What any store of Effect's persisted queues must do, as their documentation states and as their store in memory shows. The suite
// runs on that store and on the ledger's, so that a program can take one for the other.
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"

export const Item = Schema.Struct({ n: Schema.Number })

type Options = Omit<Parameters<typeof PersistedQueue.make>[0], "name" | "schema">

export const makeQueue = (options: Options = {}, name = "items") =>
  PersistedQueue.make({ ...options, name, schema: Item })

type ItemQueue = Effect.Success<ReturnType<typeof makeQueue>>

const at0 = Schedule.spaced(0)

export const takeOne = (queue: ItemQueue) =>
  queue.take(({ n }, { attempts }) => Effect.succeed([n, attempts] as const))

export const failOne = (queue: ItemQueue) => Effect.flip(queue.take(() => Effect.fail("boom")))

/** Holds an element until it is interrupted; answers once it is in hand. */
export const holdOne = Effect.fnUntraced(function* (queue: ItemQueue) {
  const inHand = yield* Deferred.make<number>()
  const fiber = yield* Effect.forkScoped(
    queue.take(({ n }) => Effect.andThen(Deferred.succeed(inHand, n), Effect.never))
  )
  return { fiber, n: yield* Deferred.await(inHand) }
})

/** `pause` lets everything that is due happen in a store that needs real time for it. */
export const queueSuite = (
  name: string,
  store: Layer.Layer<PersistedQueue.PersistedQueueStore>,
  pause: Effect.Effect<void>
): void => {
  const queueTest = (
    title: string,
    test: Effect.Effect<
      void,
      unknown,
      PersistedQueue.PersistedQueueFactory | PersistedQueue.PersistedQueueStore | Scope.Scope
    >
  ) =>
    it.effect(title, () =>
      Effect.provide(test, PersistedQueue.layer.pipe(Layer.provideMerge(store))).pipe(Effect.scoped)
    )

  const stillWaits = (fiber: Fiber.Fiber<unknown, unknown>) =>
    Effect.map(pause, () => assert.isUndefined(fiber.pollUnsafe()))

  const adjust = (duration: Duration.Input) =>
    Effect.andThen(pause, Effect.andThen(TestClock.adjust(duration), pause))

  describe(`elements of a queue in ${name}`, () => {
    queueTest(
      "are given out in the order in which they were offered",
      Effect.gen(function* () {
        const queue = yield* makeQueue()
        for (const n of [1, 2, 3]) yield* queue.offer({ n })
        const taken = [yield* takeOne(queue), yield* takeOne(queue), yield* takeOne(queue)]
        assert.deepStrictEqual(taken, [
          [1, 1],
          [2, 1],
          [3, 1]
        ])
      })
    )

    queueTest(
      "are given to takers that wait, one to each",
      Effect.gen(function* () {
        const queue = yield* makeQueue()
        const takers = yield* Effect.forEach([1, 2, 3], () => Effect.forkScoped(takeOne(queue)))
        yield* pause
        for (const n of [1, 2, 3]) yield* queue.offer({ n })
        const taken = yield* Effect.forEach(takers, Fiber.join)
        assert.deepStrictEqual(taken.map(([n]) => n).toSorted(), [1, 2, 3])
      })
    )

    queueTest(
      "have an id, which offer answers and the taker sees",
      Effect.gen(function* () {
        const queue = yield* makeQueue()
        const own = yield* queue.offer({ n: 1 }, { id: "mine" })
        const given = yield* queue.offer({ n: 2 })
        const seen = () => queue.take((_, { id }) => Effect.succeed(id))
        assert.deepStrictEqual([own, yield* seen(), yield* seen()], ["mine", "mine", given])
      })
    )

    queueTest(
      "with the same id are taken once, while they wait, in hand and done, each queue by itself",
      Effect.gen(function* () {
        const queue = yield* makeQueue()
        const other = yield* makeQueue({}, "others")
        yield* queue.offer({ n: 1 }, { id: "a" })
        yield* queue.offer({ n: 1 }, { id: "a" })
        yield* queue.offer({ n: 2 }, { id: "a", delay: "1 hour" })
        yield* other.offer({ n: 3 }, { id: "a" })
        const { fiber, n } = yield* holdOne(queue)
        assert.strictEqual(n, 1)
        yield* queue.offer({ n: 4 }, { id: "a" })
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* takeOne(queue), [1, 1])
        yield* queue.offer({ n: 5 }, { id: "a" })
        const waiting = yield* Effect.forkScoped(takeOne(queue))
        yield* adjust("2 hours")
        yield* stillWaits(waiting)
        assert.deepStrictEqual(yield* takeOne(other), [3, 1])
      })
    )

    queueTest(
      "with odd and long ids and names are told apart",
      Effect.gen(function* () {
        const ids = ["", "a/1", "a", "a\n", "\u{1f600}", "x".repeat(300), `${"x".repeat(300)}y`]
        for (const name of ["q/1", "n".repeat(300), "\t"]) {
          const queue = yield* makeQueue({}, name)
          for (const [n, id] of ids.entries()) yield* queue.offer({ n }, { id })
          for (const [n, id] of ids.entries()) {
            const seen = yield* queue.take((value, metadata) => Effect.succeed([value.n, metadata.id]))
            assert.deepStrictEqual(seen, [n, id])
          }
        }
      })
    )

    queueTest(
      "are not given to a second taker while they are in hand, nor after that",
      Effect.gen(function* () {
        const queue = yield* makeQueue()
        yield* queue.offer({ n: 1 })
        const release = yield* Deferred.make<void>()
        const first = yield* Effect.forkScoped(queue.take(() => Deferred.await(release)))
        yield* pause
        const second = yield* Effect.forkScoped(takeOne(queue))
        yield* adjust("10 minutes")
        yield* stillWaits(second)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(first)
        yield* adjust("10 minutes")
        yield* stillWaits(second)
      })
    )
  })

  describe(`delays of a queue in ${name}`, () => {
    queueTest(
      "hold an element back until they are over, and no other element",
      Effect.gen(function* () {
        const queue = yield* makeQueue()
        yield* queue.offer({ n: 1 }, { delay: "10 seconds" })
        yield* queue.offer({ n: 2 }, { delay: "5 seconds" })
        yield* queue.offer({ n: 3 })
        assert.deepStrictEqual(yield* takeOne(queue), [3, 1])
        const later = yield* Effect.forkScoped(takeOne(queue))
        yield* adjust(4_999)
        yield* stillWaits(later)
        yield* adjust(1)
        assert.deepStrictEqual(yield* Fiber.join(later), [2, 1])
        yield* adjust("5 seconds")
        assert.deepStrictEqual(yield* takeOne(queue), [1, 1])
      })
    )

    queueTest(
      "of nothing and less do not hold back, and one without an end stores nothing",
      Effect.gen(function* () {
        const queue = yield* makeQueue()
        yield* queue.offer({ n: 1 }, { delay: 0 })
        yield* queue.offer({ n: 2 }, { delay: -1 })
        assert.strictEqual(yield* queue.offer({ n: 3 }, { id: "never", delay: Duration.infinity }), "never")
        yield* queue.offer({ n: 4 }, { id: "never" })
        const taken = [yield* takeOne(queue), yield* takeOne(queue), yield* takeOne(queue)]
        assert.deepStrictEqual(
          taken.map(([n]) => n),
          [1, 2, 4]
        )
      })
    )

    queueTest(
      "of years hold back",
      Effect.gen(function* () {
        const queue = yield* makeQueue()
        yield* queue.offer({ n: 1 }, { delay: Duration.days(40) })
        const taker = yield* Effect.forkScoped(takeOne(queue))
        yield* adjust(Duration.days(39))
        yield* stillWaits(taker)
        yield* adjust(Duration.days(1))
        assert.deepStrictEqual(yield* Fiber.join(taker), [1, 1])
      })
    )
  })

  describe(`attempts of a queue in ${name}`, () => {
    queueTest(
      "that fail or die are followed by another, and the failure is the taker's",
      Effect.gen(function* () {
        const queue = yield* makeQueue({ retrySchedule: at0 })
        yield* queue.offer({ n: 1 })
        assert.strictEqual(yield* failOne(queue), "boom")
        const died = yield* Effect.exit(queue.take(() => Effect.die("bang")))
        assert.strictEqual(died._tag, "Failure")
        assert.deepStrictEqual(yield* takeOne(queue), [1, 3])
      })
    )

    queueTest(
      "follow after the delay that the schedule has for their number",
      Effect.gen(function* () {
        const queue = yield* makeQueue({ retrySchedule: Schedule.exponential(1_000) })
        yield* queue.offer({ n: 1 })
        yield* failOne(queue)
        const second = yield* Effect.forkScoped(failOne(queue))
        yield* adjust(999)
        yield* stillWaits(second)
        yield* adjust(1)
        assert.strictEqual(yield* Fiber.join(second), "boom")
        const third = yield* Effect.forkScoped(takeOne(queue))
        yield* adjust(1_999)
        yield* stillWaits(third)
        yield* adjust(1)
        assert.deepStrictEqual(yield* Fiber.join(third), [1, 3])
      })
    )

    queueTest(
      "that are interrupted are given back and do not count",
      Effect.gen(function* () {
        const queue = yield* makeQueue({ maxAttempts: 1 })
        yield* queue.offer({ n: 1 })
        for (const _ of [1, 2, 3]) yield* Fiber.interrupt((yield* holdOne(queue)).fiber)
        assert.deepStrictEqual(yield* takeOne(queue), [1, 1])
      })
    )

    queueTest(
      "end when there were as many as the queue allows",
      Effect.gen(function* () {
        const queue = yield* makeQueue({ maxAttempts: 2, retrySchedule: at0 })
        yield* queue.offer({ n: 1 }, { id: "a" })
        yield* failOne(queue)
        yield* failOne(queue)
        yield* queue.offer({ n: 2 }, { id: "a" })
        const taker = yield* Effect.forkScoped(takeOne(queue))
        yield* adjust("1 hour")
        yield* stillWaits(taker)
      })
    )

    queueTest(
      "are not begun by a taker that allows no more than there were",
      Effect.gen(function* () {
        const queue = yield* makeQueue({ retrySchedule: at0 })
        yield* queue.offer({ n: 1 })
        yield* failOne(queue)
        const stricter = yield* makeQueue({ maxAttempts: 1 })
        const taker = yield* Effect.forkScoped(takeOne(stricter))
        yield* adjust("1 hour")
        yield* stillWaits(taker)
      })
    )

    queueTest(
      "on what cannot be decoded are the last at once, and the next element is taken instead",
      Effect.gen(function* () {
        const { offer } = yield* PersistedQueue.PersistedQueueStore
        const queue = yield* makeQueue({ retrySchedule: at0 })
        yield* offer({ name: "items", id: "bad", element: { n: "one" }, isCustomId: true })
        yield* queue.offer({ n: 2 })
        assert.deepStrictEqual(yield* takeOne(queue), [2, 1])
        const taker = yield* Effect.forkScoped(takeOne(queue))
        yield* adjust("1 hour")
        yield* stillWaits(taker)
      })
    )

    queueTest(
      "are no fewer when a taker that waits is interrupted",
      Effect.gen(function* () {
        const queue = yield* makeQueue()
        const waiting = yield* Effect.forEach([1, 2], () => Effect.forkScoped(takeOne(queue)))
        yield* pause
        for (const fiber of waiting) yield* Fiber.interrupt(fiber)
        yield* queue.offer({ n: 1 })
        assert.deepStrictEqual(yield* takeOne(queue), [1, 1])
      })
    )

    queueTest(
      "of several takers at once are one for each element, and one more for each that failed",
      Effect.gen(function* () {
        const queue = yield* makeQueue({ retrySchedule: at0 })
        const numbers = Array.from({ length: 24 }, (_, n) => n)
        yield* Effect.forEach(numbers, (n) => queue.offer({ n }), { concurrency: 8 })
        const attempts: Array<number> = []
        let succeeded = 0
        const worker = Effect.whileLoop({
          while: () => succeeded < numbers.length,
          body: () =>
            queue
              .take(({ n }, metadata) =>
                Effect.suspend(() => {
                  attempts.push(n)
                  if (n % 3 === 0 && metadata.attempts === 1) return Effect.fail("transient")
                  succeeded += 1
                  return Effect.void
                })
              )
              .pipe(Effect.catch(() => Effect.void)),
          step: () => undefined
        })
        const workers = yield* Effect.forEach([1, 2, 3], () => Effect.forkScoped(worker))
        while (succeeded < numbers.length) yield* adjust("1 second")
        assert.deepStrictEqual(
          attempts.toSorted((a, b) => a - b),
          numbers.flatMap((n) => (n % 3 === 0 ? [n, n] : [n]))
        )
        for (const fiber of workers) yield* Fiber.interrupt(fiber)
      })
    )
  })

  describe(`cleaning up a queue in ${name}`, () => {
    queueTest(
      "keeps what waits, what failed and what was finished a short time ago",
      Effect.gen(function* () {
        const { cleanup } = yield* PersistedQueue.PersistedQueueStore
        const queue = yield* makeQueue({ maxAttempts: 1 })
        yield* queue.offer({ n: 1 }, { id: "failed" })
        yield* failOne(queue)
        yield* queue.offer({ n: 2 }, { id: "waits" })
        yield* adjust("1 hour")
        yield* queue.offer({ n: 3 }, { id: "done" })
        assert.deepStrictEqual(yield* takeOne(queue), [2, 1])
        yield* queue.offer({ n: 4 }, { id: "waits as well" })
        yield* adjust("30 minutes")
        yield* cleanup({ timeToLive: Duration.hours(1), failedTimeToLive: undefined })
        for (const id of ["failed", "waits", "done", "waits as well"]) yield* queue.offer({ n: 5 }, { id })
        assert.deepStrictEqual(yield* takeOne(queue), [3, 1])
        assert.deepStrictEqual(yield* takeOne(queue), [4, 1])
        const taker = yield* Effect.forkScoped(takeOne(queue))
        yield* stillWaits(taker)
      })
    )
  })
}
