// Persisted queues on ledgers in files: the same suite, and two programs on one file.
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/testing/TestClock"
import { Ledger as LedgerService } from "../../application/ledger/ledger.ts"
import { makeQueue, queueSuite, takeOne } from "../../application/workflow/testing/queue-suite.ts"
import { temporaryFile } from "../../infrastructure/testing/ledgers.ts"
import { Ledger } from "../embedding/ledger.ts"
import { CassettePersistedQueue } from "./index.ts"

/** Effect's queues on a ledger's file, and the ledger. */
const queuesIn = (filename: string) =>
  PersistedQueue.layer.pipe(
    Layer.provideMerge(CassettePersistedQueue.layerStore({ ttl_seconds: 1 })),
    Layer.provideMerge(Ledger.layer({ filename }))
  )

queueSuite(
  "a file",
  Layer.unwrap(
    Effect.map(temporaryFile, (filename) =>
      CassettePersistedQueue.layerStore().pipe(Layer.provide(Ledger.layer({ filename })), Layer.orDie)
    )
  ),
  TestClock.withLive(Effect.sleep("15 millis"))
)

/** Two programs on one file: each has a connection of its own. */
const twoPrograms = Effect.gen(function* () {
  const filename = yield* temporaryFile
  const programs = [yield* Layer.build(queuesIn(filename)), yield* Layer.build(queuesIn(filename))] as const
  const queueOf = (program: (typeof programs)[number]) =>
    Effect.provide(makeQueue({ retrySchedule: Schedule.spaced(0) }), program)
  return {
    ledger: Context.get(programs[0], LedgerService),
    queues: [yield* queueOf(programs[0]), yield* queueOf(programs[1])] as const
  }
})

describe("two programs with one queue", () => {
  it.live("give each other elements, delayed ones and those that are given back", () =>
    Effect.gen(function* () {
      const { ledger, queues } = yield* twoPrograms
      const [a, b] = queues
      const waiting = yield* Effect.forkScoped(takeOne(b))
      yield* a.offer({ n: 1 })
      assert.deepStrictEqual(yield* Fiber.join(waiting), [1, 1])
      yield* a.offer({ n: 2 }, { delay: "100 millis" })
      assert.deepStrictEqual(yield* takeOne(b), [2, 1])
      yield* b.offer({ n: 3 })
      const inHand = yield* Deferred.make<void>()
      const held = yield* Effect.forkScoped(
        a.take(() => Effect.andThen(Deferred.succeed(inHand, undefined), Effect.never))
      )
      yield* Deferred.await(inHand)
      const next = yield* Effect.forkScoped(takeOne(b))
      yield* Fiber.interrupt(held)
      assert.deepStrictEqual(yield* Fiber.join(next), [3, 1])
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.live("take each element once, and after a failure once more", () =>
    Effect.gen(function* () {
      const { ledger, queues } = yield* twoPrograms
      const numbers = Array.from({ length: 60 }, (_, n) => n)
      for (const n of numbers) yield* queues[n % 2 === 0 ? 0 : 1].offer({ n })
      const attempts: Array<number> = []
      let succeeded = 0
      const done = yield* Deferred.make<void>()
      const worker = (queue: (typeof queues)[number]) =>
        Effect.forever(
          Effect.ignore(
            queue.take(({ n }, metadata) => {
              attempts.push(n)
              if (n % 3 === 0 && metadata.attempts === 1) return Effect.fail("transient")
              succeeded += 1
              return succeeded === numbers.length ? Deferred.succeed(done, undefined) : Effect.void
            })
          )
        )
      for (const queue of [...queues, ...queues]) yield* Effect.forkScoped(worker(queue))
      yield* Deferred.await(done)
      assert.deepStrictEqual(
        attempts.toSorted((a, b) => a - b),
        numbers.flatMap((n) => (n % 3 === 0 ? [n, n] : [n]))
      )
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )
})
