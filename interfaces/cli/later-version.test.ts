// A later release that knows one version more of each database, and files that 0.1 made: it judges them as what they are, reads
// them without changing them, carries them over with the first write, and finds who forges the record of a version. This file
// puts the trial version beside the released ones, so that the whole program is that release; `cortex` as it is today is a
// process of its own.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest"
import type * as LedgerLimits from "../../domain/ledger/limits.ts"
import type * as NetworkLimits from "../../domain/network/limits.ts"
import type * as CorpusSnapshots from "../../infrastructure/corpus/schema-snapshots.ts"
import type * as CassetteSnapshots from "../../infrastructure/network/schema-snapshots.ts"
import type * as LedgerSnapshots from "../../infrastructure/ledger/opening/schema-snapshots.ts"
import { tamper } from "../../infrastructure/testing/tampering.ts"
import { binary } from "./testing/binary.ts"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

vi.mock("../../infrastructure/ledger/opening/schema-snapshots.ts", async (original) => {
  const released = await original<typeof LedgerSnapshots>()
  const { trialLedgerVersion } = await import("../../infrastructure/testing/trial-versions.ts")
  const steps = [...released.schemaSteps(), trialLedgerVersion()]
  return { ...released, schemaSteps: () => steps }
})

vi.mock("../../infrastructure/corpus/schema-snapshots.ts", async (original) => {
  const released = await original<typeof CorpusSnapshots>()
  const { trialCorpusVersion } = await import("../../infrastructure/testing/trial-versions.ts")
  const steps = [...released.corpusSteps(), trialCorpusVersion()]
  return { ...released, CORPUS_VERSION: 2, corpusSteps: () => steps }
})

vi.mock("../../infrastructure/network/schema-snapshots.ts", async (original) => {
  const released = await original<typeof CassetteSnapshots>()
  const { trialCassetteVersion } = await import("../../infrastructure/testing/trial-versions.ts")
  const steps = [...released.cassetteSteps(), trialCassetteVersion()]
  return { ...released, cassetteSteps: () => steps }
})

vi.mock("../../domain/network/limits.ts", async (original) => ({
  ...(await original<typeof NetworkLimits>()),
  CASSETTE_VERSION: 2
}))

vi.mock("../../domain/ledger/limits.ts", async (original) => ({
  ...(await original<typeof LedgerLimits>()),
  DATABASE_VERSION: 3
}))

const frozen = fileURLToPath(new URL("../../docs/spec/frozen/0.1/", import.meta.url))
const { folder, remove } = temporaryFolder()
afterAll(remove)

let root = folder
let count = 0
beforeEach(() => {
  count += 1
  root = join(folder, `${count}`)
  cpSync(frozen, root, { recursive: true })
})

const ledgerFile = () => join(root, "CORTEX/_generated/system3.db")

const run = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await runCli(args, { cwd: root })
  expect(code, `${args.join(" ")}: ${stdout}${stderr}`).toBe(0)
  return stdout
}

const findingsOf = async (...args: ReadonlyArray<string>) => {
  const { document } = await runJson(["cassette", "verify", "--pure", ...args], { cwd: root })
  const found = document.error?.details["findings"] as
    | ReadonlyArray<{ code: string; where: string }>
    | undefined
  return (found ?? []).map(({ code, where }) => `${code} ${where}`)
}

/** `cortex` as it is without the trial version. */
const today = (...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [binary, ...args], {
    cwd: root,
    encoding: "utf8"
  })
  return `${status} ${stdout}${stderr}`
}

const hashOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")

/** The recorded versions, and every row and object: two files with the same content are the same here. */
const contentOf = (file: string) => {
  const database = new Database(file, { readonly: true })
  try {
    const schema = database
      .prepare<[], { type: string; name: string; sql: string | null }>(
        "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
      )
      .all()
    const tables = schema.filter(({ type }) => type === "table").map(({ name }) => name)
    return {
      schema,
      rows: Object.fromEntries(
        tables.map((name) => [name, database.prepare(`SELECT * FROM "${name}" ORDER BY 1`).all()])
      )
    }
  } finally {
    database.close()
  }
}

const versionsIn = (file: string) => {
  const { rows } = contentOf(file)
  return {
    recorded: rows["cassette_meta"],
    migrations: (rows["ledger_migrations"] as ReadonlyArray<{ version: number }>).map(
      ({ version }) => version
    )
  }
}

const as = (value: string) => ({
  recorded: [
    { key: "db_version", value, event_position: 1 },
    { key: "schema_version", value, event_position: 1 }
  ],
  migrations: value === "2" ? [2] : [2, 3]
})

const post = async () => {
  writeFileSync(join(root, "message.json"), '{"intent":"greet"}')
  await run("cassette", "post", "--json", "message.json", "--run-id", "later", "--source", "USER")
}

/** The job of the frozen ledger that read the frozen corpus. */
const READ_JOB = "job_0000000000019_c4d865c3c3a5f7b2.0001"

const against = ["--checkpoint", "checkpoint.txt", "--trust", "trust.json"]

