// A cassette is carried into a file as its configuration asks now: nothing is lost without a word, nothing is seen that was
// not, and what is killed on the way leaves the old file.
import { spawnSync } from "node:child_process"
import fs, {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { NetworkShape } from "../../../application/network/hub.ts"
import { carryingFault } from "../../../domain/network/cartridges/carrying.ts"
import { runCli, runJson } from "../../../interfaces/cli/testing/in-process.ts"
import { openForReading } from "../../sqlite/connection/better-sqlite3-host.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { openNetwork } from "../../../interfaces/embedding/network-files.ts"

const configure = (folder: string, more: string): string => {
  const file = join(folder, "network.yaml")
  writeFileSync(
    file,
    `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: book, path: book.db, type: local, auto_index: true, sources: ["*.md"], ${more}}\n`
  )
  return file
}

const using = <A, E>(
  file: string,
  agent: string | undefined,
  use: (network: NetworkShape) => Effect.Effect<A, E>
) => Effect.runPromise(Effect.scoped(Effect.flatMap(openNetwork({ file, agent }), use)))

const run = (folder: string, ...args: ReadonlyArray<string>) =>
  runJson([...args, "--config", join(folder, "network.yaml")], { cwd: folder })

const start = async (
  more: string,
  saves: ReadonlyArray<readonly [agent: string | undefined, text: string]>
) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "orchard.md"), "an orchard")
  const file = configure(folder, more)
  expect((await run(folder, "network", "index")).code).toBe(0)
  for (const [agent, text] of saves) await using(file, agent, (network) => network.memorySave(text, "book"))
  return { folder, file }
}

const found = (file: string, agent: string | undefined, text: string) =>
  using(file, agent, (network) =>
    Effect.map(network.query(text), ({ hits }) => hits.map(({ content }) => content))
  )

/** What comes of a write to a database from another process: `written`, or the code of the failure. */
const writeElsewhere = (file: string): string =>
  spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import Database from "better-sqlite3"
