// Renewing a lease: a new lease of the same step for the same worker, refused exactly as a completion is. The old token is
// worth nothing from then on, also in the hands of a twin that slept meanwhile.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { claim, openLedger, post, run } from "../testing/ledgers.ts"

const done = { receipt_payload: { ok: true }, outcome: "SUCCESS" } as const

const leased = Effect.gen(function* () {
  const ledger = yield* openLedger
  yield* post(ledger)
  return { ledger, step: yield* claim(ledger, "worker-1", 10) }
})

describe("a renewed lease", () => {
  it.effect("holds from now on, with the next token", () =>
    Effect.gen(function* () {
      const { ledger, step } = yield* leased
      yield* TestClock.adjust("9 seconds")
      const renewed = yield* ledger.renewLease({ ...step.lease, ttl_seconds: 20 })
      assert.deepStrictEqual(renewed, {
        step_id: step.step_id,
        fencing_token: 2,
        lease_expires_at: "1970-01-01T00:00:29.000Z",
        lease: { ...step.lease, fencing_token: 2 }
      })
      yield* TestClock.adjust("19 seconds")
      yield* ledger.completeStep({ ...renewed.lease, ...done })
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.effect("leaves a twin with the old token outside, with any command", () =>
    Effect.gen(function* () {
      const { ledger, step } = yield* leased
      const { lease } = yield* ledger.renewLease(step.lease)
      const refusals = [
        yield* Effect.flip(ledger.completeStep({ ...step.lease, ...done })),
        yield* Effect.flip(ledger.renewLease(step.lease)),
        yield* Effect.flip(ledger.requeueStep({ ...step.lease, reason: "late" }))
      ]
      for (const refused of refusals) {
        assert.deepInclude({ ...refused }, { _tag: "StaleFencingToken", fencing_token: 1, current_token: 2 })
      }
      yield* ledger.completeStep({ ...lease, ...done })
    })
  )

  it.effect("is requeued and claimed as any other", () =>
    Effect.gen(function* () {
      const { ledger, step } = yield* leased
      const { lease } = yield* ledger.renewLease({ ...step.lease, ttl_seconds: 5 })
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* ledger.requeueStep({ ...lease, reason: "dead" })).cause, "released")
      assert.strictEqual((yield* claim(ledger, "worker-2")).fencing_token, 3)
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )
})

describe("a renewal is refused", () => {
  it.effect("after the lease has ended, at that very moment too", () =>
    Effect.gen(function* () {
      const { ledger, step } = yield* leased
      yield* TestClock.adjust("10 seconds")
      const refused = yield* Effect.flip(ledger.renewLease(step.lease))
      assert.deepInclude({ ...refused }, { _tag: "LeaseExpired", now: "1970-01-01T00:00:10.000Z" })
    })
  )

  it.effect("to another worker, with another token, in another run, of a step that is not there", () =>
    Effect.gen(function* () {
      const { ledger, step } = yield* leased
      for (const [change, tag] of [
        [{ worker_id: "thief" }, "WrongWorker"],
        [{ fencing_token: 2 }, "StaleFencingToken"],
        [{ fencing_token: 0 }, "StaleFencingToken"],
        [{ run_id: "run-2" }, "WrongRun"],
        [{ step_id: "step_0" }, "StepNotFound"]
      ] as const) {
        assert.strictEqual((yield* Effect.flip(ledger.renewLease({ ...step.lease, ...change })))._tag, tag)
      }
      assert.strictEqual((yield* ledger.head).position, 3)
    })
  )

  it.effect("of a step that waits, or is finished", () =>
    Effect.gen(function* () {
      const { ledger, step } = yield* leased
      yield* ledger.requeueStep({ ...step.lease, reason: "later" })
      assert.deepInclude(
        { ...(yield* Effect.flip(ledger.renewLease(step.lease))) },
        { _tag: "NotLeased", status: "PENDING" }
      )
      const again = yield* claim(ledger)
      yield* ledger.completeStep({ ...again.lease, ...done })
      assert.deepInclude(
        { ...(yield* Effect.flip(ledger.renewLease(again.lease))) },
        { _tag: "NotLeased", status: "COMMITTED" }
      )
    })
  )

  it.effect("for a time that no lease has", () =>
    Effect.gen(function* () {
      const { ledger, step } = yield* leased
      for (const ttl_seconds of [0, -1, 0.5, 86_401, Number.NaN]) {
        const refused = yield* Effect.flip(ledger.renewLease({ ...step.lease, ttl_seconds }))
        assert.deepInclude({ ...refused }, { _tag: "InvalidInput" })
      }
    })
  )
})

describe("the lease in hand", () => {
  it.effect("is what commands take; the whole answer of a claim does not compile", () =>
    Effect.gen(function* () {
      const { ledger, step } = yield* leased
      assert.deepStrictEqual(step.lease, {
        run_id: run,
        worker_id: "worker-1",
        step_id: step.step_id,
        fencing_token: 1
      })
      // @ts-expect-error A claim's answer has fields that no command takes.
      const refused = yield* Effect.flip(ledger.completeStep({ ...step, ...done }))
      assert.strictEqual(refused._tag, "InvalidInput")
      // @ts-expect-error The same.
      assert.strictEqual((yield* Effect.flip(ledger.renewLease({ ...step })))._tag, "InvalidInput")
      // @ts-expect-error The same.
      yield* Effect.flip(ledger.requeueStep({ ...step, reason: "later" }))
      yield* ledger.completeStep({ ...step.lease, ...done })
    })
  )
})
