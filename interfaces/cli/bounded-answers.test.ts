// Answers that are larger than a model reads: every command that answers hits or texts bounds them, says what was left off,
// and goes on exactly behind what it showed.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { LeftOff } from "../../domain/canonical/answer-budget.ts"
import { runCli, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)
const run = (...args: ReadonlyArray<string>) => runCli(args, { cwd: folder })

interface Document<Data> {
  readonly ok: boolean
  readonly data: Data
  readonly left_off?: LeftOff
}

const json = async <Data>(...args: ReadonlyArray<string>) => {
  const { stderr, stdout } = await run(...args, "--format", "json")
  return { bytes: Buffer.byteLength(stdout), document: JSON.parse(stdout) as Document<Data>, stderr }
}

interface Hits {
  readonly hits: ReadonlyArray<{ readonly path: string; readonly content: string; readonly hash: string }>
}

const DOCUMENTS = 40
const text = `${'a line of text, 😀 and "quotes"\n'.repeat(3_000)}the end`
let memory = ""

beforeAll(async () => {
  mkdirSync(join(folder, "docs"))
  for (let number = 0; number < DOCUMENTS; number++) {
    const words = Array.from({ length: 220 }, (_, word) => `word${number * 1_000 + word}`)
    writeFileSync(
      join(folder, "docs", `${100 + number}.md`),
      `# Lighthouse ${number}\n\n${words.join(" ")}\n`
    )
  }
  writeFileSync(join(folder, "long.txt"), text)
  await run("index")
  await run("symbol", "add", "@DOCS/long", "long.txt")
  await run("network", "init")
  await run("network", "index")
  const metadata = JSON.stringify({ note: "x".repeat(16_000) })
  await run("memory", "save", "a harbour with a note", "--cassette", "memory", "--metadata", metadata)
  const saved = await json<{ symbol: string }>("memory", "save", "--file", "long.txt", "--cassette", "memory")
  memory = saved.document.data.symbol
})

