// The structure rung, as far as only SQLite can judge it: foreign keys in force, the whole schema by its exact SQL,
// pages and column types, references, and JSON in the columns that must hold it. On a reading connection SQLite
// leaves CHECKs out of its integrity check: what they say of a row is judged by comparing the row with the log.
import { LEDGER_TABLES } from "../../domain/ledger/rows.ts"
import type { Finding } from "../../domain/ledger/verification.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"
import { fileFindings, part, parts } from "../sqlite/file-check.ts"
import { schemaFindings } from "../sqlite/schema-check.ts"
import { boundedValue, shownCell } from "../sqlite/stored-cells.ts"
import { LEDGER_VERSIONS, schemaSteps } from "./schema-snapshots.ts"

const jsonColumns = [
  ["cassette_messages", "message_id", "payload_json"],
  ["cassette_steps", "step_id", "payload_json"],
  ["cassette_receipts", "receipt_id", "receipt_json"]
] as const

const invalidJson = (connection: Connection, present: ReadonlySet<string>): ReadonlyArray<Finding> =>
  jsonColumns
    .filter(([table]) => present.has(table))
    .flatMap(([table, key, column]) =>
      connection
        .all<{ id: string }>(
          `SELECT ${boundedValue(key)} AS id FROM ${table} WHERE json_valid(${boundedValue(column)}) IS NOT 1 LIMIT 100`
        )
        .map(({ id }) => ({
          code: "JSON_INVALID" as const,
          where: `${table} ${id} ${column}`,
          message: "the text is not JSON"
        }))
    )

const foreignKeys = (connection: Connection): ReadonlyArray<Finding> => [
  ...(connection.pragma("foreign_keys") === 1
    ? []
    : [{ code: "FOREIGN_KEYS_OFF" as const, where: "connection", message: "PRAGMA foreign_keys is not ON" }]),
  ...connection
    .all<{ table: string; rowid: number | null; parent: string }>("PRAGMA foreign_key_check")
    .map(({ parent, rowid, table }) => ({
      code: "FOREIGN_KEY" as const,
      where: rowid === null ? table : `${table} rowid ${rowid}`,
      message: `the row refers to a missing row of ${parent}`
    }))
]

/** The one row of `head` that no event made and no projection compares. */
const headRows = (connection: Connection): ReadonlyArray<Finding> => {
  const rows = connection.all<{ one: unknown }>("SELECT one FROM head LIMIT 2")
  return rows.length === 1 && rows[0]?.one === 1
    ? []
    : [{ code: "HEAD_MISMATCH", where: "head", message: "head must have exactly one row, with the key 1" }]
}

interface ColumnInfo {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly pk: number
}

/** How a finding calls the row with this key. */
const rowName = (table: string, id: unknown): string => {
  if (table === "events") return `event ${String(id)}`
  return table === "head" ? table : `${table} ${shownCell(id)}`
}

const strictTables = ["events", "head", LEDGER_VERSIONS.table, ...LEDGER_TABLES]

/** Cells whose type is not their column's, each by its place: SQLite's own check tells the column alone. */
const misplacedTypes = (connection: Connection, table: string): ReadonlyArray<Finding> => {
  const columns = connection.all<ColumnInfo>(`PRAGMA table_info("${table}")`)
  const key = columns.find(({ pk }) => pk === 1)?.name ?? "rowid"
  return columns.flatMap(({ name, notnull, type }) =>
    connection
      .all<{ id: unknown; found: string }>(
        `SELECT ${boundedValue(key)} AS id, typeof("${name}") AS found FROM "${table}" NOT INDEXED WHERE typeof("${name}") NOT IN (?, ?) LIMIT 100`,
        [type.toLowerCase(), notnull === 1 ? type.toLowerCase() : "null"]
      )
      .map(({ found, id }) => ({
        code: "INTEGRITY" as const,
        where: `${rowName(table, id)} ${name}`,
        message: `the value is of type ${found}, the column holds ${type.toLowerCase()}`
      }))
  )
}

/** The cells of all tables that are of another type than their column. */
const columnTypes = (connection: Connection): ReadonlyArray<Finding> => {
  const present = tablesOf(connection)
  return parts(
    strictTables
      .filter((table) => present.has(table))
      .map((table) => [table, () => misplacedTypes(connection, table)] as const)
  )
}

const tablesOf = (connection: Connection): ReadonlySet<string> =>
  new Set(
    connection
      .all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .map(({ name }) => name)
  )

/** Everything that is wrong with the structure of an opened ledger; the same damage in one place stands once. */
export const structureFindings = (connection: Connection): ReadonlyArray<Finding> => {
  const pages = part("pages", () => fileFindings(connection))
  const findings = parts([
    ["schema", () => schemaFindings(connection, LEDGER_VERSIONS, schemaSteps())],
    ["pages", () => pages],
    // SQLite's own check tells such a cell by its column alone.
    ["column types", () => (pages.length === 0 ? [] : columnTypes(connection))],
    ["foreign keys", () => foreignKeys(connection)],
    ["head", () => (tablesOf(connection).has("head") ? headRows(connection) : [])],
    ["JSON", () => invalidJson(connection, tablesOf(connection))]
  ])
  const told = new Set<string>()
  return findings.filter(({ code, message, where }) => {
    if (code !== "INTEGRITY") return true
    const place = `${where}: ${message}`
    if (told.has(place)) return false
    told.add(place)
    return true
  })
}
