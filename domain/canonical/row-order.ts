// The order in which rows are read page by page. A reader asks for the rows behind the last one that it has seen; where an
// index is damaged, the same rows could come again and again, so every page must begin behind its cursor.
import { compareCodePoints } from "./py.ts"

/** What a row is ordered by: texts by their bytes, numbers by their value. */
export type RowPlace = ReadonlyArray<string | number>

const placeOrder = (left: string | number | undefined, right: string | number | undefined): number => {
  if (typeof left === "number" && typeof right === "number") return left - right
  // Only damage puts a text beside a number; SQLite orders numbers first.
  if (typeof left === "number" || typeof right === "number") return typeof left === "number" ? -1 : 1
  return compareCodePoints(left ?? "", right ?? "")
}

/** True when `row` stands strictly behind `before`; everything stands behind nothing. */
export const standsBehind = (before: RowPlace | undefined, row: RowPlace): boolean => {
  if (before === undefined) return true
  for (const [index, part] of row.entries()) {
    const order = placeOrder(before[index], part)
    if (order !== 0) return order < 0
  }
  return false
}

/** What is said of a row that comes where it cannot stand. */
export const OUT_OF_ORDER = "rows do not come in their order: an index or a table is damaged"
