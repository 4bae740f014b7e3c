// Reading the history of a ledger in memory: what each id shows, what it may be typed as, and the timeline of a run.
import { assert, describe, it } from "@effect/vitest"
import { hash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Shown, ShownStep } from "../../domain/history/shown.ts"
import { History, type HistoryShape } from "./history.ts"
import { Hashing } from "../foundation/hashing.ts"
import { Ledger, type LedgerShape } from "../ledger/ledger.ts"
import { claim, complete, openServices, post, run } from "../ledger/testing/ledgers.ts"
import { Thoughts } from "../ledger/thoughts/thoughts.ts"

const sha256 = (text: string) => hash("sha256", text, "hex")

const openHistory = Effect.gen(function* () {
  const { ledger, thoughts } = yield* openServices
  const history: HistoryShape = yield* History.pipe(
    Effect.provide(History.layerNoDeps),
    Effect.provideService(Ledger, ledger),
    Effect.provideService(Thoughts, thoughts),
    Effect.provideService(Hashing, {
      sha256,
      sha256OfBytes: () => "",
      sha256Stream: () => ({ update: () => undefined, digest: () => "" })
    })
  )
  return { history, ledger, thoughts }
})

/** Posted, claimed, lost, taken away, given back, renewed, finished; with thoughts beside. */
const eventful = Effect.gen(function* () {
  const { history, ledger, thoughts } = yield* openHistory
  const posted = yield* post(ledger)
  const [step] = yield* Effect.orDie(ledger.steps({ run_id: run }))
  const step_id = step?.step_id ?? ""
  const think = (agent_id: string, content: string) =>
    Effect.orDie(thoughts.createThoughtRecord({ id: content, type: "plan", task_id: run, agent_id, content }))
  yield* think("w1", "before")
  const first = yield* claim(ledger, "w1", 10)
  yield* think("w1", "during the first")
  yield* think("w2", "of another")
  yield* TestClock.adjust("12 seconds")
  yield* Effect.orDie(
    ledger.requeueStep({ run_id: run, step_id, reason: "w1 was killed", requested_by: "boss" })
  )
  const second = yield* claim(ledger, "w2", 10)
  yield* Effect.orDie(ledger.renewLease({ ...second.lease, ttl_seconds: 20 }))
  yield* TestClock.adjust("3 seconds")
  const third = { ...second, fencing_token: 3 }
  const { receipt_id } = yield* Effect.orDie(complete(ledger, third, "w2"))
  return { history, ledger, thoughts, posted, step_id, receipt_id, first }
})

const shownAs = <Kind extends Shown["kind"]>(shown: Shown, kind: Kind) => {
  assert.strictEqual(shown.kind, kind)
  return shown as Extract<Shown, { readonly kind: Kind }>
}

const stepOf = (history: HistoryShape, id: string): Effect.Effect<ShownStep> =>
  Effect.orDie(Effect.map(history.show(id), (shown) => shownAs(shown, "step")))