const database = new Database(process.argv[1], { timeout: 0 })
try {
  database.exec("BEGIN IMMEDIATE; PRAGMA user_version = 7; COMMIT")
  process.stdout.write("written")
} catch (error) {
  process.stdout.write(error.code)
}`,
      file
    ],
    { encoding: "utf8", cwd: import.meta.dirname }
  ).stdout

describe("network migrate", () => {
  it.each([
    ["migrate", "mutability: stable", 0],
    ["index", "mutability: immutable", 1]
  ] as const)("judges a file beside a journal, too: %s to %s", async (command, asked, expected) => {
    const { file, folder } = await start("mutability: mutable", [["ada", "a plum"]])
    const cassette = join(folder, "book.db")
    const database = new Database(cassette)
    database.pragma("journal_mode = DELETE")
    database.close()
    // Left by a process that was killed before it had changed anything.
    writeFileSync(`${cassette}-journal`, "")
    configure(folder, asked)
    const { code, document } = await run(folder, "network", command)
    expect(code).toBe(expected)
    if (command === "migrate") expect(document.data).toMatchObject({ cassettes: [{ memories: 1 }] })
    else expect(document.error?.code).toBe("CASSETTE_DIFFERS")
    configure(folder, command === "migrate" ? asked : "mutability: mutable")
    expect(await found(file, "ada", "plum")).toContain("a plum")
  })

  it.each(["stable", "append-only", "read-write", "ephemeral"])(
    "carries everything into a cassette that is %s",
    async (mutability) => {
      const { file, folder } = await start("mutability: mutable", [["ada", "a plum"]])
      const head = (
        (await run(folder, "network", "verify")).document.data as {
          cassettes: ReadonlyArray<{ receipt_head: string }>
        }
      ).cassettes[0]!.receipt_head
      configure(folder, `mutability: ${mutability}`)
      const { code, document } = await run(folder, "network", "migrate", "--cassette", "book")
      expect([code, document.error]).toEqual([0, undefined])
      expect(document.data).toMatchObject({
        cassettes: [
          {
            documents: 1,
            memories: 1,
            saves: 1,
            left_behind: 0,
            carried_from: head,
            differences: [{ born: "mutable", configured: mutability }]
          }
        ]
      })
      expect(await found(file, "bob", "plum orchard")).toHaveLength(2)
      expect((await run(folder, "network", "verify")).code).toBe(0)
      const connection = openForReading(join(folder, "book.db"))
      expect(
        connection.all(
          "SELECT record_hash FROM write_receipts WHERE operation = 'migrate' AND rule = 'carried'"
        )
      ).toEqual([{ record_hash: head }])
      connection.close()
      // The old file stands beside the new one, as it was.
      const kept = readdirSync(folder).find((name) => name.startsWith("book.db.before-"))
      copyFileSync(join(folder, kept!), join(folder, "old.db"))
      const old = openForReading(join(folder, "old.db"))
      expect(old.all("SELECT value FROM network_meta WHERE key = 'mutability'")).toEqual([
        { value: "mutable" }
      ])
      old.close()
      expect((await run(folder, "network", "migrate")).document.data).toEqual({ cassettes: [] })
    }
  )

  it("gives each agent its own memories, and another one none of them", async () => {
    const { file, folder } = await start("mutability: mutable", [
      ["ada", "a plum"],
      ["bob", "a plum"],
      ["bob", "a pear"]
    ])
    configure(folder, "mutability: mutable, capabilities: [agent_id]")
    expect((await run(folder, "network", "migrate")).document.data).toMatchObject({
      cassettes: [{ memories: 3, saves: 3 }]
    })
    expect(await found(file, "ada", "plum pear")).toEqual(["a plum"])
    expect((await found(file, "bob", "plum pear")).sort()).toEqual(["a pear", "a plum"])
    expect(await found(file, "eve", "plum pear")).toEqual([])
    expect((await run(folder, "network", "verify")).code).toBe(0)
    // What one agent exports tells nothing of the others, not even a hash of the old chain.
    const out = join(folder, "out")
    expect((await run(folder, "network", "export", "book", "--out", out, "--agent", "ada")).code).toBe(0)
    expect(readFileSync(join(out, "receipts.jsonl"), "utf8")).not.toContain("carried")
    expect((await run(folder, "network", "import", "--check", out)).code).toBe(0)
  })

  it("says that the old file keeps what is forgotten, and the doctor lists it as long as it is there", async () => {
    const { file, folder } = await start("mutability: mutable", [[undefined, "a plum"]])
    const oldFiles = async () => {
      const { document } = await run(folder, "doctor")
      const { checks } = document.data as { readonly checks: ReadonlyArray<Record<string, string>> }
      return checks.find(({ check }) => check === "cassette book old files")
    }
    expect(await oldFiles()).toBeUndefined()
    configure(folder, "mutability: read-write")
    const { stdout } = await runCli(["network", "migrate", "--config", file], { cwd: folder })
    expect(stdout).toContain("\nthe old files keep what has been forgotten")
    const kept = readdirSync(folder).find((name) => name.startsWith("book.db.before-")) ?? ""
    expect(await oldFiles()).toMatchObject({
      state: "advice",
      seen: expect.stringContaining(join(folder, kept))
    })
    rmSync(join(folder, kept))
    expect(await oldFiles()).toBeUndefined()
  })

  it("of several cassettes goes on behind one that is refused, tells each and ends with 1", async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, "orchard.md"), "an orchard")
    const configureAll = (ids: ReadonlyArray<string>, more: (id: string) => string) => {
      const cassettes = ids.map(
        (id) =>
          `  - {id: ${id}, path: ${id}.db, type: local, auto_index: true, sources: ["*.md"], ${more(id)}}\n`
      )
      const network = `network: {version: "1.0", protocol: SNP}\ncassettes:\n${cassettes.join("")}`
      writeFileSync(join(folder, "network.yaml"), network)
      return join(folder, "network.yaml")
    }
    const ids = ["first", "second", "third"]
    const file = configureAll(ids, () => "mutability: mutable")
    expect((await run(folder, "network", "index")).code).toBe(0)
    await using(file, undefined, (network) => network.memorySave("a plum", "first"))
    configureAll(ids, (id) => (id === "third" ? "mutability: stable" : "capabilities: [agent_id]"))

    const indexed = await runCli(["network", "index", "--config", file], { cwd: folder })
    expect([indexed.code, indexed.stdout]).toEqual([1, ""])
    for (const id of ids) expect(indexed.stderr.split(`${id}: `)).toHaveLength(2)

    const migrated = await run(folder, "network", "migrate")
    expect([migrated.code, migrated.document.error]).toMatchObject([
      1,
      {
        code: "CASSETTES_REFUSED",
        message: expect.stringContaining("1 cassette(s) could not be migrated, all others were (first: "),
        details: {
          task: "migrated",
          cassettes: [{ cassette_id: "second" }, { cassette_id: "third" }],
          refused: [{ cassette_id: "first", code: "WRITE_REFUSED" }]
        }
      }
    ])

    const rest = await runCli(["network", "index", "--config", file], { cwd: folder })
    expect(rest.code).toBe(1)
    expect(rest.stdout.split("\n").map((line) => line.split(" ")[0])).toEqual([
      "cassette",
      "second",
      "third",
      ""
    ])
    expect(rest.stderr.split("first.db was made with")).toHaveLength(2)

    const asked = await runCli(["network", "query", "orchard", "--config", file], { cwd: folder })
    expect(asked.stderr).toMatch(/^warning: Cassette first refused, skipping \(/)
    expect(asked.stderr).not.toContain("offline")
  })

  it("does not guess whose memories are, and publishes none without being asked", async () => {
    const shared = await start("mutability: mutable", [[undefined, "a plum"]])
    const before = readFileSync(join(shared.folder, "book.db"))
    configure(shared.folder, "mutability: mutable, capabilities: [agent_id]")
    const refused = await run(shared.folder, "network", "migrate")
    expect(refused.document.error).toMatchObject({
      code: "WRITE_REFUSED",
      message: expect.stringContaining("it is unknown whose they are")
    })
    expect(readFileSync(join(shared.folder, "book.db")).length).toBeGreaterThanOrEqual(before.length)
    configure(shared.folder, "mutability: mutable")
    expect(await found(shared.file, undefined, "plum")).toEqual(["a plum"])

    const own = await start(`mutability: mutable, capabilities: [agent_id]`, [
      ["ada", "a plum"],
      ["bob", "a plum"]
    ])
    configure(own.folder, "mutability: mutable")
    expect((await run(own.folder, "network", "migrate")).document.error?.message).toContain("--publish")
    expect((await run(own.folder, "network", "migrate", "--publish")).document.data).toMatchObject({
      cassettes: [{ memories: 1, saves: 2 }]
    })
    expect(await found(own.file, "eve", "plum")).toEqual(["a plum"])
    expect((await run(own.folder, "network", "verify")).code).toBe(0)
  })

  it("seals what is to be immutable, and takes it out of the seal again", async () => {
    const { file, folder } = await start("mutability: append-only", [])
    writeFileSync(join(folder, "orchard.md"), "an orchard of plums")
    await run(folder, "network", "index")
    configure(folder, "mutability: immutable")
    expect((await run(folder, "network", "migrate")).document.data).toMatchObject({
      cassettes: [{ documents: 1, left_behind: 1 }]
    })
    expect((await run(folder, "network", "verify")).code).toBe(0)
    configure(folder, "mutability: mutable")
    expect((await run(folder, "network", "migrate")).code).toBe(0)
    expect(await found(file, undefined, "plums")).toEqual(["an orchard of plums"])
    expect((await run(folder, "network", "verify")).code).toBe(0)
  })

  it("begins again where a process was killed, and leaves nothing of it", async () => {
    const { file, folder } = await start("mutability: mutable", [])
    writeFileSync(join(folder, "book.db.new"), "a draft that was not finished")
    writeFileSync(join(folder, "book.db.new-wal"), "its log")
    configure(folder, "mutability: stable")
    expect((await run(folder, "network", "migrate")).code).toBe(0)
    expect(existsSync(join(folder, "book.db.new"))).toBe(false)
    expect(await found(file, undefined, "orchard")).toEqual(["an orchard"])
  })

  it("leaves neither file more open than the old one was", async () => {
    const { folder } = await start("mutability: mutable", [])
    chmodSync(join(folder, "book.db"), 0o600)
    configure(folder, "mutability: stable")
    expect((await run(folder, "network", "migrate")).code).toBe(0)
    const files = readdirSync(folder).filter((name) => name.startsWith("book.db"))
    const modes = files.map((name) => statSync(join(folder, name)).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600])
  })

  it("lets no other process write to the old file before the new one has its place", async () => {
    const { folder } = await start("mutability: mutable", [["ada", "a plum"]])
    const cassette = join(folder, "book.db")
    const tries: Array<readonly [to: string, answer: string]> = []
    const rename = fs.renameSync
    fs.renameSync = (from, to) => {
      tries.push([String(to), writeElsewhere(cassette)])
      rename(from, to)
    }
    syncBuiltinESMExports()
    try {
      configure(folder, "mutability: stable")
      expect((await run(folder, "network", "migrate")).code).toBe(0)
    } finally {
      fs.renameSync = rename
      syncBuiltinESMExports()
    }
    expect(tries).toEqual([
      [expect.stringContaining("book.db.before-"), "SQLITE_BUSY"],
      [cassette, "SQLITE_BUSY"]
    ])
    expect(writeElsewhere(cassette)).toBe("written")
  })

  it("says that there is nothing to carry, and writes to no external cassette", async () => {
    const { folder } = await start("mutability: mutable", [])
    const { stdout } = await runCli(["network", "migrate", "--config", join(folder, "network.yaml")], {
      cwd: folder
    })
    expect(stdout).toContain("every cassette is as the configuration asks for")
    writeFileSync(
      join(folder, "network.yaml"),
      readFileSync(join(folder, "network.yaml"), "utf8")
        .replace("type: local", "type: external")
        .replace("mutable", "stable")
    )
    expect((await run(folder, "network", "migrate", "--cassette", "book")).document.error?.code).toBe(
      "WRITE_REFUSED"
    )
  })
})

it("an immutable cassette takes no memories", () => {
  const counts = { born: "shared", memories: "shared", remembered: 2, unowned: 2, publish: true } as const
  expect(carryingFault({ ...counts, mutability: "immutable" })).toContain("2 memories")
  expect(carryingFault({ ...counts, mutability: "stable" })).toBeUndefined()
})
