// A path that is taken for a ledger and is another thing that this program makes: each command that reads a ledger says what it is
// and which command reads it.
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const frozen = fileURLToPath(new URL("../../docs/spec/frozen/0.1/", import.meta.url))
const { folder, remove } = temporaryFolder()
afterAll(remove)
const root = join(folder, "root")

beforeAll(async () => {
  cpSync(frozen, root, { recursive: true })
  const run = async (...args: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await runCli(args, { cwd: root })
    expect(code, stderr).toBe(0)
    return stdout
  }
  const dossier = ["dossier", "export", "--run-id", "work", "--checkpoint", "checkpoint.txt", "--out"]
  await run(...dossier, "dossier")
  await run(...dossier, "dossier.tar", "--tar")
  await run("bundle", "unpack", "bundle.tar", "bundle")
  writeFileSync(join(root, "events.jsonl"), await run("cassette", "log", "--format", "json"))
  writeFileSync(join(root, "note.txt"), "{ nothing of ours }".repeat(300))
  writeFileSync(join(root, "cut.tar"), new Uint8Array(700))
  mkdirSync(join(root, "empty"))
})

const things = [
  ["dossier", "it is a dossier: read it with dossier show or dossier verify"],
  ["dossier.tar", "it is a packed dossier: read it with dossier show or dossier verify"],
  ["bundle", "it is a bundle: read it with bundle show or bundle verify"],
  ["bundle.tar", "it is a packed bundle: read it with bundle unpack"],
  ["cartridge.tar", "it is a packed cartridge: read it with network import"],
  ["events.jsonl", "it is a log of events as JSON lines: make a ledger of it with cassette import"],
  ["CORTEX/cassettes/documents.db", "it is a cassette of a network: read it with network query"],
  ["CORTEX/_generated/system1.db", "it is a corpus: read it with section list"],
  ["note.txt", "it is no SQLite database"],
  ["cut.tar", "it is no SQLite database"],
  ["empty", "it is a folder or a device"]
] as const

const commands = [
  ["timeline"],
  ["show", "1"],
  ["cassette", "status"],
  ["cassette", "verify"],
  ["cassette", "log"],
  ["cassette", "claim", "--run-id", "r", "--worker", "w"],
  ["workflow", "list"],
  ["thought", "verify"],
  ["inspect", "--out", "page.html"],
  ["cassette", "diff", "CORTEX/_generated/system3.db"]
]

describe.each(things)("%s as a ledger", (name, reason) => {
  it.each(commands)("%s %s", async (...args) => {
    const named = args[1] === "diff" ? [...args, name] : [...args, "--db", name]
    const { code, document } = await runJson(named, { cwd: root })
    expect(code).toBe(2)
    expect(document.error).toMatchObject({ code: "NOT_A_LEDGER", details: { reason } })
    expect(document.error?.message).toContain(`is not a ledger: ${reason}`)
  })
})
