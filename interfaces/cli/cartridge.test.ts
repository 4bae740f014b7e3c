// `cortex network export` and `import`: a cassette leaves one folder and arrives in another as it was.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { saveMemory } from "../../infrastructure/network/writing/memory-writing.ts"
import { openForWriting } from "../../infrastructure/sqlite/connection/better-sqlite3-host.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const configuration =
  'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: notes, path: notes.db, type: local, auto_index: true, mutability: immutable, sources: ["notes/**"]}\n  - {id: far, path: /nowhere/far.db, type: external}\n'

const cleanups: Array<() => void> = []
afterAll(() => {
  for (const clean of cleanups) clean()
})

/** A folder with a configuration and, if wanted, an indexed note. */
const fresh = async (indexed: boolean) => {
  const { folder, remove } = temporaryFolder()
  cleanups.push(remove)
  writeFileSync(join(folder, "net.yaml"), configuration)
  mkdirSync(join(folder, "notes"))
  writeFileSync(join(folder, "notes", "a.md"), "# One\n\nThe multi-agent hub.\n")
  const run = (...args: ReadonlyArray<string>) =>
    runJson(["network", ...args, "--config", "net.yaml"], { cwd: folder })
  if (indexed) expect((await run("index")).code).toBe(0)
  return { folder, run }
}

describe("a cartridge", () => {
  it.each(["out", "out.tar"])("travels: %s", async (name) => {
    const from = await fresh(true)
    const to = await fresh(false)
    const path = join(from.folder, name)
    const tar = name.endsWith(".tar") ? ["--tar"] : []
    const made = await from.run("export", "notes", "--out", name, ...tar)
    expect([made.code, made.document.data]).toMatchObject([0, { path, created: true }])
    expect((await from.run("export", "notes", "--out", name, ...tar)).document.data).toMatchObject({
      created: false
    })
    expect((await to.run("import", path)).document.data).toMatchObject({
      cassette_id: "notes",
      chunks: 1,
      manifest: { sealed: true, counts: { records: 1, receipts: 3 } }
    })
    expect((await to.run("query", "multi-agent")).document.data).toMatchObject({
      hits: [{ source: "notes", path: "notes/a.md" }]
    })
    expect((await to.run("verify", "notes")).code).toBe(0)
    await to.run("export", "notes", "--out", name, ...tar)
    if (tar.length > 0) {
      expect(readFileSync(join(to.folder, name)).equals(readFileSync(path))).toBe(true)
    } else {
      for (const file of readdirSync(path)) {
        expect(readFileSync(join(to.folder, name, file))).toEqual(readFileSync(join(path, file)))
      }
    }
    const again = await to.run("import", path)
    expect([again.code, again.document.error?.code]).toEqual([1, "CASSETTE_FILE_EXISTS"])
  })

  it("that was changed is named with file and line", async () => {
    const { folder, run } = await fresh(true)
    await run("export", "notes", "--out", "out")
    const file = join(folder, "out", "records.jsonl")
    writeFileSync(file, readFileSync(file, "utf8").replace("multi", "Multi"))
    const checked = await runJson(["network", "import", "--check", "out"], { cwd: folder })
    expect([checked.code, checked.document.error?.code]).toEqual([1, "CARTRIDGE_REFUSED"])
    expect(checked.document.error?.message).toContain(
      "records.jsonl line 1: content_hash is not that of its text"
    )
    const none = await runJson(["network", "import", "--check", "none"], { cwd: folder })
    expect([none.code, none.document.error?.code]).toEqual([1, "CARTRIDGE_REFUSED"])
    expect(none.document.error?.message).toBe(
      `${join(folder, "none")} is no cartridge: there is no such file or folder (FILE_MISSING)`
    )
  })

  it("is judged without a configuration, and shown to people", async () => {
    const { folder, run } = await fresh(true)
    await run("export", "notes", "--out", "out")
    const { code, stdout } = await runCli(["network", "import", "--check", "out"], { cwd: folder })
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /out is whole\ncassette notes \(immutable, sealed\), hash [0-9a-f]{16}\n1 records, 3 receipts\nmanifest [0-9a-f]{64}\n$/
    )
  })

  it("needs its id in the configuration, for a cassette that may be written", async () => {
    const { folder, run } = await fresh(true)
    await run("export", "notes", "--out", "out")
    for (const [id, code, error] of [
      ["other", 2, "UNKNOWN_CASSETTE"],
      ["notes, type: external, path: /nowhere/x.db", 1, "WRITE_REFUSED"],
      ["notes, type: local, path: ../../x.db", 1, "WRITE_REFUSED"]
    ] as const) {
      const rest = id.includes("type") ? "" : ", path: x.db, type: local"
      writeFileSync(
        join(folder, "net.yaml"),
        `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: ${id}${rest}}\n`
      )
      const made = await run("import", "out")
      expect([made.code, made.document.error?.code]).toEqual([code, error])
    }
  })

  it("is made of a cassette that is there", async () => {
    const { run } = await fresh(false)
    const codes = []
    for (const id of ["none", "notes", "far"]) {
      codes.push((await run("export", id, "--out", "out")).document.error?.code)
    }
    expect(codes).toEqual(["UNKNOWN_CASSETTE", "CASSETTE_OFFLINE", "CASSETTE_OFFLINE"])
  })
})

describe("a private cassette", () => {
  it("is exported for the agent that asks", async () => {
    const { folder, run } = await fresh(false)
    writeFileSync(
      join(folder, "net.yaml"),
      'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: minds, path: minds.db, type: local, capabilities: [agent_id]}\n'
    )
    expect((await run("index")).code).toBe(0)
    const writer = openForWriting(join(folder, "minds.db"))
    for (const agent_id of ["ada", "bob"]) {
      const time = { now: "2026-01-01T00:00:00.000Z", expires: "2026-01-02T00:00:00.000Z" }
      saveMemory(writer, { text: `of ${agent_id}`, agent_id, metadata: "{}" }, time)
    }
    writer.close()
    const shown = async (out: string, args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
      const { document } = await runJson(
        ["network", "export", "minds", "--out", out, "--config", "net.yaml", ...args],
        { cwd: folder, host: { env } }
      )
      const { manifest } = document.data as { manifest: { agent_id: unknown; counts: unknown } }
      return [manifest.agent_id, manifest.counts]
    }
    const own = { records: 2, receipts: 3 }
    expect(await shown("ada", ["--agent", "ada"])).toEqual(["ada", own])
    expect(await shown("bob", [], { CORTEX_AGENT: "bob" })).toEqual(["bob", own])
    expect(await shown("none", [])).toEqual([null, { records: 0, receipts: 1 }])
    const told = await runCli(
      ["network", "export", "minds", "--out", "none", "--config", "net.yaml", "--format", "text"],
      { cwd: folder }
    )
    expect(told.stdout).toContain(
      "0 records, 1 receipts, without anybody's own memories (--agent names one)\n"
    )
    expect(readFileSync(join(folder, "bob", "records.jsonl"), "utf8")).not.toContain('"ada"')
  })
})
