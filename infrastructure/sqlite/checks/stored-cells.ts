// Reading cells that anybody may have written. A cell can hold another type than its column's, text that is not UTF-8
// (which the driver reads as if U+FFFD stood there), or more than a program can hold. What is read here is never taken for
// more than it is: such a cell is a finding with its table, key and column, and its value is not that of an honest cell.
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"
import type { SqlHost, SqlValue } from "../connection/sql-host.ts"

/** No honest cell is longer: the data of one event (16 MiB). */
const MAX_CELL_BYTES = 16 * 1_048_576

/** How much text a page of rows holds at most, if it holds more than one row (bytes). */
const MAX_PAGE_BYTES = 4 * 1_048_576

/** What is read in place of a cell that is too long. */
const TOO_LONG = 0.5

/** A column's value; what is too long to be read comes as a half, which no column of ours holds. */
export const boundedValue = (column: string): string =>
  `CASE WHEN octet_length("${column}") > ${MAX_CELL_BYTES} THEN ${TOO_LONG} ELSE "${column}" END`

/** Where rows stand, which of their columns identifies one, and which hold whole numbers; the others hold text. */
export interface StoredTable {
  readonly table: string
  readonly key: string
  readonly columns: ReadonlyArray<string>
  readonly integers: ReadonlyArray<string>
  readonly nullable: ReadonlyArray<string>
}

/** Columns as a list for SELECT, each bounded. */
export const boundedColumns = (columns: ReadonlyArray<string>): string =>
  columns.map((column) => `${boundedValue(column)} AS "${column}"`).join(", ")

type Row = Readonly<Record<string, unknown>>

const REPLACEMENT = "\ufffd"

/** Longest key that a finding repeats (UTF-16 units). */
const MAX_NAME = 300

/** A finding about one cell. */
export interface CellFinding extends DatabaseFinding {
  readonly column: string
  /** The cell's bytes as a text that no honest cell has. */
  readonly shown: string
}

interface RawCell {
  readonly type: string
  readonly bytes: number | null
  readonly raw: Uint8Array | null
}

const rawCell = (host: SqlHost, { key, table }: StoredTable, row: Row, column: string): RawCell | undefined =>
  host.all<RawCell>(
    `SELECT typeof("${column}") AS type, octet_length("${column}") AS bytes, CAST(${boundedValue(column)} AS BLOB) AS raw FROM "${table}" WHERE "${key}" = ?`,
    [row[key] as SqlValue]
  )[0]

/** Most bytes that are shown of a cell. */
const MAX_SHOWN_BYTES = 64

/** A cell for people: texts and numbers as they are, anything else by its bytes; what is long is cut. */
export const shownCell = (value: unknown): string => {
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value.subarray(0, MAX_SHOWN_BYTES)).toString("hex")
    return value.length > MAX_SHOWN_BYTES ? `x'${hex}…' (${value.length} bytes)` : `x'${hex}'`
  }
  const text = String(value)
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME).toWellFormed()}…` : text
}

/** What the row with this key is called in findings. */
export const rowName = (table: string, id: unknown): string => {
  if (table === "head") return table
  return `${table === "events" ? "event" : table} ${shownCell(id)}`
}

/** True for a text that can have been read from its own bytes alone. */
export const isItsBytes = (value: unknown): boolean =>
  typeof value === "string" && !value.includes(REPLACEMENT)

const isHonest = (stored: StoredTable, column: string, value: unknown): boolean => {
  if (typeof value === "number") return Number.isSafeInteger(value) && stored.integers.includes(column)
  if (value === null) return stored.nullable.includes(column)
  return isItsBytes(value) && !stored.integers.includes(column)
}

type Fault = Pick<CellFinding, "code" | "message" | "shown">

const faultOf = (host: SqlHost, stored: StoredTable, row: Row, column: string): Fault | undefined => {
  const value = row[column]
  const found = rawCell(host, stored, row, column)
  const tooLarge = (size: string): Fault => ({
    code: "CELL_TOO_LARGE",
    message: `the cell holds ${size} bytes, which no writer gives it`,
    shown: `\ufffd(${size} bytes)`
  })
  if (found === undefined) {
    if (column !== stored.key) return undefined
    // A key that does not find its own row was read as another one.
    return value === TOO_LONG
      ? tooLarge(`over ${MAX_CELL_BYTES}`)
      : {
          code: "TEXT_NOT_UTF8",
          message: "the key's bytes are not UTF-8",
          shown: shownCell(Buffer.from(String(value)))
        }
  }
  if ((found.bytes ?? 0) > MAX_CELL_BYTES) return tooLarge(`${found.bytes}`)
  const shown = found.raw === null ? found.type : shownCell(found.raw)
  if (typeof value === "string" && found.type === "text" && !stored.integers.includes(column)) {
    return found.raw !== null && Buffer.from(value, "utf8").equals(found.raw)
      ? undefined
      : { code: "TEXT_NOT_UTF8", message: `the text's ${found.bytes} bytes are not UTF-8`, shown }
  }
  return {
    code: "INTEGRITY",
    message: `the value is of type ${found.type}, or a number beyond 2^53 - 1: the column holds another`,
    shown
  }
}

