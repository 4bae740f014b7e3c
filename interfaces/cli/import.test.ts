// `cortex cassette import`: a log that was printed becomes the ledger that printed it, and a process that is killed leaves nothing.
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { binary } from "./testing/binary.ts"
import { startCortex } from "./testing/child-process.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

let folder: string
let remove: () => void

const printed = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await runCli(args, { cwd: folder })
  expect(code, stderr).toBe(0)
  return stdout
}

const log = (db: string) => printed("cassette", "log", "--db", db, "--format", "json")

beforeEach(async () => {
  ;({ folder, remove } = temporaryFolder())
  writeFileSync(join(folder, "message.json"), '{"text":"\u009b2J \u202e é"}')
  for (const run of ["r1", "r2", "r3"]) {
    await printed(..."cassette post --db l.db --source USER --json message.json".split(" "), "--run-id", run)
  }
})

afterEach(() => remove())

/** Runs a command where the folder `small` is a disk of so many KiB, and says what is left there. */
const onSmallDisk = (kib: number, command: ReadonlyArray<string>) => {
  mkdirSync(join(folder, "small"), { recursive: true })
  const script = `mount -t tmpfs -o size=${kib}k tmpfs small && { "$@"; echo "left: $(ls -A small)"; }`
  return spawnSync("unshare", ["--mount", "sh", "-c", script, "sh", ...command], {
    cwd: folder,
    encoding: "utf8"
  })
}

const canMount = spawnSync("unshare", ["--mount", "true"]).status === 0
if (!canMount) console.warn("SKIPPED: a small file system cannot be mounted here (it needs root on Linux)")

describe("cortex cassette import", () => {
  it("makes of a printed log the same ledger, from standard input and from a file", async () => {
    const text = await log("l.db")
    writeFileSync(join(folder, "events.jsonl"), text)
    const ran = await runCli(["cassette", "import", "--to", "one.db"], { cwd: folder, stdin: text })
    expect(ran.stderr).toBe("")
    expect(ran.stdout).toMatch(/^file +\/.+\nbytes +\d+\nhead +4 {2}[0-9a-f]{64}\n/)
    const { document } = await runJson(["cassette", "import", "events.jsonl", "--to", "two.db"], {
      cwd: folder
    })
    expect(document).toMatchObject({
      ok: true,
      data: { file: join(folder, "two.db"), report: { verdict: "PASS" } }
    })
    expect(readFileSync(join(folder, "one.db"))).toEqual(readFileSync(join(folder, "two.db")))
    expect(await log("one.db")).toBe(text)
    expect(await printed("cassette", "verify", "--db", "one.db")).toBe(
      await printed("cassette", "verify", "--db", "l.db")
    )
  })

  it("names the line that differs, and leaves no file", async () => {
    const text = (await log("l.db")).replace('"stream_id":"run:r2"', '"stream_id":"run:r9"')
    const { code, document } = await runJson(["cassette", "import", "-", "--to", "new.db"], {
      cwd: folder,
      stdin: text
    })
    expect({ code, error: document.error?.code }).toEqual({ code: 2, error: "INVALID_PARAMS" })
    expect(document.error?.message).toContain("line 3, event 3: hash is not the hash of this event")
    expect(readdirSync(folder).sort()).toEqual(["l.db", "message.json"])
  })

  it.each([
    ["missing.jsonl", "there is no such file"],
    [".", "this is a folder"]
  ])("refuses %s", async (file, reason) => {
    const { code, document } = await runJson(["cassette", "import", file, "--to", "new.db"], { cwd: folder })
    expect(code).toBe(2)
    expect(document.error?.message).toContain(reason)
    expect(existsSync(join(folder, "new.db"))).toBe(false)
  })

  it.skipIf(!canMount)("onto a full disk says so, and leaves nothing", async () => {
    writeFileSync(join(folder, "events.jsonl"), await log("l.db"))
    const args = ["cassette", "import", "events.jsonl", "--to", "small/new.db", "--format", "json"]
    for (const kib of [4, 128]) {
      const { stdout } = onSmallDisk(kib, [process.execPath, binary, ...args])
      expect(stdout, `${kib} KiB`).toMatch(/^\{"ok":false,"error":\{"code":"STORAGE_FULL".*\}\}\nleft: \n$/)
    }
  })

  it("that is killed leaves no ledger, and the next one takes away what it left", async () => {
    const text = await log("l.db")
    const child = startCortex(["cassette", "import", "--to", "new.db"], { cwd: folder })
    child.stdin.write(text.slice(0, -20))
    const isWriting = () =>
      readdirSync(folder).some(
        (name) => name.startsWith(".cassette-draft-") && existsSync(join(folder, name, "ledger.db"))
      )
    await expect.poll(isWriting, { timeout: 100_000 }).toBe(true)
    child.kill("SIGKILL")
    await once(child, "close")
    expect(existsSync(join(folder, "new.db"))).toBe(false)
    expect((await runCli(["cassette", "import", "--to", "new.db"], { cwd: folder, stdin: text })).code).toBe(
      0
    )
    expect(readdirSync(folder).sort()).toEqual(["l.db", "message.json", "new.db"])
  })
})
