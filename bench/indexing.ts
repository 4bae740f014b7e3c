// What indexing many files costs in groups, against one document a transaction: tiny files, and documents of some ten
// chunks. Processor time stands beside the time that passes, since waiting for the disk is what groups are there to end.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { indexCassette } from "../infrastructure/network/writing/indexing.ts"
import { readNetworkFile } from "../infrastructure/network/network-files.ts"
import { compare } from "./support/comparison.ts"
import { processorMillis } from "./support/network-floors.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, type Line, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const FOLDERS = 100

const section = (number: number): string =>
  `# Section ${number}\n\n${`A line about subject${number % 777} that says little.\n`.repeat(36)}\n`

const writeTree = (root: string, files: number, sections: number): string => {
  mkdirSync(join(root, "CORTEX"), { recursive: true })
  const file = join(root, "CORTEX", "network.yaml")
  writeFileSync(
    file,
    'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: one, path: one.db, type: local, auto_index: true, sources: ["../docs/**"]}\n'
  )
  for (let number = 0; number < files; number++) {
    const folder = join(root, "docs", `${number % FOLDERS}`)
    mkdirSync(folder, { recursive: true })
    const text = Array.from({ length: sections }, (_, part) => section(number + part)).join("")
    writeFileSync(
      join(folder, `${number}.md`),
      sections === 0 ? `# Note ${number}\n\nsubject${number % 777}\n` : text
    )
  }
  return file
}

const linesOf = async (
  what: string,
  file: string,
  repeats: number,
  goal: string
): Promise<ReadonlyArray<Line>> => {
  const shares: Array<number> = []
  const run = async (groupDocuments?: number): Promise<number> => {
    for (const ending of ["", "-wal", "-shm"])
      rmSync(file.replace("network.yaml", `one.db${ending}`), { force: true })
    const [start, before] = [performance.now(), processorMillis()]
    const { cassettes, root } = await Effect.runPromise(readNetworkFile({ file }))
    const options = { progress: () => Effect.void, groupDocuments }
    await Effect.runPromise(indexCassette(file, root, cassettes[0]!, options))
    const took = performance.now() - start
    if (groupDocuments === undefined) shares.push((processorMillis() - before) / took)
    return took
  }
  const { groups, single } = await compare(repeats, { groups: () => run(), single: () => run(1) })
  return [
    line(`${what}, in groups`, "milliseconds", groups, single, goal),
    line(`${what}, share of one core`, "share", shares, undefined, "at least 0.7")
  ]
}

export const benchmark: Benchmark = {
  description: "indexing many files in groups, against one document a transaction",
  run: () =>
    inPlace("disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 3)
      const files = setting("BENCH_FILES", 10_000)
      const documents = setting("BENCH_DOCUMENTS", 2_700)
      const tiny = writeTree(join(folder, "tiny"), files, 0)
      const long = writeTree(join(folder, "long"), documents, 10)
      return {
        place,
        settings: { repeats, files, documents },
        lines: [
          ...(await linesOf("tiny files", tiny, repeats, "ratio at most 0.25")),
          ...(await linesOf("documents of about ten chunks", long, repeats, "ratio at most 0.33"))
        ]
      }
    })
}
