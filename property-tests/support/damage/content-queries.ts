// What a file says, as questions that any SQLite can be asked: every table read from its own pages, every index from its
// own, and a full-text index through FTS5. Two files with the same answers have the same content, also with other
// pages.

import { createHash } from "node:crypto"
import Database from "better-sqlite3"
import { decodedPostings, decodePostings } from "../../../domain/network/ranking/postings.ts"
import { withoutLog } from "../../../infrastructure/testing/disarmed-ledger.ts"
import type { StoreName } from "./honest-files.ts"

export interface ContentQuery {
  /** The table or index. */
  readonly name: string
  readonly sql: string
  /** What must be made in the temporary database first. */
  readonly before?: string
}

/** The hash of a text, or of each row: the same from both programs for the same rows. */
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

const text = (columns: ReadonlyArray<string>): string =>
  columns.map((column) => `typeof(${column}) || hex(${column})`).join(` || ',' || `)

const quoted = (column: string): string => `"${column}"`

/** The questions of a table's indexes; the columns of an index are those of its entries. */
const indexQueries = (database: Database.Database, table: string): ReadonlyArray<ContentQuery> =>
  database
    .prepare<[string], { name: string; sql: string | null }>(
      "SELECT l.name, s.sql FROM pragma_index_list(?) AS l JOIN sqlite_schema AS s ON s.name = l.name ORDER BY l.name"
    )
    .all(table)
    .map(({ name, sql }) => {
      const columns = database
        .prepare<[string], string>("SELECT DISTINCT name FROM pragma_index_xinfo(?) WHERE cid >= 0")
        .pluck()
        .all(name)
      const where = / where .*$/is.exec(sql ?? "")?.[0] ?? ""
      return { name, sql: `SELECT ${text(columns.map(quoted))} FROM "${table}" INDEXED BY "${name}"${where}` }
    })

/**
 * What the pages of a full-text index say, asked of FTS5 itself: every occurrence of every term. Their bytes are no content,
 * since FTS5 ignores some of them: the flag that a position list replaces an older one, where there is no older segment; the
 * counter of changes and the number of the settings in the record of the structure; a number that is written longer than it
 * need be.
 */
const occurrences = (pages: string): ReadonlyArray<ContentQuery> => {
  const index = pages.replace(/_data$/, "")
  const before = `CREATE VIRTUAL TABLE temp."${pages}_said" USING fts5vocab(main, "${index}", instance)`
  const sql = `SELECT ${text(["term", "doc", "col", "offset"].map(quoted))} FROM temp."${pages}_said"`
  return [{ name: pages, before, sql }]
}

/**
 * Columns that say nothing of what is stored. How many places of a segment were given may be more than are taken, since
 * chunks go and their places are not given again; a number that is too high costs places, and one too low is found.
 */
const BOOKKEEPING: ReadonlySet<string> = new Set(["segments.given"])

/** The lengths of the segment of a row of postings. */
const LENGTHS = "(SELECT lengths FROM segments WHERE segments.segment = postings.segment)"

/**
 * What a list of postings says, as text: places and counts of chunks that are there. A chunk that went keeps its pair, whose
 * count says nothing any more. `second-opinion.py` has the same function.
 */
const livePostings = (data: unknown, lengths: unknown): string => {
  if (!(data instanceof Uint8Array) || !(lengths instanceof Uint8Array)) return "no list"
  const words = new Uint32Array(Uint8Array.from(lengths).buffer, 0, Math.floor(lengths.length / 4))
  const { counts, places } = decodedPostings()
  return Array.from({ length: decodePostings(data, { counts, places }) }, (_, at) => at)
    .filter((at) => (words[places[at]!] ?? 0) > 0)
    .map((at) => `${places[at]}:${counts[at]}`)
    .join(" ")
}

/** A column as it says what is stored; undefined for the column itself. */
const said: Readonly<Record<string, string>> = { "postings.data": `live_postings(data, ${LENGTHS})` }

/** A table's own question, and those of its indexes. */
const tableQueries = (database: Database.Database, table: string): ReadonlyArray<ContentQuery> => {
  if (table.endsWith("_fts_data")) return occurrences(table)
  const columns = database
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?)")
    .pluck()
    .all(table)
    .filter((column) => !BOOKKEEPING.has(`${table}.${column}`))
  const expressions = columns.map((column) => said[`${table}.${column}`] ?? quoted(column))
  const own = { name: table, sql: `SELECT ${text(expressions)} FROM "${table}" NOT INDEXED` }
  return [own, ...indexQueries(database, table)]
}

const SCHEMA = "SELECT type || ',' || name || ',' || tbl_name || ',' || coalesce(sql, '') FROM sqlite_schema"

/** The questions that an honest file answers; a damaged one is asked the same. */
export const contentQueries = (bytes: Buffer): ReadonlyArray<ContentQuery> => {
  const database = new Database(withoutLog(bytes))
  try {
    const tables = database
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"
      )
      .pluck()
      .all()
    const ofTables = tables.flatMap((table) => tableQueries(database, table))
    return [{ name: "schema", sql: SCHEMA }, ...ofTables]
  } finally {
    database.close()
  }
}

/** The answers of this program's SQLite, each as the hashes of its rows in order, or as what went wrong. */
export const contentOf = (file: string, queries: ReadonlyArray<ContentQuery>): ReadonlyArray<string> => {
  const database = new Database(file, { readonly: true })
  database.function("live_postings", { deterministic: true }, livePostings)
  try {
    return queries.map(({ before, sql }) => {
      try {
        if (before !== undefined) database.exec(before)
        return database.prepare<[], string>(sql).pluck().all().map(hashOf).sort().join(" ")
      } catch (error) {
        return `error: ${String(error)}`
      }
    })
  } catch (error) {
    return [`error: ${String(error)}`]
  } finally {
    database.close()
  }
}

/**
 * What no file of a store can tell by itself. Any file may be an earlier state of itself as a whole. A corpus database is
 * made of rows that are each under a hash, or under the hash of their file: that one of them is missing, or is as it was
 * earlier, costs work that is done again.
 */
const isOfRows: Readonly<Record<StoreName, boolean>> = { ledger: false, corpus: true, cassette: false }

/**
 * The place of the first moment that says what is said here, 0 for the newest; `moments.length` for rows of several moments,
 * where that may be; undefined for another content.
 */
export const momentOf = (
  store: StoreName,
  content: ReadonlyArray<string>,
  moments: ReadonlyArray<ReadonlyArray<string>>
): number | undefined => {
  const all = content.join()
  const same = moments.findIndex((moment) => moment.join() === all)
  if (same >= 0) return same
  const isEarlier = content.every((answer, index) => {
    const known = new Set(moments.flatMap((moment) => (moment[index] ?? "").split(" ")))
    return answer === "" || answer.split(" ").every((row) => known.has(row))
  })
  const [newest = []] = moments
  const hasSchema = content[0] === newest[0] && content.length === newest.length
  return isOfRows[store] && isEarlier && hasSchema ? moments.length : undefined
}
