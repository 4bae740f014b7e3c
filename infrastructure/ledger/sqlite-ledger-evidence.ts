// The verification port on a file: a connection of its own with one read transaction is the snapshot, rows in
// memory, and a private temporary database beyond a bound, are the place to fold into.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { LedgerEvidence } from "../../application/ledger/verification/ledger-evidence.ts"
import type { ReadError } from "../../application/ledger/reading/ledger-reader.ts"
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../keys/ed25519.ts"
import { type Connection, openScratch } from "../sqlite/connection/better-sqlite3-host.ts"
import { fileFindings } from "../sqlite/checks/file-check.ts"
import { verifyContent } from "./verification/content-verification.ts"
import { SpillingFold } from "./verification/fold-target.ts"
import { type LedgerFile, openLedgerFile } from "./opening/ledger-file.ts"
import { ledgerIdentity } from "./opening/ledger-identity.ts"
import { makeSnapshot } from "./verification/ledger-snapshot.ts"
import type { VerifyReplayed } from "./copies/replay.ts"
import { readEffect } from "./sqlite-ledger-reader.ts"

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
    readEffect(file.name, file.busyDeadline, () => {
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
  ).pipe(
    Effect.map((connection) =>
      makeSnapshot(connection, file.name, () => fileFindings(connection, ledgerIdentity))
    )
  ),
  foldTarget: scoped(
    readEffect(file.name, file.busyDeadline, () => {
      const scratch = openScratch()
      scratch.pragma("synchronous = OFF")
      scratch.run("BEGIN")
      return scratch
    })
  ).pipe(Effect.map((scratch) => new SpillingFold(scratch)))
})
