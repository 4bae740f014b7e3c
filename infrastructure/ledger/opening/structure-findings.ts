// The structure rung, as far as only SQLite can judge it: foreign keys in force, the whole schema by its exact SQL,
// pages and column types, references, and JSON in the columns that must hold it. On a reading connection SQLite
// leaves CHECKs out of its integrity check: what they say of a row is judged by comparing the row with the log.
import type { Finding } from "../../../domain/ledger/verification.ts"
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"
import { parts } from "../../sqlite/checks/check-parts.ts"
import { schemaFindings } from "../../sqlite/checks/schema-check.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { boundedValue } from "../../sqlite/checks/stored-cells.ts"
import { stepsOf } from "./ledger-inspection.ts"
import { LEDGER_VERSIONS, schemaSteps } from "./schema-snapshots.ts"

const jsonColumns = [
  ["cassette_messages", "message_id", "payload_json"],
  ["cassette_steps", "step_id", "payload_json"],
  ["cassette_receipts", "receipt_id", "receipt_json"]
] as const

const invalidJson = (host: SqlHost, present: ReadonlySet<string>): ReadonlyArray<Finding> =>
  jsonColumns
    .filter(([table]) => present.has(table))
    .flatMap(([table, key, column]) =>
      host
        .all<{ id: string }>(
          `SELECT ${boundedValue(key)} AS id FROM ${table} WHERE json_valid(${boundedValue(column)}) IS NOT 1 LIMIT 100`
        )
        .map(({ id }) => ({
          code: "JSON_INVALID" as const,
          where: `${table} ${id} ${column}`,
          message: "the text is not JSON"
        }))
    )

const foreignKeys = (host: SqlHost): ReadonlyArray<Finding> => [
  ...(host.all<{ foreign_keys: number }>("PRAGMA foreign_keys")[0]?.foreign_keys === 1
    ? []
    : [{ code: "FOREIGN_KEYS_OFF" as const, where: "connection", message: "PRAGMA foreign_keys is not ON" }]),
  ...host
    .all<{ table: string; rowid: number | null; parent: string }>("PRAGMA foreign_key_check")
    .map(({ parent, rowid, table }) => ({
      code: "FOREIGN_KEY" as const,
      where: rowid === null ? table : `${table} rowid ${rowid}`,
      message: `the row refers to a missing row of ${parent}`
    }))
]

/** The one row of `head` that no event made and no projection compares. */
const headRows = (host: SqlHost): ReadonlyArray<Finding> => {
  const rows = host.all<{ one: unknown }>("SELECT one FROM head LIMIT 2")
  return rows.length === 1 && rows[0]?.one === 1
    ? []
    : [{ code: "HEAD_MISMATCH", where: "head", message: "head must have exactly one row, with the key 1" }]
}

const tablesOf = (host: SqlHost): ReadonlySet<string> =>
  new Set(
    host.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name)
  )

/** What is wrong with the pages of an opened database, which each host finds in its own way. */
export type PageCheck = () => ReadonlyArray<DatabaseFinding>

/** Everything that is wrong with the structure of an opened ledger; the same damage in one place stands once. */
export const structureFindings = (host: SqlHost, pages: PageCheck): ReadonlyArray<Finding> => {
  const findings = parts<Finding>([
    ["schema", () => schemaFindings(host, LEDGER_VERSIONS, stepsOf(host, schemaSteps()))],
    ["pages", pages],
    ["foreign keys", () => foreignKeys(host)],
    ["head", () => (tablesOf(host).has("head") ? headRows(host) : [])],
    ["JSON", () => invalidJson(host, tablesOf(host))]
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
