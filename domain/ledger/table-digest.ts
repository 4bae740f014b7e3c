// The digest of a projected table, so that two projections of one log can be compared by 64 characters. The
// text is a header line and one line per row in key order; it depends on content alone, never on how or where
// the rows are stored (docs/spec/ledger.md, "Digests").
import { jcsText, jcsTextOfRead } from "../canonical/jcs.ts"
import type { Sha256Stream } from "../canonical/sha256.ts"
import { type LedgerTable, ledgerTables } from "./rows.ts"

/** A cell as SQLite holds it. */
export type Cell = string | number | null

/** The digest's first line: table name and column names. */
export const digestHeader = (table: LedgerTable): string =>
  `${jcsText([table, ...ledgerTables[table].columns])}\n`

/** One row's line: its column values in stored order. */
export const digestLine = (cells: ReadonlyArray<Cell>): string => `${jcsTextOfRead(cells)}\n`

/** Digest of a table whose rows come in key order (BINARY collation). */
export const tableDigest = (
  stream: Sha256Stream,
  table: LedgerTable,
  rows: Iterable<ReadonlyArray<Cell>>
): string => {
  stream.update(digestHeader(table))
  for (const row of rows) stream.update(digestLine(row))
  return stream.digest()
}
