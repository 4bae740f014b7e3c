// The tables of the ledger, cell by cell: what is read as evidence. It says nothing about triggers or indexes; those belong to the
// migrations alone.
import { type LedgerTable, ledgerTables } from "../../../domain/ledger/rows.ts"
import type { StoredTable } from "../../sqlite/checks/stored-cells.ts"

/** The log, cell by cell. */
export const storedEvents: StoredTable = {
  table: "events",
  key: "position",
  columns: ["position", "type", "stream_id", "schema_version", "data", "recorded_at", "prev_hash", "hash"],
  integers: ["position", "schema_version"],
  nullable: []
}

const NULLABLE = ["idempotency_key", "lease_owner", "lease_expires_at"]

/** A projected table, cell by cell. */
export const storedTable = (table: LedgerTable): StoredTable => ({
  table,
  key: ledgerTables[table].key,
  columns: ledgerTables[table].columns,
  integers: ["ordinal", "fencing_token", "event_position"],
  nullable: NULLABLE
})
