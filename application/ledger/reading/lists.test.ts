// Lists beyond one run: leases by their end, waiting steps without a claim, pages of the log, and news of the head.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { IdKind, LeasedStep, ListEventsBefore, PendingStep } from "../../../domain/ledger/lists.ts"
import type { StepRow } from "../../../domain/ledger/rows.ts"
import type { LedgerShape } from "../ledger.ts"
import {
  closableLedger,
  openLedger,
  post,
  run,
  temporaryFile
} from "../../../infrastructure/testing/ledgers.ts"

const names = ["a", "b", "b-1", "b-2", "c"]

/** A step in each run, two in `b-1`; leased for 10, 20, … seconds in the order of `order`. */
const withLeases = (order: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const ledger = yield* openLedger()
    for (const [n, name] of [...names, "b-1"].entries()) yield* post(ledger, n, name)
    for (const [n, run_id] of order.entries()) {
      yield* Effect.orDie(ledger.claimStep({ run_id, worker_id: `w-${n}`, ttl_seconds: 10 * (n + 1) }))
    }
    return ledger
  })

const runsOf = (rows: ReadonlyArray<LeasedStep | PendingStep>) => rows.map(({ run_id }) => run_id)

describe("the list of leases", () => {
  const order = ["c", "a", "b-1", "b", "b-1"]

  it.effect("has the lease that ends first in front, and says which have ended", () =>
    Effect.gen(function* () {
      const ledger = yield* withLeases(order)
      yield* TestClock.adjust("20 seconds")
      const leases = yield* ledger.leases()
      assert.deepStrictEqual(runsOf(leases), order)
      assert.deepStrictEqual(
        leases.map(({ expired }) => expired),
        [true, true, false, false, false]
      )
      const { job_id, step_id } = (yield* ledger.steps({ run_id: "c" }))[0] as StepRow
      assert.deepStrictEqual(leases[0], {
        run_id: "c",
        step_id,
        job_id,
        worker_id: "w-0",
        fencing_token: 1,
        lease_expires_at: "1970-01-01T00:00:10.000Z",
        expired: true
      })
      assert.deepStrictEqual(runsOf(yield* ledger.leases({ expired: true })), ["c", "a"])
      assert.deepStrictEqual(runsOf(yield* ledger.leases({ expired: false })), ["b-1", "b", "b-1"])
    })
  )

  it.effect("narrows to a run or to a prefix, and not to both", () =>
    Effect.gen(function* () {
      const ledger = yield* withLeases(order)
      assert.deepStrictEqual(runsOf(yield* ledger.leases({ run_id: "b" })), ["b"])
      assert.deepStrictEqual(runsOf(yield* ledger.leases({ prefix: "b" })), ["b-1", "b", "b-1"])
      assert.deepStrictEqual(runsOf(yield* ledger.leases({ prefix: "b-" })), ["b-1", "b-1"])
      assert.deepStrictEqual(yield* ledger.leases({ run_id: "d" }), [])
      const refused = yield* Effect.flip(ledger.leases({ run_id: "b", prefix: "b" }))
      assert.include(refused.message, "use either run_id or prefix")
    })
  )

  it.effect("comes in pages, with equal ends too", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      for (let n = 0; n < 7; n++) {
        yield* post(ledger, n)
        yield* ledger.claimStep({ run_id: run, worker_id: "w", ttl_seconds: n < 5 ? 10 : 20 })
      }
      const whole = yield* ledger.leases()
      assert.lengthOf(whole, 7)
      for (const limit of [1, 2, 3, 7, 8]) {
        const all: Array<LeasedStep> = []
        let page = yield* ledger.leases({ limit })
        while (page.length > 0) {
          all.push(...page)
          const { lease_expires_at, step_id } = page.at(-1) as LeasedStep
          page = yield* ledger.leases({ limit, after: { lease_expires_at, step_id } })
        }
        assert.deepStrictEqual(all, whole)
      }
    })
  )

  it.effect("forgets a lease that was completed, requeued or renewed", () =>
    Effect.gen(function* () {
      const ledger = yield* withLeases([])
      const [first, second, third] = yield* Effect.forEach(["a", "b", "c"], (run_id) =>
        ledger.claimStep({ run_id, worker_id: "w", ttl_seconds: 10 })
      )
      if (!first || !second || !third) return assert.fail("three were claimed")
      yield* ledger.completeStep({ ...first.lease, receipt_payload: {}, outcome: "SUCCESS" })
      yield* ledger.requeueStep({ ...second.lease, reason: "later" })
      yield* ledger.renewLease({ ...third.lease, ttl_seconds: 30 })
      const leases = yield* ledger.leases()
      assert.deepStrictEqual(
        leases.map(({ fencing_token, lease_expires_at, run_id }) => [
          run_id,
          fencing_token,
          lease_expires_at
        ]),
        [["c", 2, "1970-01-01T00:00:30.000Z"]]
      )
    })
  )
})

