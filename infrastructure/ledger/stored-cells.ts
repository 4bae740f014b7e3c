// Cells as verification compares and hashes them: what is stored and not what a driver makes of it. A blob, an
// infinite number and bytes that are no UTF-8 become texts that equal no honest value, so that whoever compares them
// with what the events say finds them. It reads single cells again only where a text may be read from other bytes.
import type { Cell } from "../../domain/ledger/table-digest.ts"
import type { SqlHost, SqlValue } from "../sqlite/sql-host.ts"

const REPLACEMENT = "\ufffd"

/** A cell as it can be compared and hashed; that something else is there at all is a finding of the structure. */
export const cellOf = (value: unknown): Cell => {
  if (typeof value === "string" || value === null || value === undefined) return value ?? null
  if (typeof value === "number" && Number.isFinite(value)) return value
  return Buffer.isBuffer(value) ? `x'${value.toString("hex")}'` : String(value)
}

/** A row of a table that is found by the value of one column. */
export interface CellPlace {
  readonly host: SqlHost
  readonly table: string
  readonly key: string
  readonly id: unknown
}

/**
 * A row's cell. Where its text has the sign that stands for bytes that are no UTF-8, the bytes decide: those of the
 * sign itself are the text, any others are shown as they are.
 */
export const storedCell = ({ host, id, key, table }: CellPlace, column: string, value: unknown): Cell => {
  if (typeof value !== "string" || !value.includes(REPLACEMENT)) return cellOf(value)
  // A key that is not found by its own text is not stored as that text.
  const [found] = host.all<{ bytes: unknown }>(
    `SELECT CAST("${column}" AS BLOB) AS bytes FROM "${table}" WHERE "${key}" = ?`,
    [id as SqlValue]
  )
  const own = Buffer.from(value)
  if (!Buffer.isBuffer(found?.bytes)) return cellOf(own)
  return found.bytes.equals(own) ? value : cellOf(found.bytes)
}
