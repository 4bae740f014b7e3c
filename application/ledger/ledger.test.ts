// The ledger as a whole on the SQLite adapter: bytes of payloads in every place that holds them, the limits of a
// message, idempotency, queries, and a ledger that may only be read.
import { chmodSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { jcsText } from "../../domain/canonical/jcs.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { sha256 } from "../../infrastructure/hashing/node-hashing.ts"
import { makeManualClock, withClock } from "../../interfaces/test-kit/manual-clock.ts"
import type { ReadError } from "./reading/ledger-reader.ts"
import {
  claim,
  complete,
  findingCodesOf,
  openLedger,
  post,
  run,
  temporaryFile,
  withLedger
} from "../../infrastructure/testing/ledgers.ts"

const awkward = {
  del: "\u007f",
  separators: "\u2028\u2029",
  emoji: "😀",
  escapes: '"\\/\b\f\n\r\t\u0001\u001f',
  spelled: "\\u0000 \\n",
  zero: -0,
  large: 1e21,
  small: 1e-7,
  third: 1 / 3,
  __proto: { constructor: null },
  "": [],
  "10": 1,
  "9": 2,
  'é\u007f\u2028😀"\\': { b: [true, false, null], a: {} }
}

describe("the bytes of a payload", () => {
  const text = jcsText(awkward)

  it.effect("are the same in the event, the tables, the fold and the answers", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const payload = { ...awkward, intent: awkward.escapes, steps: [awkward, { nested: awkward }] }
      yield* ledger.postMessage({ run_id: run, source: "USER", payload })
      const first = yield* claim(ledger)
      yield* ledger.completeStep({
        run_id: run,
        step_id: first.step_id,
        worker_id: "worker-1",
        fencing_token: 1,
        receipt_payload: awkward,
        outcome: "FAILURE"
      })
      const [, posted, , completed] = yield* Stream.runCollect(ledger.events({ live: false }))
      assert.include(posted?.data, `"payload":${jcsText(payload)},"source"`)
      assert.include(
        posted?.data,
        `"steps":[{"job":1,"payload":${text}},{"job":1,"payload":{"nested":${text}}}]`
      )
      assert.include(completed?.data, `"receipt":${text},"step_id"`)
      assert.strictEqual(jcsText(first.payload), text)
      const [message] = yield* ledger.messages(run)
      assert.strictEqual(message?.payload_json, jcsText(payload))
      const steps = yield* ledger.steps({ run_id: run })
      assert.deepStrictEqual(
        steps.map(({ payload_json }) => payload_json),
        [text, `{"nested":${text}}`]
      )
      const [receipt] = yield* ledger.receipts({ run_id: run })
      assert.strictEqual(receipt?.receipt_json, text)
      const state = yield* ledger.stateAt({ position: 4 })
      assert.deepStrictEqual([state.messages, state.steps, state.receipts], [[message], steps, [receipt]])
      assert.strictEqual(state.jobs[0]?.intent, awkward.escapes)
      assert.deepStrictEqual(yield* findingCodesOf(ledger), [])
    })
  )

  it.effect("are the same for a message that is its own step", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* ledger.postMessage({ run_id: run, source: "USER", payload: awkward, idempotency_key: 'é😀"\\' })
      const [message] = yield* ledger.messages(run)
      const [step] = yield* ledger.steps({ run_id: run })
      assert.deepStrictEqual([message?.payload_json, step?.payload_json], [text, text])
      assert.strictEqual(message?.idempotency_key, 'é😀"\\')
      assert.deepStrictEqual(yield* findingCodesOf(ledger), [])
    })
  )
})

describe("the limits of a message", () => {
  it.effect("allow 10,000 steps and not one more", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const steps = Array.from({ length: 10_000 }, (_, n) => ({ n }))
      const posted = yield* ledger.postMessage({ run_id: run, source: "PLANNER", payload: { steps } })
      const rows = yield* ledger.steps({ job_id: posted.job_id }, { limit: 10_000 })
      assert.lengthOf(rows, 10_000)
      assert.deepStrictEqual([rows.at(-1)?.ordinal, rows.at(-1)?.payload_json], [10_000, `{"n":9999}`])
      const head = yield* ledger.head
      const refused = yield* Effect.flip(
        ledger.postMessage({ run_id: run, source: "PLANNER", payload: { steps: [...steps, {}] } })
      )
      assert.strictEqual(refused._tag, "InvalidInput")
      assert.deepStrictEqual(yield* ledger.head, head)
      assert.deepStrictEqual(yield* findingCodesOf(ledger), [])
    })
  )

  it.effect("name every fault of an input with its place, and write nothing", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const refused = yield* Effect.flip(
        ledger.postMessage({ run_id: "", source: "ROBOT", payload: [], more: 1 } as never)
      )
      if (refused._tag !== "InvalidInput") return assert.fail(refused._tag)
      assert.sameMembers(
        refused.issues.map(({ path }) => path),
        ["/run_id", "/source", "/payload", "/more"]
      )
      assert.include(refused.message, "Invalid source")
      assert.strictEqual((yield* ledger.head).position, 1)
    })
  )
})

