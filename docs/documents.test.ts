// The documentation is run: the console sessions of a document are pasted into one shell in a fresh checkout and their
// output compared, the TypeScript example is executed, and every named script exists. Only what differs from run to run
// (times, hashes of times, random ids) is compared by its form.
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findingCodes } from "../domain/ledger/verification.ts"
import { changesIn, installPackages, makeCheckout } from "./testing/checkout.ts"
import { printedInTurn, runInTurn } from "../infrastructure/testing/run-in-turn.ts"
import { outputsOf, printedInProcess, script } from "./testing/session.ts"

const repository = fileURLToPath(new URL("..", import.meta.url))
const guides = readdirSync(join(repository, "docs/guides")).map((name) => `docs/guides/${name}`)
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs/faq.md",
  "docs/versioning.md",
  ...guides,
  "ARCHITECTURE.md",
  "docs/spec/ledger.md",
  "docs/spec/thoughts.md",
  "docs/spec/corpus.md",
  "docs/spec/bundles.md",
  "docs/spec/network.md",
  "docs/spec/mcp.md",
  "bench/README.md"
]

interface Block {
  readonly document: string
  readonly line: number
  readonly language: string
  readonly text: string
}

const blocksOf = (document: string): ReadonlyArray<Block> => {
  const lines = readFileSync(join(repository, document), "utf8").split("\n")
  const blocks: Array<Block> = []
  let start: number | undefined
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("```")) continue
    if (start === undefined) {
      start = index
    } else {
      const language = lines[start]!.slice(3).trim()
      blocks.push({ document, line: start + 1, language, text: lines.slice(start + 1, index).join("\n") })
      start = undefined
    }
  }
  return blocks
}

/** Parts of files that are run by themselves: a block with such a call is the end of that file. */
const PARTS = [
  { call: "ledgerLaws(", file: "examples/own-ports.test.ts" },
  { call: "Order.toLayer(", file: "examples/workflow/order.ts" }
]

const partOf = ({ text }: Block) => PARTS.find(({ call }) => text.includes(call))

const blocks = documents.flatMap(blocksOf)

/** The sources of the entry points that examples import. */
const entryPoints: Readonly<Record<string, string>> = {
  "cortex-cassette": "interfaces/embedding/index.ts",
  "cortex-cassette/agents/ai-sdk": "interfaces/agents/ai-sdk.ts",
  "cortex-cassette/agents/claude-agent-sdk": "interfaces/agents/claude-agent-sdk.ts",
  "cortex-cassette/agents/langgraph": "interfaces/agents/langgraph.ts",
  "cortex-cassette/application": "application/index.ts",
  "cortex-cassette/testing": "interfaces/test-kit/index.ts",
  "cortex-cassette/promise": "interfaces/promise/index.ts",
  "cortex-cassette/workflow": "interfaces/workflow/index.ts"
}

/** Where the bundles of entry points are, below a checkout: examples start with them in half of the time, and find its packages. */
const BUNDLES = "node_modules/.cache/examples"

const bundleOf = (entryPoint: string): string => entryPoint.replaceAll("/", "-")

/** Bundles the entry points of a checkout, without any package. */
const bundleEntryPoints = async (checkout: string): Promise<void> => {
  const inputs = Object.entries(entryPoints).map(([name, source]) => [bundleOf(name), join(checkout, source)])
  const bundle = await rolldown({
    cwd: checkout,
    input: Object.fromEntries(inputs) as Record<string, string>,
    platform: "node",
    external: /^[^./]/
  })
  await bundle.write({ dir: join(checkout, BUNDLES), format: "esm" })
  await bundle.close()
}

const sqliteShell = `
import Database from ${JSON.stringify(import.meta.resolve("better-sqlite3"))}
const [file, sql] = process.argv.slice(2)
const database = new Database(file)
database.pragma("foreign_keys = OFF")
try {
  database.exec(sql)
} catch (error) {
  console.error("Error: stepping, " + error.message + " (19)")
}
`

/** Replaces what differs from run to run by its form. */
const normalized = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "<hash>")
    // As a timeline prints them: a day, a time of day with the beginning of a hash, and how long something took.
    .replaceAll(/^\d{4}-\d\d-\d\d$/gm, "<day>")
    .replaceAll(/\b\d\d:\d\d:\d\d\.\d{3} {2}[0-9a-f]{8}\b/g, "<time>  <hash>")
    .replaceAll(/(?<=<time>, )[0-9a-f]{8}$/gm, "<hash>")
    .replaceAll(/\b\d+(?:\.\d s| ms)\b/g, "<duration>")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim()

interface Step {
  readonly command: string
  readonly output: string
}

const stepsOf = (session: string): ReadonlyArray<Step> =>
  session
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = "", ...output] = part.split("\n")
      return { command, output: output.join("\n") }
    })

/** The documents whose sessions start `./cortex` itself, as a reader does; those of the others are run in this process. */
const STARTED = new Set(["README.md", "docs/guides/inspect.md"])

