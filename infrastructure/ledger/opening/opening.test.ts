/**
 * Opening a ledger's file: fifty first openers make one ledger, and everything but the ledger that was asked for
 * is refused by its one typed error, with not a byte of it changed.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import type { AccessMode } from "../../sqlite/files/database-path.ts"
import type { LedgerFileOptions } from "./ledger-options.ts"
import { startChild } from "../../testing/programs/child-process.ts"
import { ledgerLayer, makeLedgerFile, withLedger } from "../../testing/programs/ledger-program.ts"
import { folderState, temporaryFolder } from "../../testing/temporary-folder.ts"
import { tamper } from "../../testing/tampering.ts"

/** The error of opening; opening must fail. */
const openError = (filename: string, options: { mode?: AccessMode; ledgerId?: string } = {}) =>
  Effect.flip(
    Effect.scoped(Effect.provide(Effect.void, ledgerLayer({ filename, busyDeadline: 200, ...options })))
  )

const foreignDatabase = (filename: string, sql: string) => {
  const database = new Database(filename)
  database.exec(sql)
  database.close()
}

describe("fifty first openers", () => {
  const PROCESSES = 5
  const OPENINGS_EACH = 10
  const STARTED_AT_ONCE = 4

  it.live("in five processes all succeed, and there is one ledger", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "new.db")
      const children = yield* Effect.forEach(
        Array.from({ length: PROCESSES }, (_, n) => n),
        () =>
          Effect.promise(async () => {
            const child = startChild([filename, String(OPENINGS_EACH)], { script: "opener" })
            assert.strictEqual(await child.line(), "ready")
            return child
          }),
        { concurrency: STARTED_AT_ONCE }
      )
      assert.isFalse(existsSync(filename))
      for (const child of children) child.send("go")
      const answers = yield* Effect.promise(() => Promise.all(children.map((child) => child.line())))
      const ids = answers.flatMap(
        (answer): ReadonlyArray<unknown> => (answer as { value?: ReadonlyArray<string> }).value ?? [answer]
      )
      assert.strictEqual(ids.length, PROCESSES * OPENINGS_EACH, JSON.stringify(answers))
      assert.strictEqual(new Set(ids).size, 1)
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          assert.strictEqual(ledger.ledgerId, ids[0])
          const report = yield* ledger.verifyCassette()
          assert.strictEqual(report.verdict, "PASS")
          assert.strictEqual(report.counts["events"], 1)
        })
      )
    })
  )
})

describe("another ledger", () => {
  it.live("is WrongLedger, for writing and for reading, and stays as it was", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      yield* withLedger({ filename, ledgerId: "mine" }, Effect.void)
      const before = folderState(folder)
      for (const mode of ["write", "read"] as const) {
        const error = yield* openError(filename, { mode, ledgerId: "yours" })
        assert.strictEqual(error._tag, "WrongLedger")
        assert.include(error.message, "is ledger mine, not yours")
      }
      assert.deepStrictEqual(folderState(folder), before)
      yield* withLedger({ filename, ledgerId: "mine" }, Effect.void)
    })
  )
})

describe("a file of a newer program", () => {
  const newer = (filename: string) =>
    tamper(filename, ["UPDATE cassette_meta SET value = '3' WHERE key = 'db_version'"])

  /** The index of a log is no content: it holds the marks of anyone who reads right now. */
  const pictureOf = (folder: string) =>
    folderState(folder).map((file) => (file[0].endsWith("-shm") ? [file[0]] : file))

  const refusedUntouched = (filename: string, folder: string) =>
    Effect.gen(function* () {
      const before = pictureOf(folder)
      for (const mode of ["write", "read"] as const) {
        const error = yield* openError(filename, { mode })
        assert.strictEqual(error._tag, "StoreNewerThanProgram")
        assert.deepInclude({ ...error }, { version: 3, supported: 2 })
        assert.deepStrictEqual(pictureOf(folder), before, mode)
      }
    })

  it.live("is StoreNewerThanProgram, with nothing beside it and nothing in it changed", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "newer.db")
      yield* makeLedgerFile(filename)
      newer(filename)
      assert.deepStrictEqual(readdirSync(folder), ["newer.db"])
      yield* refusedUntouched(filename, folder)
    })
  )

  it.live("keeps a journal mode that is not ours", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "newer.db")
      yield* makeLedgerFile(filename)
      newer(filename)
      foreignDatabase(filename, "PRAGMA journal_mode = DELETE")
      yield* refusedUntouched(filename, folder)
    })
  )

  it.live("keeps the write-ahead log that its writer left", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "newer.db")
      yield* makeLedgerFile(filename)
      const child = startChild(["newerAndDie", filename])
      assert.strictEqual(yield* Effect.promise(() => child.ended), "SIGKILL")
      assert.isAbove(statSync(`${filename}-wal`).size, 0)
      yield* refusedUntouched(filename, folder)
    })
  )
})

describe("options that no ledger can have", () => {
  const wrong = {
    "an empty file name": { filename: "" },
    "an id over 256 bytes": { ledgerId: "x".repeat(257) },
    "an empty id": { ledgerId: "" },
    "an id with half a pair": { ledgerId: "\ud800" },
    "a deadline that is no number": { busyDeadline: Number.NaN },
    "no file name": { filename: undefined },
    "a misspelt durability": { durability: "fast" },
    "a misspelt mode": { mode: "readonly" }
  }

  it.live.each(Object.entries(wrong))("%s is InvalidInput, and no file is made", ([, options]) =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      const error = yield* Effect.flip(
        Effect.scoped(Effect.provide(Effect.void, ledgerLayer({ filename, ...options } as LedgerFileOptions)))
      )
      assert.strictEqual(error._tag, "InvalidInput")
      assert.isFalse(existsSync(filename))
    })
  )
})

