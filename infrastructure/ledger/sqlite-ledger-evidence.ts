// The verification port over SQL: a connection of its own with one read transaction is the snapshot, rows in
// memory, and a private temporary database beyond a bound, are the place to fold into. What only SQLite can judge (schema, pages,
// foreign keys, JSON) becomes findings here; nothing is repaired.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { LedgerEvidence, LedgerSnapshot } from "../../application/ledger/verification/ledger-evidence.ts"
import type { ReadError } from "../../application/ledger/reading/ledger-reader.ts"
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../keys/ed25519.ts"
import { type Connection, openScratch } from "../sqlite/better-sqlite3-host.ts"
import { schemaFindings } from "../sqlite/schema-check.ts"
import { boundedColumns } from "../sqlite/stored-cells.ts"
import { verifyContent } from "./content-verification.ts"
import { EvidenceRows, guarded } from "./evidence-rows.ts"
import { SpillingFold } from "./fold-target.ts"
import { backupTo } from "./ledger-backup.ts"
import { type LedgerFile, openLedgerFile } from "./ledger-file.ts"
import { rebuildTo } from "./ledger-rebuild.ts"
import type { VerifyReplayed } from "./replay.ts"
import { selectStreamsAfter } from "./compiled/ledger-statements.ts"
import { readEffect } from "./sqlite-ledger-reader.ts"
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

const scoped = (
  open: Effect.Effect<Connection, ReadError>
): Effect.Effect<Connection, ReadError, Scope.Scope> =>
  Effect.acquireRelease(open, (connection) => Effect.sync(() => connection.close()))

/** Verifies a finished file as any auditor would: opened for reading, from its content alone. */
export const verifyFile: VerifyReplayed = (filename) =>
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
      return scratch
    })
  ).pipe(Effect.map((scratch) => new SpillingFold(scratch))),
  backup: (target) => backupTo(file, target),
  rebuild: (target) => rebuildTo(file, target, verifyFile)
})
