// The example of planRequest in application/corpus/planner.ts.
import { writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Corpus, Ledger, planRequest, work } from "cortex-cassette"

const program = Effect.gen(function* () {
  const corpus = yield* Corpus
  yield* corpus.index()
  yield* corpus.addSymbol({ symbol_id: "@DOCS/plan", path: "plan.md" })
  const symbols = [{ symbol_id: "@DOCS/plan", slice: "head(40)" }]
  yield* planRequest({ run_id: "r1", request_id: "q1", intent: "read the plan", inputs: { symbols } })
  return yield* work({ run_id: "r1", worker_id: "w1" })
})

writeFileSync("plan.md", "# Plan\n")
const layers = Layer.merge(Corpus.layer({ root: "." }), Ledger.layer({ filename: "plans.db" }))
await Effect.runPromise(Effect.provide(program, layers))
