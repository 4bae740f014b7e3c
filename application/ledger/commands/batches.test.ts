// Several commands in one transaction, and a post that claims its first step: what stands together, what is refused alone.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { MAX_BATCH_COMMANDS } from "../../../domain/ledger/limits.ts"
import { claim, openLedger, post, run } from "../../../infrastructure/testing/ledgers.ts"
import { countedTransactions, fillingStore } from "../../../infrastructure/testing/watched-stores.ts"
import { doneCounter, errorCounter, type LedgerCommand } from "./commands.ts"

const message = (n: number) => ({ _tag: "PostMessage", run_id: run, source: "USER", payload: { n } }) as const
const done = { receipt_payload: { ok: true }, outcome: "SUCCESS" } as const

describe("a batch", () => {
  it.effect("is decided in order, each command on what those before it did", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const [posted, none, claimed, again] = yield* ledger.commands([
        message(1),
        { _tag: "ClaimStep", run_id: "empty", worker_id: "w" },
        { _tag: "ClaimStep", run_id: run, worker_id: "w" },
        { _tag: "ClaimAny", worker_id: "w" }
      ])
      assert.isTrue(Result.getOrThrow(posted).created)
      assert.strictEqual(Result.getOrThrow(claimed).message_id, Result.getOrThrow(posted).message_id)
      assert.strictEqual(Result.getOrThrow(Result.flip(none))._tag, "NoPendingStep")
      assert.strictEqual(Result.getOrThrow(Result.flip(again))._tag, "NoPendingStep")
      assert.strictEqual((yield* ledger.head).position, 3)
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.effect("completes one step and claims the next in one transaction", () =>
    Effect.gen(function* () {
      const { seen, wrap } = countedTransactions()
      const ledger = yield* openLedger({ wrap })
      yield* post(ledger, 1)
      yield* post(ledger, 2)
      const first = yield* claim(ledger, "w")
      const before = seen.transactions
      const [completed, next] = yield* ledger.commands([
        { _tag: "CompleteStep", ...first.lease, ...done },
        { _tag: "ClaimStep", run_id: run, worker_id: "w" }
      ])
      assert.strictEqual(seen.transactions, before + 1)
      assert.isTrue(Result.isSuccess(completed))
      assert.deepInclude(Result.getOrThrow(next).payload, { n: 2 })
      const [renewed, requeued] = yield* ledger.commands([
        { _tag: "RenewLease", ...Result.getOrThrow(next).lease },
        { _tag: "RequeueStep", ...Result.getOrThrow(next).lease, reason: "stale by then" }
      ])
      assert.strictEqual(Result.getOrThrow(renewed).fencing_token, 2)
      assert.strictEqual(Result.getOrThrow(Result.flip(requeued))._tag, "StaleFencingToken")
    })
  )

  it.effect("is all or nothing on disk", () =>
    Effect.gen(function* () {
      const { disk, wrap } = fillingStore()
      const ledger = yield* openLedger({ wrap })
      disk.full = true
      const failed = yield* Effect.flip(ledger.commands([message(1), message(2)]))
      assert.strictEqual(failed._tag, "StorageFull")
      disk.full = false
      assert.strictEqual((yield* ledger.head).position, 1)
    })
  )

  it.effect("takes 256 commands, and refuses more, none, and what is no command", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const many = (count: number) => Array.from({ length: count }, (_, n) => message(n))
      const results = yield* ledger.commands(many(MAX_BATCH_COMMANDS))
      assert.isTrue(results.every((result) => Result.isSuccess(result)))
      for (const [batch, fault] of [
        [many(MAX_BATCH_COMMANDS + 1), "at most 256 commands"],
        [[], "at least one command"],
        [[message(1), { _tag: "DropTable" } as unknown as LedgerCommand], "/1: "],
        [[message(1), { ...message(2), source: "NOBODY" } as unknown as LedgerCommand], "/1/source: "],
        [[{ ...message(1), extra: 1 } as LedgerCommand], "/0/extra: "],
        [
          [{ _tag: "ClaimStep", run_id: run, worker_id: "w", wait: 1 } as unknown as LedgerCommand],
          "/0/wait: "
        ]
      ] as const) {
        const refused = yield* Effect.flip(ledger.commands(batch))
        assert.strictEqual(refused._tag, "InvalidInput")
        assert.include(refused.message, fault)
      }
      assert.strictEqual((yield* ledger.head).position, MAX_BATCH_COMMANDS + 1)
    })
  )

  it.effect("counts every command", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const counts = Effect.all([
        Metric.value(doneCounter("completeStep")),
        Metric.value(errorCounter("completeStep", "StepNotFound"))
      ])
      const before = (yield* counts).map(({ count }) => count)
      yield* post(ledger)
      const { lease } = yield* claim(ledger)
      const complete = { _tag: "CompleteStep", ...lease, ...done } as const
      yield* ledger.commands([complete, { ...complete, step_id: "step_0" }])
      assert.deepStrictEqual(
        (yield* counts).map(({ count }) => count),
        before.map((count) => count + 1)
      )
    })
  )
})

