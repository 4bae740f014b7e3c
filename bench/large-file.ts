// What reading a slice of a large file costs in memory, each time in a process of its own: its highest resident memory
// against the size of the file, and how much it read. A slice that was read before must not touch the file at all.
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { Corpus } from "../interfaces/embedding/index.ts"
import type { Taken } from "./support/large-file-reader.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, type Line, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const MEBIBYTE = 1_048_576

const script = fileURLToPath(new URL("support/large-file-reader.ts", import.meta.url))

/** Runs the reader in a process of its own; without a slice it indexes. */
const taken = (root: string, slice = "", run = ""): Taken =>
  JSON.parse(execFileSync(process.execPath, [script, root, slice, run], { encoding: "utf8" })) as Taken

/** Text with characters of one to four bytes, so that no string of it is cheap. */
const textOf = (bytes: number): Buffer => {
  const text = Buffer.from("A line of plain text, éèê, “quoted” and 😀 at last.\n".repeat(20_000))
  return Buffer.alloc(bytes - (bytes % text.length), text)
}

const lines = (what: string, file: number, results: ReadonlyArray<Taken>): ReadonlyArray<Line> => {
  const memory = results.map(({ max_rss_bytes }) => max_rss_bytes / MEBIBYTE)
  const size = results.map(() => file / MEBIBYTE)
  return [
    line(`${what}: highest memory, against the file`, "MiB", memory, size, "ratio at most 4"),
    line(
      `${what}: read, against the file`,
      "MiB",
      results.map(({ read_bytes }) => read_bytes / MEBIBYTE),
      size
    )
  ]
}

export const benchmark: Benchmark = {
  description: "memory and reading of a slice of a large file, first and again",
  run: () =>
    inPlace("memory disk", async (root, place) => {
      const repeats = setting("BENCH_REPEATS", 3)
      const text = textOf(setting("BENCH_FILE_MIB", 100) * MEBIBYTE)
      writeFileSync(join(root, "large.txt"), text)
      // The times of the file's own creation must be older than what proves it unchanged.
      await new Promise((resolve) => setTimeout(resolve, 2_500))
      const times = Array.from({ length: repeats }, (_, number) => `r${number}`)
      const indexed = taken(root)
      await Effect.runPromise(
        Corpus.use((corpus) => corpus.addSymbol({ symbol_id: "@LARGE/file", path: "large.txt" })).pipe(
          Effect.provide(Corpus.layer({ root }))
        )
      )
      const slices = ["lines[1000000:1000080]", "chars[50000000:50004000]", "tail(4000)", "head(13000000)"]
      const resolved: Array<Line> = []
      for (const slice of slices) {
        const first = times.map((run) => taken(root, slice, run))
        const again = times.map((run) => taken(root, slice, run))
        if (first.some(({ cache }) => cache !== "MISS") || again.some(({ cache }) => cache !== "HIT")) {
          throw new Error(`${slice} was not first a miss and then a hit`)
        }
        resolved.push(...lines(`${slice}, first`, text.length, first))
        resolved.push(...lines(`${slice}, again`, text.length, again))
      }
      return {
        place,
        settings: { repeats, file_bytes: text.length },
        lines: [...lines("indexing", text.length, [indexed]), ...resolved]
      }
    })
}
