// Lists page by page: with any size of a page, all pages together are the whole list in order, nothing twice.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { InvalidInput } from "../../../domain/foundation/errors.ts"
import type { PageOptions } from "../../../domain/foundation/page.ts"
import type { ReadError } from "./ledger-reader.ts"
import { claim, complete, openLedger, post, run } from "../testing/ledgers.ts"

type List<Row> = (page?: PageOptions) => Effect.Effect<ReadonlyArray<Row>, InvalidInput | ReadError>

/** Every page of a list, one after another. */
const pagesOf = <Row>(list: List<Row>, idOf: (row: Row) => string, limit: number) =>
  Effect.gen(function* () {
    const all: Array<Row> = []
    while (true) {
      const page = yield* list({ limit, after: all.length === 0 ? undefined : idOf(all.at(-1) as Row) })
      assert.isAtMost(page.length, limit)
      if (page.length === 0) return all
      all.push(...page)
    }
  })

const withWork = Effect.gen(function* () {
  const ledger = yield* openLedger
  const posted = yield* Effect.orDie(
    ledger.postMessage({
      run_id: run,
      source: "PLANNER",
      payload: {},
      jobs: [
        { intent: "a", steps: [{ n: 1 }, { n: 2 }, { n: 3 }] },
        { intent: "b", steps: [{ n: 4 }] }
      ]
    })
  )
  for (let n = 0; n < 3; n++) yield* post(ledger, n)
  for (let n = 0; n < 5; n++) yield* complete(ledger, yield* claim(ledger))
  return { ledger, posted }
})

describe("pages", () => {
  it.effect("together are the whole list, of every kind", () =>
    Effect.gen(function* () {
      const { ledger, posted } = yield* withWork
      const { job_id, message_id } = posted
      for (const limit of [1, 2, 3, 100]) {
        const whole = yield* ledger.messages(run)
        assert.lengthOf(whole, 4)
        const messages = yield* pagesOf(
          (page) => ledger.messages(run, page),
          (row) => row.message_id,
          limit
        )
        assert.deepStrictEqual(messages, whole)
        for (const [of, steps, receipts] of [
          [{ run_id: run }, 7, 5],
          [{ message_id }, 4, 4],
          [{ job_id }, 3, 3]
        ] as const) {
          const allSteps = yield* ledger.steps(of)
          assert.lengthOf(allSteps, steps)
          const stepPages = yield* pagesOf(
            (page) => ledger.steps(of, page),
            (row) => row.step_id,
            limit
          )
          assert.deepStrictEqual(stepPages, allSteps)
          const allReceipts = yield* ledger.receipts(of)
          assert.lengthOf(allReceipts, receipts)
          const pages = yield* pagesOf(
            (page) => ledger.receipts(of, page),
            (row) => row.receipt_id,
            limit
          )
          assert.deepStrictEqual(pages, allReceipts)
        }
        const states = yield* pagesOf(
          (page) => ledger.stepStates(run, page),
          (row) => row.step_id,
          limit
        )
        assert.deepStrictEqual(states, yield* ledger.stepStates(run))
      }
    })
  )

  it.effect("of states say what steps and receipts say, without any payload", () =>
    Effect.gen(function* () {
      const { ledger } = yield* withWork
      const states = yield* ledger.stepStates(run)
      const receipts = new Map(
        (yield* ledger.receipts({ run_id: run })).map((receipt) => [receipt.step_id, receipt])
      )
      const steps = yield* ledger.steps({ run_id: run })
      assert.lengthOf(states, steps.length)
      for (const [index, step] of steps.entries()) {
        const { event_position: _position, payload_json: _payload, run_id: _run, ...state } = step
        const receipt = receipts.get(step.step_id)
        const { outcome = null, receipt_id = null } = receipt ?? {}
        assert.deepStrictEqual({ ...states[index] }, { ...state, receipt_id, outcome })
      }
    })
  )

  it.effect("hold a job's counts without its payloads", () =>
    Effect.gen(function* () {
      const { ledger, posted } = yield* withWork
      const status = yield* ledger.jobStatus(posted.job_id)
      assert.deepInclude(status, { pending: 0, leased: 0, committed: 3, outcomes: { SUCCESS: 3 } })
    })
  )

  it.effect.each([{ limit: 0 }, { limit: 1.5 }, { limit: 10_001 }, { after: "" }, { offset: 1 }])(
    "of %j are InvalidInput",
    (page) =>
      Effect.gen(function* () {
        const ledger = yield* openLedger
        assert.strictEqual((yield* Effect.flip(ledger.messages(run, page)))._tag, "InvalidInput")
        assert.strictEqual((yield* Effect.flip(ledger.stepStates(run, page)))._tag, "InvalidInput")
      })
  )
})
