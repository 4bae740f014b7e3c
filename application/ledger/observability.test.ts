// What a host's tracer and metrics see: one span per public call by its name, commands counted by outcome, and the
// size of the groups that were committed together.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { keepingTracer } from "../foundation/testing/spans.ts"
import { openLedger, post, run } from "./testing/ledgers.ts"

const spansOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const { spans, tracer } = keepingTracer()
  return Effect.as(Effect.exit(Effect.withTracer(effect, tracer)), spans).pipe(
    Effect.map((kept) => kept.map(({ name }) => name))
  )
}

describe("observability", () => {
  it.effect("opens one span for each public call", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger
      assert.deepStrictEqual(yield* spansOf(post(ledger)), ["cassette.ledger.postMessage"])
      assert.deepStrictEqual(yield* spansOf(ledger.claimStep({ run_id: run, worker_id: "w" })), [
        "cassette.ledger.claimStep"
      ])
      assert.deepStrictEqual(yield* spansOf(ledger.steps({ run_id: run })), ["cassette.ledger.steps"])
      assert.deepStrictEqual(yield* spansOf(ledger.verifyCassette()), ["cassette.ledger.verifyCassette"])
    })
  )

  it.effect("counts commands by name and outcome, and groups by size", () =>
    Effect.gen(function* () {
      const countOf = (error: string | undefined) =>
        Effect.map(Metric.snapshot, (metrics) => {
          const found = metrics.find(
            ({ attributes, id }) =>
              id === "cassette.ledger.commands" &&
              attributes?.["cassette.command"] === "claimStep" &&
              attributes["error.type"] === error
          )
          return found?.type === "Counter" ? Number(found.state.count) : 0
        })
      const ledger = yield* openLedger
      const done = yield* countOf(undefined)
      const refused = yield* countOf("NoPendingStep")
      yield* post(ledger)
      yield* ledger.claimStep({ run_id: run, worker_id: "w" })
      yield* Effect.flip(ledger.claimStep({ run_id: run, worker_id: "w" }))
      assert.strictEqual(yield* countOf(undefined), done + 1)
      assert.strictEqual(yield* countOf("NoPendingStep"), refused + 1)
      assert.isTrue((yield* Metric.snapshot).some(({ id }) => id === "cassette.ledger.group_size"))
    })
  )
})
