// Ledgers on SQLite for tests: in memory or in a temporary file, with the store's unit of work
// replaced where a test must hold it or break it, and raw SQL beside the ledger where a test must tamper. Every
// ledger and file ends with the test's scope.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { OpenError } from "../../domain/ledger/errors.ts"
import type { SqliteLedgerOptions } from "../ledger/opening/ledger-options.ts"
import { sqliteLedgerLayer } from "../ledger/sqlite-ledger.ts"
import { Ledger, type LedgerShape } from "../../application/ledger/ledger.ts"
import { LedgerStore } from "../../application/ledger/commands/ledger-store.ts"
import { LedgerReader } from "../../application/ledger/reading/ledger-reader.ts"
import { Thoughts, type ThoughtsShape } from "../../application/ledger/thoughts/thoughts.ts"

export { claim, complete, findingCodesOf, post, run } from "../../application/ledger/testing/ledgers.ts"

type Store = LedgerStore["Service"]
type Reader = LedgerReader["Service"]

export interface TestLedgerOptions extends Partial<SqliteLedgerOptions> {
  readonly queueCapacity?: number
  /** Replaces parts of the store under the ledger. */
  readonly wrap?: (store: Store) => Partial<Store>
  /** Replaces parts of the reader. */
  readonly wrapReader?: (reader: Reader) => Partial<Reader>
}

/** A ledger in memory (or in `filename`) for the rest of the scope, and its thoughts. */
export const openServices = (
  options: TestLedgerOptions = {}
): Effect.Effect<
  { readonly ledger: LedgerShape; readonly thoughts: ThoughtsShape },
  OpenError,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const {
      filename = ":memory:",
      queueCapacity,
      wrap = () => ({}),
      wrapReader = () => ({}),
      ...rest
    } = options
    const ports = yield* Layer.build(sqliteLedgerLayer({ filename, ...rest }))
    const store = Context.get(ports, LedgerStore)
    const reader = Context.get(ports, LedgerReader)
    const wrapped = ports.pipe(
      Context.add(LedgerStore, { ...store, ...wrap(store) }),
      Context.add(LedgerReader, { ...reader, ...wrapReader(reader) })
    )
    const services = Thoughts.layerNoDeps.pipe(Layer.provideMerge(Ledger.layerWith({ queueCapacity })))
    const built = yield* Layer.build(services).pipe(Effect.provideContext(wrapped))
    return { ledger: Context.get(built, Ledger), thoughts: Context.get(built, Thoughts) }
  })

/** A ledger in memory (or in `filename`) for the rest of the scope. */
export const openLedger = (
  options: TestLedgerOptions = {}
): Effect.Effect<LedgerShape, OpenError, Scope.Scope> =>
  Effect.map(openServices(options), ({ ledger }) => ledger)

/** Opens, uses and closes a ledger. */
export const withLedger = <A, E>(
  options: TestLedgerOptions,
  use: (ledger: LedgerShape) => Effect.Effect<A, E>
): Effect.Effect<A, E | OpenError> => Effect.scoped(Effect.flatMap(openLedger(options), use))

/** A ledger with a scope that the test closes by itself. */
export const closableLedger = (options: TestLedgerOptions = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const ledger = yield* openLedger(options).pipe(Effect.provideService(Scope.Scope, scope))
    return { ledger, close: Scope.close(scope, Exit.void) }
  })

/** The path of a ledger's file in a new folder, which is removed when the scope ends. */
export const temporaryFile: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cassette-ledger-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
).pipe(Effect.map((folder) => join(folder, "ledger.db")))

/** Raw SQL on the file, on a connection of its own. */
export const rawSql = <A>(file: string, use: (database: Database.Database) => A): A => {
  const database = new Database(file, { timeout: 5_000 })
  try {
    return use(database)
  } finally {
    database.close()
  }
}

/** Changes rows with the table's triggers taken away and put back just as they were. */
export const behindTheTriggers = (
  database: Database.Database,
  table: string,
  change: (database: Database.Database) => void
): void => {
  const triggers = database
    .prepare<[string], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?"
    )
    .all(table)
  database.pragma("foreign_keys = OFF")
  database.transaction(() => {
    for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`)
    change(database)
    for (const { sql } of triggers) database.exec(sql)
  })()
}

/** What SQLite throws when it runs out of room in the middle of a transaction. */
export const diskFull = () => new Database.SqliteError("database or disk is full", "SQLITE_FULL")
