// The commands of `cortex thought` on real ledgers, in the test's own process: what they answer in both formats, what
// they refuse, and what they say about a chain that was tampered with.
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { behindTheTriggers } from "../../infrastructure/testing/ledgers.ts"
import { runCli, type RunOptions, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

let count = 0
let db = ""
beforeEach(() => {
  db = join(folder, `${(count += 1)}.db`)
})

const cortex = (args: ReadonlyArray<string>, options: Partial<RunOptions> = {}) =>
  runCli(["thought", ...args, "--db", db], { cwd: folder, ...options })
const json = (args: ReadonlyArray<string>, options: Partial<RunOptions> = {}) =>
  runJson(["thought", ...args, "--db", db], { cwd: folder, ...options })

const recordArgs = (id: string, task = "t1") => [
  "record",
  "--task",
  task,
  "--type",
  "plan",
  "--agent",
  "a1",
  "--id",
  id,
  "--timestamp",
  "2026-04-17T00:00:00Z"
]

const record = async (id: string, task = "t1", content = "hello") => {
  const { code, document } = await json([...recordArgs(id, task), "--content", content])
  expect(code).toBe(0)
  return document.data ?? {}
}

const first = {
  id: "r1",
  type: "plan",
  task_id: "t1",
  agent_id: "a1",
  content: "hello",
  timestamp: "2026-04-17T00:00:00Z",
  prev_hash: "0".repeat(64),
  hash: "6a2f9597f563d5515cfa69891a51806d0f93bfbe222997d3ba37c365ceee3f1a"
}

describe("record", () => {
  it("reads the content from standard input where it is a single -", async () => {
    const { document } = await json([...recordArgs("r1"), "--content", "-"], { stdin: "hello" })
    expect(document.data).toEqual(first)
  })

  it("creates the ledger and answers the record with its pinned hash", async () => {
    expect(existsSync(db)).toBe(false)
    expect(await record("r1")).toEqual(first)
    expect(existsSync(db)).toBe(true)
    const shown = await cortex(["show", "r1"])
    expect(shown).toMatchObject({ code: 0, stderr: "" })
    expect(shown.stdout).toMatch(/^id {9}r1\ntype {7}plan\n/)
    expect(shown.stdout).toMatch(/\nhash {7}6a2f9597[0-9a-f]{56}\n\nhello\n$/)
  })

  it("takes the content from a file or from standard input as it stands", async () => {
    const content = "\ufeffone\r\n\ttwo é😀\n\n"
    writeFileSync(join(folder, "thought.md"), content)
    const fromFile = await json([...recordArgs("f"), "--file", "thought.md"])
    const fromInput = await json([...recordArgs("i"), "--file", "-"], { stdin: content })
    const empty = await json([...recordArgs("e"), "--file", "-"], { stdin: "" })
    const contents = [fromFile, fromInput, empty].map(({ document }) => document.data?.["content"])
    expect(contents).toEqual([content, content, ""])
    expect((await record("n", "t1", ""))["content"]).toBe("")
  })

  it.each([
    ["neither content nor file", [], {}],
    ["both", ["--content", "a", "--file", "-"], {}],
    ["what is not UTF-8", ["--file", "-"], { stdin: Buffer.from([0x61, 0xff]) }],
    ["U+0000", ["--file", "-"], { stdin: "a\u0000b" }],
    ["a file that is too long", ["--file", "-"], { stdin: "a".repeat(1_048_577) }],
    ["a missing file", ["--file", "nowhere.md"], {}],
    ["a type that is none", ["--content", "a", "--type", "idea"], {}],
    ["a time without a zone", ["--content", "a", "--timestamp", "2026-04-17T00:00:00"], {}],
    ["a time that is no date", ["--content", "a", "--timestamp", "2026-02-30T00:00:00Z"], {}],
    ["an empty task", ["--content", "a", "--task", ""], {}],
    ["an empty agent", ["--content", "a", "--agent", ""], {}],
    ["half a character in the agent", ["--content", "a", "--agent", "a\ud800"], {}],
    ["half a character in the content", ["--content", "a\ud800"], {}]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<string>, Partial<RunOptions>]>)(
    "refuses %s and makes no ledger",
    async (_, more, options) => {
      const args = recordArgs("r1").filter((arg, index, all) => {
        const replaced = (at: string | undefined) => at?.startsWith("--") === true && more.includes(at)
        return !replaced(arg) && !replaced(all[index - 1])
      })
      const { code, document } = await json([...args, ...more], options)
      expect(document).toMatchObject({ ok: false, error: { code: "INVALID_PARAMS" } })
      expect(code).toBe(2)
      expect(existsSync(db)).toBe(false)
    }
  )

  it("refuses an id that is taken", async () => {
    await record("r1")
    const { code, document } = await json([...recordArgs("r1", "t2"), "--content", "again"])
    expect(code).toBe(1)
    expect(document.error).toMatchObject({ code: "DUPLICATE_ID", details: { id: "r1", task_id: "t1" } })
  })
})

describe("list and show", () => {
  it("answer records oldest first, of one task or all, behind a record, newest first", async () => {
    const records = [await record("r1"), await record("r2", "t2"), await record("r3")]
    const list = async (...args: ReadonlyArray<string>) => (await json(["list", ...args])).document.data
    const [one, two, three] = records
    expect(await list()).toEqual({ records })
    expect(await list("--task", "t1")).toEqual({ records: [one, three] })
    expect(await list("--after", "r1", "--limit", "1")).toEqual({ records: [two] })
    expect(await list("--desc", "--limit", "2")).toEqual({ records: [three, two] })
    expect(await list("--task", "t1", "--after", "r3")).toEqual({ records: [] })
    expect((await json(["show", "r2"])).document.data).toEqual(two)
  })

  it("show people one line for each record", async () => {
    await record("r1", "t1", "one\ntwo")
    await record("r2", "t1", `\u001b[31m${"x".repeat(99)}`)
    const { stdout } = await cortex(["list"])
    const lines = stdout.trimEnd().split("\n")
    expect(lines).toHaveLength(3)
    expect(lines[1]).toMatch(/^r1 +t1 +plan +a1 +2026-04-17T00:00:00Z +one …$/)
    expect(lines[2]).toContain("\\u001b[31mxxx")
    expect((await cortex(["list", "--after", "r2"])).stdout).toBe("no thoughts\n")
  })

  it.each(["0", "-1", "1.5", "1e3", ""])("refuse to list at most %j", async (limit) => {
    await record("r1")
    expect(await json(["list", `--limit=${limit}`])).toMatchObject({
      code: 2,
      document: { error: { code: "USAGE" } }
    })
  })

  it("say which record is not there", async () => {
    await record("r1")
    for (const args of [
      ["show", "r9"],
      ["list", "--after", "r9"]
    ]) {
      const { code, document } = await json(args)
      expect(code).toBe(1)
      expect(document.error).toMatchObject({ code: "THOUGHT_NOT_FOUND", details: { id: "r9" } })
    }
  })

  it("need a ledger that is there, and make none", async () => {
    for (const args of [["list"], ["show", "r1"], ["verify"]]) {
      expect(await json(args)).toMatchObject({ code: 2, document: { error: { code: "FILE_MISSING" } } })
    }
    expect(existsSync(db)).toBe(false)
  })
})

describe("verify", () => {
  const sound = { valid: true, broken_count: 0, first_broken_at: null }

  it("passes with a report of each task", async () => {
    await record("r1")
    await record("r2", "t2")
    await record("r3")
    const all = await json(["verify"])
    expect(all).toMatchObject({ code: 0, stderr: "" })
    expect(all.document.data).toEqual({
      ...sound,
      record_count: 3,
      by_task: { t1: { ...sound, record_count: 2 }, t2: { ...sound, record_count: 1 } }
    })
    const one = await json(["verify", "--task", "t2"])
    expect(one.document.data).toEqual({ ...sound, record_count: 1 })
    expect((await cortex(["verify"])).stdout).toBe("tasks    2\nrecords  3\n")
  })

  it("fails with the first broken record", async () => {
    await record("r1")
    await record("r2", "t2")
    await record("r3")
    const database = new Database(db)
    behindTheTriggers(database, "thought_records", () =>
      database.exec("UPDATE thought_records SET content = 'changed' WHERE id = 'r3'")
    )
    database.close()
    const { code, document } = await json(["verify"])
    expect(code).toBe(1)
    expect(document.error).toMatchObject({
      code: "VERIFICATION_FAILED",
      details: {
        valid: false,
        record_count: 3,
        broken_count: 1,
        first_broken_at: "r3",
        by_task: { t1: { valid: false, first_broken_at: "r3" }, t2: { valid: true } }
      }
    })
    const shown = await cortex(["verify"])
    expect(shown.stderr).toBe(
      "FAIL: 1 issue(s) found\nTHOUGHT_CHAIN_BROKEN task t1: 1 broken of 2 records, the first is r3\n"
    )
    expect(await json(["verify", "--task", "t2"])).toMatchObject({ code: 0 })
    const whole = await runCli(["cassette", "verify", "--db", db], { cwd: folder })
    expect(whole.code).toBe(1)
    expect(whole.stderr).toContain("THOUGHT_HASH_MISMATCH thought_records r3: ")
  })
})

describe("the beginning of an id", () => {
  it("shows the one thought whose id begins so; the whole id comes first, and several are named", async () => {
    const ids = ["pre", "prefix-1", "prefix-2", "prefix-3", "prefix-4", "prefix-5", "prefix-60"]
    for (const id of ids) await record(id)
    expect((await json(["show", "prefix-6"])).document.data).toMatchObject({ id: "prefix-60" })
    expect((await json(["show", "pre"])).document.data).toMatchObject({ id: "pre" })
    const { code, document } = await json(["show", "prefix-"])
    expect(code).toBe(1)
    expect(document.error).toMatchObject({
      code: "AMBIGUOUS_PREFIX",
      message:
        "prefix- is the beginning of several ids: prefix-1, prefix-2, prefix-3, prefix-4, prefix-5 and more; give more of the id"
    })
    expect(await json(["show", "prefix-7"])).toMatchObject({ code: 1 })
    expect(await json(["list", "--after", "prefix-6"])).toMatchObject({ code: 1 })
  })
})
