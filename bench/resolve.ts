// What a resolve costs when its text was expanded before, through the public API, against the least that could tell: one
// prepared SELECT of the expansion and one stat of the file, in the same process.
import { mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Corpus, type Resolved } from "../interfaces/embedding/index.ts"
import { compare, microsecondsPer } from "./support/comparison.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const WARM_UP = 5

/** Files with a symbol each; every hit is of another one than the hit before. */
const FILES = 50

const text = `# Note\n\n${"A line of plain text that says little.\n".repeat(200)}`
const slice = "lines[0:80]"

const path = (number: number): string => `note-${number % FILES}.md`
const symbol = (number: number): string => `@NOTES/note-${number % FILES}`

const writeNotes = (root: string): void => {
  mkdirSync(root, { recursive: true })
  for (let number = 0; number < FILES; number++) {
    writeFileSync(join(root, path(number)), text)
    utimesSync(join(root, path(number)), 1_000_000_000, 1_000_000_000)
  }
}

const prepare = Corpus.use((corpus) =>
  Effect.gen(function* () {
    yield* corpus.index()
    for (let number = 0; number < FILES; number++) {
      yield* corpus.addSymbol({ symbol_id: symbol(number), path: path(number) })
    }
  })
)

const hits = (count: number) =>
  Corpus.use((corpus) =>
    Effect.gen(function* () {
      let misses = 0
      for (let number = 0; number < count; number++) {
        const { cache } = yield* corpus.resolve({ symbol_id: symbol(number), slice, run_id: "r1" })
        if (cache === "MISS") misses += 1
      }
      return misses
    })
  )

type Key = readonly [run: string, symbol: string, slice: string, hash: string]

/** The keys of all expansions, from what the API answers. */
const keysOf = (resolved: ReadonlyArray<Resolved>): ReadonlyArray<Key> =>
  resolved.map(({ run_id, section_content_hash, slice, symbol_id }) => [
    run_id,
    symbol_id,
    slice,
    section_content_hash
  ])

const measure = async (root: string, cache: "sqlite" | "jsonl", repeats: number, count: number) => {
  const runtime = ManagedRuntime.make(Corpus.layer({ root, cache }))
  await runtime.runPromise(prepare)
  const resolved = await runtime.runPromise(
    Corpus.use((corpus) =>
      Effect.forEach(Array.from({ length: FILES }), (_, number) =>
        corpus.resolve({ symbol_id: symbol(number), slice, run_id: "r1" })
      )
    )
  )
  const keys = keysOf(resolved)
  const floor = new Database(join(root, "CORTEX", "_generated", "system1.db"), { readonly: true })
  const select = floor.prepare(
    "SELECT * FROM expansions WHERE run_id = ? AND symbol_id = ? AND slice = ? AND section_content_hash = ?"
  )
  const files = Array.from({ length: FILES }, (_, number) => join(root, path(number)))
  const contestants = {
    hit: async () => {
      const start = performance.now()
      const misses = await runtime.runPromise(hits(count))
      if (misses > 0) throw new Error(`${misses} of ${count} were no hits`)
      return ((performance.now() - start) * 1000) / count
    },
    floor: () =>
      microsecondsPer(count, () => {
        for (let number = 0; number < count; number++) {
          select.get(...keys[number % FILES]!)
          statSync(files[number % FILES]!, { bigint: true })
        }
      })
  }
  await compare(WARM_UP, contestants)
  const figures = await compare(repeats, contestants)
  floor.close()
  await runtime.dispose()
  const goal = cache === "sqlite" ? "ratio below 2" : undefined
  return line(`one hit, ${cache}`, "microseconds", figures.hit, figures.floor, goal)
}

export const benchmark: Benchmark = {
  description: "a resolve that hits, against one prepared SELECT of the expansion and one stat of the file",
  run: () =>
    inPlace("memory disk", async (root, place) => {
      const repeats = setting("BENCH_REPEATS", 15)
      const count = setting("BENCH_HITS", 5_000)
      writeNotes(root)
      // The times of the files' own creation must be older than what proves a file unchanged.
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      // The floor reads the table in both cases, so it is filled first.
      const sqlite = await measure(root, "sqlite", repeats, count)
      const jsonl = await measure(root, "jsonl", repeats, count)
      return {
        place,
        settings: { repeats, hits: count, files: FILES, payload_bytes: 3_000 },
        lines: [sqlite, jsonl]
      }
    })
}
