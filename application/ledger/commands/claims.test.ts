// Claims and completions on the SQLite adapter: which step comes first, who may finish it and until when. The
// clock is the test's own.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { sha256 } from "../../../infrastructure/hashing/node-hashing.ts"
import type { LedgerShape } from "../ledger.ts"
import { claim, complete, openLedger, post, run } from "../testing/ledgers.ts"
import { makeManualClock, withClock } from "../../../interfaces/test-kit/manual-clock.ts"

const claimAll = (ledger: LedgerShape, job_id?: string) =>
  Effect.gen(function* () {
    const claimed: Array<string> = []
    while (true) {
      const next = yield* Effect.result(
        ledger.claimStep({ run_id: run, worker_id: "w", ...(job_id === undefined ? {} : { job_id }) })
      )
      if (next._tag === "Failure") {
        assert.strictEqual(next.failure._tag, "NoPendingStep")
        return claimed
      }
      claimed.push(next.success.step_id)
    }
  })

const twoJobs = [
  { intent: "a", steps: [{ n: 1 }, { n: 2 }] },
  { intent: "b", steps: [{ n: 3 }] }
] as const

describe("a claim that finds nothing", () => {
  it.effect("says how the run's leases stand", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const refused = (job_id?: string) =>
        Effect.flip(
          ledger.claimStep({ run_id: run, worker_id: "w", ...(job_id === undefined ? {} : { job_id }) })
        )
      const none = yield* refused()
      assert.deepInclude({ ...none }, { _tag: "NoPendingStep", leased: 0, expired: 0, earliest_expiry: null })
      yield* ledger.postMessage({ run_id: run, source: "USER", payload: { steps: [{}, {}, {}] } })
      const { job_id } = yield* ledger.claimStep({ run_id: run, worker_id: "w", ttl_seconds: 10 })
      yield* ledger.claimStep({ run_id: run, worker_id: "w", ttl_seconds: 10 })
      yield* ledger.claimStep({ run_id: run, worker_id: "w", ttl_seconds: 1000 })
      yield* TestClock.adjust("10 seconds")
      for (const refusal of [yield* refused(), yield* refused(job_id)]) {
        assert.deepInclude({ ...refusal }, { _tag: "NoPendingStep", leased: 3, expired: 2 })
      }
    })
  )
})

describe("claiming", () => {
  it.effect("test_claim_deterministic_order", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      // The first two messages have one time; the third comes later and its key would sort first.
      yield* ledger.postMessage({
        run_id: run,
        source: "PLANNER",
        payload: {},
        idempotency_key: "z",
        jobs: twoJobs
      })
      yield* ledger.postMessage({ run_id: run, source: "USER", payload: { steps: [{}, {}] } })
      yield* post(ledger, 1, "another-run")
      yield* TestClock.adjust("1 second")
      yield* ledger.postMessage({
        run_id: run,
        source: "PLANNER",
        payload: {},
        idempotency_key: "a",
        jobs: twoJobs
      })
      const steps = yield* ledger.steps({ run_id: run })
      const messages = yield* ledger.messages(run)
      const order = steps.toSorted((left, right) => {
        const place = (step: typeof left) => {
          const message = messages.find(({ message_id }) => step.job_id.includes(message_id.slice(4)))
          return [
            message?.created_at ?? "",
            message?.event_position ?? 0,
            step.job_id.slice(-4),
            step.ordinal
          ]
        }
        const [a, b] = [place(left), place(right)]
        const index = a.findIndex((value, at) => value !== b[at])
        return index === -1 ? 0 : (a[index] ?? 0) < (b[index] ?? 0) ? -1 : 1
      })
      const claimed = yield* claimAll(ledger)
      assert.lengthOf(claimed, 8)
      assert.deepStrictEqual(
        claimed,
        order.map((step) => step.step_id)
      )
    })
  )

  it.effect("keeps to the job that is asked for, and gives every ordinal in turn", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      yield* post(ledger)
      const posted = yield* ledger.postMessage({ run_id: run, source: "USER", payload: {}, jobs: twoJobs })
      const [first = "", second = ""] = posted.job_ids
      assert.deepStrictEqual(yield* claimAll(ledger, second), [`${second.replace("job_", "step_")}.00001`])
      assert.deepStrictEqual(yield* claimAll(ledger, first), [
        `${first.replace("job_", "step_")}.00001`,
        `${first.replace("job_", "step_")}.00002`
      ])
      assert.lengthOf(yield* claimAll(ledger), 1)
    })
  )

  it.effect("finds no job of another run", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const { job_id } = yield* post(ledger, 1, "another-run")
      const refused = yield* Effect.flip(ledger.claimStep({ run_id: run, worker_id: "w", job_id }))
      assert.include(refused.message, "No pending steps")
    })
  )

  it.effect("gives a requeued step first again, with the next token", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      yield* post(ledger)
      yield* post(ledger)
      const first = yield* claim(ledger)
      yield* ledger.requeueStep({ run_id: run, step_id: first.step_id, reason: "again", force: true })
      const again = yield* claim(ledger, "worker-2")
      assert.deepStrictEqual([again.step_id, again.fencing_token], [first.step_id, 2])
    })
  )
})

