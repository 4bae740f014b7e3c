// A ledger whose file's header was damaged in one byte: every command tells of damage (exit 1) or is rightly unaffected,
// and none calls it a fault of the program.
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { runCli } from "./testing/in-process.ts"

const COMMANDS = [
  "cassette verify",
  "cassette status",
  "cassette waiting",
  "cassette leases",
  "cassette log",
  "cassette at 1",
  "thought list --task t",
  "cassette post --json message.json --run-id r --source USER",
  "cassette claim --run-id r --worker w",
  "cassette claim --any --worker w --wait 1",
  "cassette backup copy.db"
]

describe("a ledger with one damaged byte in its header", () => {
  it.each(COMMANDS)("%s", async (command) => {
    const cwd = temporaryFolder()
    const file = join(cwd, "l.db")
    writeFileSync(join(cwd, "message.json"), '{"a":1}')
    const made = await runCli(
      "cassette post --json message.json --run-id r --source USER --db l.db".split(" "),
      {
        cwd
      }
    )
    expect(made.code).toBe(0)
    const sound = readFileSync(file)
    // The magic text, the size of a page, the versions of reading and writing, the form of the schema, the text's encoding.
    for (const place of [0, 12, 15, 16, 18, 19, 20, 21, 22, 23, 44, 47, 59]) {
      const damaged = Buffer.from(sound)
      damaged[place]! ^= 0x10
      writeFileSync(file, damaged)
      rmSync(join(cwd, "copy.db"), { force: true })
      const { code, stderr, stdout } = await runCli([...command.split(" "), "--db", "l.db"], { cwd })
      expect(`${place}: ${code === 2 || code === 3 ? stdout + stderr : "1 or 0"}`).toBe(`${place}: 1 or 0`)
      if (command === "cassette verify") expect(code, `${place}`).toBe(1)
    }
  })
})
