// The place to fold a log into: rows are held in memory, and all of them go to a private temporary database when they have grown
// too large together, where they stay. A row stands in one place alone, so that both together are one set of tables. They have
// no guards: the fold itself is what is being compared.
import { isAscii } from "../../../domain/canonical/ascii.ts"
import { compareCodePoints } from "../../../domain/canonical/py.ts"
import type { Page } from "../../../domain/foundation/page.ts"
import type { RowChange } from "../../../domain/ledger/evolve.ts"
import { LEDGER_TABLES, type LedgerTable, ledgerTables, type StepRow } from "../../../domain/ledger/rows.ts"
import type { Cell } from "../../../domain/ledger/table-digest.ts"
import { type AnyRow, cellsOf, FoldLookups, keyOf, unitsOf } from "../../../domain/ledger/fold-lookups.ts"
import type { RunSummary } from "../../../application/ledger/reading/ledger-reader.ts"
import type { FoldTarget } from "../../../application/ledger/verification/ledger-evidence.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { EvidenceRows } from "../statements/evidence-rows.ts"
import { selectRuns } from "../statements/compiled/ledger-queries.ts"
import { nextPendingStep } from "../statements/ledger-lookups.ts"

/** How much is held in memory before it goes to the temporary database (units). */
const MAX_HELD_UNITS = 16 * 1_048_576

const columnType = (column: string): string =>
  ["ordinal", "fencing_token", "event_position"].includes(column) ? "INTEGER" : "TEXT"

const createFoldTables = (scratch: SqlHost): void => {
  for (const table of LEDGER_TABLES) {
    const { columns, key } = ledgerTables[table]
    const definitions = columns.map((column) => `${column} ${columnType(column)}`).join(", ")
    scratch.run(`CREATE TABLE ${table} (${definitions}, PRIMARY KEY (${key})) STRICT, WITHOUT ROWID`)
  }
  scratch.run("CREATE INDEX fold_thoughts ON thought_records (event_position)")
  scratch.run("CREATE INDEX fold_pending ON cassette_steps (run_id, step_id) WHERE status = 'PENDING'")
  scratch.run(
    "CREATE INDEX fold_keys ON cassette_messages (run_id, idempotency_key) WHERE idempotency_key IS NOT NULL"
  )
}

const statementsOf = (text: (table: LedgerTable) => string) =>
  Object.fromEntries(LEDGER_TABLES.map((table) => [table, text(table)])) as {
    readonly [T in LedgerTable]: string
  }

const puts = statementsOf(
  (table) => `REPLACE INTO ${table} VALUES (${ledgerTables[table].columns.map(() => "?").join(", ")})`
)
const deletes = statementsOf((table) => `DELETE FROM ${table} WHERE ${ledgerTables[table].key} = ?`)

export class SpillingFold implements FoldTarget {
  private readonly scratch: Connection
  private readonly maxHeld: number
  private readonly held = Object.fromEntries(LEDGER_TABLES.map((table) => [table, new Map()])) as {
    readonly [T in LedgerTable]: Map<string, AnyRow>
  }
  private readonly lookups = new FoldLookups()
  private heldUnits = 0
  private spilled = false
  /** The highest key of each table in the temporary database: ids grow, so that a new row is seldom looked for there. */
  private readonly lastSpilled = new Map<LedgerTable, string>()

  /** `scratch` is an empty database for this fold alone. */
  constructor(scratch: Connection, maxHeld = MAX_HELD_UNITS) {
    this.scratch = scratch
    this.maxHeld = maxHeld
    createFoldTables(scratch)
  }

  readonly step = (stepId: string): StepRow | undefined =>
    (this.held.cassette_steps.get(stepId) as StepRow | undefined) ??
    this.first<StepRow>("SELECT * FROM cassette_steps WHERE step_id = ?", stepId)

  readonly firstPending = (runId: string, jobId: string | undefined): string | undefined => {
    const held = this.lookups.firstPending(runId, jobId)
    const stored = this.spilled
      ? nextPendingStep(this.scratch, { run_id: runId, job_id: jobId })?.step_id
      : undefined
    if (held === undefined || stored === undefined) return held ?? stored
    return compareCodePoints(held, stored) < 0 ? held : stored
  }

  readonly messageOfKey = (runId: string, key: string): string | undefined =>
    this.lookups.messageOfKey(runId, key) ??
    this.first<{ message_id: string }>(
      "SELECT message_id FROM cassette_messages INDEXED BY fold_keys WHERE run_id = ? AND idempotency_key = ?",
      runId,
      key
    )?.message_id

  readonly hasThought = (id: string): boolean =>
    this.held.thought_records.has(id) ||
    this.first("SELECT 1 FROM thought_records WHERE id = ?", id) !== undefined

  readonly apply = (changes: ReadonlyArray<RowChange>): void => {
    for (const { row, table } of changes) this.put(table, row)
    if (this.heldUnits > this.maxHeld) this.spill()
  }

  readonly rows = (table: LedgerTable): Iterable<ReadonlyArray<Cell>> =>
    this.spilled ? this.allSpilled().rows(table) : this.heldRows(table)

  readonly thoughts = (): Iterable<ReadonlyArray<Cell>> => this.allSpilled().thoughtsByEvent()

  readonly runs = (now: string, page: Page): ReadonlyArray<RunSummary> => {
    this.spill()
    this.scratch.run("CREATE INDEX IF NOT EXISTS fold_runs ON cassette_messages (run_id)")
    return selectRuns.all(this.scratch, { ...page, now })
  }

  /** The first row in the temporary database, if anything is there. */
  private first<Row>(text: string, ...parameters: ReadonlyArray<string>): Row | undefined {
    return this.spilled ? this.scratch.all<Row>(text, parameters)[0] : undefined
  }

  private put(table: LedgerTable, row: AnyRow): void {
    const key = keyOf(table, row)
    const rows = this.held[table]
    const old = rows.get(key)
    if (old !== undefined) {
      this.heldUnits -= unitsOf(old)
      this.lookups.forget(table, key, old)
    } else if (compareCodePoints(key, this.lastSpilled.get(table) ?? "") <= 0) {
      this.scratch.run(deletes[table], [key])
    }
    this.heldUnits += unitsOf(row)
    rows.set(key, row)
    this.lookups.learn(table, key, row)
  }

  /** The keys of a table's rows in memory, as SQLite orders them. */
  private heldKeys(table: LedgerTable): ReadonlyArray<string> {
    const keys = [...this.held[table].keys()]
    // Of ASCII alone, units are bytes, and they are compared many times faster.
    return keys.every(isAscii) ? keys.sort() : keys.sort(compareCodePoints)
  }

  private *heldRows(table: LedgerTable): Generator<ReadonlyArray<Cell>> {
    const rows = this.held[table]
    for (const key of this.heldKeys(table)) {
      const row = rows.get(key)
      if (row !== undefined) yield cellsOf(table, row)
    }
  }

  /** Every row goes to the temporary database. */
  private spill(): void {
    for (const table of LEDGER_TABLES) {
      for (const cells of this.heldRows(table)) {
        this.scratch.run(puts[table], cells)
        const key = cells[0] as string
        if (compareCodePoints(key, this.lastSpilled.get(table) ?? "") > 0) this.lastSpilled.set(table, key)
      }
      this.held[table].clear()
    }
    this.lookups.clear()
    this.heldUnits = 0
    this.spilled = true
  }

  private allSpilled(): EvidenceRows {
    this.spill()
    return new EvidenceRows(this.scratch, "the fold")
  }
}