describe("a step", () => {
  it.effect("is shown with all its attempts, its receipt and the thoughts during them", () =>
    Effect.gen(function* () {
      const { history, posted, receipt_id, step_id } = yield* eventful
      const step = yield* stepOf(history, step_id)
      assert.deepInclude(step, {
        short_id: "2.1.1",
        job_id: posted.job_id,
        message_id: posted.message_id,
        run_id: run,
        status: "COMMITTED",
        fencing_token: 3,
        lease_ended: false,
        earlier_attempts: false,
        differs: []
      })
      assert.deepStrictEqual(step.payload.whole, { intent: "work", n: 1 })
      assert.strictEqual(step.posted.position, 2)
      const [first, second] = step.attempts
      assert.lengthOf(step.attempts, 2)
      assert.deepInclude(first, { worker_id: "w1", fencing_token: 1 })
      assert.deepStrictEqual(first?.end, {
        position: 7,
        at: "1970-01-01T00:00:12.000Z",
        how: "expired",
        reason: "w1 was killed",
        requested_by: "boss"
      })
      assert.deepStrictEqual(
        first?.thoughts.map(({ id, position }) => [id, position]),
        [["during the first", 5]]
      )
      assert.deepInclude(second, { worker_id: "w2", fencing_token: 3 })
      assert.deepStrictEqual(
        second?.renewals.map(({ fencing_token }) => fencing_token),
        [3]
      )
      assert.strictEqual(second?.end?.how, "SUCCESS")
      assert.deepStrictEqual(step.receipt?.receipt_id, receipt_id)
      assert.deepStrictEqual(step.receipt?.receipt.whole, { done: 1 })
      assert.strictEqual(step.receipt?.completed.position, 10)
    })
  )

  it.effect("that is held says whose it is, and whether the lease has ended", () =>
    Effect.gen(function* () {
      const { history, ledger } = yield* openHistory
      yield* post(ledger)
      const { step_id } = yield* claim(ledger, "w1", 10)
      assert.deepInclude(yield* stepOf(history, step_id), {
        status: "LEASED",
        lease_owner: "w1",
        lease_ended: false,
        receipt: null
      })
      yield* TestClock.adjust("10 seconds")
      assert.isTrue((yield* stepOf(history, step_id)).lease_ended)
    })
  )

  it.effect("that was never claimed has no attempts", () =>
    Effect.gen(function* () {
      const { history, ledger } = yield* openHistory
      yield* post(ledger)
      assert.deepInclude(yield* stepOf(history, "2.1.1"), { status: "PENDING", attempts: [], differs: [] })
    })
  )

  it.effect("is read to its first claim and no further, among many others", () =>
    Effect.gen(function* () {
      const { history, ledger } = yield* openHistory
      yield* Effect.orDie(
        ledger.postMessage({
          run_id: run,
          source: "USER",
          payload: {},
          jobs: [{ intent: "many", steps: [{ n: 0 }, ...Array.from({ length: 39 }, (_, n) => ({ n }))] }]
        })
      )
      const claims = yield* Effect.forEach(Array.from({ length: 40 }), () => claim(ledger))
      for (const claimed of claims) yield* complete(ledger, claimed)
      for (const { fencing_token, step_id } of claims) {
        const { attempts, differs } = yield* stepOf(history, step_id)
        assert.deepStrictEqual(
          attempts.map((attempt) => [attempt.fencing_token, attempt.end?.how]),
          [[fencing_token, "SUCCESS"]]
        )
        assert.deepStrictEqual(differs, [])
      }
    })
  )

  it.effect("with more attempts than are listed shows the newest", () =>
    Effect.gen(function* () {
      const { history, ledger } = yield* openHistory
      yield* post(ledger)
      for (let n = 0; n < 120; n++) {
        const { lease } = yield* claim(ledger, `w${n}`)
        yield* Effect.orDie(ledger.requeueStep({ ...lease, reason: "again" }))
      }
      const step = yield* stepOf(history, "2.1.1")
      assert.lengthOf(step.attempts, 100)
      assert.isTrue(step.earlier_attempts)
      assert.strictEqual(step.attempts.at(-1)?.worker_id, "w119")
      assert.deepStrictEqual(step.differs, [])
    })
  )
})

describe("an id", () => {
  it.effect("of each kind shows that kind, with what belongs to it", () =>
    Effect.gen(function* () {
      const { history, posted, receipt_id, step_id } = yield* eventful
      const message = shownAs(yield* history.show(posted.message_id), "message")
      assert.deepInclude(message, { run_id: run, source: "USER", idempotency_key: null, traceparent: null })
      assert.deepStrictEqual(
        message.jobs.items.map(({ committed, job_id, outcomes }) => ({ committed, job_id, outcomes })),
        [{ committed: 1, job_id: posted.job_id, outcomes: { SUCCESS: 1 } }]
      )
      const job = shownAs(yield* history.show(posted.job_id), "job")
      assert.deepStrictEqual(job.steps.items, [
        { step_id, status: "COMMITTED", gist: "work", fencing_token: 3, outcome: "SUCCESS" }
      ])
      const receipt = shownAs(yield* history.show(receipt_id), "receipt")
      assert.deepInclude(receipt, { step_id, outcome: "SUCCESS", worker_id: "w2", run_id: run })
      const thought = shownAs(yield* history.show("during the first"), "thought")
      assert.deepInclude(thought, { task_id: run, agent_id: "w1" })
      assert.strictEqual(thought.content.whole, "during the first")
      assert.strictEqual(thought.recorded.position, 5)
      const event = shownAs(yield* history.show("10"), "event")
      assert.deepInclude(event, { position: 10, type: "StepCompleted", about: step_id, who: "w2" })
      const shownRun = shownAs(yield* history.show(run), "run")
      assert.strictEqual(shownRun.events, 6)
      assert.deepInclude(shownRun.work, { messages: 1, committed: 1, pending: 0 })
      assert.deepStrictEqual(
        shownRun.newest.items.map(({ position }) => position),
        [10, 9, 8, 7, 6, 5, 4, 3, 2]
      )
    })
  )

  it.effect("may be given by its beginning, by its numbers or with its kind", () =>
    Effect.gen(function* () {
      const { history, posted, step_id } = yield* eventful
      const idOf = (text: string) =>
        Effect.map(history.show(text), (shown) => ("step_id" in shown ? shown.step_id : shown.kind))
      assert.strictEqual(yield* idOf(step_id.slice(0, 20)), step_id)
      assert.strictEqual(yield* idOf("step_"), step_id)
      assert.strictEqual(yield* idOf("2.1.1"), step_id)
      assert.strictEqual(yield* idOf("2.1"), "job")
      assert.strictEqual(yield* idOf(posted.message_id.slice(0, 9)), "message")
      assert.strictEqual(yield* idOf("run-"), "run")
      assert.strictEqual(yield* idOf("run:run-1"), "run")
      assert.strictEqual(yield* idOf("duri"), "thought")
      assert.strictEqual(yield* idOf("event:2"), "event")
    })
  )

  it.effect("that several have is refused with those that each alone means", () =>
    Effect.gen(function* () {
      const { history, ledger, thoughts } = yield* eventful
      yield* post(ledger, 1, "run-11")
      yield* post(ledger, 1, "2")
      yield* Effect.orDie(
        thoughts.createThoughtRecord({ id: "2", type: "plan", task_id: "t", agent_id: "a", content: "" })
      )
      const candidates = (text: string) =>
        Effect.map(Effect.flip(history.show(text)), (error) =>
          error._tag === "AmbiguousPrefix" ? error.candidates : error._tag
        )
      assert.deepStrictEqual(yield* candidates("2"), ["event:2", "run:2", "thought:2"])
      assert.deepStrictEqual(yield* candidates("run"), ["run:run-1", "run:run-11"])
      // The whole of one and the beginning of another.
      assert.strictEqual((yield* history.show("run-1")).kind, "run")
      assert.strictEqual((yield* history.show("thought:2")).kind, "thought")
    })
  )

  it.effect("that nothing has is refused", () =>
    Effect.gen(function* () {
      const { history } = yield* eventful
      for (const text of [
        "99",
        "event:99",
        "event:x",
        "3.1",
        "2.9",
        "2.1.9",
        "msg_9",
        "step_1",
        "nobody",
        "run:x"
      ]) {
        assert.strictEqual((yield* Effect.flip(history.show(text)))._tag, "IdNotFound", text)
      }
      for (const text of ["", "a\u0000b", "x".repeat(300)]) {
        assert.strictEqual((yield* Effect.flip(history.show(text)))._tag, "InvalidInput", text)
      }
    })
  )
})