describe("documentation", () => {
  const folder = mkdtempSync(join(tmpdir(), "cassette-docs-"))
  const checkout = join(folder, "checkout")

  beforeAll(async () => {
    // Stands in for SQLite's shell, which is not on every machine: the same library, the same words.
    const shell = join(folder, "sqlite3.mjs")
    writeFileSync(shell, sqliteShell)
    writeFileSync(join(folder, "sqlite3"), `#!/bin/sh\nexec "${process.execPath}" "${shell}" "$@"\n`)
    chmodSync(join(folder, "sqlite3"), 0o755)
    makeCheckout(checkout)
    installPackages(checkout)
    await bundleEntryPoints(checkout)
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  /** What each command prints, all of them pasted into one shell in the checkout. */
  const printedBy = async (document: string, commands: ReadonlyArray<string>) => {
    const env = {
      ...process.env,
      PATH: [folder, process.env["PATH"]].join(delimiter),
      TMPDIR: folder,
      NO_COLOR: "1"
    }
    if (!STARTED.has(document)) {
      const exchange = join(folder, `exchange-${document.replaceAll(/\W/g, "-")}`)
      return printedInProcess({ commands, cwd: checkout, env }, exchange)
    }
    return outputsOf(
      spawnSync("sh", ["-c", script(commands)], { cwd: checkout, encoding: "utf8", env }).stdout
    )
  }

  const sessions = Map.groupBy(
    blocks.filter((block) => block.language === "console"),
    ({ document }) => document
  )
  it("has sessions to run", () => {
    expect([...sessions.keys()]).toContain("README.md")
  })
  it.each([...sessions])(
    "the sessions of %s print what they say and leave the checkout clean",
    async (document, all) => {
      const steps = all.flatMap(({ text }) => stepsOf(text))
      const printed = await printedBy(
        document,
        steps.map(({ command }) => command)
      )
      for (const [index, { command, output }] of steps.entries()) {
        expect(normalized(printed[index] ?? "nothing was printed"), command).toBe(normalized(output))
      }
      expect(changesIn(checkout)).toBe("")
    }
  )

  it("shows the end of files that are run elsewhere as they are", () => {
    const parts = blocks.filter((block) => partOf(block) !== undefined)
    expect(parts.map(({ document }) => document)).toEqual(["README.md", "docs/guides/own-ports.md"])
    for (const block of parts) {
      const whole = readFileSync(join(repository, partOf(block)?.file ?? ""), "utf8")
      expect(whole.endsWith(`${block.text}\n`), block.text).toBe(true)
    }
  })

  const examples = blocks.filter((block) => block.language === "ts" && partOf(block) === undefined)
  const fileOf = (block: Block, extension: string): string =>
    join(folder, `example-${block.document.replaceAll(/\W/g, "-")}-${block.line}${extension}`)

  /** What each example prints: all of them twice, one after the other in one process, each time on the same file. */
  let printedByExamples: ReadonlyArray<string> = []
  beforeAll(() => {
    for (const block of examples) {
      const source = block.text.replaceAll(/from "([^"]+)"/g, (_all, module: string) => {
        const bundle = pathToFileURL(join(checkout, BUNDLES, `${bundleOf(module)}.js`)).href
        return `from ${JSON.stringify(module in entryPoints ? bundle : import.meta.resolve(module))}`
      })
      writeFileSync(fileOf(block, ".ts"), source)
    }
    const runs = examples.flatMap((block) => {
      const run = [fileOf(block, ".ts"), fileOf(block, ".db")]
      return [run, run]
    })
    const { stdout, stderr } = spawnSync(process.execPath, [runInTurn, ...runs.flat()], { encoding: "utf8" })
    printedByExamples = printedInTurn(`${stdout}${stderr}`)
  })
  it.each(examples.map((block, index) => [`${block.document}:${block.line}`, index] as const))(
    "example at %s runs, also once more on the same file",
    (_, index) => {
      for (const run of [2 * index, 2 * index + 1]) {
        expect(printedByExamples[run] ?? "the example was not run").toMatch(/PASS\n$/)
      }
    }
  )

  it("shows settings for agents with which the server starts", () => {
    const settings = blocks.filter(
      ({ language, text }) => language === "json" && text.includes('"mcpServers"')
    )
    expect(settings.map(({ document }) => document)).toEqual(["README.md", "docs/guides/agents.md"])
    for (const { text } of settings) {
      const { args } = (JSON.parse(text) as { mcpServers: { cortex: { args: Array<string> } } }).mcpServers
        .cortex
      const given = args.slice(args.indexOf("mcp")).map((arg) => (arg.startsWith("/path/") ? folder : arg))
      const { status, stderr } = spawnSync(join(checkout, "cortex"), [...given, "--check"], {
        encoding: "utf8"
      })
      expect(status, stderr).toBe(0)
    }
  })

  it("names only scripts that exist", () => {
    const manifest = readFileSync(join(repository, "package.json"), "utf8")
    for (const block of blocks.filter((each) => each.language === "sh")) {
      for (const [, script] of block.text.matchAll(/pnpm(?:@12)? (?:--silent )?([a-z:]+)/g)) {
        expect(manifest, `${block.document}:${block.line}`).toContain(`"${script}":`)
      }
    }
  })

  it("uses only kinds of blocks that are checked or show no program", () => {
    expect(new Set(blocks.map((block) => block.language))).toEqual(
      new Set(
        ["sh", "console", "ts", "", "text", "json"].filter((kind) =>
          blocks.some((block) => block.language === kind)
        )
      )
    )
  })

  it("lists every finding code with its meaning", () => {
    const specification = readFileSync(join(repository, "docs/spec/ledger.md"), "utf8")
    for (const [code, meaning] of Object.entries(findingCodes)) {
      expect(specification).toContain(`| \`${code}\` | ${meaning} |`)
    }
  })
})