describe("what is no ledger", () => {
  const version1 = `CREATE TABLE cassette_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO cassette_meta VALUES ('db_version', '1'), ('schema_version', '1');
    CREATE TABLE cassette_messages (message_id TEXT PRIMARY KEY)`

  const cases: ReadonlyArray<{
    readonly name: string
    readonly make: (path: string) => void
    readonly tag: string
    readonly says: string
  }> = [
    {
      name: "a text",
      make: (path) => writeFileSync(path, "This is a text and no database.\n".repeat(100)),
      tag: "NotALedger",
      says: "it is no SQLite database"
    },
    {
      name: "a database of something else",
      make: (path) =>
        foreignDatabase(path, "CREATE TABLE a (b); CREATE TABLE c (d); INSERT INTO a VALUES (1)"),
      tag: "NotALedger",
      says: "it is a database of something else"
    },
    {
      name: "a database with one unrelated table, in WAL mode",
      make: (path) => foreignDatabase(path, "PRAGMA journal_mode = WAL; CREATE TABLE notes (text)"),
      tag: "NotALedger",
      says: "it is a database of something else"
    },
    {
      name: "a database with an unrelated table called events",
      make: (path) => foreignDatabase(path, "CREATE TABLE events (name)"),
      tag: "NotALedger",
      says: "it is a database of something else"
    },
    {
      name: "a database of something else that has a table cassette_meta",
      make: (path) => foreignDatabase(path, "CREATE TABLE cassette_meta (a)"),
      tag: "NotALedger",
      says: "it is a database of something else"
    },
    {
      name: "a database with unrelated tables events and head",
      make: (path) => foreignDatabase(path, "CREATE TABLE events (name); CREATE TABLE head (hat)"),
      tag: "NotALedger",
      says: "it is a database of something else"
    },
    {
      name: "an empty database whose text is UTF-16",
      make: (path) => foreignDatabase(path, "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a); DROP TABLE t"),
      tag: "NotALedger",
      says: "its text is UTF-16"
    },
    {
      name: "a ledger of version 1",
      make: (path) => foreignDatabase(path, version1),
      tag: "NotALedger",
      says: "version 1 is older than the event log"
    },
    {
      name: "a folder",
      make: (path) => mkdirSync(path),
      tag: "NotALedger",
      says: "it is a folder or a device"
    },
    {
      name: "a pipe",
      make: (path) => execFileSync("mkfifo", [path]),
      tag: "NotALedger",
      says: "it is a folder or a device"
    }
  ]

  for (const { make, name, says, tag } of cases) {
    it.live(`${name} is ${tag}, for writing and for reading, and stays as it was`, () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        const path = join(folder, "file.db")
        make(path)
        const picture = () => (statSync(path).isFile() ? folderState(folder) : readdirSync(folder))
        const before = picture()
        for (const mode of ["write", "read"] as const) {
          const error = yield* openError(path, { mode })
          assert.strictEqual(error._tag, tag)
          assert.include(error.message, says)
          assert.deepStrictEqual(picture(), before, mode)
        }
      })
    )
  }

  it.live("a device is NotALedger", () =>
    Effect.gen(function* () {
      for (const mode of ["write", "read"] as const) {
        const error = yield* openError("/dev/null", { mode })
        assert.strictEqual(error._tag, "NotALedger")
      }
    })
  )

  it.live("a missing folder is FileMissing and is not made", () =>
    Effect.gen(function* () {
      const folder = join(temporaryFolder(), "missing")
      for (const mode of ["write", "read"] as const) {
        const error = yield* openError(join(folder, "a.db"), { mode })
        assert.strictEqual(error._tag, "FileMissing")
      }
      assert.isFalse(existsSync(folder))
    })
  )

  it.live.each(["read", "append"] as const)("a missing file is FileMissing to %s and is not made", (mode) =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const error = yield* openError(join(folder, "a.db"), { mode })
      assert.strictEqual(error._tag, "FileMissing")
      assert.deepStrictEqual(readdirSync(folder), [])
    })
  )

  it.live.each([
    ["an empty file", ""],
    ["a database without a table", "CREATE TABLE t (a); DROP TABLE t"]
  ])("%s is NotALedger to append to, and stays as it was", ([, sql = ""]) =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      if (sql === "") writeFileSync(filename, "")
      else foreignDatabase(filename, sql)
      const before = folderState(folder)
      const error = yield* openError(filename, { mode: "append" })
      assert.strictEqual(error._tag, "NotALedger")
      assert.include(error.message, "it is empty")
      assert.deepStrictEqual(folderState(folder), before)
    })
  )

  it.live("an empty file is NotALedger for reading, and a new ledger for writing", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      writeFileSync(filename, "")
      const before = folderState(folder)
      const error = yield* openError(filename, { mode: "read" })
      assert.strictEqual(error._tag, "NotALedger")
      assert.include(error.message, "it is empty")
      assert.deepStrictEqual(folderState(folder), before)
      yield* withLedger(
        { filename, ledgerId: "born" },
        Ledger.use((ledger) =>
          Effect.map(ledger.verifyCassette(), (report) => {
            assert.strictEqual(ledger.ledgerId, "born")
            assert.strictEqual(report.verdict, "PASS")
          })
        )
      )
    })
  )
})
