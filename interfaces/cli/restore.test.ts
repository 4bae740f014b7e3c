// `cortex cassette restore`: which backups take a ledger's place, what is said when one does not, and what workers meet afterwards.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { startChild } from "../../infrastructure/testing/programs/child-process.ts"
import { folderState, temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { runCli, runJson } from "./testing/in-process.ts"

let folder: string
const path = (name: string) => join(folder, name)
const done = async (line: string) => {
  const ran = await runCli(line.split(" "), { cwd: folder })
  expect(ran.code, ran.stderr).toBe(0)
  return ran
}
const json = async (line: string) => runJson(line.split(" "), { cwd: folder })
const post = (db: string) => done(`cassette post --db ${db} --json message.json --run-id r --source USER`)
const contents = () => folderState(folder).filter(([name]) => !name.endsWith("-shm"))

/** A ledger `l.db` with one message and a backup of it, and another ledger's backup. */
beforeEach(async () => {
  folder = temporaryFolder()
  writeFileSync(path("message.json"), '{"a":1}')
  await post("l.db")
  await done("cassette backup --db l.db monday.db")
  await post("o.db")
  await done("cassette backup --db o.db other.db")
})

describe("a backup that is refused", () => {
  it.each([
    ["another ledger's", "other.db", 2, "WRONG_LEDGER", { file: "the backup" }],
    ["one that is damaged", "damaged.db", 1, "RESTORE_REFUSED", { code: "BACKUP_DAMAGED" }],
    ["no ledger", "message.json", 2, "NOT_A_LEDGER", {}],
    ["none", "nothing.db", 2, "FILE_MISSING", {}],
    ["the ledger itself", "l.db", 2, "INVALID_PARAMS", {}],
    ["an older one", "monday.db", 1, "RESTORE_REFUSED", { code: "NEWER_EVENTS" }],
    ["one that went another way", "fork.db", 1, "RESTORE_REFUSED", { code: "HISTORIES_DIFFER" }]
  ])("%s: the ledger stays as it is", async (_, backup, code, error, details) => {
    writeFileSync(path("damaged.db"), readFileSync(path("monday.db")).fill(0xff, 8_192, 12_288))
    copyFileSync(path("monday.db"), path("fork.db"))
    await post("fork.db")
    await post("l.db")
    const state = contents()
    const ran = await json(`cassette restore --db l.db ${backup}`)
    expect(ran).toMatchObject({ code, document: { ok: false, error: { code: error, details } } })
    expect(contents()).toEqual(state)
  })
})

describe("a backup that is taken", () => {
  it("is named with what it replaced, in one document", async () => {
    const { document } = await json("cassette restore --db l.db monday.db")
    const { file, kept, report } = document.data ?? {}
    expect(file).toBe(path("l.db"))
    expect(report).toMatchObject({ verdict: "PASS", head: { position: 2 } })
    expect((kept as ReadonlyArray<string>).map((name) => basename(name).slice(0, 14))).toEqual([
      "l.db.replaced-"
    ])
    expect((kept as ReadonlyArray<string>).every(existsSync)).toBe(true)
  })

  it("may be newer than the ledger, and older with --discard-newer", async () => {
    await post("l.db")
    await done("cassette backup --db l.db friday.db")
    await done("cassette restore --db l.db monday.db --discard-newer")
    expect((await json("cassette verify --db l.db")).document.data).toMatchObject({ head: { position: 2 } })
    const { stdout } = await done("cassette restore --db l.db friday.db")
    expect(stdout).toMatch(/^file +.*l\.db\nkept +.*l\.db\.replaced-/)
    expect((await json("cassette verify --db l.db")).document.data).toMatchObject({ head: { position: 3 } })
  })

  it("and is not there is told without a word about ledgers", async () => {
    const { document } = await json("cassette restore --db l.db none.db")
    expect(document.error).toMatchObject({
      code: "FILE_MISSING",
      message: `There is no ${path("none.db")}: check the path`
    })
  })

  it("may go where there is no ledger", async () => {
    const { document } = await json("cassette restore --db new.db monday.db")
    expect(document.data).toMatchObject({ file: path("new.db"), kept: [] })
    await post("new.db")
  })
})

describe("after a restore", () => {
  it("a lease that the backup does not know is gone, and the step waits", async () => {
    const claimed = await json("cassette claim --db l.db --run-id r --worker w")
    const { fencing_token, step_id } = claimed.document.data ?? {}
    await done("cassette restore --db l.db monday.db --discard-newer")
    const line = `cassette complete --db l.db --run-id r --worker w --token ${fencing_token} --step ${step_id} --receipt message.json --outcome SUCCESS`
    expect((await json(line)).document.error?.code).toBe("NOT_LEASED")
    expect((await json("cassette claim --db l.db --run-id r --worker w2")).document.data).toMatchObject({
      step_id
    })
  })

  it("a program that was writing meanwhile stops", async () => {
    const writer = startChild(["write", path("l.db")])
    await writer.line()
    await done("cassette restore --db l.db monday.db --discard-newer")
    let line: unknown
    do line = await writer.line()
    while (typeof line === "number")
    expect(line).toMatchObject({ failure: { _tag: "StorageFailure", code: "FILE_REPLACED" } })
    expect((await json("cassette verify --db l.db --pure")).document.data).toMatchObject({
      verdict: "PASS",
      head: { position: 2 }
    })
  })
})
