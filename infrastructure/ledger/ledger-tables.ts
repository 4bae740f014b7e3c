// The tables of the ledger as the query compiler sees them: the rows of the domain under their table names. It
// says nothing about triggers or indexes; those belong to the migrations alone.
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import type { LedgerRows } from "../../domain/ledger/rows.ts"
import { queryBuilder } from "../sqlite/query-compiler.ts"

export interface LedgerTables extends LedgerRows {
  readonly events: EventEnvelope
  readonly head: { readonly one: number; readonly size: number; readonly hash: string }
}

/** Builds typed queries over the ledger's tables. */
export const ledger = queryBuilder<LedgerTables>()