/** What is wrong with the cells of a row that was read with `boundedColumns`, column by column. */
export const cellFindings = (host: SqlHost, stored: StoredTable, row: Row): ReadonlyArray<CellFinding> => {
  let findings: Array<CellFinding> | undefined
  for (const column of stored.columns) {
    if (isHonest(stored, column, row[column])) continue
    const fault = faultOf(host, stored, row, column)
    if (fault !== undefined) {
      ;(findings ??= []).push({
        ...fault,
        where: `${rowName(stored.table, row[stored.key])} ${column}`,
        column
      })
    }
  }
  return findings ?? NONE
}

const NONE: ReadonlyArray<never> = []

/** The next rows as a page: how many, and whether more may follow. */
export interface PageLength {
  readonly length: number
  readonly more: boolean
}

/**
 * How many of the next rows make a page: as many as hold little enough text together, at least one where there is one. `from`
 * is what follows FROM, ending with the order and `LIMIT ?`; the last parameter is the limit. Each term of `order` is a column,
 * or a column and DESC.
 */
export const pageLength = (
  host: SqlHost,
  columns: ReadonlyArray<string>,
  from: string,
  order: ReadonlyArray<string>,
  parameters: ReadonlyArray<SqlValue>
): PageLength => {
  const size = columns.map((column) => `coalesce(octet_length("${column}"), 0)`).join(" + ")
  // Nearly every page is small, and then adding up is all that is needed.
  const [whole] = host.all<{ bytes: number | null; available: number }>(
    `SELECT sum(bytes) AS bytes, count(*) AS available FROM (SELECT ${size} AS bytes FROM ${from})`,
    parameters
  )
  if (whole !== undefined && (whole.bytes ?? 0) <= MAX_PAGE_BYTES) {
    return { length: whole.available, more: whole.available === parameters.at(-1) }
  }
  const terms = order.join(", ")
  const places = order.map((term) => term.replace(/ DESC$/, "")).join(", ")
  const [row] = host.all<{ fitting: number; available: number }>(
    `SELECT count(*) FILTER (WHERE total <= ${MAX_PAGE_BYTES}) AS fitting, count(*) AS available FROM (SELECT sum(bytes) OVER (ORDER BY ${terms} ROWS UNBOUNDED PRECEDING) AS total FROM (SELECT ${places}, ${size} AS bytes FROM ${from}))`,
    parameters
  )
  const { available, fitting } = row ?? { available: 0, fitting: 0 }
  const length = Math.max(1, fitting)
  return { length, more: length < available || available === parameters.at(-1) }
}
