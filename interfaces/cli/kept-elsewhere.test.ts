// The drill of a ledger that is kept elsewhere: the machine burns, the copy is put back, and what was noted before tells whether it is
// whole. Litestream makes the copies where this machine has it; else a backup does, beside Litestream's tables.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runCli, temporaryFolder } from "./testing/in-process.ts"

const hasLitestream = spawnSync("litestream", ["version"]).status === 0
if (!hasLitestream) console.warn("Litestream is not here: backups stand for its copies")

let folder: string
let remove: () => void
let following: ChildProcess | undefined

const done = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await runCli(args, { cwd: folder })
  expect(code, stderr).toBe(0)
  return stdout
}

const post = (run: string) =>
  done("cassette", "post", "--db", "l.db", "--json", "m.json", "--run-id", run, "--source", "USER")

const headOf = async (db: string) => (await done("cassette", "verify", "--db", db)).split("\n")[0]

/** Signs what the ledger holds now, and keeps the note elsewhere. */
const note = (name: string) => done("cassette", "checkpoint", "--db", "l.db", "--key", "k.pem", "--out", name)

const verifyNoted = (name: string) =>
  runCli(["cassette", "verify", "--db", "l.db", "--checkpoint", name, "--trust", "trust.json"], {
    cwd: folder
  })

const restoreCopy = (file: string): void => {
  const { status, stderr } = spawnSync("litestream", ["restore", "-config", "ls.yml", "-o", file, "l.db"], {
    cwd: folder,
    encoding: "utf8"
  })
  expect(status, stderr).toBe(0)
}

/** Follows the ledger from now on. */
const follow = (): void => {
  if (hasLitestream) {
    writeFileSync(
      join(folder, "ls.yml"),
      "dbs: [{ path: l.db, replicas: [{ type: file, path: elsewhere, sync-interval: 50ms }] }]"
    )
    following = spawn("litestream", ["replicate", "-config", "ls.yml"], { cwd: folder, stdio: "ignore" })
    return
  }
  const database = new Database(join(folder, "l.db"))
  database.exec("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
  database.exec("CREATE TABLE _litestream_lock (id INTEGER)")
  database.close()
}

/** Waits until the copy has all that the ledger has, and ends the following. */
const followed = async (): Promise<void> => {
  if (!hasLitestream) return void (await done("cassette", "backup", "--db", "l.db", "elsewhere.db"))
  const head = await headOf("l.db")
  await expect
    .poll(
      async () => {
        rmSync(join(folder, "try.db"), { force: true })
        restoreCopy("try.db")
        return headOf("try.db")
      },
      { timeout: 100_000, interval: 100 }
    )
    .toBe(head)
  following?.kill("SIGKILL")
}

/** Nothing is left of the ledger on this machine, and the copy is put in its place. */
const burnAndRestore = (): void => {
  for (const name of readdirSync(folder)) {
    if (/^(?:l\.db|\.l\.db)/.test(name)) rmSync(join(folder, name), { recursive: true })
  }
  if (hasLitestream) restoreCopy("l.db")
  else renameSync(join(folder, "elsewhere.db"), join(folder, "l.db"))
}

beforeEach(async () => {
  ;({ folder, remove } = temporaryFolder())
  writeFileSync(join(folder, "m.json"), '{"a":1}')
  await post("r0")
  const log = await done("cassette", "log", "--db", "l.db", "--format", "json", "--limit", "1")
  const { data } = JSON.parse(log) as { readonly data: { readonly ledger_id: string } }
  await done("key", "generate", "--out", "k.pem")
  const trust = await done("key", "trust", "--public-key", "k.pem.pub", "--ledger", data.ledger_id)
  writeFileSync(join(folder, "trust.json"), trust)
  follow()
})

afterEach(async () => {
  if (following !== undefined && following.exitCode === null && following.signalCode === null) {
    following.kill("SIGKILL")
    await once(following, "exit")
  }
  following = undefined
  remove()
})

describe("a ledger that is kept elsewhere", () => {
  it("comes back whole, and what was noted says so; without its tail, what was noted says that", async () => {
    for (const run of ["r1", "r2"]) await post(run)
    await note("noted.txt")
    await followed()
    // These are acknowledged and noted, and never reach the copy.
    await post("r3")
    await note("later.txt")
    burnAndRestore()
    const whole = await verifyNoted("noted.txt")
    expect(whole).toMatchObject({ code: 0, stderr: expect.stringContaining("PASS: All invariants verified") })
    const cut = await verifyNoted("later.txt")
    expect(cut.code).toBe(1)
    expect(cut.stderr).toMatch(/HISTORY_REWRITTEN .* over 5 events stands, 4 events are left/)
    // Work goes on where the copy ended.
    await post("r4")
    expect((await verifyNoted("noted.txt")).code).toBe(0)
  })
})
