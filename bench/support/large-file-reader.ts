// One process that does one thing to the corpus of a root and tells what it took: the highest memory that the process
// ever had and the bytes that it read meanwhile. Started by the benchmark `large-file`; never by hand.
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { Corpus } from "../../interfaces/embedding/index.ts"

/** What the process took. */
export interface Taken {
  readonly max_rss_bytes: number
  readonly read_bytes: number
  readonly cache: string
}

const [root = "", slice = "", run_id = ""] = process.argv.slice(2)

/** Bytes that this process has read by system calls; Linux alone tells. */
const readBytes = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1])

const program = Corpus.use((corpus) =>
  Effect.gen(function* () {
    const before = readBytes()
    if (slice === "") yield* corpus.index()
    const cache =
      slice === "" ? "" : (yield* corpus.resolve({ symbol_id: "@LARGE/file", slice, run_id })).cache
    return { cache, read_bytes: readBytes() - before }
  })
)

const taken: Taken = {
  ...(await Effect.runPromise(program.pipe(Effect.provide(Corpus.layer({ root }))))),
  max_rss_bytes: process.resourceUsage().maxRSS * 1_024
}
console.log(JSON.stringify(taken))
