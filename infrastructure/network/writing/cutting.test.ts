// Documents that another thread cuts while this one writes: the same chunks, the same cassette, also where the thread fails.
import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { openForReading } from "../../sqlite/connection/better-sqlite3-host.ts"
import { searchedChunksOf } from "../index/chunk-terms.ts"
import { readNetworkFile } from "../network-files.ts"
import { verifyCassetteFile } from "../verification/cassette-verification.ts"
import { Cutting, isThreadWorthIt } from "./cutting.ts"
import { indexCassette } from "./indexing.ts"

const documents = ["# Orchards\n\nrunning it's 東京 main_loop()\n", "export const a = 1\n", ""].map(
  (text, index) => ({
    path: ["a.md", "b.ts", "c.txt"][index]!,
    text: text.repeat(40)
  })
)

const whenAside = async (cutting: Cutting): Promise<void> => {
  while (!cutting.isAside) await sleep(5)
}

describe("a thread that cuts", () => {
  const cutting = new Cutting(() => true)
  const cut = () => Effect.runPromise(cutting.cut(documents))
  const expected = searchedChunksOf(documents)
  beforeAll(async () => {
    expect(cutting.isAside).toBe(false)
    expect(await cut()).toEqual(expected)
    cutting.look(1, 2)
    await whenAside(cutting)
  })
  afterAll(() => cutting.stop())

  it("gives the chunks that are given here, with their counts, in the order of the questions", async () => {
    expect(expected.flat().length).toBeGreaterThan(2)
    const others = [{ path: "d.md", text: "# Other\n" }]
    const [first, second] = [cutting.cut(documents), cutting.cut(others)]
    expect(await Effect.runPromise(second)).toEqual(searchedChunksOf(others))
    expect(await Effect.runPromise(first)).toEqual(expected)
  })

  it("may end: what it was asked and what comes later is cut here", async () => {
    const asked = cutting.cut(documents)
    await cutting.stop()
    expect(cutting.isAside).toBe(false)
    expect(await Effect.runPromise(asked)).toEqual(expected)
    expect(await cut()).toEqual(expected)
  })
})

it("a thread is worth it where more than a second is left to cut, never before that is known", () => {
  const far = { done: 100, total: 10_000, spentMillis: 100 }
  for (const progress of [
    { ...far, spentMillis: 5 },
    { ...far, total: 200 },
    { ...far, done: 10_000 }
  ]) {
    expect(isThreadWorthIt(progress)).toBe(false)
  }
})

const ROWS = [
  "SELECT path, version, type, text FROM documents ORDER BY path",
  ...["chunks", "chunk_terms", "segments", "postings", "tail"].map(
    (table) => `SELECT * FROM ${table} ORDER BY 1, 2`
  )
]

const indexed = async (root: string, name: string, cutting?: Cutting) => {
  const file = join(root, "CORTEX", `${name}.yaml`)
  const written = `network: {version: "1.0", protocol: SNP}
cassettes:
  - {id: one, path: ${name}.db, type: local, sources: ["../docs/**"]}
`
  writeFileSync(file, written)
  const done: Array<number> = []
  const progress = (count: number) => Effect.sync(() => void done.push(count))
  const { cassettes, root: below } = await Effect.runPromise(readNetworkFile({ file }))
  const options = { progress, groupDocuments: 7, cutting }
  const report = await Effect.runPromise(indexCassette(file, below, cassettes[0]!, options))
  const connection = openForReading(join(root, "CORTEX", `${name}.db`))
  expect(verifyCassetteFile(connection, "one").findings).toEqual([])
  const rows = ROWS.map((sql) => connection.all(sql))
  connection.close()
  return { added: report.added, skipped: report.skipped, done, rows }
}

it("an index run that is cut aside makes the cassette that it makes alone, and tells its progress in order", async () => {
  const root = realpathSync(temporaryFolder())
  for (const folder of ["CORTEX", "docs"]) mkdirSync(join(root, folder))
  for (let number = 0; number < 60; number++) {
    const text = `# Note ${number}\n\nsubject${number % 7} of the orchard\n`
    writeFileSync(join(root, "docs", `${number}.md`), number % 10 === 3 ? "\0" : text.repeat(number))
  }
  const cutting = new Cutting(() => true)
  cutting.look(1, 2)
  await whenAside(cutting)
  const aside = await indexed(root, "aside", cutting)
  expect(cutting.isAside).toBe(true)
  await cutting.stop()
  expect(aside).toEqual(await indexed(root, "here"))
  expect(aside).toMatchObject({ added: 54, done: [7, 14, 21, 28, 35, 42, 49, 56, 60] })
})
