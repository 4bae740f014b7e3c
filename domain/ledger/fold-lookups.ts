// What a fold is asked of rows in memory by other things than their keys: which steps of a run wait, and which message has a run's
// idempotency key.
import { type LedgerRows, type LedgerTable, ledgerTables, type MessageRow, type StepRow } from "./rows.ts"
import type { Cell } from "./table-digest.ts"
import { SortedIds } from "./sorted-ids.ts"

export type AnyRow = LedgerRows[LedgerTable]

const valuesOf = (row: AnyRow) => row as unknown as Readonly<Record<string, Cell>>

/** The key of a row in its table. */
export const keyOf = (table: LedgerTable, row: AnyRow): string =>
  valuesOf(row)[ledgerTables[table].key] as string

/** The cells of a row in the order of its table's columns. */
export const cellsOf = (table: LedgerTable, row: AnyRow): ReadonlyArray<Cell> => {
  const values = valuesOf(row)
  return ledgerTables[table].columns.map((column) => values[column] ?? null)
}

/** What a row takes in memory beside its text. */
const UNITS_PER_ROW = 512

const textOf = (row: AnyRow): string => {
  if ("payload_json" in row) return row.payload_json
  if ("receipt_json" in row) return row.receipt_json
  return "content" in row ? row.content : ""
}

/** What a row takes in memory (UTF-16 units). */
export const unitsOf = (row: AnyRow): number => textOf(row).length + UNITS_PER_ROW

/** A run and a key of it as one text; U+0000 is in no id. */
const nameOf = (runId: string, idempotencyKey: string): string => `${runId}\u0000${idempotencyKey}`

export class FoldLookups {
  private readonly waiting = new Map<string, SortedIds>()
  private readonly keyed = new Map<string, string>()

  learn(table: LedgerTable, key: string, row: AnyRow): void {
    if (table === "cassette_steps") {
      const { run_id, status } = row as StepRow
      if (status !== "PENDING") return
      const waiting = this.waiting.get(run_id) ?? new SortedIds()
      waiting.add(key)
      this.waiting.set(run_id, waiting)
    } else if (table === "cassette_messages") {
      const { idempotency_key, run_id } = row as MessageRow
      if (idempotency_key !== null) this.keyed.set(nameOf(run_id, idempotency_key), key)
    }
  }

  forget(table: LedgerTable, key: string, row: AnyRow): void {
    if (table === "cassette_steps") {
      const { run_id, status } = row as StepRow
      if (status === "PENDING") this.waiting.get(run_id)?.delete(key)
    } else if (table === "cassette_messages") {
      const { idempotency_key, run_id } = row as MessageRow
      if (idempotency_key !== null) this.keyed.delete(nameOf(run_id, idempotency_key))
    }
  }

  clear(): void {
    this.waiting.clear()
    this.keyed.clear()
  }

  /** The oldest waiting step of a run, or of one job of it. */
  firstPending(runId: string, jobId: string | undefined): string | undefined {
    const waiting = this.waiting.get(runId)
    if (jobId === undefined) return waiting?.firstFrom("")
    const stem = `step_${jobId.slice(jobId.indexOf("_") + 1)}.`
    const first = waiting?.firstFrom(stem)
    return first?.startsWith(stem) === true ? first : undefined
  }

  messageOfKey(runId: string, idempotencyKey: string): string | undefined {
    return this.keyed.get(nameOf(runId, idempotencyKey))
  }

  /** The runs in which a step waits. */
  runs(): ReadonlyArray<string> {
    return [...this.waiting].flatMap(([run, { size }]) => (size > 0 ? [run] : []))
  }
}
