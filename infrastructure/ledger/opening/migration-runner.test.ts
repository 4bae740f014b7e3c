/**
 * The migration runner: what is recorded, what an upgrade with a refold leaves, and that each end of a migration,
 * by an error, a failed comparison or a killed process, leaves the version before it as it was.
 */
import { copyFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { broughtForward } from "../../../migrations/database-version.ts"
import { migrations } from "../../../migrations/index.ts"
import {
  type Connection,
  openBytes,
  openForReading,
  openForWriting
} from "../../sqlite/connection/better-sqlite3-host.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { answerOf, startChild } from "../../testing/programs/child-process.ts"
import { makeLedgerFile, withLedger } from "../../testing/programs/ledger-program.ts"
import { tamper } from "../../testing/tampering.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { toyStatements, toyVersion } from "../../testing/toy-version.ts"
import { trialLedgerStatements, trialLedgerVersion } from "../../testing/trial-versions.ts"
import { inspect } from "./ledger-inspection.ts"
import { insertEvent } from "../statements/compiled/ledger-statements.ts"
import { migrate } from "./migration-runner.ts"
import { schemaFindings } from "../../sqlite/checks/schema-check.ts"
import { LEDGER_VERSIONS, schemaSteps } from "./schema-snapshots.ts"

const birth = { ledgerId: "ledger-1", createdAt: "2026-01-01T00:00:00.000Z" }

const emptyDatabase = (): Connection => openBytes(Buffer.alloc(0))

/** The whole schema, and every row of every table in a fixed order. */
const contentOf = (host: SqlHost) => {
  const schema = host.all<{ type: string; name: string }>(
    "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
  )
  const tables = schema.filter(({ type }) => type === "table").map(({ name }) => name)
  return {
    schema,
    rows: Object.fromEntries(tables.map((name) => [name, host.all(`SELECT * FROM "${name}" ORDER BY 1`)]))
  }
}

/** A version 2 database with a history, as a file's connection. */
const withHistory = (use: (connection: Connection) => void) =>
  Effect.gen(function* () {
    const filename = join(temporaryFolder(), "a.db")
    yield* makeLedgerFile(filename)
    const connection = openForWriting(filename)
    try {
      use(connection)
    } finally {
      connection.close()
    }
  })

/** The whole content of a file. */
const lookAt = (filename: string) => {
  const connection = openForReading(filename)
  try {
    return contentOf(connection)
  } finally {
    connection.close()
  }
}

const ledgerIdIn = (host: SqlHost): string => {
  const found = inspect(host)
  return found.kind === "ledger" ? (found.ledgerId ?? "") : ""
}

describe("released versions", () => {
  it("the program applies the migrations that the folder holds", () => {
    assert.deepStrictEqual(
      schemaSteps().map(({ name, version }) => ({ name, version })),
      migrations.map(({ name, version }) => ({ name, version }))
    )
    for (const [index, { statements }] of schemaSteps().entries()) {
      assert.deepStrictEqual(statements, migrations[index]?.statements())
    }
  })

  it("a new database records name and checksum, and no time", () => {
    const database = emptyDatabase()
    assert.deepStrictEqual(migrate(database, schemaSteps(), birth), {
      kind: "ledger",
      version: 2,
      ledgerId: "ledger-1"
    })
    assert.deepStrictEqual(
      database.all("SELECT * FROM ledger_migrations"),
      schemaSteps().map(({ checksum, name, version }) => ({ version, name, checksum }))
    )
    assert.deepStrictEqual(schemaFindings(database, LEDGER_VERSIONS, schemaSteps()), [])
    assert.throws(
      () => database.run("INSERT INTO ledger_migrations VALUES (9, 'x', 'y')"),
      "ledger_migrations is append-only"
    )
    database.close()
  })

  it("applied again it changes nothing", () => {
    const database = emptyDatabase()
    migrate(database, schemaSteps(), birth)
    const before = contentOf(database)
    migrate(database, schemaSteps(), { ...birth, ledgerId: "another" })
    assert.deepStrictEqual(contentOf(database), before)
    database.close()
  })

  it("a changed text of a released version is MIGRATION_CHANGED", () => {
    const database = emptyDatabase()
    migrate(database, schemaSteps(), birth)
    const [released] = schemaSteps()
    assert.isDefined(released)
    const edited = [{ ...released, checksum: "0".repeat(64) }]
    const renamed = [{ ...released, name: "0002-other" }]
    const cases = [
      [edited, "2 checksum"],
      [renamed, "2 name"],
      [[...schemaSteps(), toyVersion()], "3"],
      [[], "2"]
    ] as const
    for (const [steps, place] of cases) {
      assert.include(
        schemaFindings(database, LEDGER_VERSIONS, steps).map(({ code, where }) => `${code} ${where}`),
        `MIGRATION_CHANGED ledger_migrations ${place}`
      )
    }
    database.close()
  })
})

describe("a version that changes a projection", () => {
  const steps = () => [...schemaSteps(), toyVersion()]

  it.live("upgrades a file with a history to what a fresh install with that history is", () =>
    withHistory((upgraded) => {
      const events = upgraded.all<EventEnvelope>("SELECT * FROM events ORDER BY position")
      assert.isAbove(events.length, 8)
      const found = migrate(upgraded, steps(), birth)
      assert.deepStrictEqual(found, { kind: "ledger", version: 3, ledgerId: ledgerIdIn(upgraded) })

      const fresh = emptyDatabase()
      const first = events[0]
      migrate(fresh, steps(), { ledgerId: ledgerIdIn(upgraded), createdAt: first?.recorded_at ?? "" })
      for (const event of events.slice(1)) insertEvent.run(fresh, { ...event })

      assert.deepStrictEqual(contentOf(upgraded), contentOf(fresh))
      assert.deepStrictEqual(schemaFindings(upgraded, LEDGER_VERSIONS, steps()), [])
      assert.deepStrictEqual(
        upgraded.all("SELECT version, name FROM ledger_migrations"),
        steps().map(({ name, version }) => ({ version, name }))
      )
      assert.deepStrictEqual(
        upgraded.all("SELECT DISTINCT payload_bytes FROM cassette_messages ORDER BY 1"),
        [
          { payload_bytes: 7 },
          { payload_bytes: Buffer.byteLength('{"intent":"read","text":"é\u007f\u2028😀"}') }
        ]
      )
      assert.deepStrictEqual(upgraded.all("PRAGMA integrity_check"), [{ integrity_check: "ok" }])
      assert.deepStrictEqual(upgraded.all("PRAGMA foreign_key_check"), [])
      fresh.close()
    })
  )

  const damages: ReadonlyArray<readonly [name: string, damage: ReadonlyArray<string>, says: string]> = [
    ["a guard that is gone", ['DROP TRIGGER "tr_messages_append_only_update"'], "TRIGGER_MISSING"],
    [
      "a trigger that is not ours",
      ["CREATE TRIGGER spy AFTER INSERT ON events BEGIN SELECT 1; END"],
      "SCHEMA_EXTRA"
    ],
    [
      "a guard with the same name that guards nothing",
      [
        'DROP TRIGGER "tr_messages_append_only_update"',
        'CREATE TRIGGER "tr_messages_append_only_update" BEFORE UPDATE ON cassette_messages BEGIN SELECT 1; END'
      ],
      "SCHEMA_CHANGED"
    ]
  ]

  it.live.each(damages)("is not built upon %s", ([, damage, says]) =>
    withHistory((connection) => {
      for (const statement of damage) connection.run(statement)
      const before = contentOf(connection)
      assert.throws(() => migrate(connection, steps(), birth), says)
      assert.deepStrictEqual(contentOf(connection), before)
    })
  )

  it.live("is not built upon an event that was changed behind the guards", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* makeLedgerFile(filename)
      tamper(filename, ["UPDATE events SET data = replace(data, 'given back', 'taken away')"])
      const connection = openForWriting(filename)
      const before = contentOf(connection)
      assert.throws(() => migrate(connection, steps(), birth), "CHAIN_BROKEN")
      assert.deepStrictEqual(contentOf(connection), before)
      connection.close()
    })
  )

  it.live("leaves version 2 exactly as it was when a statement fails, wherever it stands", () =>
    withHistory((connection) => {
      const before = contentOf(connection)
      const statements = toyStatements()
      for (let at = 0; at <= statements.length; at += 4) {
        const broken = statements.toSpliced(at, 0, "SELECT no_such_column FROM events")
        assert.throws(
          () => migrate(connection, [...schemaSteps(), toyVersion(broken)], birth),
          "no such column",
          `at ${at}`
        )
        assert.deepStrictEqual(contentOf(connection), before)
      }
    })
  )

  it.live("leaves version 2 exactly as it was when the refold is not the fold", () =>
    withHistory((connection) => {
      const before = contentOf(connection)
      // Counts characters where the fold counts bytes.
      const wrong = toyVersion(toyStatements(`length((OLD."data" -> '$.payload'))`))
      assert.throws(
        () => migrate(connection, [...schemaSteps(), wrong], birth),
        "ROW_DIFFERS at cassette_messages"
      )
      assert.deepStrictEqual(contentOf(connection), before)
    })
  )
})

