// `cortex resolve` and `cortex cache` on real folders: the payload alone on standard output, hit and miss on standard
// error, and nothing on standard output when something is refused.
import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { runCortex } from "./testing/child-process.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

let count = 0
let root = ""
const cortex = (...args: ReadonlyArray<string>) => runCli(args, { cwd: root })
const json = (...args: ReadonlyArray<string>) => runJson(args, { cwd: root })
const resolve = (...args: ReadonlyArray<string>) => cortex("resolve", "@DOCS/readme", ...args)

const text = "# Title\n\nfirst 😀\nsecond\u001b[31m\n"
const lines = () => join(root, "CORTEX", "_cache", "expansions.jsonl")

/** A root with one indexed text, of which each test has a copy. */
const original = join(folder, "original")

beforeAll(async () => {
  root = original
  mkdirSync(root)
  writeFileSync(join(root, "README.md"), text)
  expect(await cortex("index")).toMatchObject({ code: 0 })
  expect(await cortex("symbol", "add", "@DOCS/readme", "README.md")).toMatchObject({ code: 0 })
})

beforeEach(() => {
  root = join(folder, `${(count += 1)}`)
  cpSync(original, root, { recursive: true })
})

describe.each(["sqlite", "jsonl"])("resolve with --cache %s", (cache) => {
  it("says on a line of its own how the payload was come by where both are one terminal", async () => {
    const shown = (slice: string, terminals: ReadonlyArray<string>) =>
      runCli(["resolve", "@DOCS/readme", "--slice", slice, "--run-id", "r1", "--cache", cache], {
        cwd: root,
        host: { isTerminal: (stream) => terminals.includes(stream) }
      })
    const both = ["stdout", "stderr"]
    expect(await shown("head(3)", both)).toMatchObject({ stdout: "# T", stderr: "\n[CACHE MISS]\n" })
    expect((await shown("head(3)", ["stderr"])).stderr).toBe("[CACHE HIT]\n")
    expect((await shown("head(8)", both)).stderr).toBe("[CACHE MISS]\n")
  })

  it("prints the payload alone, and says how it was come by", async () => {
    const args = ["--slice", "lines[0:4]", "--run-id", "r1", "--cache", cache]
    const payload = text.slice(0, -1)
    expect(await resolve(...args)).toEqual({ code: 0, stdout: payload, stderr: "[CACHE MISS]\n" })
    expect(await resolve(...args)).toEqual({ code: 0, stdout: payload, stderr: "[CACHE HIT]\n" })
    writeFileSync(join(root, "README.md"), "edited\n")
    expect(await resolve("--slice", "head(3)", "--run-id", "r1", "--cache", cache)).toEqual({
      code: 0,
      stdout: "edi",
      stderr: "[CACHE MISS]\n"
    })
    expect((await json("cache", "stats", "--cache", cache)).document.data).toMatchObject({
      substrate: cache,
      expansions: 2
    })
    expect((await cortex("cache", "stats", "--cache", cache)).stdout).toMatch(/^expansions +2$/m)
    expect(await cortex("cache", "verify", "--cache", cache)).toEqual({
      code: 0,
      stdout: "files       1\nsections    1\nheadings    0\nsymbols     1\nexpansions  2\n",
      stderr: "PASS: All invariants verified\n"
    })
    expect(existsSync(lines())).toBe(cache === "jsonl")
  })

  it("answers one document as JSON, also by the section's id", async () => {
    const target = (await json("symbol", "resolve", "@DOCS/readme")).document.data
    const section = String(target?.["section_id"])
    const args = ["--slice", " head(7) ", "--run-id", "r1", "--cache", cache]
    const { code, document, stderr } = await json("resolve", section, ...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "[CACHE MISS]\n" })
    expect(document.data).toEqual({
      run_id: "r1",
      symbol_id: section,
      slice: "head(7)",
      section_id: section,
      section_content_hash: target?.["section_content_hash"],
      payload: "# Title",
      payload_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      bytes_expanded: 7,
      created_at: expect.stringMatching(/Z$/),
      cache: "MISS"
    })
  })

  it.each([
    ["ALL", 2, "INVALID_SLICE"],
    ["all", 2, "INVALID_SLICE"],
    ["", 2, "INVALID_SLICE"],
    ["lines[-1:2]", 2, "INVALID_SLICE"],
    ["lines[0:]", 2, "INVALID_SLICE"],
    ["lines[2:2]", 2, "INVALID_SLICE"],
    ["head(0)", 2, "INVALID_SLICE"],
    ["lines[0:6]", 1, "SLICE_OUT_OF_RANGE"],
    ["chars[0:9999]", 1, "SLICE_OUT_OF_RANGE"]
  ])("refuses the slice %j with standard output empty", async (slice, code, error) => {
    const args = ["--slice", slice, "--run-id", "r1", "--cache", cache]
    const people = await resolve(...args)
    expect(people).toMatchObject({ code, stdout: "" })
    expect(people.stderr).toMatch(/^error: [^\n]+\n$/)
    expect((await json("resolve", "@DOCS/readme", ...args)).document.error?.code).toBe(error)
    expect((await json("cache", "stats", "--cache", cache)).document.data).toMatchObject({ expansions: 0 })
  })
})

