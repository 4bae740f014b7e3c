// Long work says how far it is to people at a terminal, and to nothing else.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCli, temporaryFolder } from "./testing/in-process.ts"
import { secondsPass } from "./testing/test-host.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const quick = { isTerminal: (stream: string) => stream === "stderr" }
const terminal = { ...quick, elapsedMillis: secondsPass() }
const cli = (line: string, host = {}) => runCli(line.split(" "), { cwd: folder, host })

beforeAll(async () => {
  writeFileSync(join(folder, "message.json"), "{}")
  await cli("cassette post --json message.json --run-id r1 --source USER")
  const log = await cli("cassette log --format json")
  writeFileSync(join(folder, "events.jsonl"), log.stdout)
  await cli("network init")
  await cli("network index")
  await cli("thought record --type plan --task t --agent a --content c")
})

describe("progress", () => {
  it.each([
    ["cassette verify", "verifying: structure", "verifying: chain"],
    ["cassette rebuild --check", "comparing: projections", "projections"],
    ["cassette rebuild --to rebuilt-N.db", "rebuilding: from the log", "from the log"],
    ["cassette import events.jsonl --to imported-N.db", "importing: events", "events"],
    ["cassette backup copy-N.db", "copying: the ledger", "verifying the copy: chain"],
    ["thought verify", "verifying: thoughts, 0 checked", "thoughts, 0 checked"],
    ["network index", "documents: indexing", "files"],
    ["network verify", "verifying: documents", "verifying: memory"],
    ["network export memory --out cartridge-N", "exporting: memory", "exporting: memory"]
  ])("of %s is shown on a terminal alone", async (line, first, later) => {
    const shown = await cli(line.replace("N", "1"), terminal)
    expect(shown.code).toBe(0)
    expect(shown.stderr).toContain(`\r\u001b[K${first}`)
    expect(shown.stderr).toContain(later)
    expect(shown.stderr.lastIndexOf("\r\u001b[K")).toBeGreaterThan(shown.stderr.lastIndexOf(later))
    expect((await cli(line.replace("N", "2"))).stderr).not.toContain("\u001b")
    expect((await cli(`${line.replace("N", "3")} --format json`, terminal)).stderr).toBe("")
    expect((await cli(line.replace("N", "4"), quick)).stderr).not.toContain("\r")
  })
})