describe("completing", () => {
  it.effect("test_complete_rejects_stale_token", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      yield* post(ledger)
      const first = yield* claim(ledger)
      yield* ledger.requeueStep({ run_id: run, step_id: first.step_id, reason: "again", force: true })
      const second = yield* claim(ledger)
      const head = yield* ledger.head
      const refused = yield* Effect.flip(complete(ledger, first))
      assert.strictEqual(refused._tag, "StaleFencingToken")
      assert.include(refused.message, "Fencing token mismatch")
      assert.deepStrictEqual(yield* ledger.head, head)
      yield* complete(ledger, second)
      assert.lengthOf(yield* ledger.receipts({ run_id: run }), 1)
    })
  )

  it.effect("test_complete_rejects_expired_lease", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      yield* post(ledger)
      yield* post(ledger)
      const late = yield* claim(ledger, "worker-1", 60)
      const inTime = yield* claim(ledger, "worker-1", 61)
      yield* TestClock.adjust("60 seconds")
      const refused = yield* Effect.flip(complete(ledger, late))
      assert.strictEqual(refused._tag, "LeaseExpired")
      assert.include(refused.message, "lease expired")
      assert.deepStrictEqual(
        (yield* ledger.steps({ run_id: run })).map(({ status }) => status),
        ["LEASED", "LEASED"]
      )
      yield* complete(ledger, inTime)
    })
  )

  it.effect("judges the outcome before anything else", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      const refused = yield* Effect.flip(
        ledger.completeStep({
          run_id: run,
          step_id: "no-such-step",
          worker_id: "w",
          fencing_token: 1,
          receipt_payload: {},
          outcome: "DONE" as "SUCCESS"
        })
      )
      assert.strictEqual(refused._tag, "InvalidInput")
      assert.include(refused.message, "Invalid outcome")
    })
  )

  it.effect("tells a worker whose answer was lost whose work stands", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      yield* post(ledger)
      const claimed = yield* claim(ledger)
      const { receipt_id } = yield* complete(ledger, claimed)
      const head = yield* ledger.head
      const refused = yield* Effect.flip(complete(ledger, claimed))
      const [receipt] = yield* ledger.receipts({ job_id: claimed.job_id })
      if (refused._tag !== "NotLeased") return assert.fail(refused._tag)
      assert.strictEqual(refused.status, "COMMITTED")
      assert.deepStrictEqual(
        { ...refused.receipt },
        {
          receipt_id,
          worker_id: "worker-1",
          fencing_token: 1,
          outcome: "SUCCESS",
          receipt_hash: sha256(`{"done":1}`)
        }
      )
      assert.strictEqual(receipt?.receipt_json, `{"done":1}`)
      assert.deepStrictEqual(yield* ledger.head, head)
    })
  )
})

describe("requeueing", () => {
  it.effect("by expiry is refused until the lease's end", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      yield* post(ledger)
      const { step_id } = yield* claim(ledger, "worker-1", 10)
      const requeue = ledger.requeueStep({ run_id: run, step_id, reason: "lost" })
      yield* TestClock.adjust("9999 millis")
      assert.strictEqual((yield* Effect.flip(requeue))._tag, "LeaseNotExpired")
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* requeue, {
        step_id,
        status: "PENDING",
        fencing_token: 1,
        cause: "expired"
      })
    })
  )

  it.effect("by the owner is free at any time, no matter who asks with its worker and token", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      yield* post(ledger)
      const { step_id } = yield* claim(ledger)
      const lease = { worker_id: "worker-1", fencing_token: 1 }
      const requeue = { run_id: run, step_id, reason: "not mine", requested_by: "somebody" }
      const stale = { ...lease, fencing_token: 2 }
      const refused = yield* Effect.flip(ledger.requeueStep({ ...requeue, ...stale }))
      assert.strictEqual(refused._tag, "StaleFencingToken")
      assert.strictEqual((yield* ledger.requeueStep({ ...requeue, ...lease })).cause, "released")
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.effect("by force frees a step whose lease a clock that once jumped forward made endless", () => {
    const clock = makeManualClock(0)
    return Effect.gen(function* () {
      const ledger = yield* openLedger
      yield* post(ledger)
      clock.set(300 * 86_400_000)
      const { step_id } = yield* claim(ledger, "worker-1", 86_400)
      clock.set(60_000)
      const requeue = { run_id: run, step_id, reason: "the clock had jumped" }
      assert.strictEqual((yield* Effect.flip(ledger.requeueStep(requeue)))._tag, "LeaseNotExpired")
      assert.strictEqual((yield* ledger.requeueStep({ ...requeue, force: true })).cause, "forced")
      const again = yield* claim(ledger, "worker-2")
      yield* complete(ledger, again, "worker-2")
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    }).pipe(withClock(clock))
  })
})
