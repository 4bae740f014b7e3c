// `cortex mcp --check` says of the ledger what a client would meet, and changes nothing of it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

let root = folder
let count = 0
beforeEach(() => {
  count += 1
  root = join(folder, `${count}`)
  mkdirSync(root)
})

const check = (...args: ReadonlyArray<string>) => runJson(["mcp", "--check", ...args], { cwd: root })

const made = async (): Promise<string> => {
  const args = ["cassette", "post", "--json", "-", "--run-id", "r", "--source", "USER"]
  await runCli(args, { cwd: root, stdin: "{}" })
  return join(root, "CORTEX/_generated/system3.db")
}

const changed = (file: string, sql: string) => {
  const database = new Database(file)
  database.exec(sql)
  database.close()
}

describe("the check of a server", () => {
  it("names a ledger that is not there, and makes none", async () => {
    const writing = await check()
    expect(writing.code).toBe(0)
    expect(writing.document.data?.["ledger"]).toMatchObject({
      state: "missing",
      note: expect.stringContaining("makes it")
    })
    const reading = await check("--read-only")
    expect(reading.document.data?.["ledger"]).toMatchObject({
      state: "missing",
      note: expect.stringContaining("refused until it is made")
    })
    expect(readdirSync(root)).toEqual([])
  })

  it("says that a ledger is ready", async () => {
    const file = await made()
    const before = readFileSync(file)
    const { document } = await check()
    expect(document.data?.["ledger"]).toEqual({ file, state: "ready", note: "ready" })
    expect((await runCli(["mcp", "--check"], { cwd: root })).stdout).toContain(`ledger ${file}: ready\n`)
    expect(readFileSync(file)).toEqual(before)
  })

  it.each([
    ["damaged", "DROP TRIGGER tr_receipts_append_only_update", 1, "STORE_CORRUPT"],
    [
      "of a newer program",
      "DROP TRIGGER tr_meta_append_only_update; UPDATE cassette_meta SET value = '99'",
      2,
      "STORE_NEWER_THAN_PROGRAM"
    ]
  ])("a ledger that is %s is the error of a call", async (_name, sql, code, error) => {
    changed(await made(), sql)
    for (const args of [[], ["--read-only"]]) {
      const { code: ended, document } = await check(...args)
      expect({ ended, error: document.error?.code }).toEqual({ ended: code, error })
    }
  })

  it("a file that is no ledger is the error of a call", async () => {
    writeFileSync(
      join(root, "notes.txt"),
      "not a database, but long enough to be looked at as one".repeat(20)
    )
    expect((await check("--db", "notes.txt")).document.error?.code).toBe("NOT_A_LEDGER")
  })

  it("leaves the ledger alone where no tool works on it", async () => {
    changed(await made(), "DROP TRIGGER tr_receipts_append_only_update")
    const { code, document } = await check("--tools", "network,memory")
    expect({ code, ledger: document.data?.["ledger"] }).toEqual({ code: 0, ledger: undefined })
  })
})
