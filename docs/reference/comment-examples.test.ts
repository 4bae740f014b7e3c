// The examples of comments are whole programs: the type checker reads them in docs/reference/examples, and those that need no other
// program run here, one after the other. Set UPDATE_SNAPSHOT=1 to write the files again.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { commentExamples } from "./comment-examples.ts"
import { heldToFile } from "./held-to-file.ts"
import { entryPoints, publicMembers, repository } from "./public-members.ts"

const examples = commentExamples()

/** They need a test runner, Cloudflare's platform, or the hosts of agents. */
const NOT_ALONE =
  /^import .* from "(?:@anthropic-ai|@langchain|@openai|ai|cortex-cassette\/durable-objects)\b|^ledgerLaws\(/m

/** What programs begin with. */
const BEGINNINGS =
  "Bundle CassettePersistedQueue CassetteWorkflowEngine Checkpoints Corpus Dossiers History Ledger LedgerObject LedgerSaver Network Thoughts ledgerLaws openLedger run verifyBundle verifyDossier".split(
    " "
  )

const folder = mkdtempSync(join(tmpdir(), "cassette-examples-"))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const sources = new Map(
  entryPoints().map(({ file, name }) => [name, pathToFileURL(join(repository, file)).href])
)

const withSources = (text: string): string =>
  text.replaceAll(
    /from "([^"]+)"/g,
    (_all, name: string) => `from ${JSON.stringify(sources.get(name) ?? import.meta.resolve(name))}`
  )

describe("the examples of comments", () => {
  it.each(examples)("are files: $name", ({ name, text }) => {
    heldToFile(`docs/reference/examples/${name}`, text)
  })

  it("are these files, each of one name", () => {
    const names = examples.map(({ name }) => name).sort()
    expect(new Set(names).size).toBe(names.length)
    expect(readdirSync(join(repository, "docs/reference/examples")).sort()).toEqual(names)
  })

  it("run", () => {
    const running = examples.filter(({ text }) => !NOT_ALONE.test(text))
    expect(running.length).toBeGreaterThan(15)
    for (const { name, text } of running) writeFileSync(join(folder, name), withSources(text))
    const lines = running.map(({ name }) => `await import("./${name}")\nconsole.log("ran ${name}")`)
    writeFileSync(join(folder, "all.mjs"), `${lines.join("\n")}\n`)
    const printed = execFileSync(process.execPath, ["all.mjs"], { cwd: folder, encoding: "utf8" })
    expect(printed.trim().split("\n")).toEqual(running.map(({ name }) => `ran ${name}`))
  }, 60_000)

  it("are of the exported names, not of their members", () => {
    const inside = entryPoints()
      .flatMap((point) => publicMembers(point).flatMap((member) => [member].concat(member.members)))
      .filter(({ declaration }) => declaration.text.includes("@example"))
    expect(inside.map(({ name }) => name)).toEqual([])
  })

  it("are there for what programs begin with", () => {
    const named = examples.map(({ text }) => /^\/\/ The example of (\w+)/.exec(text)?.[1])
    expect(named).toEqual(expect.arrayContaining(BEGINNINGS))
  })
})
