/**
 * Opening the corpus database: it is made once however many open it first, and everything that is not one of ours is
 * refused by name and left as it was.
 */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { folderState, temporaryFolder } from "../testing/temporary-folder.ts"
import { corpusDatabaseLayer, CorpusDatabase, type CorpusDatabaseOptions } from "./corpus-database.ts"
import { ledgerLayer } from "../testing/programs/ledger-program.ts"

const open = (options: CorpusDatabaseOptions) =>
  Effect.scoped(Effect.provide(CorpusDatabase, corpusDatabaseLayer(options)))

const use = <A>(options: CorpusDatabaseOptions, work: (database: CorpusDatabase["Service"]) => A) =>
  CorpusDatabase.use((database) => Effect.succeed(work(database))).pipe(
    Effect.provide(corpusDatabaseLayer(options))
  )

const refused = (options: CorpusDatabaseOptions) => Effect.flip(open(options))

const raw = (file: string, ...statements: ReadonlyArray<string>) => {
  const database = new Database(file)
  for (const statement of statements) database.exec(statement)
  database.close()
}

const countTables = (database: CorpusDatabase["Service"]) =>
  database.run((connection) => connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'").length)

describe("the corpus database", () => {
  it.live("is made where none is, once, by the first that comes", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "system1.db")
      const all = Array.from({ length: 20 }, () => open({ filename }))
      yield* Effect.all(all, { concurrency: "unbounded" })
      const tables = yield* CorpusDatabase.use(countTables).pipe(
        Effect.provide(corpusDatabaseLayer({ filename, mode: "read" }))
      )
      assert.strictEqual(tables, 6)
    })
  )

  it.live("is made in an empty file too", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "system1.db")
      writeFileSync(filename, "")
      yield* open({ filename })
      yield* open({ filename, mode: "append" })
    })
  )

  it.live("must be there for reading and appending", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "system1.db")
      for (const mode of ["read", "append"] as const) {
        assert.deepInclude(
          { ...(yield* refused({ filename, mode })) },
          { _tag: "CorpusMissing", file: filename }
        )
      }
      writeFileSync(filename, "")
      for (const mode of ["read", "append"] as const) {
        assert.strictEqual((yield* refused({ filename, mode }))._tag, "NotACorpus")
      }
    })
  )

  it.live("is no ledger, no other database, no text and no folder; all of them stay untouched", () =>
    Effect.gen(function* () {
      const files = temporaryFolder()
      const file = (name: string) => join(files, name)
      yield* Effect.scoped(Effect.provide(Effect.void, ledgerLayer({ filename: file("ledger.db") })))
      raw(file("other.db"), "CREATE TABLE t (a)")
      writeFileSync(file("text.db"), "no database at all, however long it may be")
      for (const mode of ["write", "append", "read"] as const) {
        for (const name of ["ledger.db", "other.db", "text.db"]) {
          const before = folderState(files)
          const error = yield* refused({ filename: file(name), mode })
          assert.strictEqual(error._tag, "NotACorpus", name)
          assert.deepStrictEqual(folderState(files), before)
        }
        assert.strictEqual((yield* refused({ filename: files, mode }))._tag, "NotACorpus")
      }
      const ledger = yield* refused({ filename: file("ledger.db") })
      assert.include(ledger.message, "it is a ledger")
    }).pipe(Effect.catchTag("NotALedger", Effect.die))
  )

  it.live("of a newer program is not opened and stays untouched", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "system1.db")
      yield* open({ filename })
      raw(
        filename,
        "INSERT INTO corpus_migrations VALUES (2, '0002-later', 'x')",
        "PRAGMA journal_mode = DELETE"
      )
      const before = folderState(folder)
      for (const mode of ["write", "append", "read"] as const) {
        const error = yield* refused({ filename, mode })
        assert.deepInclude({ ...error }, { _tag: "StoreNewerThanProgram", version: 2, supported: 1 })
      }
      assert.deepStrictEqual(folderState(folder), before)
    })
  )

  for (const [what, statement] of Object.entries({
    "a missing guard": "DROP TRIGGER tr_expansions_append_only_update",
    "a foreign index": "CREATE INDEX mine ON symbols (path)",
    "a changed checksum": "UPDATE corpus_migrations SET checksum = 'x'",
    "no version": "DELETE FROM corpus_migrations"
  })) {
    it.live(`with ${what} is refused as damaged`, () =>
      Effect.gen(function* () {
        const filename = join(temporaryFolder(), "system1.db")
        yield* open({ filename })
        raw(filename, statement)
        for (const mode of ["write", "append", "read"] as const) {
          assert.strictEqual((yield* refused({ filename, mode }))._tag, "CorpusCorrupt", mode)
        }
      })
    )
  }

  it.live("can be read where nothing can be written, and says so to writers", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "system1.db")
      yield* open({ filename })
      chmodSync(filename, 0o444)
      chmodSync(folder, 0o555)
      // Root may write anything: then there is nothing to see here.
      if (process.getuid?.() !== 0) {
        assert.strictEqual((yield* refused({ filename }))._tag, "ReadOnlyStore")
      }
      const tables = yield* CorpusDatabase.use(countTables).pipe(
        Effect.provide(corpusDatabaseLayer({ filename, mode: "read" }))
      )
      assert.strictEqual(tables, 6)
      assert.deepStrictEqual(readdirSync(folder), ["system1.db"])
      chmodSync(filename, 0o644)
    })
  )

  const replacements: Readonly<Record<string, (filename: string) => void>> = {
    removed: (filename) => rmSync(filename),
    replaced: (filename) => {
      copyFileSync(filename, `${filename}.copy`)
      renameSync(`${filename}.copy`, filename)
    },
    "left without its log": (filename) => rmSync(`${filename}-wal`),
    "with another folder in the place of its own": (filename) => {
      renameSync(dirname(filename), `${dirname(filename)}.old`)
      mkdirSync(dirname(filename))
    }
  }
  for (const [what, lose] of Object.entries(replacements)) {
    it.live(`that is ${what} under an open corpus answers nothing more and takes nothing more`, () =>
      Effect.gen(function* () {
        const filename = join(temporaryFolder(), "a", "system1.db")
        mkdirSync(dirname(filename))
        yield* CorpusDatabase.use((database) =>
          Effect.gen(function* () {
            yield* countTables(database)
            assert.isNumber(database.dataVersion())
            lose(filename)
            if (what !== "left without its log") assert.isUndefined(database.dataVersion())
            const insert = database.run((connection) =>
              connection.run("INSERT INTO symbols VALUES ('@A/b', 'a.md', NULL, NULL, 'x')")
            )
            for (const use of [countTables(database), insert]) {
              assert.deepInclude(
                { ...(yield* Effect.flip(use)) },
                { _tag: "StorageFailure", code: "FILE_REPLACED" }
              )
            }
          })
        ).pipe(Effect.provide(corpusDatabaseLayer({ filename })))
      })
    )
  }

  it.live("that is replaced while work goes on has not taken that work", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "system1.db")
      const error = yield* CorpusDatabase.use((database) =>
        Effect.flip(
          database.run((connection) => {
            connection.run("INSERT INTO symbols VALUES ('@A/b', 'a.md', NULL, NULL, 'x')")
            rmSync(filename)
          })
        )
      ).pipe(Effect.provide(corpusDatabaseLayer({ filename })))
      assert.deepInclude({ ...error }, { _tag: "StorageFailure", code: "FILE_REPLACED" })
    })
  )

  it.live("that was cut to nothing beside its log is refused, and stays as it is", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "system1.db")
      writeFileSync(filename, "")
      writeFileSync(`${filename}-wal`, "what was written last")
      const before = folderState(folder)
      for (const mode of ["write", "append", "read"] as const) {
        const error = yield* refused({ filename, mode })
        assert.strictEqual(error._tag, "NotACorpus")
        assert.include(error.message, "a database's log stands beside it")
      }
      assert.deepStrictEqual(folderState(folder), before)
    })
  )

  it.live("with a transaction that was cut short is read in a copy, in which it is undone", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "system1.db")
      yield* open({ filename })
      const database = new Database(filename)
      for (const statement of [
        "PRAGMA journal_mode = DELETE",
        "PRAGMA cache_size = 1",
        "BEGIN IMMEDIATE",
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO symbols SELECT '@A/' || i, 'a.md', NULL, NULL, 'x' FROM n"
      ]) {
        database.exec(statement)
      }
      // As a killed writer leaves it: the rows are in the file, and the journal says how it was.
      const inner = join(folder, "inner")
      mkdirSync(inner)
      const left = join(inner, "system1.db")
      copyFileSync(filename, left)
      copyFileSync(`${filename}-journal`, `${left}-journal`)
      database.exec("ROLLBACK")
      database.close()
      const before = folderState(inner)
      const symbols = yield* CorpusDatabase.use(({ run }) =>
        run((connection) => connection.all("SELECT * FROM symbols"))
      ).pipe(Effect.provide(corpusDatabaseLayer({ filename: left, mode: "read" })))
      assert.deepStrictEqual(symbols, [])
      assert.deepStrictEqual(folderState(inner), before)
    })
  )

  it.live("reports a busy store after the deadline, and a refused write by its guard", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "system1.db")
      const other = yield* use({ filename }, () => new Database(filename))
      const insert = CorpusDatabase.use((database) =>
        database.run((connection) =>
          connection.run("INSERT INTO symbols VALUES ('@A/b', 'a.md', NULL, NULL, 'x')")
        )
      ).pipe(Effect.provide(corpusDatabaseLayer({ filename, mode: "append", busyDeadline: "20 millis" })))
      other.exec("BEGIN IMMEDIATE")
      assert.strictEqual((yield* Effect.flip(insert))._tag, "StoreBusy")
      other.exec("COMMIT")
      other.close()
      assert.strictEqual(yield* insert, 1)
      assert.strictEqual((yield* Effect.flip(insert))._tag, "InvariantViolation")
    })
  )
})
