// The example of Corpus in interfaces/embedding/corpus.ts.
import { writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { Corpus } from "cortex-cassette"

const program = Effect.gen(function* () {
  const corpus = yield* Corpus
  yield* corpus.index({ include: ["*.md"] })
  yield* corpus.addSymbol({ symbol_id: "@GUIDE/install", path: "guide.md", heading: "Guide/Install" })
  const request = { symbol_id: "@GUIDE/install", slice: "head(40)", run_id: "reading" }
  const { payload } = yield* corpus.resolve(request)
  return payload
})

writeFileSync("guide.md", "# Guide\n\n## Install\n\nnpm install cortex-cassette\n")
await Effect.runPromise(Effect.provide(program, Corpus.layer({ root: "." })))