describe("a process that is killed in the middle of the first migration", () => {
  const KILLED_AT_ONCE = 2

  it.live("leaves nothing, and the next opening makes a sound ledger", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const count = schemaSteps().flatMap(({ statements }) => statements).length
      // Before the first, some in between, the record of the version, and the event that creates the ledger.
      const moments = [1, 14, Math.floor(count / 2), count, count + 2, count + 4]
      const logs = yield* Effect.forEach(
        moments,
        (moment) =>
          Effect.gen(function* () {
            const filename = join(folder, `killed-${moment}.db`)
            const child = startChild(["migrateAndDie", filename, String(moment)])
            assert.strictEqual(yield* Effect.promise(() => child.ended), "SIGKILL", `statement ${moment}`)
            const { size } = statSync(`${filename}-wal`)
            yield* withLedger(
              { filename, ledgerId: "second" },
              Ledger.use((ledger) =>
                Effect.map(ledger.verifyCassette(), ({ counts, verdict }) => {
                  assert.strictEqual(verdict, "PASS")
                  assert.strictEqual(counts["events"], 1)
                })
              )
            )
            return size
          }),
        { concurrency: KILLED_AT_ONCE }
      )
      assert.isAbove(logs.at(-1) ?? 0, 0, "pages of the unfinished transaction were in the log")
      const finished = yield* Effect.promise(() => answerOf(["migrateAndDie", join(folder, "whole.db"), "0"]))
      assert.strictEqual(finished, count + 4, "the last moment was the last statement")
    })
  )
})