describe("a list of hits", () => {
  const query = ["network", "query", "lighthouse", "--limit", `${DOCUMENTS}`]

  it("is within 32,768 bytes of JSON by default, and says how many hits were left off", async () => {
    const { bytes, document, stderr } = await json<Hits>(...query)
    const whole = await json<Hits>(...query, "--max-bytes", "1048576")
    expect(whole.document.data.hits).toHaveLength(DOCUMENTS)
    expect(whole.document.left_off).toBeUndefined()
    expect(bytes).toBeLessThanOrEqual(32_768)
    const { hits } = document.data
    expect(hits.length).toBeGreaterThan(5)
    expect(hits).toEqual(whole.document.data.hits.slice(0, hits.length))
    expect(document.left_off).toEqual({
      cuts: [{ at: "/data/hits", shown: hits.length, of: DOCUMENTS, unit: "items" }],
      cut_count: 1,
      more: expect.stringContaining("--max-bytes")
    })
    expect(stderr).toContain(
      `warning: only a part is shown (${hits.length} of ${DOCUMENTS} items of /data/hits)`
    )
  })

  it.each([
    ["text", query],
    ["text of each cassette", [...query, "--by-cassette"]]
  ])("is within its budget as %s, in whole hits", async (_, args) => {
    const { stderr, stdout } = await run(...args, "--max-bytes", "4096")
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(4_096)
    const titles = stdout.split("\n").filter((line) => /^\d+\. docs\//.test(line))
    expect(titles.length).toBeGreaterThan(3)
    expect(stdout.split("\n").filter((line) => line.startsWith("   "))).toHaveLength(titles.length)
    expect(stderr).toContain(`${titles.length} of ${DOCUMENTS} items of /`)
  })

  it("without a hit is what it was", async () => {
    const { bytes, document, stderr } = await json<Hits>("network", "query", "zebra", "--max-bytes", "4096")
    expect([document.data.hits, document.left_off, stderr]).toEqual([[], undefined, ""])
    expect(bytes).toBeLessThan(1_000)
  })

  it("keeps a hit that is larger by itself, shortened, and tells how to read it whole", async () => {
    const args = ["memory", "query", "harbour", "--max-bytes", "4096"]
    const { bytes, document } = await json<Hits>(...args)
    expect(bytes).toBeLessThanOrEqual(4_096)
    expect(document.data.hits).toMatchObject([{ content: "a harbour with a note" }])
    expect(document.left_off).toMatchObject({
      cuts: [{ at: "/data/hits/0/memory/metadata/note", of: 16_000, unit: "characters" }],
      more: expect.stringContaining("cortex symbol resolve @C:")
    })
    expect((await run("memory", "neighbors", memory, "--max-bytes", "4096")).code).toBe(0)
  })

  it("takes no budget in which nothing could be said", async () => {
    for (const bytes of ["0", "4095", "many"]) {
      expect((await run(...query, "--max-bytes", bytes)).code, bytes).toBe(2)
    }
  })
})

describe("an answer of many damaged cassettes", () => {
  const { folder: damaged, remove: removeDamaged } = temporaryFolder()
  afterAll(removeDamaged)
  const query = (...args: ReadonlyArray<string>) =>
    runCli(["network", "query", ...args, "--max-bytes", "4096"], { cwd: damaged })
  const DAMAGED = 40

  beforeAll(async () => {
    writeFileSync(join(damaged, "a.md"), "alpha\n")
    await runCli(["network", "init"], { cwd: damaged })
    await runCli(["network", "index"], { cwd: damaged })
    const file = join(damaged, "CORTEX", "network.yaml")
    const ids = Array.from({ length: DAMAGED }, (_, number) => `damaged${number}`)
    const entries = ids.map((id) => {
      writeFileSync(join(damaged, "CORTEX", "cassettes", `${id}.db`), "no database")
      return `  - id: ${id}\n    path: cassettes/${id}.db\n    type: local\n    mutability: mutable\n    capabilities: [fts]\n`
    })
    const indexing = /^indexing:\n/m
    writeFileSync(file, readFileSync(file, "utf8").replace(indexing, `${entries.join("")}\nindexing:\n`))
  })

  it("keeps its envelope, the shape of its data and a hit", async () => {
    const { code, stdout } = await query("alpha", "--format", "json")
    expect(code).toBe(0)
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(4_096)
    const document = JSON.parse(stdout) as Document<object>
    expect(document).toMatchObject({
      ok: true,
      data: { hits: [{ path: "a.md" }], notices: [], mode: "lexical", partial: true },
      left_off: { cuts: [{ at: "/data/answers", of: DAMAGED + 3, unit: "members" }] }
    })
  })

  it("is no fault of a command where people read it, and never says that nothing was found", async () => {
    for (const args of [["alpha"], ["alpha", "--by-cassette"]]) {
      const { code, stdout } = await query(...args)
      expect([code, stdout]).toEqual([0, expect.stringContaining("1. a.md")])
    }
    const none = await query("zebra")
    expect(none.stdout).toMatch(/^no full answer from damaged0 .*, \d+ more; the others have no hit\n$/)
    const each = await query("zebra", "--by-cassette")
    expect([each.code, Buffer.byteLength(each.stdout) <= 4_096]).toEqual([0, true])
    expect(each.stdout).toMatch(/\n== damaged0\nno full answer from damaged0 /)
    expect(each.stdout).not.toMatch(/== damaged\d+\nnothing found/)
  })
})

describe("a long text", () => {
  /** Follows `next` until an answer is whole. */
  const parts = async (field: string, ...args: ReadonlyArray<string>) => {
    const found: Array<string> = []
    for (let next: LeftOff["next"] = {}; next !== undefined;) {
      const flags: ReadonlyArray<string> = Object.entries(next).flatMap(([name, value]) => [
        `--${name}`,
        `${value}`
      ])
      const part = await json<Readonly<Record<string, string>>>(...args, ...flags)
      expect(part.bytes).toBeLessThanOrEqual(32_768)
      found.push(part.document.data[field] ?? "")
      next = part.document.left_off?.next
    }
    return found
  }

  it("comes in parts that make the whole", async () => {
    const resolve = ["resolve", "@DOCS/long", "--run-id", "r1", "--slice", "lines[0:3001]"]
    for (const [field, args] of [
      ["text", ["memory", "recall", memory]],
      ["content", ["symbol", "resolve", memory]],
      ["payload", resolve]
    ] as const) {
      const found = await parts(field, ...args)
      expect(found.length, field).toBeGreaterThan(3)
      expect(found.join(""), field).toBe(text)
    }
  })

  it("is printed whole and exactly where it is asked for by its name, and bounded on demand", async () => {
    const resolve = ["symbol", "resolve", memory]
    expect((await run(...resolve)).stdout).toBe(text)
    const first = await run(...resolve, "--max-bytes", "5001")
    expect(Buffer.byteLength(first.stdout)).toBeLessThanOrEqual(5_001)
    expect(text.startsWith(first.stdout)).toBe(true)
    const shown = [...first.stdout].length
    expect(first.stderr).toContain(
      `only characters 0 to ${shown} of ${[...text].length} are shown: go on with --offset ${shown}`
    )
    expect(first.stdout + (await run(...resolve, "--offset", `${shown}`)).stdout).toBe(text)
  })

  it("of a memory is bounded for people too", async () => {
    const { stderr, stdout } = await run("memory", "recall", memory)
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(32_768)
    const [, offset] = /go on with --offset (\d+)/.exec(stderr) ?? []
    const [, shown = ""] = stdout.split("\n\n")
    expect(`${shown.trimEnd()}`).toBe([...text].slice(0, Number(offset)).join("").trimEnd())
  })

  it("has no bounds where no text is answered", async () => {
    for (const flags of [
      ["--max-bytes", "5000"],
      ["--offset", "1"]
    ]) {
      expect((await run("symbol", "resolve", "@DOCS/long", ...flags)).stderr).toContain("leave the flag out")
    }
  })
})
