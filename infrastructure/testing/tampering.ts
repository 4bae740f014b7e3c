/**
 * Changes a closed ledger file behind its own back, as anyone with the file could: the triggers are taken out of the schema,
 * anything is done, and the very rows are put back, so that nothing but the content tells.
 */
import Database from "better-sqlite3"
import { eventHash, type EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import { sha256 } from "../hashing/node-hashing.ts"

/** Runs statements that write to the schema itself, which SQLite then reads again. */
const inSchema = (database: Database.Database, write: () => void): void => {
  database.unsafeMode(true)
  database.pragma("writable_schema = ON")
  write()
  database.pragma("writable_schema = RESET")
  database.unsafeMode(false)
}

/** Runs statements, or a function, on the file without its triggers, foreign keys and checks. */
export const tamper = (
  filename: string,
  change: ReadonlyArray<string> | ((database: Database.Database) => void)
): void => {
  const database = new Database(filename)
  try {
    database.pragma("foreign_keys = OFF")
    database.pragma("ignore_check_constraints = ON")
    database.exec(
      "CREATE TEMP TABLE kept AS SELECT rowid AS place, * FROM sqlite_schema WHERE type = 'trigger'"
    )
    inSchema(database, () => database.exec("DELETE FROM sqlite_schema WHERE type = 'trigger'"))
    if (typeof change === "function") change(database)
    else for (const sql of change) database.exec(sql)
    inSchema(database, () =>
      database.exec(
        "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) SELECT type, name, tbl_name, rootpage, sql FROM temp.kept ORDER BY place"
      )
    )
  } finally {
    database.close()
  }
}

/** Makes the chain of events fit again from the first to the last, and the head too: a forger with patience. */
export const rechain = (database: Database.Database): void => {
  let previous = "0".repeat(64)
  let size = 0
  for (const event of database.prepare<[], EventEnvelope>("SELECT * FROM events ORDER BY position").all()) {
    const linked = { ...event, prev_hash: previous }
    previous = eventHash(sha256, linked)
    size = event.position
    database
      .prepare("UPDATE events SET prev_hash = ?, hash = ? WHERE position = ?")
      .run(linked.prev_hash, previous, size)
  }
  database.prepare("UPDATE head SET size = ?, hash = ?").run(size, previous)
}

/** Puts a value into the newest row where STRICT and NOT NULL do not allow it: the schema is rewritten and put back. */
export const withoutTypes = (
  database: Database.Database,
  table: string,
  column: string,
  value: string
): void => {
  const schema = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?"
  const sql = String(database.prepare(schema).pluck().get(table))
  const write = (text: string) =>
    inSchema(database, () =>
      database.prepare("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?").run(text, table)
    )
  write(
    sql
      .replace(/\) strict$/i, ")")
      .replaceAll(/ not null/gi, "")
      .replace(new RegExp(`"${column}" (text|integer)`), `"${column}" blob`)
  )
  database.exec(`UPDATE ${table} SET ${column} = ${value} WHERE rowid = (SELECT max(rowid) FROM ${table})`)
  write(sql)
}
