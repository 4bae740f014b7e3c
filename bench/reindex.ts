// What indexing a tree again costs when nothing has changed, against indexing it for the first time: ten thousand small
// files in a hundred folders, through the public API. Unchanged files must cost a stat and no more.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { Corpus } from "../interfaces/embedding/index.ts"
import { compare } from "./support/comparison.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const FOLDERS = 100

const text = (number: number): string =>
  `# Note ${number}\n\n${"A line of plain text that says little.\n".repeat(20)}\n## Details\n\nMore of it.\n`

const writeTree = (root: string, files: number): void => {
  for (let number = 0; number < files; number++) {
    const folder = join(root, `folder-${number % FOLDERS}`)
    mkdirSync(folder, { recursive: true })
    const file = join(folder, `note-${number}.md`)
    writeFileSync(file, text(number))
    // Long ago: a file that was written just now is read again on purpose.
    utimesSync(file, 1_000_000_000, 1_000_000_000)
  }
}

const indexMillis = (root: string): Promise<number> => {
  const start = performance.now()
  return Effect.runPromise(
    Corpus.use(({ index }) => index()).pipe(
      Effect.provide(Corpus.layer({ root })),
      Effect.map(() => performance.now() - start)
    )
  )
}

export const benchmark: Benchmark = {
  description: "indexing an unchanged tree of ten thousand files again, against the first time",
  run: () =>
    inPlace("memory disk", async (root, place) => {
      const repeats = setting("BENCH_REPEATS", 5)
      const files = setting("BENCH_FILES", 10_000)
      writeTree(root, files)
      // The times of the files' own creation must be older than what proves a file unchanged.
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      await indexMillis(root)
      const figures = await compare(repeats, {
        again: () => indexMillis(root),
        first: () => {
          rmSync(join(root, "CORTEX"), { recursive: true })
          return indexMillis(root)
        }
      })
      return {
        place,
        settings: { repeats, files, folders: FOLDERS },
        lines: [
          line("again, nothing changed", "milliseconds", figures.again, figures.first, "ratio at most 0.15")
        ]
      }
    })
}
