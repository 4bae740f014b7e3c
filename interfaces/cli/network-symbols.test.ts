// Symbols of the network at the command line: resolving one, compressing a text and having it back, and every refusal.
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const symbol = (text: string, letter = "C", digits = 12): string =>
  `@${letter}:${createHash("sha256").update(text).digest("hex").slice(0, digits)}`

const errors =
  "# Errors\n\nEvery error of the hub is a typed value that says what to do next, and a command that fails prints it on standard error with a code that scripts may rely on. Nothing is repaired in silence, nothing is guessed, and what was refused once is refused again until the cause of the refusal is gone."
const inner = "A chunk of its own, which another one names by its symbol and by nothing else."
const outer = `# Outer\n\nSee ${symbol(inner)} for more.`
const paper = "# Paper\n\nResearch as a whole.\n"

const { folder, remove } = temporaryFolder()
afterAll(remove)
const write = (path: string, text: string) => {
  mkdirSync(join(folder, path, ".."), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const run = (...args: ReadonlyArray<string>) => runCli(args, { cwd: folder })
const json = (...args: ReadonlyArray<string>) => runJson(args, { cwd: folder })

beforeAll(async () => {
  write("docs/errors.md", `${errors}\n`)
  write("docs/inner.md", `${inner}\n`)
  write("docs/outer.md", `${outer}\n`)
  write("research/paper.md", paper)
  await run("network", "init")
  expect((await run("network", "index")).code).toBe(0)
})

describe("symbol resolve", () => {
  it("prints exactly the text, and its places beside it", async () => {
    const { code, stderr, stdout } = await run("symbol", "resolve", symbol(errors))
    expect([code, stdout]).toEqual([0, errors])
    expect(stderr).toBe("[chunk] docs/errors.md > Errors  [documents]\n")
    expect((await run("symbol", "resolve", symbol(paper, "P"))).stdout).toBe(paper)
    const shown = await runCli(["symbol", "resolve", symbol(errors)], {
      cwd: folder,
      host: { isTerminal: () => true }
    })
    expect([shown.stdout, shown.stderr]).toEqual([errors, `\n${stderr}`])
  })

  it("leaves symbols inside, or replaces them when that is asked", async () => {
    const lazy = await run("symbol", "resolve", symbol(outer))
    expect([lazy.stdout, lazy.stderr]).toEqual([
      outer,
      `[chunk] docs/outer.md > Outer  [documents]\nholds ${symbol(inner)}, not looked up\n`
    ])
    const expanded = await run("symbol", "resolve", symbol(outer), "--expand")
    expect(expanded.stdout).toBe(outer.replace(symbol(inner), inner))
    const { document } = await json("symbol", "resolve", symbol(outer), "--depth", "2")
    expect(document.data).toMatchObject({
      content: outer,
      depth: 2,
      symbols: [{ symbol: symbol(inner), level: 2, content: inner }]
    })
  })

  it.each([
    [["@C:0123456789a"], 2, "INVALID_NETWORK_SYMBOL"],
    [["@C:0123456789AB"], 2, "INVALID_NETWORK_SYMBOL"],
    [["@Z:0123456789ab"], 2, "INVALID_NETWORK_SYMBOL"],
    [["@C:0123456789ab"], 1, "NETWORK_SYMBOL_NOT_FOUND"],
    [[symbol(errors, "P")], 1, "NETWORK_SYMBOL_NOT_FOUND"],
    [[symbol(errors, "A")], 1, "NETWORK_SYMBOL_NOT_FOUND"],
    [[symbol(errors), "--depth", "4"], 2, "INVALID_PARAMS"],
    [[symbol(errors), "--cassette", "nowhere"], 2, "UNKNOWN_CASSETTE"],
    [[symbol(errors), "--config", "nowhere.yaml"], 2, "CONFIGURATION_MISSING"],
    [["@DOCS/errors", "--expand"], 2, "INVALID_PARAMS"],
    [["@DOCS/errors", "--config", "CORTEX/network.yaml"], 2, "INVALID_PARAMS"]
  ])("refuses %j", async (args, code, error) => {
    const { code: actual, document } = await json("symbol", "resolve", ...args)
    expect([actual, document.error?.code]).toEqual([code, error])
  })
})

interface Report {
  readonly original_tokens: number
  readonly compressed_tokens: number
  readonly saved_unexpanded: number
  readonly expanded: {
    readonly symbols: ReadonlyArray<string>
    readonly tokens: number
    readonly saved: number
  }
  readonly all_expanded: { readonly tokens: number; readonly saved: number }
  readonly symbols: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly text: string
}

describe("network compress", () => {
  const prompt = `\ufeffAnswer from this:\r\n\r\n${errors}\n\nand ${symbol(inner)}\n\n${errors}\n\nshort <|endoftext|>\n`

  it("reports tokens before, after, and after expansion, and network expand gives the text back", async () => {
    write("prompt.txt", prompt)
    const { code, document, stderr } = await json("network", "compress", "prompt.txt")
    expect([code, stderr]).toEqual([0, ""])
    const report = document.data as unknown as Report
    expect(report.text).toBe(
      `\ufeffAnswer from this:\r\n\r\n${symbol(errors)}\n\nand @${symbol(inner)}\n\n${symbol(errors)}\n\nshort <|endoftext|>\n`
    )
    const [counted] = report.symbols as ReadonlyArray<{
      text_tokens: number
      symbol_tokens: number
      saved: number
    }>
    expect(report.symbols).toMatchObject([{ symbol: symbol(errors), times: 2 }])
    expect(counted?.saved).toBe(2 * ((counted?.text_tokens ?? 0) - (counted?.symbol_tokens ?? 0)))
    expect(report.saved_unexpanded).toBe(report.original_tokens - report.compressed_tokens)
    expect(report.saved_unexpanded).toBeGreaterThan(20)
    expect(report.expanded).toEqual({
      symbols: [],
      tokens: report.compressed_tokens,
      saved: report.saved_unexpanded
    })
    expect(report.all_expanded.tokens).toBe(report.compressed_tokens + (counted?.text_tokens ?? 0))
  })

  it("counts what is expanded later", async () => {
    write("once.txt", `${errors}\n`)
    const { document } = await json("network", "compress", "once.txt", "--expanded", symbol(errors, "C", 20))
    const { all_expanded, expanded } = document.data as unknown as Report
    expect(expanded.symbols).toEqual([symbol(errors)])
    expect(expanded).toMatchObject(all_expanded)
    expect(expanded.saved).toBeLessThan(0)
  })

  it("writes the text to a new file, which expands to the bytes that were there", async () => {
    write("prompt.txt", prompt)
    const { code, stdout } = await run("network", "compress", "prompt.txt", "--out", "short.txt")
    expect(code).toBe(0)
    expect(stdout).toContain("saved while nothing is expanded")
    const back = await run("network", "expand", "short.txt", "--out", "back.txt")
    expect([back.code, back.stdout]).toEqual([0, ""])
    expect(readFileSync(join(folder, "back.txt"))).toEqual(readFileSync(join(folder, "prompt.txt")))
    expect((await run("network", "expand", "short.txt")).stdout).toBe(prompt)
    expect((await json("network", "compress", "prompt.txt", "--out", "short.txt")).code).toBe(2)
  })

  it("uses the format of the configuration, and refuses others with the line", async () => {
    const file = join(folder, "CORTEX", "network.yaml")
    const before = readFileSync(file, "utf8")
    const withFormat = (text: string) => writeFileSync(file, before.replace('"@C:{hash_short}"', text))
    try {
      withFormat('"@C:{hash}"')
      const { document } = await json("network", "compress", "prompt.txt")
      expect((document.data as unknown as Report).symbols).toMatchObject([
        { symbol: symbol(errors, "C", 64) }
      ])
      const line = before.split("\n").findIndex((each) => each.includes("symbol_format")) + 1
      for (const [wrong, path] of [
        ['"#{hash_short}"', "compression.symbol_format"],
        ['"@C:{hash}"\n  max_expansion_depth: 17\n  #', "compression.max_expansion_depth"]
      ] as const) {
        writeFileSync(
          file,
          before
            .replace('"@C:{hash_short}"', wrong)
            .replace(path.endsWith("depth") ? "\n  max_expansion_depth: 3" : "\0", "")
        )
        const refused = await json("network", "compress", "prompt.txt")
        expect([refused.code, refused.document.error?.code]).toEqual([2, "INVALID_CONFIGURATION"])
        expect(refused.document.error?.message).toContain(
          `:${line + (path.endsWith("depth") ? 1 : 0)}: ${path}`
        )
      }
    } finally {
      writeFileSync(file, before)
    }
  })

  it("refuses what is no text, no symbol of it, or names nothing", async () => {
    write("binary.txt", "")
    writeFileSync(join(folder, "binary.txt"), Uint8Array.of(0xff))
    write("unknown.txt", "see @C:0123456789ab")
    for (const [args, code, error] of [
      [["compress", "nowhere.txt"], 2, "INVALID_PARAMS"],
      [["compress", "binary.txt"], 2, "INVALID_PARAMS"],
      [["compress", "prompt.txt", "--expanded", symbol(inner)], 2, "INVALID_PARAMS"],
      [["compress", "prompt.txt", "--expanded", "@C:1"], 2, "INVALID_NETWORK_SYMBOL"],
      [["expand", "unknown.txt"], 1, "NETWORK_SYMBOL_NOT_FOUND"],
      [["expand", "unknown.txt", "--depth", "4"], 2, "INVALID_PARAMS"]
    ] as const) {
      const { code: actual, document } = await json("network", ...args)
      expect([actual, document.error?.code], args.join(" ")).toEqual([code, error])
    }
  })
})
