// Claims that wait for a step, and claims in any run. What another ledger on the same file commits is seen in real time; how
// long a claim waits is the test's own time.
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import { errorCounter } from "./commands.ts"
import { makeManualClock, withClock } from "../../../interfaces/test-kit/manual-clock.ts"
import {
  claim,
  closableLedger,
  openLedger,
  post,
  run,
  temporaryFile
} from "../../../infrastructure/testing/ledgers.ts"
import { countedClaims } from "../../../infrastructure/testing/watched-stores.ts"

const worker = { run_id: run, worker_id: "w" }

describe("a claim that waits", () => {
  it.effect("answers at once when a step waits", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* post(ledger)
      assert.strictEqual((yield* ledger.claimStep({ ...worker, wait: "1 hour" })).fencing_token, 1)
    })
  )

  it.effect("answers when this process posts, requeues or claims for others, as one command", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const before = yield* Metric.value(errorCounter("claimStep", "NoPendingStep"))
      const first = yield* Effect.forkChild(ledger.claimStep({ ...worker, wait: "1 hour" }))
      yield* Effect.yieldNow
      yield* post(ledger, 1, "another-run")
      yield* post(ledger)
      const step = yield* Fiber.join(first)
      const second = yield* Effect.forkChild(ledger.claimStep({ ...worker, wait: Duration.infinity }))
      yield* Effect.yieldNow
      yield* ledger.requeueStep({ ...step.lease, reason: "later" })
      assert.strictEqual((yield* Fiber.join(second)).fencing_token, 2)
      const after = yield* Metric.value(errorCounter("claimStep", "NoPendingStep"))
      assert.strictEqual(after.count, before.count)
    })
  )

  it.effect("asks the store again for its own runs alone", () =>
    Effect.gen(function* () {
      const { claims, wrap } = countedClaims()
      const ledger = yield* openLedger({ wrap })
      const waits = { worker_id: "w", wait: "1 hour" } as const
      const ofRun = yield* Effect.forkChild(ledger.claimStep({ ...waits, run_id: "run-1" }))
      const ofPrefix = yield* Effect.forkChild(ledger.claimAny({ ...waits, prefix: "mail-" }))
      // Each looks once before it listens, and once after that.
      while (claims.count < 4) yield* Effect.yieldNow
      for (let n = 1; n <= 100; n++) yield* post(ledger, n, "run-10")
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      assert.strictEqual(claims.count, 4)
      yield* post(ledger, 1, "run-1")
      yield* post(ledger, 1, "mail-7")
      assert.strictEqual((yield* Fiber.join(ofRun)).lease.run_id, "run-1")
      assert.strictEqual((yield* Fiber.join(ofPrefix)).lease.run_id, "mail-7")
    })
  )

  it.live("answers when another ledger on the file posts", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const ledger = yield* openLedger({ filename })
      const other = yield* openLedger({ filename })
      for (const n of [1, 2]) {
        const claimed = yield* Effect.forkChild(ledger.claimStep({ ...worker, wait: "1 hour" }))
        yield* Effect.sleep("20 millis")
        yield* post(other, n)
        assert.deepInclude((yield* Fiber.join(claimed)).payload, { n })
      }
    })
  )

  it.live("sees what another ledger posted although this one committed since", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const ledger = yield* openLedger({ filename })
      const other = yield* openLedger({ filename })
      yield* post(ledger, 1, "elsewhere")
      const mine = yield* ledger.claimStep({ run_id: "elsewhere", worker_id: "w" })
      const claimed = yield* Effect.forkChild(ledger.claimStep({ ...worker, wait: "1 hour" }))
      yield* Effect.sleep("20 millis")
      yield* post(other)
      // A completion wakes no one for its own sake, only for what it had to catch up with.
      yield* ledger.completeStep({ ...mine.lease, receipt_payload: {}, outcome: "SUCCESS" })
      assert.strictEqual((yield* Fiber.join(claimed)).fencing_token, 1)
    })
  )

  it.effect("ends with how the leases stand there when its time is up", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* post(ledger)
      yield* claim(ledger, "w-1", 20)
      const waiting = yield* Effect.forkChild(
        Effect.flip(ledger.claimStep({ ...worker, wait: "30 seconds" }))
      )
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.deepInclude(
        { ...(yield* Fiber.join(waiting)) },
        {
          _tag: "NoPendingStep",
          run_id: run,
          leased: 1,
          expired: 1,
          earliest_expiry: "1970-01-01T00:00:20.000Z"
        }
      )
    })
  )

  it.live("waits no longer and no shorter when the wall clock is set meanwhile", () =>
    Effect.gen(function* () {
      const day = 86_400_000
      for (const jump of [-day, day]) {
        const clock = makeManualClock(10 * day)
        const elapsed = yield* Effect.gen(function* () {
          const ledger = yield* openLedger()
          const waiting = yield* Effect.forkChild(
            Effect.timed(Effect.flip(ledger.claimStep({ ...worker, wait: "300 millis" })))
          )
          yield* Effect.sleep("50 millis")
          clock.set(10 * day + jump)
          // A step of another run wakes the claim, which looks again how long it has left.
          yield* post(ledger, 1, "another-run")
          const [took, { _tag }] = yield* Effect.timeout(Fiber.join(waiting), "10 seconds")
          assert.strictEqual(_tag, "NoPendingStep")
          return Duration.toMillis(took)
        }).pipe(Effect.scoped, withClock(clock))
        assert.isAtLeast(elapsed, 295)
      }
    })
  )

  it.effect("leaves nothing when it is interrupted", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const waiting = yield* Effect.forkChild(ledger.claimStep({ ...worker, wait: "1 hour" }))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting)
      yield* post(ledger)
      assert.strictEqual((yield* claim(ledger)).fencing_token, 1)
    })
  )

  it.effect("can be interrupted while it waits where nothing else can be", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const waiting = yield* Effect.forkChild(
        Effect.uninterruptible(ledger.claimStep({ ...worker, wait: Duration.infinity }))
      )
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting)
    })
  )

  it.effect("ends when the ledger is closed", () =>
    Effect.gen(function* () {
      const { close, ledger } = yield* closableLedger()
      const waiting = yield* Effect.forkChild(
        Effect.flip(ledger.claimStep({ ...worker, wait: Duration.infinity }))
      )
      yield* Effect.yieldNow
      yield* close
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "LedgerClosed")
    })
  )

  it.effect("gives each of many waiting fibers one step", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const fibers = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.forkChild(ledger.claimStep({ ...worker, wait: "1 hour" }))
      )
      yield* Effect.yieldNow
      yield* ledger.postMessage({
        run_id: run,
        source: "USER",
        payload: { steps: Array.from({ length: 20 }, (_, n) => ({ n })) as [{ n: number }] }
      })
      const claimed = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      assert.strictEqual(new Set(claimed.map(({ step_id }) => step_id)).size, 20)
    })
  )

  it.effect("refuses a time that is none", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      for (const wait of [-1, Number.NaN, "soon" as "1 second", "-1 seconds" as "1 second"]) {
        for (const refused of [
          yield* Effect.flip(ledger.claimStep({ ...worker, wait })),
          yield* Effect.flip(ledger.claimAny({ worker_id: "w", wait }))
        ]) {
          assert.include(refused.message, "/wait: ")
        }
      }
      const none = yield* Effect.flip(ledger.claimStep({ ...worker, wait: 0 }))
      assert.strictEqual(none._tag, "NoPendingStep")
    })
  )
})

