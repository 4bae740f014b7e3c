/**
 * A child process that resolves one slice: `node resolver.ts ROOT SUBSTRATE REFERENCE SLICE`. It opens the corpus, says
 * so, waits for a line, and prints what it got.
 */
import { once } from "node:events"
import * as Effect from "effect/Effect"
import type { CacheSubstrate } from "../../../application/corpus/expansion-cache.ts"
import { Corpus } from "../../../application/corpus/corpus.ts"
import { corpusLayer } from "./corpus-program.ts"

const [root = "", cache = "", symbol_id = "", slice = ""] = process.argv.slice(2)

const print = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

const resolved = Corpus.use((corpus) =>
  Effect.gen(function* () {
    print("ready")
    yield* Effect.promise(() => once(process.stdin, "data"))
    return yield* corpus.resolve({ run_id: "r1", symbol_id, slice })
  })
)

print(
  await Effect.runPromise(
    resolved.pipe(Effect.provide(corpusLayer({ root, cache: cache as CacheSubstrate })))
  )
)
process.stdin.destroy()
