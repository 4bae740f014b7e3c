// Databases rebuilt from the log alone: the same content as an honest ledger, a sound ledger from one whose tables or
// guards were damaged, and nothing at all from a log that does not hold.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { makeLedgerFile, post, postMany, withLedger } from "../../testing/programs/ledger-program.ts"
import { dumpOf } from "../../testing/logical-dump.ts"
import { rechain, tamper } from "../../testing/tampering.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"

const rebuild = (filename: string, target: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => ledger.rebuild(target))
  )

const fixture = Effect.gen(function* () {
  const folder = temporaryFolder()
  const filename = join(folder, "l.db")
  yield* makeLedgerFile(filename)
  return { folder, filename, target: join(folder, "rebuilt.db") }
})

describe("a rebuilt database", () => {
  it.live("has the content of the ledger, byte by byte, and goes on as that ledger", () =>
    Effect.gen(function* () {
      const { filename, folder, target } = yield* fixture
      yield* withLedger({ filename }, postMany("many", 1_200))
      const report = yield* rebuild(filename, target)
      assert.strictEqual(report.verdict, "PASS")
      assert.strictEqual(report.head.position, 1_210)
      assert.deepStrictEqual(readdirSync(folder).sort(), ["l.db", "rebuilt.db"])
      assert.deepStrictEqual(dumpOf(target), dumpOf(filename))
      yield* withLedger({ filename: target }, post("r2", 9))
      const { ledgerId } = yield* withLedger(
        { filename },
        Ledger.use((ledger) => Effect.succeed(ledger))
      )
      yield* withLedger({ filename: target, ledgerId: ledgerId ?? "" }, Effect.void)
    })
  )

  it.live("is sound where tables, guards and the head were damaged", () =>
    Effect.gen(function* () {
      const { filename, folder, target } = yield* fixture
      const honest = join(folder, "honest.db")
      yield* rebuild(filename, honest)
      const database = new Database(filename)
      database.pragma("foreign_keys = OFF")
      for (const name of database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        .pluck()
        .all()) {
        database.exec(`DROP TRIGGER "${String(name)}"`)
      }
      database.exec(
        "DELETE FROM cassette_receipts; UPDATE cassette_steps SET fencing_token = 9; UPDATE head SET size = 3; DROP INDEX ix_steps_claim"
      )
      database.close()
      assert.strictEqual((yield* rebuild(filename, target)).verdict, "PASS")
      assert.deepStrictEqual(dumpOf(target), dumpOf(honest))
    })
  )
})

describe("nothing is rebuilt", () => {
  const changes: ReadonlyArray<
    readonly [
      string,
      (database: Database.Database) => void,
      { readonly code: string; readonly where: string }
    ]
  > = [
    [
      "an event that was changed",
      (database) =>
        database.exec("UPDATE events SET data = replace(data, '\"n\":1', '\"n\":2') WHERE position = 3"),
      { code: "CHAIN_BROKEN", where: "event 3" }
    ],
    [
      "an event that is missing",
      (database) => database.exec("DELETE FROM events WHERE position = 3"),
      { code: "CHAIN_BROKEN", where: "event 4" }
    ],
    [
      "an event before the first",
      (database) =>
        database.exec(
          "INSERT INTO events SELECT -1, type, stream_id, schema_version, data, recorded_at, prev_hash, hash FROM events WHERE position = 3"
        ),
      { code: "CHAIN_BROKEN", where: "event -1" }
    ],
    [
      "an event that the guards refuse, under hashes that fit",
      (database) => {
        database.exec("UPDATE events SET data = replace(data, 'w1', 'w9') WHERE position = 6")
        rechain(database)
      },
      { code: "EVENT_INVALID", where: "event 6" }
    ],
    [
      "data that is not canonical, under hashes that fit",
      (database) => {
        database.exec("UPDATE events SET data = replace(data, ',', ', ') WHERE position = 3")
        rechain(database)
      },
      { code: "DATA_NOT_CANONICAL", where: "event 3" }
    ],
    [
      "a log without events",
      (database) => database.exec("DELETE FROM events"),
      { code: "HEAD_MISMATCH", where: "events" }
    ]
  ]

  it.live.each(changes)("from %s, and nothing is left", ([, change, found]) =>
    Effect.gen(function* () {
      const { filename, folder, target } = yield* fixture
      tamper(filename, change)
      const error = yield* Effect.flip(rebuild(filename, target))
      assert.deepInclude({ ...error }, { _tag: "StoreCorrupt", ...found })
      assert.deepStrictEqual(readdirSync(folder), ["l.db"])
    })
  )

  it.live("over a file, into a missing folder or under a name that is none", () =>
    Effect.gen(function* () {
      const { filename, folder, target } = yield* fixture
      writeFileSync(target, "mine")
      for (const wrong of [target, filename, folder, join(folder, "no", "r.db"), ":memory:", ""]) {
        const error = yield* Effect.flip(rebuild(filename, wrong))
        assert.strictEqual(error._tag, "InvalidInput", wrong)
      }
      assert.strictEqual(readFileSync(target, "utf8"), "mine")
      assert.isFalse(existsSync(join(folder, "no")))
      assert.deepStrictEqual(readdirSync(folder).sort(), ["l.db", "rebuilt.db"])
    })
  )
})