describe("the list of waiting steps", () => {
  it.effect("is in the order of runs and of claims, with payloads", () =>
    Effect.gen(function* () {
      const ledger = yield* withLeases(["b"])
      const waiting = yield* ledger.waiting()
      assert.deepStrictEqual(runsOf(waiting), ["a", "b-1", "b-1", "b-2", "c"])
      assert.deepStrictEqual(
        waiting.map(({ payload }) => payload["n"]),
        [0, 2, 5, 3, 4]
      )
      assert.deepStrictEqual(runsOf(yield* ledger.waiting({ prefix: "b" })), ["b-1", "b-1", "b-2"])
      assert.deepStrictEqual(runsOf(yield* ledger.waiting({ run_id: "b-2" })), ["b-2"])
      const pages: Array<PendingStep> = []
      let page = yield* ledger.waiting({ limit: 2 })
      while (page.length > 0) {
        pages.push(...page)
        const { run_id, step_id } = page.at(-1) as PendingStep
        page = yield* ledger.waiting({ limit: 2, after: { run_id, step_id } })
      }
      assert.deepStrictEqual(pages, waiting)
      assert.strictEqual((yield* ledger.leases()).length, 1)
    })
  )
})

describe("the list of failures", () => {
  it.effect("has receipts that are no success, the newest in front, of a run or of all", () =>
    Effect.gen(function* () {
      const ledger = yield* withLeases([])
      const outcomes = ["FAILURE", "SUCCESS", "ABORTED", "FAILURE", "SUCCESS"] as const
      for (const [n, outcome] of outcomes.entries()) {
        const { lease } = yield* ledger.claimStep({ run_id: names[n] ?? "", worker_id: "w" })
        yield* ledger.completeStep({ ...lease, receipt_payload: { n }, outcome })
      }
      const failures = yield* ledger.failures()
      assert.deepStrictEqual(
        failures.map(({ outcome, receipt_json, run_id }) => [run_id, outcome, receipt_json]),
        [
          ["b-2", "FAILURE", `{"n":3}`],
          ["b-1", "ABORTED", `{"n":2}`],
          ["a", "FAILURE", `{"n":0}`]
        ]
      )
      const newest = failures[0]
      assert.deepStrictEqual(yield* ledger.failures({ limit: 1 }), failures.slice(0, 1))
      assert.deepStrictEqual(
        yield* ledger.failures({ before: newest?.event_position, limit: 2 }),
        failures.slice(1)
      )
      assert.deepStrictEqual(yield* ledger.failures({ run_id: "a" }), failures.slice(2))
      assert.lengthOf(yield* ledger.failures({ prefix: "b-" }), 2)
      assert.include((yield* Effect.flip(ledger.failures({ before: 0 }))).message, "/before: ")
    })
  )
})

describe("a page of the log", () => {
  it.effect("is of a run, of the runs with a prefix, or of all", () =>
    Effect.gen(function* () {
      const ledger = yield* withLeases(["b"])
      const positions = (options: Parameters<LedgerShape["eventsAfter"]>[0]) =>
        Effect.map(ledger.eventsAfter(options), (events) => events.map(({ position }) => position))
      assert.deepStrictEqual(yield* positions(undefined), [1, 2, 3, 4, 5, 6, 7, 8])
      assert.deepStrictEqual(yield* positions({ after: 6 }), [7, 8])
      assert.deepStrictEqual(yield* positions({ after: 2, limit: 2 }), [3, 4])
      assert.deepStrictEqual(yield* positions({ run_id: "b" }), [3, 8])
      assert.deepStrictEqual(yield* positions({ prefix: "b" }), [3, 4, 5, 7, 8])
      assert.deepStrictEqual(yield* positions({ prefix: "b-", after: 4, limit: 1 }), [5])
      assert.deepStrictEqual(yield* positions({ prefix: "\u{10ffff}" }), [])
      for (const wrong of [{ after: -1 }, { after: 0.5 }, { limit: 0 }, { run_id: "b", prefix: "b" }]) {
        assert.strictEqual((yield* Effect.flip(ledger.eventsAfter(wrong)))._tag, "InvalidInput")
      }
    })
  )
})

describe("the log from its end", () => {
  it.effect("is of a run, of one of its steps, of a task or of all, in pages", () =>
    Effect.gen(function* () {
      const ledger = yield* withLeases(["b-1", "a", "b-1"])
      const positionsOf = (options?: ListEventsBefore) =>
        Effect.map(ledger.eventsBefore(options), (events) => events.map(({ position }) => position))
      assert.deepStrictEqual(yield* positionsOf(), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
      assert.deepStrictEqual(yield* positionsOf({ before: 9, limit: 2 }), [8, 7])
      assert.deepStrictEqual(yield* positionsOf({ run_id: "b-1", step_id: "no step" }), [])
      assert.deepStrictEqual(yield* positionsOf({ run_id: "b-1" }), [10, 8, 7, 4])
      const [first, second] = yield* ledger.steps({ run_id: "b-1" })
      assert.deepStrictEqual(yield* positionsOf({ run_id: "b-1", step_id: first?.step_id }), [8])
      assert.deepStrictEqual(yield* positionsOf({ run_id: "b-1", step_id: second?.step_id }), [10])
      assert.deepStrictEqual(yield* positionsOf({ run_id: "b-1", step_id: first?.step_id, before: 8 }), [])
      assert.deepStrictEqual(yield* positionsOf({ task_id: "b-1" }), [])
    })
  )

  it.effect("refuses a run and a task together, and a step without its run", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      for (const refused of [
        ledger.eventsBefore({ run_id: "a", task_id: "b" }),
        ledger.eventsBefore({ step_id: "a" }),
        ledger.eventsBefore({ before: -1 }),
        ledger.eventsAfter({ run_id: "a", task_id: "b" }),
        ledger.eventsAfter({ prefix: "a", task_id: "b" })
      ]) {
        assert.strictEqual((yield* Effect.flip(refused))._tag, "InvalidInput")
      }
    })
  )
})

