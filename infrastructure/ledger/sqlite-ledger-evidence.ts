// The verification port over SQL: a connection of its own with one read transaction is the snapshot, a private
// temporary database without triggers is the place to fold into. What only SQLite can judge (schema, pages,
// foreign keys, JSON) becomes findings here; nothing is repaired.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type {
  FoldTarget,
  LedgerEvidence,
  LedgerSnapshot
} from "../../application/ledger/verification/ledger-evidence.ts"
import type { ReadError } from "../../application/ledger/reading/ledger-reader.ts"
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import { LEDGER_TABLES, type LedgerTable, ledgerTables, type StepRow } from "../../domain/ledger/rows.ts"
import type { Cell } from "../../domain/ledger/table-digest.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../keys/ed25519.ts"
import { type Connection, openScratch } from "../sqlite/better-sqlite3-host.ts"
import { schemaFindings } from "../sqlite/schema-check.ts"
import type { SqlHost } from "../sqlite/sql-host.ts"
import { boundedColumns } from "../sqlite/stored-cells.ts"
import { verifyContent } from "./content-verification.ts"
import { EvidenceRows, guarded } from "./evidence-rows.ts"
import { backupTo } from "./ledger-backup.ts"
import { type LedgerFile, openLedgerFile } from "./ledger-file.ts"
import { rebuildTo, type VerifyRebuilt } from "./ledger-rebuild.ts"
import { selectStreamsAfter } from "./compiled/ledger-statements.ts"
import { nextPendingStep } from "./ledger-lookups.ts"
import { readEffect } from "./sqlite-ledger-reader.ts"
import { selectRuns } from "./compiled/ledger-queries.ts"
import { LEDGER_VERSIONS, schemaSteps } from "./schema-snapshots.ts"
import { structureFindings } from "./structure-findings.ts"

const makeSnapshot = (connection: Connection, file: string): LedgerSnapshot => {
  const rows = new EvidenceRows(connection, file)
  return {
    structure: () => guarded(file, () => structureFindings(connection)),
    schema: () => guarded(file, () => schemaFindings(connection, LEDGER_VERSIONS, schemaSteps())),
    head: () =>
      guarded(
        file,
        () =>
          connection.all<{ size: number; hash: string }>(
            `SELECT ${boundedColumns(["size", "hash"])} FROM head`
          )[0]
      ),
    eventsAfter: (after, limit, stream_id) => rows.eventsAfter({ after, limit, stream_id }),
    streamsAfter: (position) =>
      guarded(file, () =>
        selectStreamsAfter.all(connection, { position }).map((row) => String(row.stream_id))
      ),
    rows: (table, runId) => rows.rows(table, runId),
    thoughts: (taskId) => rows.thoughts(taskId),
    taskEvents: (taskId) => rows.taskEvents(taskId),
    takeDamage: () => rows.takeDamage()
  }
}

const columnType = (column: string): string =>
  ["ordinal", "fencing_token", "event_position"].includes(column) ? "INTEGER" : "TEXT"

/** The tables of the projections without guards: the fold itself is what is being compared. */
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

const makeFoldTarget = (scratch: Connection): FoldTarget => {
  const puts = Object.fromEntries(
    LEDGER_TABLES.map((table) => {
      const { columns } = ledgerTables[table]
      return [table, `REPLACE INTO ${table} VALUES (${columns.map(() => "?").join(", ")})`]
    })
  ) as { readonly [T in LedgerTable]: string }
  const first = <Row>(text: string, ...parameters: ReadonlyArray<string>) =>
    scratch.all<Row>(text, parameters)[0]
  const folded = new EvidenceRows(scratch, "the fold")
  return {
    step: (stepId) => first<StepRow>("SELECT * FROM cassette_steps WHERE step_id = ?", stepId),
    firstPending: (runId, jobId) => nextPendingStep(scratch, { run_id: runId, job_id: jobId })?.step_id,
    messageOfKey: (runId, key) =>
      first<{ message_id: string }>(
        "SELECT message_id FROM cassette_messages INDEXED BY fold_keys WHERE run_id = ? AND idempotency_key = ?",
        runId,
        key
      )?.message_id,
    hasThought: (id) => first("SELECT 1 FROM thought_records WHERE id = ?", id) !== undefined,
    apply: (changes) => {
      for (const { row, table } of changes) {
        const cells = row as unknown as Readonly<Record<string, Cell>>
        scratch.run(
          puts[table],
          ledgerTables[table].columns.map((column) => cells[column] ?? null)
        )
      }
    },
    rows: (table) => folded.rows(table),
    thoughts: () => folded.thoughtsByEvent(),
    runs: (now, page) => {
      scratch.run("CREATE INDEX IF NOT EXISTS fold_runs ON cassette_messages (run_id)")
      return selectRuns.all(scratch, { ...page, now })
    }
  }
}

const scoped = (
  open: Effect.Effect<Connection, ReadError>
): Effect.Effect<Connection, ReadError, Scope.Scope> =>
  Effect.acquireRelease(open, (connection) => Effect.sync(() => connection.close()))

/** Verifies a finished file as any auditor would: opened for reading, from its content alone. */
export const verifyFile: VerifyRebuilt = (filename) =>
  openLedgerFile({ filename, mode: "read", allowNetworkFs: true }).pipe(
    Effect.flatMap((file) => verifyContent(makeSqliteLedgerEvidence(file), filename)),
    Effect.provide(Layer.merge(nodeHashingLayer, nodeSigningLayer)),
    Effect.mapError((error) =>
      error instanceof StorageFailure
        ? error
        : new StorageFailure({ file: filename, code: error._tag, reason: error.message })
    ),
    Effect.scoped
  )

/** The verification port on an opened file. */
export const makeSqliteLedgerEvidence = (file: LedgerFile): LedgerEvidence["Service"] => ({
  warnings: file.warnings,
  snapshot: scoped(
    readEffect(file.filename, file.busyDeadline, () => {
      const connection = file.openSnapshot()
      try {
        connection.pragma("foreign_keys = ON")
        connection.run("BEGIN")
        return connection
      } catch (error) {
        connection.close()
        throw error
      }
    })
  ).pipe(Effect.map((connection) => makeSnapshot(connection, file.filename))),
  foldTarget: scoped(
    readEffect(file.filename, file.busyDeadline, () => {
      const scratch = openScratch()
      scratch.pragma("synchronous = OFF")
      scratch.run("BEGIN")
      createFoldTables(scratch)
      return scratch
    })
  ).pipe(Effect.map(makeFoldTarget)),
  backup: (target) => backupTo(file, target),
  rebuild: (target) => rebuildTo(file, target, verifyFile)
})