describe("idempotency", () => {
  const message = {
    run_id: run,
    source: "USER",
    idempotency_key: "key",
    payload: { b: 1, a: [1, 2] }
  } as const

  it.effect("answers the same ids for the same message and writes nothing", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const first = yield* ledger.postMessage(message)
      const head = yield* ledger.head
      const again = yield* ledger.postMessage({ ...message, payload: { a: [1, 2], b: 1 } })
      assert.deepStrictEqual(again, { ...first, created: false })
      assert.deepStrictEqual(yield* ledger.head, head)
    })
  )

  it.effect("refuses another message under the key, and names both hashes", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* ledger.postMessage(message)
      const head = yield* ledger.head
      const refused = yield* Effect.flip(ledger.postMessage({ ...message, payload: {}, source: "SYSTEM" }))
      if (refused._tag !== "IdempotencyConflict") return assert.fail(refused._tag)
      assert.deepStrictEqual(refused.differs, ["source", "payload"])
      assert.strictEqual(refused.stored_payload_hash, sha256(`{"a":[1,2],"b":1}`))
      assert.strictEqual(refused.given_payload_hash, sha256("{}"))
      assert.deepStrictEqual(yield* ledger.head, head)
    })
  )

  it.effect("keeps runs apart", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const first = yield* ledger.postMessage(message)
      const other = yield* ledger.postMessage({ ...message, run_id: "run-2" })
      assert.isTrue(other.created)
      assert.notStrictEqual(other.message_id.slice(-16), first.message_id.slice(-16))
    })
  )
})

describe("queries", () => {
  it.effect("tell where a run and a job stand", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      assert.isUndefined(yield* ledger.runSummary(run))
      assert.isUndefined(yield* ledger.message("msg_0000000000009_0123456789abcdef"))
      const posted = yield* ledger.postMessage({
        run_id: run,
        source: "USER",
        payload: { steps: [{}, {}, {}] }
      })
      yield* post(ledger, 1, "run-2")
      yield* complete(ledger, yield* claim(ledger))
      yield* claim(ledger)
      const counts = { pending: 1, leased: 1, committed: 1 }
      const third = `${posted.job_id.replace("job_", "step_")}.00003`
      assert.deepStrictEqual(yield* ledger.runSummary(run), {
        run_id: run,
        messages: 1,
        jobs: 1,
        ...counts,
        oldest_pending_step: third,
        oldest_pending_at: "1970-01-01T00:00:00.000Z",
        expired_leases: 0
      })
      const status = yield* ledger.jobStatus(posted.job_id)
      assert.deepInclude({ ...status }, { ...counts, outcomes: { SUCCESS: 1 } })
      assert.deepStrictEqual(
        (yield* ledger.runs).map(({ run_id }) => run_id),
        [run, "run-2"]
      )
    })
  )
})

describe("a ledger that may only be read", () => {
  it.effect("answers queries and verification and refuses every command", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* withLedger({ filename }, (ledger) => Effect.andThen(post(ledger), claim(ledger)))
      chmodSync(filename, 0o444)
      const ledger = yield* openLedger({ filename, mode: "read" })
      const [step] = yield* ledger.steps({ run_id: run })
      const step_id = step?.step_id ?? ""
      const tagOf = <A, E extends { readonly _tag: string }>(command: Effect.Effect<A, E>) =>
        Effect.map(Effect.flip(command), ({ _tag }) => _tag)
      const refusals = [
        yield* tagOf(ledger.postMessage({ run_id: run, source: "USER", payload: {} })),
        yield* tagOf(ledger.claimStep({ run_id: run, worker_id: "w" })),
        yield* tagOf(ledger.requeueStep({ run_id: run, step_id, reason: "x", force: true })),
        yield* tagOf(
          ledger.completeStep({
            run_id: run,
            step_id,
            worker_id: "worker-1",
            fencing_token: 1,
            receipt_payload: {},
            outcome: "SUCCESS"
          })
        )
      ]
      assert.deepStrictEqual(refusals, ["ReadOnlyStore", "ReadOnlyStore", "ReadOnlyStore", "ReadOnlyStore"])
      assert.strictEqual((yield* ledger.head).position, 3)
      assert.deepStrictEqual(yield* findingCodesOf(ledger), [])
      assert.lengthOf(yield* Stream.runCollect(ledger.events({ live: false })), 3)
      assert.lengthOf((yield* ledger.stateAt({ position: 3 })).steps, 1)
    })
  )
})

describe("a query", () => {
  it.effect("by an id that can be none is refused, not answered", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* post(ledger)
      for (const id of ["", "a\u0000b", "a\nb", "\ud800", "x".repeat(257), 7 as unknown as string]) {
        for (const query of [
          ledger.message(id),
          ledger.messages(id),
          ledger.jobStatus(id),
          ledger.runSummary(id),
          ledger.stepStates(id),
          ledger.steps({ run_id: id }),
          ledger.steps({ message_id: id }),
          ledger.receipts({ job_id: id })
        ]) {
          const { _tag } = yield* Effect.flip(query as Effect.Effect<unknown, InvalidInput | ReadError>)
          assert.strictEqual(_tag, "InvalidInput", JSON.stringify(id))
        }
      }
      const twice = { run_id: run, job_id: "job" }
      assert.strictEqual((yield* Effect.flip(ledger.steps(twice)))._tag, "InvalidInput")
    })
  )

  it.live.each([-1e15, 1e15])("as of a clock at %d ms has an answer", (millis) =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* post(ledger)
      const step = yield* claim(ledger)
      const asOf = withClock(makeManualClock(millis))
      const [summary] = yield* asOf(ledger.runs)
      assert.strictEqual(summary?.expired_leases, millis > 0 ? 1 : 0)
      const { findings } = yield* asOf(ledger.verifyCassette())
      assert.deepStrictEqual(
        findings.map(({ where }) => where),
        millis > 0 ? [`cassette_steps ${step.step_id}`] : []
      )
      yield* asOf(ledger.warnings)
    })
  )
})
