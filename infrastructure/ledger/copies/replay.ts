// A new database made from events: the newest schema, then every event through the guards and projections of the database itself.
// It is made in a private folder beside the target, verified, and only then gets its name, in one step; nothing is
// ever written over, and what cannot be made whole leaves nothing behind.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { corrupt } from "../../../application/ledger/commands/head-check.ts"
import type { BackupError } from "../../../application/ledger/verification/ledger-copies.ts"
import { InvariantViolation } from "../../../domain/foundation/errors.ts"
import { chainFault, type EventEnvelope, type Head, headOf } from "../../../domain/ledger/event-envelope.ts"
import type { VerificationReport } from "../../../domain/ledger/verification.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import { type Connection, openForWriting } from "../../sqlite/connection/better-sqlite3-host.ts"
import { applySteps } from "../../sqlite/checks/schema-steps.ts"
import { sqliteFailure } from "../../sqlite/connection/sqlite-errors.ts"
import { insertEvent } from "../statements/compiled/ledger-statements.ts"
import { assertFree, copyFailure, draftBeside, publish } from "./ledger-backup.ts"
import { LEDGER_VERSIONS, schemaSteps } from "../opening/schema-snapshots.ts"

/** Verifies a finished database that no other program knows yet. */
export type VerifyReplayed = (file: string) => Effect.Effect<VerificationReport, BackupError>

const EXISTS = "the file exists; a new ledger is never written over one"

/** Runs a step of making a ledger at `target`; what is thrown is told of that. */
export const attempt = <A>(target: string, work: () => A): Effect.Effect<A, BackupError> =>
  Effect.try({ try: work, catch: (error) => copyFailure(target, error) })

/** A connection for the scope's life. */
export const opened = (
  target: string,
  open: () => Connection
): Effect.Effect<Connection, BackupError, Scope.Scope> =>
  Effect.acquireRelease(attempt(target, open), (connection) => Effect.sync(() => connection.close()))

/** An empty database of the newest version. Nothing needs to survive a crash before it has its name. */
const openDraft = (file: string): Connection => {
  const connection = openForWriting(file)
  connection.pragma("journal_mode = MEMORY")
  connection.pragma("synchronous = OFF")
  connection.pragma("foreign_keys = ON")
  connection.transaction(() => applySteps(connection, LEDGER_VERSIONS, schemaSteps(), 0))
  return connection
}

/** Puts one event in, as a writer would have; the database's own refusal is a finding about that event. */
export const replayEvent = (connection: Connection, before: Head, event: EventEnvelope): Head => {
  const where = `event ${event.position}`
  const fault = chainFault(sha256, before, event)
  if (fault !== undefined) throw corrupt({ code: "CHAIN_BROKEN", where, message: fault })
  try {
    insertEvent.run(connection, event)
  } catch (error) {
    const failure = sqliteFailure("the new database", error)
    if (!(failure instanceof InvariantViolation)) throw error
    throw corrupt({ code: "EVENT_INVALID", where, message: failure.message })
  }
  return headOf(event)
}

/** A new ledger while its events are put in. */
export interface Replaying {
  readonly connection: Connection
  /** What errors call it: the file that it becomes. */
  readonly target: string
}

interface ReplayOptions {
  readonly target: string
  /** A file where the events come from, if they come from one: the new one is no more open than that. */
  readonly source: string | undefined
  readonly verify: VerifyReplayed
}

/** Makes a ledger of what `fill` puts in, in a file that does not exist yet, and gives its verification. */
export const replayed = <E, R>(
  { source, target, verify }: ReplayOptions,
  fill: (replaying: Replaying) => Effect.Effect<void, E, R | Scope.Scope>
): Effect.Effect<VerificationReport, BackupError | E, Exclude<R, Scope.Scope>> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* assertFree(target, EXISTS)
      const draft = yield* draftBeside(target, source)
      yield* Effect.scoped(
        Effect.flatMap(
          opened(target, () => openDraft(draft)),
          (connection) => fill({ connection, target })
        )
      )
      const report = yield* verify(draft)
      const [finding] = report.findings
      if (finding !== undefined) return yield* Effect.fail(corrupt(finding))
      yield* publish(draft, target, EXISTS)
      return report
    })
  )
