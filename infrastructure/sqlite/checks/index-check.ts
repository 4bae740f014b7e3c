// Every index against its table. SQLite's own check looks up each row in each index, but counts the entries of an index
// only where that is not partial, and it does not look at an index whose table is empty. So for each index three numbers
// must agree: the entries that its pages hold, the rows that a read along it gives, and the rows of the table.
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"
import type { SqlHost } from "../connection/sql-host.ts"

export interface IndexRow {
  readonly name: string
  readonly table: string
  readonly sql: string | null
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The condition of a partial index, as its definition ends with it. */
const conditionOf = ({ sql }: IndexRow): string => /\)\s*where\s+(.+)$/is.exec(sql ?? "")?.[1] ?? "1"

const countOf = (host: SqlHost, table: string, how: string, condition: string): number =>
  host.all<{ rows: number }>(`SELECT count(*) AS rows FROM ${quoted(table)} ${how} WHERE ${condition}`)[0]
    ?.rows ?? 0

/** Every index that has pages of its own. */
export const indexesOf = (host: SqlHost): ReadonlyArray<IndexRow> =>
  host.all<IndexRow>(
    "SELECT name, tbl_name AS \"table\", sql FROM sqlite_schema WHERE type = 'index' AND rootpage > 0"
  )

/** How an index differs from its table, if so; `entries` are those that its pages hold. SQLite's errors pass through. */
export const indexFindings = (
  host: SqlHost,
  index: IndexRow,
  entries: number
): ReadonlyArray<DatabaseFinding> => {
  const condition = conditionOf(index)
  const rows = countOf(host, index.table, "NOT INDEXED", condition)
  const given = countOf(host, index.table, `INDEXED BY ${quoted(index.name)}`, condition)
  if (rows === entries && rows === given) return []
  const message = `the index holds ${entries} entries and gives ${given} rows, its table ${index.table} has ${rows} for it`
  return [{ code: "INTEGRITY", where: index.name, message }]
}
