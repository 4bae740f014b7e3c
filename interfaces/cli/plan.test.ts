// `cortex plan` on real folders, in the test's own process: what it answers in both formats, what it refuses, and that
// neither a refusal nor a dry run leaves anything behind.
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

let count = 0
let root = ""
const cortex = (...args: ReadonlyArray<string>) => runCli(args, { cwd: root })

const request = {
  run_id: "r1",
  request_id: "q1",
  intent: "read",
  inputs: { symbols: ["@DOCS/readme", { symbol_id: "@DOCS/readme", slice: "head(3)" }] }
}

beforeEach(async () => {
  root = join(folder, `${(count += 1)}`)
  mkdirSync(root)
  writeFileSync(join(root, "README.md"), "# Title\n\ntext\n")
  expect(await cortex("index")).toMatchObject({ code: 0 })
  expect(await cortex("symbol", "add", "@DOCS/readme", "README.md", "--slice", "lines[0:1]")).toMatchObject({
    code: 0
  })
})

const plan = (given: unknown, ...flags: ReadonlyArray<string>) =>
  runJson(["plan", "--request", "-", ...flags], {
    cwd: root,
    stdin: typeof given === "string" ? given : JSON.stringify(given)
  })

const ledger = () => join(root, "CORTEX", "_generated", "system3.db")

/** Every file below CORTEX/ with its size and time of change. */
const traces = () =>
  readdirSync(join(root, "CORTEX"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => {
      const { mtimeMs, size } = statSync(join(parentPath, name))
      return [name, size, mtimeMs]
    })
    .sort()

describe("plan", () => {
  it("posts the plan and answers its ids, and the same ids again", async () => {
    const { code, document } = await plan(request)
    expect(code).toBe(0)
    expect(document.data).toMatchObject({
      dry_run: false,
      created: true,
      run_id: "r1",
      request_id: "q1",
      cost: { steps: 2, bytes: 10, symbols: 1 },
      steps: [
        { op: "READ_SYMBOL", refs: { symbol_id: "@DOCS/readme" }, constraints: { slice: "lines[0:1]" } },
        { constraints: { slice: "head(3)" } }
      ]
    })
    const again = await plan(request)
    expect(again.document.data).toEqual({ ...document.data, created: false })
    writeFileSync(join(root, "request.json"), JSON.stringify(request))
    const people = await cortex("plan", "--request", "request.json")
    expect(people.stdout).toMatch(/^message_id +msg_.*\njob_id +job_.*\nrun +r1\n.*\nsteps +2\nbytes +10\n/)
    expect(people.stdout).toContain("no: this request had been planned before")
  })

  it("writes nothing in a dry run", async () => {
    const before = traces()
    const { code, document } = await plan(request, "--dry-run")
    expect(code).toBe(0)
    expect(document.data).toMatchObject({ dry_run: true, cost: { steps: 2 } })
    expect(document.data).not.toHaveProperty("message_id")
    const people = await runCli(["plan", "--request", "-", "--dry-run"], {
      cwd: root,
      stdin: JSON.stringify(request)
    })
    expect(people.stdout).toMatch(/\n1 +READ_SYMBOL +@DOCS\/readme +lines\[0:1\]\n2 +.* +head\(3\)\n$/)
    expect(traces()).toEqual(before)
  })

  it.each([
    [
      "a symbol that is not there",
      { ...request, inputs: { symbols: ["@DOCS/none"] } },
      "SYMBOL_NOT_FOUND",
      1
    ],
    ["a budget that is too small", { ...request, budgets: { max_steps: 1 } }, "BUDGET_EXCEEDED", 1],
    [
      "slice ALL",
      { ...request, inputs: { symbols: [{ symbol_id: "@DOCS/readme", slice: "ALL" }] } },
      "INVALID_SLICE",
      2
    ],
    ["an unknown field", { ...request, when: "now" }, "INVALID_PARAMS", 2],
    ["a list", [], "INVALID_PARAMS", 2],
    ["no JSON", "{", "INVALID_PARAMS", 2],
    [
      "a float that looks like a whole number",
      JSON.stringify(request).replace("{", '{"budgets":{"max_steps":5.0},'),
      "INVALID_PARAMS",
      2
    ],
    ["a key twice", JSON.stringify(request).replace("{", '{"run_id":"r2",'), "INVALID_PARAMS", 2]
  ])("refuses %s before there is a ledger", async (_, given, code, exit) => {
    const ran = await plan(given)
    expect(ran.document.error).toMatchObject({ code })
    expect(ran.code).toBe(exit)
    expect(existsSync(ledger())).toBe(false)
  })

  it("needs an index and a file", async () => {
    const empty = join(folder, "empty")
    mkdirSync(empty)
    const unindexed = await runJson(["plan", "--request", "-"], {
      cwd: empty,
      stdin: JSON.stringify(request)
    })
    expect(unindexed).toMatchObject({ code: 2, document: { error: { code: "CORPUS_MISSING" } } })
    expect(readdirSync(empty)).toEqual([])
    expect(await cortex("plan", "--request", "none.json")).toMatchObject({ code: 2 })
    expect(await cortex("plan")).toMatchObject({ code: 2 })
  })
})
