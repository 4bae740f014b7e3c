// The committed history as the audit reads it: events and rows by plain SQL, without any code of the product, so that
// one mistake cannot excuse itself. It reads a file that is not written any more.
import Database from "better-sqlite3"

/** One event, its data parsed. */
export interface HistoryEvent {
  readonly position: number
  readonly type: string
  readonly stream_id: string
  readonly recorded_at: string
  readonly data: { readonly [key: string]: unknown }
}

export interface HistoryReceipt {
  readonly receipt_id: string
  readonly step_id: string
  readonly worker_id: string
  readonly fencing_token: number
}

/** Log and tables of one ledger; each list can be read once. */
export interface History {
  readonly events: Iterable<HistoryEvent>
  readonly receipts: Iterable<HistoryReceipt>
  /** The ids of the steps that are COMMITTED. */
  readonly committedSteps: Iterable<string>
}

/** Reads a ledger's file for as long as `use` runs; `use` must read the lists one after the other. */
export const withHistory = <A>(filename: string, use: (history: History) => A): A => {
  const database = new Database(filename, { readonly: true, fileMustExist: true })
  const rows = function* <Row>(sql: string): Generator<Row> {
    yield* database.prepare<[], Row>(sql).iterate()
  }
  const events = function* (): Generator<HistoryEvent> {
    const columns = "position, type, stream_id, recorded_at, data"
    for (const row of rows<Omit<HistoryEvent, "data"> & { readonly data: string }>(
      `SELECT ${columns} FROM events ORDER BY position`
    )) {
      yield { ...row, data: JSON.parse(row.data) as HistoryEvent["data"] }
    }
  }
  const committed = function* (): Generator<string> {
    for (const { step_id } of rows<{ readonly step_id: string }>(
      "SELECT step_id FROM cassette_steps WHERE status = 'COMMITTED'"
    )) {
      yield step_id
    }
  }
  try {
    return use({
      events: events(),
      receipts: rows("SELECT receipt_id, step_id, worker_id, fencing_token FROM cassette_receipts"),
      committedSteps: committed()
    })
  } finally {
    database.close()
  }
}