describe("a claim in any run", () => {
  const runsOf = (prefix: string) => ["a", "b", "c"].map((name) => `${prefix}${name}`)

  it.effect("goes round and round", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      for (const id of [...runsOf("x-"), ...runsOf("y-"), "x", "y-b"]) yield* post(ledger, 1, id)
      const taken: Array<string> = []
      let after_run: string | undefined
      for (let n = 0; n < 8; n++) {
        const step = yield* ledger.claimAny({ worker_id: "w", after_run })
        taken.push((after_run = step.lease.run_id))
        assert.strictEqual((yield* ledger.steps({ run_id: after_run }))[0]?.lease_owner, "w")
      }
      assert.deepStrictEqual(taken, ["x", ...runsOf("x-"), ...runsOf("y-"), "y-b"])
      const none = yield* Effect.flip(ledger.claimAny({ worker_id: "w", after_run }))
      assert.deepInclude({ ...none }, { _tag: "NoPendingStep", run_id: null, prefix: "", leased: 8 })
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.effect("takes the oldest step of its run, and keeps to the prefix", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      for (const [n, id] of ["w", "x", "x-b", "x-a", "x-b", "y"].entries()) yield* post(ledger, n, id)
      const claimAfter = (after_run?: string) =>
        Effect.map(ledger.claimAny({ worker_id: "w", prefix: "x", after_run }), ({ lease, payload }) => [
          lease.run_id,
          payload["n"]
        ])
      // A run before and one behind the prefix are places to begin at, too.
      assert.deepStrictEqual(yield* claimAfter("x-a"), ["x-b", 2])
      assert.deepStrictEqual(yield* claimAfter("a"), ["x", 1])
      assert.deepStrictEqual(yield* claimAfter("z"), ["x-a", 3])
      assert.deepStrictEqual(yield* claimAfter("x-b"), ["x-b", 4])
      const none = yield* Effect.flip(ledger.claimAny({ worker_id: "w", prefix: "x" }))
      assert.deepInclude({ ...none }, { _tag: "NoPendingStep", prefix: "x", leased: 4, expired: 0 })
    })
  )

  it.effect("goes on behind the run whose id is the prefix itself", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      for (const [n, id] of ["x", "x", "x-a"].entries()) yield* post(ledger, n, id)
      const claim = { worker_id: "w", prefix: "x", after_run: "x" }
      const runs = [yield* ledger.claimAny(claim), yield* ledger.claimAny(claim)].map(
        ({ lease }) => lease.run_id
      )
      assert.deepStrictEqual(runs, ["x-a", "x"])
    })
  )

  it.effect("waits for a step in one of its runs", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const waiting = yield* Effect.forkChild(
        ledger.claimAny({ worker_id: "w", prefix: "x-", wait: "1 hour" })
      )
      yield* Effect.yieldNow
      yield* post(ledger, 1, "y")
      yield* post(ledger, 2, "x-1")
      const step = yield* Fiber.join(waiting)
      assert.strictEqual(step.lease.run_id, "x-1")
    })
  )
})
