// The inspection over a ledger in memory: pages that fit together, what is not there, and a step with very many attempts.
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ledger } from "../ledger/ledger.ts"
import { Checkpoints } from "../ledger/proofs/checkpoints.ts"
import { memoryLedgerPorts } from "../../interfaces/test-kit/memory-ledger.ts"
import type { StepItem } from "../../domain/inspection/answers.ts"
import { Inspection } from "./inspection.ts"

const layer = Inspection.layerWith({ file: "memory" }).pipe(
  Layer.provideMerge(Checkpoints.layerNoDeps),
  Layer.provideMerge(Ledger.layerNoDeps),
  Layer.provide(memoryLedgerPorts)
)

const opened = Effect.map(Layer.build(layer), (context) => ({
  ledger: Context.get(context, Ledger),
  inspection: Context.get(context, Inspection)
}))

const post = (ledger: Ledger["Service"], run_id: string, steps: number) =>
  ledger.postMessage({
    run_id,
    source: "USER",
    payload: {},
    jobs: [
      { intent: "many", steps: [{ n: 0 }, ...Array.from({ length: steps - 1 }, (_, n) => ({ n: n + 1 }))] }
    ]
  })

describe("pages", () => {
  it.effect("of a run's steps together are all of its steps, over several messages", () =>
    Effect.gen(function* () {
      const { inspection, ledger } = yield* opened
      for (const steps of [150, 1, 99, 120]) {
        yield* post(ledger, "r", steps)
        yield* post(ledger, "other", 3)
      }
      const all: Array<StepItem> = []
      const pages: Array<number> = []
      for (let after: string | null = ""; after !== null;) {
        const page: { items: ReadonlyArray<StepItem>; next: string | null } = yield* inspection.steps(
          "r",
          after,
          undefined
        )
        all.push(...page.items)
        pages.push(page.items.length)
        after = page.next
      }
      const stored = yield* ledger.steps({ run_id: "r" })
      assert.deepStrictEqual(
        all.map(({ step_id }) => step_id),
        stored.map(({ step_id }) => step_id)
      )
      assert.deepStrictEqual(pages, [100, 100, 100, 70])
    })
  )

  it.effect("of runs by their newest event do not repeat one, and end", () =>
    Effect.gen(function* () {
      const { inspection, ledger } = yield* opened
      for (let n = 0; n < 240; n++) yield* post(ledger, `run-${n % 120}`, 1)
      const { next_runs, runs } = yield* inspection.overview
      const found = runs.map(({ run_id }) => run_id)
      for (let before = next_runs; before !== null;) {
        const page: { items: ReadonlyArray<{ run_id: string }>; next: number | null } =
          yield* inspection.runs(before)
        found.push(...page.items.map(({ run_id }) => run_id))
        before = page.next
      }
      assert.deepStrictEqual(
        found,
        Array.from({ length: 120 }, (_, n) => `run-${119 - n}`)
      )
    })
  )
})

describe("a step", () => {
  it.effect("with five hundred attempts shows each of them", () =>
    Effect.gen(function* () {
      const { inspection, ledger } = yield* opened
      yield* post(ledger, "r", 1)
      for (let n = 0; n < 500; n++) {
        const { lease } = yield* ledger.claimStep({ run_id: "r", worker_id: `w${n}` })
        yield* ledger.requeueStep({ ...lease, reason: "again" })
      }
      const { items } = yield* inspection.steps("r", "", undefined)
      assert.strictEqual(items[0]?.attempts.length, 500)
      assert.isTrue(items[0]?.has_all_attempts)
    })
  )
})

describe("what is not there", () => {
  it.effect("is told as that", () =>
    Effect.gen(function* () {
      const { inspection } = yield* opened
      assert.isUndefined(yield* inspection.run("none"))
      assert.isUndefined(yield* inspection.proof(1))
      assert.deepStrictEqual((yield* inspection.steps("none", "", undefined)).items, [])
      assert.isNull((yield* inspection.drawing("none")).drawing)
      assert.strictEqual((yield* inspection.verify).verdict, "PASS")
    })
  )
})
