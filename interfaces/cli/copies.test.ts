// Copies of stores and bundles: others may do no more with a copy than with what it is a copy of.
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { writeGolden } from "../../infrastructure/bundles/testing/bundle-folders.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { runCli } from "./testing/in-process.ts"

const OPEN_MASK = 0o022

const FILE = join("CORTEX", "cassettes", "documents.db")

let folder: string
let maskBefore: number

const cortex = async (...args: ReadonlyArray<string>): Promise<void> => {
  const { code, stderr } = await runCli(args, { cwd: folder })
  expect(code, stderr).toBe(0)
}

/** The permissions of a file, or of a folder and all that is in it. */
const permissions = (path: string): ReadonlyArray<string> => {
  const stats = statSync(path)
  const own = (stats.mode & 0o777).toString(8)
  return stats.isDirectory()
    ? [own, ...readdirSync(path).flatMap((name) => permissions(join(path, name)))]
    : [own]
}

const all = (path: string): ReadonlyArray<string> => [...new Set(permissions(join(folder, path)))].sort()

beforeEach(() => {
  folder = temporaryFolder()
  maskBefore = process.umask(OPEN_MASK)
})

afterEach(() => {
  process.umask(maskBefore)
})

const modes = [
  ["600", 0o600, "700"],
  ["640", 0o640, "750"],
  ["644", 0o644, "755"]
] as const

describe("a copy is as open as its source", () => {
  it.each(modes)("of a ledger with the mode %s", async (mode, source) => {
    writeFileSync(join(folder, "message.json"), '{"a":1}')
    await cortex(
      "cassette",
      "post",
      "--db",
      "l.db",
      "--json",
      "message.json",
      "--run-id",
      "r",
      "--source",
      "USER"
    )
    chmodSync(join(folder, "l.db"), source)
    await cortex("cassette", "backup", "--db", "l.db", "backup.db")
    await cortex("cassette", "rebuild", "--db", "l.db", "--to", "rebuilt.db")
    const log = await runCli(["cassette", "log", "--db", "l.db", "--format", "json"], { cwd: folder })
    writeFileSync(join(folder, "events.jsonl"), log.stdout)
    chmodSync(join(folder, "events.jsonl"), source)
    await cortex("cassette", "import", "events.jsonl", "--to", "imported.db")
    await cortex("key", "generate", "--out", "k.pem")
    await cortex("cassette", "checkpoint", "--db", "l.db", "--key", "k.pem", "--out", "n.txt")
    await cortex("cassette", "prove", "inclusion", "--db", "l.db", "--checkpoint", "n.txt", "--event", "1")
    expect(all("backup.db")).toStrictEqual([mode])
    expect(all("rebuilt.db")).toStrictEqual([mode])
    expect(all("imported.db")).toStrictEqual([mode])
    expect(all("l.db.merkle")).toStrictEqual([mode])
  })

  it.each(modes)("of a cassette with the mode %s", async (mode, source, folderMode) => {
    writeFileSync(join(folder, "note.md"), "# A note\n\nIt is short.\n")
    await cortex("network", "init")
    const configuration = join(folder, "CORTEX", "network.yaml")
    const text = readFileSync(configuration, "utf8")
    writeFileSync(configuration, text.replace("mutability: mutable", "mutability: immutable"))
    await cortex("network", "index")
    chmodSync(join(folder, FILE), source)
    await cortex("network", "export", "documents", "--out", "cartridge")
    await cortex("network", "export", "documents", "--out", "cartridge.tar", "--tar")
    expect(all("cartridge")).toStrictEqual([mode, folderMode].sort())
    expect(all("cartridge.tar")).toStrictEqual([mode])
    writeFileSync(join(folder, "note.md"), "# A note\n\nIt is longer now.\n")
    await cortex("network", "index")
    expect(all(FILE)).toStrictEqual([mode])
    rmSync(join(folder, FILE))
    await cortex("network", "import", "cartridge.tar")
    expect(all(FILE)).toStrictEqual([mode])
    rmSync(join(folder, FILE))
    await cortex("network", "import", "cartridge")
    expect(all(FILE)).toStrictEqual([mode])
  })

  it.each(modes)("of a bundle with the mode %s", async (mode, source, folderMode) => {
    writeGolden(join(folder, "bundle"))
    chmodSync(join(folder, "bundle", "bundle.json"), source)
    await cortex("bundle", "pack", "bundle", "bundle.tar")
    expect(all("bundle.tar")).toStrictEqual([mode])
    await cortex("bundle", "unpack", "bundle.tar", "again")
    expect(all("again")).toStrictEqual([mode, folderMode].sort())
  })
})