describe("a ledger of 0.1 under a later release", () => {
  it("verifies as what it is, and reading changes nothing of it", async () => {
    const before = hashOf(ledgerFile())
    expect(await findingsOf(...against)).toEqual([])
    const reading = [
      ["cassette", "status"],
      ["cassette", "log"],
      ["cassette", "leases"],
      ["cassette", "verify", "--pure", "--run-id", "work"],
      ["cassette", "rebuild", "--check"],
      ["timeline", "--run-id", "work"],
      ["thought", "verify"],
      ["cassette", "backup", "backup.db"],
      ["dossier", "export", "--run-id", "work", "--checkpoint", "checkpoint.txt", "--out", "dossier"],
      ["show", "4.1.1"],
      ["bundle", "build", "--run-id", "reading", "--job-id", READ_JOB, "--out", "bundle"]
    ]
    for (const args of reading) {
      await run(...args)
      expect(hashOf(ledgerFile()), args.join(" ")).toBe(before)
    }
    expect(readdirSync(join(root, "CORTEX/_generated")).sort()).toEqual([
      "system1.db",
      "system3.db",
      "system3.db.merkle"
    ])
    expect(versionsIn(join(root, "backup.db"))).toEqual(as("2"))
    expect(await findingsOf("--db", "backup.db", ...against)).toEqual([])
    await run("dossier", "verify", "dossier", "--trust", "trust.json")
    await run("bundle", "verify", "bundle")
    expect(today("cassette", "verify", "--pure", ...against)).toMatch(/^0 [^]*\nPASS: /)
  })

  it("is carried over with the first write, verifies, and is what a new file with its events is", async () => {
    const carried = await (async () => {
      await post()
      return versionsIn(ledgerFile())
    })()
    expect(carried).toEqual(as("3"))
    expect(await findingsOf(...against)).toEqual([])
    await run("cassette", "rebuild", "--check")
    writeFileSync(join(root, "events.jsonl"), await run("cassette", "log", "--format", "json"))
    await run("cassette", "import", "--to", "imported.db", "events.jsonl")
    await run("cassette", "rebuild", "--to", "rebuilt.db")
    for (const name of ["imported.db", "rebuilt.db"]) {
      expect(contentOf(join(root, name)), name).toEqual(contentOf(ledgerFile()))
    }
  })

  it("is refused by the release before once it was carried over, which changes nothing", async () => {
    await post()
    const before = hashOf(ledgerFile())
    for (const args of [
      ["status"],
      ["verify"],
      ["claim", "--run-id", "later", "--worker", "w"],
      ["backup", "x.db"]
    ])
      expect(today("cassette", ...args)).toMatch(
        /system3\.db has version 3, this program knows 2: use a newer program/
      )
    expect(hashOf(ledgerFile())).toBe(before)
  })

  it("is restored from a backup of then, which stays of its version until it is written to", async () => {
    await run("cassette", "backup", "backup.db")
    await post()
    expect((await runCli(["cassette", "restore", "backup.db"], { cwd: root })).code).toBe(1)
    await run("cassette", "restore", "--discard-newer", "backup.db")
    expect(versionsIn(ledgerFile())).toEqual(as("2"))
    expect(await findingsOf(...against)).toEqual([])
    await post()
    expect(versionsIn(ledgerFile())).toEqual(as("3"))
    expect(await findingsOf(...against)).toEqual([])
  })
})

describe("the record of a version that was forged", () => {
  const META = "UPDATE cassette_meta SET value"
  const MIGRATIONS = "ledger_migrations"
  const forgeries: ReadonlyArray<readonly [name: string, carried: boolean, sql: string, found: string]> = [
    ["a later version in an older file", false, `${META} = '3'`, `MIGRATION_CHANGED ${MIGRATIONS} 3`],
    [
      "one key of it alone",
      false,
      `${META} = '3' WHERE key = 'db_version'`,
      `MIGRATION_CHANGED ${MIGRATIONS} 3`
    ],
    [
      "the other key alone",
      false,
      `${META} = '3' WHERE key = 'schema_version'`,
      "ROW_DIFFERS cassette_meta schema_version value"
    ],
    [
      "an older version in a file that was carried over",
      true,
      `${META} = '2'`,
      `MIGRATION_CHANGED ${MIGRATIONS} 3`
    ],
    [
      "one key of that alone",
      true,
      `${META} = '2' WHERE key = 'db_version'`,
      `MIGRATION_CHANGED ${MIGRATIONS} 3`
    ],
    [
      "no version in an older file",
      false,
      "DELETE FROM cassette_meta",
      "ROW_MISSING cassette_meta db_version"
    ],
    [
      "no version in one that was carried over",
      true,
      "DELETE FROM cassette_meta",
      "ROW_MISSING cassette_meta db_version"
    ],
    ["a version that is no number", false, `${META} = '2.0'`, "ROW_DIFFERS cassette_meta db_version value"],
    [
      "a migration that was not applied",
      false,
      `INSERT INTO ${MIGRATIONS} VALUES (3, '0003-trial', 'x')`,
      `MIGRATION_CHANGED ${MIGRATIONS} 3`
    ],
    [
      "a migration that is listed no longer",
      true,
      `DELETE FROM ${MIGRATIONS} WHERE version = 3`,
      `MIGRATION_CHANGED ${MIGRATIONS} 3`
    ],
    [
      "no list of migrations and no version",
      true,
      `DELETE FROM ${MIGRATIONS}; DELETE FROM cassette_meta`,
      `MIGRATION_CHANGED ${MIGRATIONS} 2`
    ]
  ]
  it.each(forgeries)("%s is found, and nothing is written upon it", async (_name, carried, sql, found) => {
    if (carried) await post()
    tamper(ledgerFile(), sql.split("; "))
    const before = contentOf(ledgerFile())
    expect(await findingsOf()).toContain(found)
    const posted = await runCli(
      ["cassette", "post", "--json", "-", "--run-id", "later", "--source", "USER"],
      { cwd: root, stdin: "{}" }
    )
    // The opening looks at the schema and the newest events; the rows are the business of verification.
    if (!found.startsWith("ROW_DIFFERS")) {
      expect(posted.code, posted.stdout + posted.stderr).toBe(1)
      expect(contentOf(ledgerFile())).toEqual(before)
    }
  })
})

