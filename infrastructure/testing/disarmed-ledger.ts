/**
 * A ledger's database as anyone with the file can make it: without triggers, types, NOT NULL and checks, so that any
 * value can be put anywhere, and then with its exact schema again. It works in memory, on bytes alone.
 */
import Database from "better-sqlite3"

interface SchemaRow {
  readonly type: string
  readonly name: string
  readonly tbl_name: string
  readonly rootpage: number
  readonly sql: string | null
}

/** Bytes that a database in memory can be opened from: what says that there is a log beside the file is taken out. */
export const withoutLog = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes)
  // The header's write and read versions: 2 is the write-ahead log, which memory cannot have.
  copy.fill(1, 18, 20)
  return copy
}

/** Rewrites the schema itself, as text. */
export const rewriteSchema = (database: Database.Database, rewrite: () => void): void => {
  database.unsafeMode(true)
  database.pragma("writable_schema = ON")
  rewrite()
  database.pragma("writable_schema = RESET")
  database.unsafeMode(false)
}

const loosened = (sql: string): string =>
  sql
    .replace(/ strict(?=[^)]*$)/i, "")
    .replace(/,\s*without rowid$/i, " without rowid")
    .replaceAll(/("\w+") (?:text|integer)(?! primary key)/gi, "$1 blob")
    .replaceAll(/ not null/gi, "")

export class DisarmedLedger {
  readonly #schema: ReadonlyArray<SchemaRow>
  readonly #bytes: Buffer

  /** Disarms the database of these bytes, which stay as they are. */
  constructor(bytes: Buffer) {
    const database = new Database(withoutLog(bytes))
    this.#schema = database
      .prepare<[], SchemaRow>("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid")
      .all()
    rewriteSchema(database, () => {
      database.exec("DELETE FROM sqlite_schema WHERE type = 'trigger'")
      const update = database.prepare("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?")
      for (const { name, sql, type } of this.#schema) {
        if (type === "table" && sql !== null) update.run(loosened(sql), name)
      }
    })
    this.#bytes = database.serialize()
    database.close()
  }

  /** The bytes of the database after a change of its rows, with the schema that it had. */
  changed(change: (database: Database.Database) => void): Buffer {
    const database = new Database(Buffer.from(this.#bytes))
    try {
      database.pragma("foreign_keys = OFF")
      database.pragma("ignore_check_constraints = ON")
      change(database)
      rewriteSchema(database, () => {
        database.exec("DELETE FROM sqlite_schema")
        const insert = database.prepare("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)")
        for (const { name, rootpage, sql, tbl_name, type } of this.#schema) {
          insert.run(type, name, tbl_name, rootpage, sql)
        }
      })
      return database.serialize()
    } finally {
      database.close()
    }
  }
}
