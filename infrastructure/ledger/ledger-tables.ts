// The tables of the ledger as the query compiler sees them: the rows of the domain under their table names. It
// says nothing about triggers or indexes; those belong to the migrations alone.
import { sql } from "kysely"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import { type LedgerRows, type LedgerTable, ledgerTables } from "../../domain/ledger/rows.ts"
import { boundedValue, type StoredTable } from "../sqlite/stored-cells.ts"
import { queryBuilder } from "../sqlite/query-compiler.ts"

export interface LedgerTables extends LedgerRows {
  readonly events: EventEnvelope
  readonly head: { readonly one: number; readonly size: number; readonly hash: string }
}

/** Builds typed queries over the ledger's tables. */
export const ledger = queryBuilder<LedgerTables>()

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

/** All columns of a table for a SELECT; see `boundedValue`. Order by `table.column`: a bare name is that value. */
export const boundedSelection = ({ columns }: StoredTable) =>
  columns.map((column) => sql<unknown>`${sql.raw(boundedValue(column))}`.as(column))
