// What a file says, as questions that any SQLite can be asked: every table read from its own pages, and every index from
// its own. Two files with the same answers have the same content, whatever their pages look like.

import { createHash } from "node:crypto"
import Database from "better-sqlite3"
import { withoutLog } from "../../infrastructure/testing/disarmed-ledger.ts"
import type { StoreName } from "./honest-files.ts"

export interface ContentQuery {
  /** The table or index. */
  readonly name: string
  readonly sql: string
}

/**
 * Columns that are outside of evidence: nothing follows from them but work that is done again, or they are what a person
 * wrote and no hash was ever made of them.
 */
const OUTSIDE: Readonly<Record<StoreName, ReadonlyArray<string>>> = {
  ledger: [],
  corpus: [],
  cassette: []
}

const text = (columns: ReadonlyArray<string>): string =>
  columns.map((column) => `typeof("${column}") || hex("${column}")`).join(` || ',' || `)

interface IndexColumn {
  readonly cid: number
  readonly name: string
}

const indexQueries = (
  database: Database.Database,
  table: string,
  isOutside: (column: string) => boolean
): ReadonlyArray<ContentQuery> =>
  database
    .prepare<[string], { name: string; sql: string | null }>(
      "SELECT l.name, s.sql FROM pragma_index_list(?) AS l JOIN sqlite_schema AS s ON s.name = l.name ORDER BY l.name"
    )
    .all(table)
    .flatMap(({ name, sql }) => {
      const columns = database
        .prepare<[string], IndexColumn>("SELECT DISTINCT cid, name FROM pragma_index_xinfo(?) WHERE cid >= 0")
        .all(name)
        .map((column) => column.name)
        .filter((column) => !isOutside(column))
      const where = sql === null ? undefined : / where (.*)$/is.exec(sql)?.[1]
      return columns.length === 0
        ? []
        : [
            {
              name,
              sql: `SELECT ${text(columns)} FROM "${table}" INDEXED BY "${name}"${where === undefined ? "" : ` WHERE ${where}`}`
            }
          ]
    })

/** A table's own question, and those of its indexes. */
const tableQueries = (
  database: Database.Database,
  table: string,
  outside: ReadonlyArray<string>
): ReadonlyArray<ContentQuery> => {
  const isOutside = (column: string) => outside.includes(`${table}.${column}`)
  const columns = database
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?)")
    .pluck()
    .all(table)
    .filter((column) => !isOutside(column))
  const own = { name: table, sql: `SELECT ${text(columns)} FROM "${table}" NOT INDEXED` }
  return [own, ...indexQueries(database, table, isOutside)]
}

const SCHEMA = "SELECT type || ',' || name || ',' || tbl_name || ',' || coalesce(sql, '') FROM sqlite_schema"

/** The questions that an honest file answers; a damaged one is asked the same. */
export const contentQueries = (store: StoreName, bytes: Buffer): ReadonlyArray<ContentQuery> => {
  const database = new Database(withoutLog(bytes))
  try {
    const tables = database
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"
      )
      .pluck()
      .all()
    const ofTables = tables.flatMap((table) => tableQueries(database, table, OUTSIDE[store]))
    return [{ name: "schema", sql: SCHEMA }, ...ofTables]
  } finally {
    database.close()
  }
}

/** The answers of this program's SQLite, each as a hash or as what went wrong. */
export const contentOf = (file: string, queries: ReadonlyArray<ContentQuery>): ReadonlyArray<string> => {
  const database = new Database(file, { readonly: true })
  try {
    return queries.map(({ sql }) => {
      try {
        const rows = database.prepare<[], string>(sql).pluck().all().sort()
        return createHash("sha256").update(rows.join("\n")).digest("hex")
      } catch (error) {
        return String(error)
      }
    })
  } catch (error) {
    return [String(error)]
  } finally {
    database.close()
  }
}