describe("ids", () => {
  it.effect("that begin with a text come in their order, at most so many", () =>
    Effect.gen(function* () {
      const ledger = yield* withLeases()
      const idsOf = (kind: IdKind, prefix: string, limit?: number) => ledger.ids({ kind, prefix, limit })
      assert.deepStrictEqual(yield* idsOf("run", "b"), ["b", "b-1", "b-2"])
      assert.deepStrictEqual(yield* idsOf("run", "b", 2), ["b", "b-1"])
      assert.deepStrictEqual(yield* idsOf("run", "x"), [])
      assert.deepStrictEqual(yield* ledger.ids({ kind: "run", prefix: "b", after: "b-1" }), ["b-2"])
      assert.deepStrictEqual(yield* ledger.ids({ kind: "run", prefix: "b", after: "b-2" }), [])
      const [first, ...others] = yield* ledger.ids({ kind: "step", prefix: "step_" })
      assert.deepStrictEqual(yield* ledger.ids({ kind: "step", prefix: "step_", after: first }), others)
      assert.strictEqual(yield* ledger.runLength("b-1"), 2)
      assert.strictEqual(yield* ledger.runLength("x"), 0)
      const steps = yield* ledger.steps({ run_id: "b-1" })
      assert.deepStrictEqual(
        yield* idsOf("step", steps[1]?.step_id.slice(0, 20) ?? ""),
        steps.slice(1).map(({ step_id }) => step_id)
      )
      assert.lengthOf(yield* idsOf("message", "msg_"), 6)
      assert.lengthOf(yield* idsOf("job", "job_"), 6)
      assert.deepStrictEqual(yield* idsOf("receipt", "rcpt_"), [])
      assert.deepStrictEqual(yield* idsOf("thought", "t"), [])
    })
  )
})

describe("the cost of a question", () => {
  /** A ledger that notes the streams that are asked for, and how often the poll begins. */
  const noted = Effect.gen(function* () {
    const streams: Array<unknown> = []
    let polls = 0
    const ledger = yield* openLedger({
      wrapReader: ({ changeCounter, events }) => ({
        events: (after, limit, of) => {
          streams.push(of)
          return events(after, limit, of)
        },
        changeCounter: Effect.tap(changeCounter, () => Effect.sync(() => (polls += 1)))
      })
    })
    return { ledger, streams, polls: () => polls }
  })

  it.effect("for a page of one run does not grow with the log: its stream has an index", () =>
    Effect.gen(function* () {
      const { ledger, streams } = yield* noted
      yield* ledger.eventsAfter({ run_id: "b" })
      assert.deepStrictEqual(streams, ["run:b"])
    })
  )

  it.effect("for a head that is behind the position already is one look", () =>
    Effect.gen(function* () {
      const { ledger, polls } = yield* noted
      assert.strictEqual((yield* ledger.changed(0)).position, 1)
      assert.strictEqual(polls(), 0)
    })
  )
})

describe("news of the head", () => {
  it.effect("is there at once when the head is behind the position, and with the next commit otherwise", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      assert.strictEqual((yield* ledger.changed(0)).position, 1)
      const waiting = yield* Effect.forkChild(ledger.changed(2))
      yield* Effect.yieldNow
      yield* post(ledger)
      yield* Effect.yieldNow
      assert.isUndefined(waiting.pollUnsafe())
      yield* post(ledger)
      assert.deepStrictEqual(yield* Fiber.join(waiting), yield* ledger.head)
      assert.strictEqual((yield* Effect.flip(ledger.changed(-1)))._tag, "InvalidInput")
    })
  )

  it.effect("of other ledgers comes in real time, also where the test's clock stands still", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const ledger = yield* openLedger({ filename })
      const other = yield* openLedger({ filename })
      const waiting = yield* Effect.forkChild(ledger.changed(1))
      yield* post(other)
      assert.strictEqual((yield* Fiber.join(waiting)).position, 2)
    })
  )

  it.effect("ends when the ledger is closed", () =>
    Effect.gen(function* () {
      const { close, ledger } = yield* closableLedger()
      const waiting = yield* Effect.forkChild(Effect.flip(ledger.changed(1)))
      yield* Effect.yieldNow
      yield* close
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "LedgerClosed")
    })
  )
})
