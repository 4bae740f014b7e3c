// Tables of Litestream and Durable Objects in our databases: exactly they are no fault, and all that only looks like them is.
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { makeLedgerFile, post, withLedger } from "../../testing/programs/ledger-program.ts"
import { storeKinds } from "../../testing/store-kinds.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"

const companions = [
  "CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)",
  "CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER)",
  "CREATE TABLE IF NOT EXISTS _cf_KV (\n  key TEXT PRIMARY KEY,\n  value BLOB\n) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS _cf_METADATA (\n      key INTEGER PRIMARY KEY,\n      value BLOB\n    )"
]

const run = (file: string, ...statements: ReadonlyArray<string>) => {
  const database = new Database(file)
  for (const statement of statements) database.exec(statement)
  database.close()
}

const report = (filename: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => ledger.verifyCassette())
  )

describe("companions", () => {
  it.live.each(Object.entries(storeKinds))("in a %s do not hinder writing", ([, { count, write }]) =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "a.db")
      yield* write(file, 1)
      run(file, ...companions)
      yield* write(file, 2)
      assert.strictEqual(yield* count(file), 2)
    })
  )

  it.live("in a ledger are told, and verification passes", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "a.db")
      yield* makeLedgerFile(file)
      run(file, ...companions)
      yield* withLedger({ filename: file }, post("other", 1))
      const { findings, warnings } = yield* report(file)
      assert.deepStrictEqual(findings, [])
      assert.include(warnings.join(), "_litestream_seq, _litestream_lock, _cf_KV, _cf_METADATA")
    })
  )

  const lookalikes = [
    ["a view", "CREATE VIEW _litestream_seq AS SELECT 1 AS id"],
    ["another column", "CREATE TABLE _litestream_lock (id INTEGER, more TEXT)"],
    ["another case", "CREATE TABLE _CF_kv (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID"],
    ["no key", "CREATE TABLE _cf_METADATA (key INTEGER, value BLOB)"],
    ["a constraint", "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER CHECK (seq > 0))"],
    ["STRICT", "CREATE TABLE _litestream_lock (id INTEGER) STRICT"],
    [
      "a trigger of its own name",
      "CREATE TABLE _litestream_lock (id INTEGER); CREATE TRIGGER _litestream_lock BEFORE INSERT ON _litestream_lock BEGIN SELECT 1; END"
    ],
    [
      "a trigger that writes to it",
      "CREATE TABLE _litestream_lock (id INTEGER); CREATE TRIGGER t AFTER INSERT ON events BEGIN INSERT INTO _litestream_lock VALUES (1); END"
    ],
    ["an index", "CREATE TABLE _litestream_lock (id INTEGER); CREATE INDEX i ON _litestream_lock (id)"],
    [
      "a trigger",
      "CREATE TABLE _litestream_lock (id INTEGER); CREATE TRIGGER t AFTER INSERT ON _litestream_lock BEGIN SELECT 1; END"
    ]
  ] as const

  it.live.each(lookalikes)("with %s are a finding", ([, sql]) =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "a.db")
      yield* makeLedgerFile(file)
      run(file, sql)
      assert.include(
        (yield* report(file)).findings.map(({ code }) => code),
        "SCHEMA_EXTRA"
      )
      assert.strictEqual(
        (yield* Effect.flip(withLedger({ filename: file }, post("other", 1))))._tag,
        "StoreCorrupt"
      )
    })
  )
})