describe("resolve", () => {
  it("takes the symbol's default slice, and refuses without any", async () => {
    await cortex("symbol", "add", "@DOCS/start", "README.md", "--slice", "lines[0:1]")
    expect((await cortex("resolve", "@DOCS/start", "--run-id", "r1")).stdout).toBe("# Title")
    expect(await resolve("--run-id", "r1")).toMatchObject({ code: 2, stdout: "" })
  })

  it.each([
    [["@DOCS/none", "--slice", "head(1)", "--run-id", "r1"], 1, /SYMBOL_NOT_FOUND/],
    [["f".repeat(64), "--slice", "head(1)", "--run-id", "r1"], 1, /SECTION_NOT_FOUND/],
    [["README.md", "--slice", "head(1)", "--run-id", "r1"], 2, /INVALID_PARAMS/],
    [["@C:x", "--slice", "head(1)", "--run-id", "r1"], 2, /INVALID_PARAMS/],
    [["@DOCS/readme", "--slice", "head(1)", "--run-id", ""], 2, /INVALID_PARAMS/],
    [["@DOCS/readme", "--slice", "head(1)"], 2, /USAGE/],
    [["@DOCS/readme", "--slice", "head(1)", "--run-id", "r1", "--cache", "redis"], 2, /USAGE/],
    [["@DOCS/readme", "--slice", "head(1)", "--run-id", "r1", "--root", "nowhere"], 2, /INVALID_PARAMS/]
  ])("refuses %j", async (args, code, error) => {
    const ran = await json("resolve", ...args)
    expect(ran.code).toBe(code)
    expect(ran.document.error?.code).toMatch(error)
    expect(await cortex("resolve", ...args)).toMatchObject({ code, stdout: "" })
  })

  it("refuses a text that is gone, was replaced by a link or is no text any more", async () => {
    const args = ["--slice", "head(1)", "--run-id", "r1"]
    writeFileSync(join(root, "README.md"), Uint8Array.of(0xff, 0xfe))
    expect(await resolve(...args)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/not UTF-8/)
    })
    rmSync(join(root, "README.md"))
    expect(await resolve(...args)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/gone/)
    })
    symlinkSync("/etc/hostname", join(root, "README.md"))
    expect(await resolve(...args)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/a link stands there/)
    })
  })

  it("needs an index", async () => {
    rmSync(join(root, "CORTEX"), { recursive: true })
    expect(await resolve("--slice", "head(1)", "--run-id", "r1")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/run cortex index/)
    })
    expect(existsSync(join(root, "CORTEX"))).toBe(false)
  })

  // Root may write anywhere, so that another user must try.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const readable = `require("node:fs").accessSync(${JSON.stringify(import.meta.dirname)})`
  const able = spawnSync(process.execPath, ["-e", readable], nobody).status === 0

  it.skipIf(!able).each(["sqlite", "jsonl"])("refuses a root that cannot be written (%s)", async (cache) => {
    chmodSync(folder, 0o755)
    chmodSync(root, 0o555)
    const args = ["resolve", "@DOCS/readme", "--slice", "head(1)", "--run-id", "r1", "--cache", cache]
    const ran = await runCortex(args, { cwd: root, ...nobody })
    expect(ran).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^error: .* cannot be written/)
    })
    chmodSync(root, 0o755)
  })

  it("gives the same bytes in every process", async () => {
    const args = ["resolve", "@DOCS/readme", "--slice", "chars[2:12]", "--run-id", "r1"]
    const first = await runCortex(args, { cwd: root })
    expect(first).toEqual({ code: 0, stdout: "Title\n\nfir", stderr: "[CACHE MISS]\n" })
    expect(await runCortex(args, { cwd: root })).toEqual({ ...first, stderr: "[CACHE HIT]\n" })
  })
})

describe("cache", () => {
  const fill = () => resolve("--slice", "head(1)", "--run-id", "r1", "--cache", "jsonl")

  it("reports a torn line, and repairs it when it is told to", async () => {
    await fill()
    const before = readFileSync(lines(), "utf8")
    appendFileSync(lines(), '{"bytes_expanded":')
    expect(await fill()).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/cortex cache repair/)
    })
    expect(await cortex("cache", "verify", "--cache", "jsonl")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^FAIL: 1 issue\(s\) found\nLINE_TORN line 2: /)
    })
    expect((await json("cache", "repair")).document.data).toEqual({ file: lines(), removed_bytes: 18 })
    expect(readFileSync(lines(), "utf8")).toBe(before)
    expect((await cortex("cache", "repair")).stdout).toBe("nothing to repair\n")
    expect(await fill()).toMatchObject({ code: 0, stderr: "[CACHE HIT]\n" })
  })

  it("refuses a line that is damaged or doubled, and lists all of them", async () => {
    await fill()
    const line = readFileSync(lines(), "utf8")
    appendFileSync(lines(), `${line}{}\n`)
    expect(await fill()).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/Line 2 of .* has the key of line 1/)
    })
    const { document } = await json("cache", "verify", "--cache", "jsonl")
    expect(document.error).toMatchObject({
      code: "VERIFICATION_FAILED",
      details: {
        verdict: "FAIL",
        findings: [
          { code: "KEY_DUPLICATE", where: "line 2" },
          { code: "EXPANSION_INVALID", where: "line 3" }
        ]
      }
    })
    // The other substrate knows nothing of it, and is never used in its place.
    expect(await cortex("cache", "verify")).toMatchObject({ code: 0 })
  })

  it("finds a row that was changed below SQLite's rules", async () => {
    await resolve("--slice", "head(1)", "--run-id", "r1")
    const database = new Database(join(root, "CORTEX", "_generated", "system1.db"))
    const guard = "tr_expansions_append_only_update"
    const sql = database.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").pluck().get(guard) as string
    database.exec(`DROP TRIGGER ${guard}; UPDATE expansions SET payload = '!'; ${sql}`)
    database.close()
    expect(await cortex("cache", "verify")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/PAYLOAD_CHANGED/)
    })
  })

  it("refuses a root that is not there", async () => {
    for (const command of ["stats", "verify", "repair"]) {
      expect(await cortex("cache", command, "--root", "nowhere")).toMatchObject({ code: 2, stdout: "" })
    }
  })
})
