// Builds typed queries over the ledger's tables, which are the rows of the domain under their table names. Statements are compiled
// with it once, into the folders `compiled`: a program that runs never loads it.
import { sql } from "kysely"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import type { LedgerRows } from "../../../domain/ledger/rows.ts"
import { queryBuilder } from "../../sqlite/connection/query-compiler.ts"
import { boundedValue, type StoredTable } from "../../sqlite/checks/stored-cells.ts"

interface LedgerTables extends LedgerRows {
  readonly events: EventEnvelope
  readonly head: { readonly one: number; readonly size: number; readonly hash: string }
}

/** Builds typed queries over the ledger's tables. */
export const ledger = queryBuilder<LedgerTables>()

/** All columns of a table for a SELECT; see `boundedValue`. Order by `table.column`: a bare name is that value. */
export const boundedSelection = ({ columns }: StoredTable) =>
  columns.map((column) => sql<unknown>`${sql.raw(boundedValue(column))}`.as(column))
