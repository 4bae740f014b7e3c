// The rows of the ledger's tables as both projections must produce them, with the persisted column names in
// their order. The tables' keys are named here too, since digests run in key order. No row holds a value that
// is not in an event.
import type { ThoughtRecord } from "./thoughts/thought-record.ts"
import type { StepStatus } from "./step-state-machine.ts"

/** A row of `cassette_meta`. */
export interface MetaRow {
  readonly key: string
  readonly value: string
  readonly event_position: number
}

/** A row of `cassette_messages`; `payload_json` is canonical JSON. */
export interface MessageRow {
  readonly message_id: string
  readonly run_id: string
  readonly source: Source
  readonly idempotency_key: string | null
  readonly payload_json: string
  readonly created_at: string
  readonly event_position: number
}

/** A row of `cassette_jobs`. */
export interface JobRow {
  readonly job_id: string
  readonly message_id: string
  readonly intent: string
  readonly ordinal: number
  readonly created_at: string
  readonly event_position: number
}

/** A row of `cassette_steps`. */
export interface StepRow {
  readonly step_id: string
  readonly job_id: string
  readonly ordinal: number
  readonly status: StepStatus
  readonly lease_owner: string | null
  readonly lease_expires_at: string | null
  readonly fencing_token: number
  readonly payload_json: string
  readonly created_at: string
  readonly run_id: string
  readonly event_position: number
}

/** A row of `cassette_receipts`; `receipt_json` is canonical JSON. */
export interface ReceiptRow {
  readonly receipt_id: string
  readonly step_id: string
  readonly job_id: string
  readonly worker_id: string
  readonly fencing_token: number
  readonly outcome: Outcome
  readonly receipt_json: string
  readonly created_at: string
  readonly event_position: number
}

/** A thought with the time and the place of its event. */
export interface ThoughtRow extends ThoughtRecord {
  readonly created_at: string
  readonly event_position: number
}

/** The rows of each table. */
export interface LedgerRows {
  readonly cassette_meta: MetaRow
  readonly cassette_messages: MessageRow
  readonly cassette_jobs: JobRow
  readonly cassette_steps: StepRow
  readonly cassette_receipts: ReceiptRow
  readonly thought_records: ThoughtRow
}

/** The name of a table. */
export type LedgerTable = keyof LedgerRows

/** Who may post a message. */
export const SOURCES = ["USER", "PLANNER", "SYSTEM", "WORKER"] as const
/** Who posts a message. */
export type Source = (typeof SOURCES)[number]

/** How a step may end. */
export const OUTCOMES = ["SUCCESS", "FAILURE", "ABORTED"] as const
/** How a step ended. */
export type Outcome = (typeof OUTCOMES)[number]

/** The projected tables, each with its primary key and its columns in stored order. */
export const ledgerTables: {
  readonly [T in LedgerTable]: {
    readonly key: keyof LedgerRows[T] & string
    readonly columns: ReadonlyArray<keyof LedgerRows[T] & string>
  }
} = {
  cassette_meta: { key: "key", columns: ["key", "value", "event_position"] },
  cassette_messages: {
    key: "message_id",
    columns: [
      "message_id",
      "run_id",
      "source",
      "idempotency_key",
      "payload_json",
      "created_at",
      "event_position"
    ]
  },
  cassette_jobs: {
    key: "job_id",
    columns: ["job_id", "message_id", "intent", "ordinal", "created_at", "event_position"]
  },
  cassette_steps: {
    key: "step_id",
    columns: [
      "step_id",
      "job_id",
      "ordinal",
      "status",
      "lease_owner",
      "lease_expires_at",
      "fencing_token",
      "payload_json",
      "created_at",
      "run_id",
      "event_position"
    ]
  },
  cassette_receipts: {
    key: "receipt_id",
    columns: [
      "receipt_id",
      "step_id",
      "job_id",
      "worker_id",
      "fencing_token",
      "outcome",
      "receipt_json",
      "created_at",
      "event_position"
    ]
  },
  thought_records: {
    key: "id",
    columns: [
      "id",
      "type",
      "task_id",
      "agent_id",
      "content",
      "timestamp",
      "prev_hash",
      "hash",
      "created_at",
      "event_position"
    ]
  }
}

/** A row's cells, in the order of the table's columns, as an object. */
export const rowOf = <T extends LedgerTable>(table: T, cells: ReadonlyArray<unknown>): LedgerRows[T] =>
  Object.fromEntries(
    ledgerTables[table].columns.map((column, index) => [column, cells[index]])
  ) as unknown as LedgerRows[T]

/** The names of the projected tables, in the order in which reports list them. */
export const LEDGER_TABLES = Object.keys(ledgerTables) as ReadonlyArray<LedgerTable>
