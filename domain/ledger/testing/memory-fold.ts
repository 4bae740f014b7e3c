// A fold's state in memory for tests: every table a map by key. It is plain and slow on purpose, so that it can be
// held against the quick ones.
import type { FoldState, RowChange } from "../evolve.ts"
import { LEDGER_TABLES, type LedgerRows, type LedgerTable, ledgerTables } from "../rows.ts"

type Tables = { readonly [T in LedgerTable]: Map<string, LedgerRows[T]> }

export class MemoryFold implements FoldState {
  readonly tables = Object.fromEntries(LEDGER_TABLES.map((table) => [table, new Map()])) as unknown as Tables

  /** Puts rows in, in place of rows with the same key. */
  apply(changes: ReadonlyArray<RowChange>): this {
    for (const { row, table } of changes) {
      const key = (row as unknown as Readonly<Record<string, string>>)[ledgerTables[table].key] ?? ""
      ;(this.tables[table] as Map<string, typeof row>).set(key, row)
    }
    return this
  }

  readonly step: FoldState["step"] = (stepId) => this.tables.cassette_steps.get(stepId)

  readonly firstPending: FoldState["firstPending"] = (runId, jobId) =>
    [...this.tables.cassette_steps.values()]
      .filter(
        (step) =>
          step.status === "PENDING" && step.run_id === runId && (jobId === undefined || step.job_id === jobId)
      )
      .map((step) => step.step_id)
      .sort()[0]

  readonly messageOfKey: FoldState["messageOfKey"] = (runId, key) =>
    [...this.tables.cassette_messages.values()].find(
      (message) => message.run_id === runId && message.idempotency_key === key
    )?.message_id

  readonly hasThought: FoldState["hasThought"] = (id) => this.tables.thought_records.has(id)
}
