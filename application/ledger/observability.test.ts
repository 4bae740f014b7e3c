// What a host's tracer and metrics see: one span per public call by its name, commands counted by outcome, and the
// size of the groups that were committed together.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Tracer from "effect/Tracer"
import { openLedger, post, run } from "./testing/ledgers.ts"

const spansOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const names: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        names.push(options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    yield* Effect.exit(Effect.withTracer(effect, tracer))
    return names.filter((name) => name.startsWith("Ledger."))
  })

describe("observability", () => {
  it.effect("opens one span for each public call", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      assert.deepStrictEqual(yield* spansOf(post(ledger)), ["Ledger.postMessage"])
      assert.deepStrictEqual(yield* spansOf(ledger.claimStep({ run_id: run, worker_id: "w" })), [
        "Ledger.claimStep"
      ])
      assert.deepStrictEqual(yield* spansOf(ledger.steps({ run_id: run })), ["Ledger.steps"])
      assert.deepStrictEqual(yield* spansOf(ledger.verifyCassette()), ["Ledger.verifyCassette"])
    })
  )

  it.effect("counts commands by name and outcome, and groups by size", () =>
    Effect.gen(function* () {
      const countOf = (outcome: string) =>
        Effect.map(Metric.snapshot, (metrics) => {
          const found = metrics.find(
            ({ attributes, id }) =>
              id === "cassette_ledger_commands" &&
              attributes?.["command"] === "claimStep" &&
              attributes["outcome"] === outcome
          )
          return found?.type === "Counter" ? Number(found.state.count) : 0
        })
      const ledger = yield* openLedger
      const done = yield* countOf("done")
      const refused = yield* countOf("NoPendingStep")
      yield* post(ledger)
      yield* ledger.claimStep({ run_id: run, worker_id: "w" })
      yield* Effect.flip(ledger.claimStep({ run_id: run, worker_id: "w" }))
      assert.strictEqual(yield* countOf("done"), done + 1)
      assert.strictEqual(yield* countOf("NoPendingStep"), refused + 1)
      assert.isTrue((yield* Metric.snapshot).some(({ id }) => id === "cassette_ledger_group_size"))
    })
  )
})