describe("a process that is killed in the middle of an upgrade", () => {
  it.live("leaves the version before with all it held, and the next upgrade is whole", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const original = join(folder, "original.db")
      yield* makeLedgerFile(original)
      const whole = join(folder, "whole.db")
      copyFileSync(original, whole)
      const count = Number(yield* Effect.promise(() => answerOf(["upgradeAndDie", whole, "0"])))
      const upgraded = lookAt(whole)
      assert.strictEqual(upgraded.rows["ledger_migrations"]?.length, 2)
      // Guards and a table are gone; the refold has emptied and filled them; the new version is about to be recorded.
      for (const moment of [2, Math.floor(count / 2), count - 8, count]) {
        const filename = join(folder, `killed-${moment}.db`)
        copyFileSync(original, filename)
        const child = startChild(["upgradeAndDie", filename, String(moment)])
        assert.strictEqual(yield* Effect.promise(() => child.ended), "SIGKILL", `statement ${moment}`)
        if (moment > count / 2) assert.isAbove(statSync(`${filename}-wal`).size, 0)
        const { counts, verdict } = yield* withLedger(
          { filename },
          Ledger.use((ledger) => ledger.verifyCassette())
        )
        assert.deepStrictEqual([verdict, counts["events"]], ["PASS", 10])
        assert.deepStrictEqual(lookAt(filename), lookAt(original))
        const again = openForWriting(filename)
        migrate(again, [...schemaSteps(), toyVersion()], birth)
        again.close()
        assert.deepStrictEqual(lookAt(filename), upgraded)
      }
    })
  )
})

describe("a ledger that 0.1 made", () => {
  const frozen = fileURLToPath(
    new URL("../../../docs/spec/frozen/0.1/CORTEX/_generated/system3.db", import.meta.url)
  )
  const copied = (name: string): string => {
    const filename = join(temporaryFolder(), name)
    copyFileSync(frozen, filename)
    return filename
  }

  /** How many statements it took another process to carry the file over. */
  const statementsOf = async (filename: string): Promise<number> => {
    const answer = (await answerOf(["carryOverAndDie", filename, "0"])) as { readonly value: number }
    return answer.value
  }

  it("is left as it was by a version that does not bring the record forward", () => {
    const filename = copied("a.db")
    const before = lookAt(filename)
    const connection = openForWriting(filename)
    const update = broughtForward(3).find((text) => text.startsWith("UPDATE"))
    const forgetful = [[], broughtForward(3).filter((text) => text !== update), broughtForward(4)]
    for (const ends of forgetful) {
      const steps = [...schemaSteps(), trialLedgerVersion([...trialLedgerStatements, ...ends])]
      assert.throws(() => migrate(connection, steps, birth), "did not bring it forward")
    }
    connection.close()
    assert.deepStrictEqual(lookAt(filename), before)
  })

  it.live("is of one version or the other when the process is killed while it is carried over", () =>
    Effect.gen(function* () {
      const whole = copied("whole.db")
      const before = lookAt(whole)
      const count = yield* Effect.promise(() => statementsOf(whole))
      const carried = lookAt(whole)
      assert.strictEqual(carried.rows["ledger_migrations"]?.length, 2)
      assert.isAbove(count, 10)
      for (let moment = 1; moment <= count; moment += 4) {
        const filename = copied(`killed-${moment}.db`)
        const child = startChild(["carryOverAndDie", filename, String(moment)])
        assert.strictEqual(yield* Effect.promise(() => child.ended), "SIGKILL", `statement ${moment}`)
        assert.deepStrictEqual(lookAt(filename), before)
        const again = openForWriting(filename)
        migrate(again, [...schemaSteps(), trialLedgerVersion()], birth)
        again.close()
        assert.deepStrictEqual(lookAt(filename), carried)
      }
    })
  )

  it.live("is carried over once when several programs begin at once", () =>
    Effect.gen(function* () {
      const filename = copied("a.db")
      const children = Array.from({ length: 4 }, () => statementsOf(filename))
      const counts = yield* Effect.promise(() => Promise.all(children))
      assert.deepStrictEqual(counts.toSorted().slice(0, 3), [0, 0, 0])
      const connection = openForReading(filename)
      assert.deepStrictEqual(
        schemaFindings(connection, LEDGER_VERSIONS, [...schemaSteps(), trialLedgerVersion()]),
        []
      )
      connection.close()
    })
  )
})