describe("a corpus database of 0.1 under a later release", () => {
  const file = () => join(root, "CORTEX/_generated/system1.db")
  const versions = () =>
    (contentOf(file()).rows["corpus_migrations"] as ReadonlyArray<{ version: number }>).map(
      ({ version }) => version
    )

  it("verifies unchanged, is carried over with the first write, and is then refused by the release before", async () => {
    const before = hashOf(file())
    await run("cache", "verify")
    expect(hashOf(file())).toBe(before)
    await run("index")
    expect(versions()).toEqual([1, 2])
    await run("cache", "verify")
    await run("resolve", "@DOCS/guide", "--slice", "lines[0:1]", "--run-id", "reading")
    expect(today("cache", "verify")).toMatch(/^2 [^]*has version 2, this program knows 1/)
  })

  it.each([
    ["an older file that says it is later", "INSERT INTO corpus_migrations VALUES (2, '0002-trial', 'x')"],
    ["an older file that says nothing", "DELETE FROM corpus_migrations"],
    ["a guard that is gone", "DROP TRIGGER tr_expansions_append_only_update"]
  ])("%s is found, and nothing is built upon it", async (_name, sql) => {
    const database = new Database(file())
    database.exec(sql)
    database.close()
    const before = contentOf(file())
    expect((await runCli(["cache", "verify"], { cwd: root })).code).toBe(1)
    expect((await runCli(["index"], { cwd: root })).code).toBe(1)
    expect(contentOf(file())).toEqual(before)
  })
})

describe("cassettes of 0.1 under a later release", () => {
  const file = (name: string) => join(root, `CORTEX/cassettes/${name}.db`)
  const versions = (name: string) =>
    (contentOf(file(name)).rows["cassette_migrations"] as ReadonlyArray<{ version: number }>).map(
      ({ version }) => version
    )
  const names = ["documents", "resident", "versions"]

  it("verify unchanged, are carried over with a receipt by the first write, and are then refused by the release before", async () => {
    const before = names.map((name) => hashOf(file(name)))
    await run("network", "verify")
    expect(await run("network", "query", "read first", "--cassette", "documents")).toContain("guide.md")
    expect(names.map((name) => hashOf(file(name)))).toEqual(before)
    expect(names.map(versions)).toEqual([[1], [1], [1]])
    writeFileSync(join(root, "docs/new.md"), "# New\n\nA text of later.\n")
    await run("network", "index")
    expect(versions("documents")).toEqual([1, 2])
    const receipts = contentOf(file("documents")).rows["write_receipts"] as ReadonlyArray<{
      operation: string
      rule: string
    }>
    expect(receipts.filter(({ operation }) => operation === "migrate").map(({ rule }) => rule)).toEqual([
      "0001-cassette",
      "0002-trial"
    ])
    await run("network", "verify")
    expect(today("network", "query", "text of later", "--cassette", "documents")).toMatch(
      /version 2, this program knows 1/
    )
    const carried = hashOf(file("documents"))
    expect(today("network", "index")).toMatch(/^1 [^]*version 2, this program knows 1/)
    expect(hashOf(file("documents"))).toBe(carried)
  })

  it("that say another version than their schema are found, and nothing is built upon them", async () => {
    const database = new Database(file("documents"))
    database.exec("INSERT INTO cassette_migrations VALUES (2, '0002-trial', 'x')")
    database.close()
    const before = contentOf(file("documents"))
    expect((await runCli(["network", "verify"], { cwd: root })).code).toBe(1)
    expect((await runCli(["network", "index"], { cwd: root })).code).toBe(1)
    expect(contentOf(file("documents"))).toEqual(before)
  })
})