describe("a post that claims", () => {
  const both = {
    run_id: run,
    source: "WORKER",
    payload: { intent: "now" },
    idempotency_key: "key",
    claim: { worker_id: "w", ttl_seconds: 10 }
  } as const

  it.effect("answers the lease of its first step, in one commit", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* post(ledger)
      const posted = yield* ledger.postMessage({
        ...both,
        jobs: [
          { intent: "a", steps: [{ n: 1 }, { n: 2 }] },
          { intent: "b", steps: [{ n: 3 }] }
        ]
      })
      assert.deepInclude(posted, { created: true, lease_expires_at: "1970-01-01T00:00:10.000Z" })
      assert.strictEqual((yield* ledger.head).position, 4)
      if (posted.lease === null) return assert.fail("there is no lease")
      yield* ledger.completeStep({ ...posted.lease, ...done })
      const states = yield* ledger.steps({ job_id: posted.job_id })
      assert.deepStrictEqual(
        states.map(({ status }) => status),
        ["COMMITTED", "PENDING"]
      )
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.effect("again claims the step only where no worker has it", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const first = yield* ledger.postMessage({ ...both, claim: undefined })
      const second = yield* ledger.postMessage(both)
      assert.deepInclude(second, { created: false, job_id: first.job_id })
      assert.strictEqual(second.lease?.fencing_token, 1)
      assert.deepInclude(yield* ledger.postMessage(both), { lease: null, lease_expires_at: null })
      yield* TestClock.adjust("10 seconds")
      assert.isNull((yield* ledger.postMessage(both)).lease)
      yield* ledger.requeueStep({ run_id: run, step_id: second.lease?.step_id ?? "", reason: "ended" })
      assert.strictEqual((yield* ledger.postMessage(both)).lease?.fencing_token, 2)
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.effect("is refused as a whole when the key names another message", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* ledger.postMessage({ ...both, payload: { intent: "other" }, claim: undefined })
      assert.strictEqual((yield* Effect.flip(ledger.postMessage(both)))._tag, "IdempotencyConflict")
      assert.strictEqual((yield* ledger.head).position, 2)
    })
  )

  it.effect("works in a batch: a child's result and the parent's next step", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const [posted] = yield* ledger.commands([{ _tag: "PostMessage", ...both }])
      const { lease } = Result.getOrThrow(posted)
      if (lease === null) return assert.fail("there is no lease")
      const [completed, parent] = yield* ledger.commands([
        { _tag: "CompleteStep", ...lease, ...done },
        { ...message(2), claim: { worker_id: "w" } }
      ])
      assert.isTrue(Result.isSuccess(completed))
      assert.strictEqual(Result.getOrThrow(parent).lease?.fencing_token, 1)
    })
  )
})

describe("a traceparent", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  const other = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-00"

  it.effect("is in the data of the event, and in no row", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* ledger.postMessage({ run_id: run, source: "USER", payload: { n: 1 }, traceparent })
      const { lease } = yield* ledger.claimStep({ run_id: run, worker_id: "w", traceparent })
      yield* ledger.completeStep({ ...lease, ...done, traceparent })
      const events = yield* ledger.eventsAfter({ run_id: run })
      assert.deepStrictEqual(
        events.map(({ data }) => (JSON.parse(data) as { traceparent?: string }).traceparent),
        [traceparent, traceparent, traceparent]
      )
      assert.deepStrictEqual((yield* ledger.verifyCassette()).findings, [])
    })
  )

  it.effect("does not make another message of the same one", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const keyed = {
        run_id: run,
        source: "USER",
        payload: { traceparent: "mine" },
        idempotency_key: "k"
      } as const
      const jobs = [{ intent: "a", steps: [{ traceparent: other }] }] as const
      for (const [key, more] of [
        ["plain", {}],
        ["jobs", { jobs }]
      ] as const) {
        const first = yield* ledger.postMessage({ ...keyed, ...more, idempotency_key: key, traceparent })
        for (const trace of [traceparent, other, undefined]) {
          const again = yield* ledger.postMessage({
            ...keyed,
            ...more,
            idempotency_key: key,
            traceparent: trace
          })
          assert.deepInclude(again, { created: false, message_id: first.message_id })
        }
      }
      const changed = { ...keyed, idempotency_key: "jobs", jobs: [{ intent: "a", steps: [{}] }] } as const
      assert.strictEqual((yield* Effect.flip(ledger.postMessage(changed)))._tag, "IdempotencyConflict")
    })
  )

  it.effect("that is none is refused", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      for (const wrong of [
        "",
        traceparent.toUpperCase(),
        `${traceparent}-00`,
        traceparent.replace("00-", "ff-"),
        traceparent.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32)),
        traceparent.replace("00f067aa0ba902b7", "0".repeat(16)),
        traceparent.replaceAll("-", "_")
      ]) {
        const refused = yield* Effect.flip(
          ledger.postMessage({ run_id: run, source: "USER", payload: {}, traceparent: wrong })
        )
        assert.include(refused.message, "/traceparent: ")
      }
    })
  )
})