describe("a body", () => {
  it.effect("above 4 KB is folded to its size, hash and beginning, unless it is asked for whole", () =>
    Effect.gen(function* () {
      const { history, ledger } = yield* openHistory
      const payload = { text: "\u{1f600}".repeat(2_000) }
      yield* Effect.orDie(ledger.postMessage({ run_id: run, source: "USER", payload }))
      const text = JSON.stringify(payload)
      const folded = (yield* stepOf(history, "2.1.1")).payload
      assert.deepInclude(folded, { bytes: Buffer.byteLength(text), sha256: sha256(text), whole: null })
      assert.isTrue(text.startsWith(folded.beginning ?? "?"))
      assert.isTrue(folded.beginning?.isWellFormed())
      const whole = shownAs(yield* history.show("2.1.1", { full: true }), "step").payload
      assert.deepStrictEqual(whole.whole, payload)
      assert.isNull(whole.beginning)
    })
  )
})

const positions = (ledger: HistoryShape, run_id?: string, after?: number) =>
  Effect.map(Stream.runCollect(ledger.timeline({ run_id, after })), (entries) =>
    entries.map(({ position }) => position)
  )

const manyEvents = (ledger: LedgerShape, count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, n) => post(ledger, n, n % 2 === 0 ? run : "other"))

describe("a timeline", () => {
  it.effect("of a run has its events and the thoughts of its name, in the order of the log", () =>
    Effect.gen(function* () {
      const { history, ledger } = yield* eventful
      yield* post(ledger, 1, "other")
      assert.deepStrictEqual(yield* positions(history, run), [2, 3, 4, 5, 6, 7, 8, 9, 10])
      assert.deepStrictEqual(yield* positions(history, run, 7), [8, 9, 10])
      assert.deepStrictEqual(yield* positions(history), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
      assert.deepStrictEqual(yield* positions(history, run, 99), [])
      const newest = yield* history.newest({ run_id: run, limit: 3, before: 10 })
      assert.deepStrictEqual(
        newest.map(({ position }) => position),
        [9, 8, 7]
      )
    })
  )

  it.effect("of more than a page has every event once", () =>
    Effect.gen(function* () {
      const { history, ledger, thoughts } = yield* openHistory
      yield* manyEvents(ledger, 1_300)
      for (let n = 0; n < 40; n++) {
        yield* Effect.orDie(
          thoughts.createThoughtRecord({ type: "plan", task_id: run, agent_id: "a", content: String(n) })
        )
      }
      const ofRun = yield* positions(history, run)
      assert.lengthOf(ofRun, 690)
      assert.deepStrictEqual(
        ofRun,
        [...new Set(ofRun)].sort((left, right) => left - right)
      )
      assert.lengthOf(yield* positions(history), 1_341)
    })
  )

  it.effect("of a run that is not there is refused", () =>
    Effect.gen(function* () {
      const { history } = yield* eventful
      assert.strictEqual((yield* Effect.flip(positions(history, "nothing")))._tag, "RunNotFound")
      assert.strictEqual((yield* Effect.flip(history.newest({ run_id: "nothing" })))._tag, "RunNotFound")
      assert.strictEqual((yield* Effect.flip(positions(history, "a\u0000")))._tag, "InvalidInput")
    })
  )
})
