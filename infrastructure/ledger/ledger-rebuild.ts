// A new database made from the log alone: the newest schema, then every event through the guards and projections of the
// database itself. It is made in a private folder beside the target, verified, and only then gets its name, in one
// step; nothing is ever written over, and what cannot be rebuilt whole leaves nothing behind.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { corrupt } from "../../application/ledger/commands/head-check.ts"
import type { BackupError } from "../../application/ledger/verification/ledger-evidence.ts"
import { InvariantViolation } from "../../domain/foundation/errors.ts"
import {
  chainFault,
  EMPTY_HEAD,
  type EventEnvelope,
  type Head,
  headOf
} from "../../domain/ledger/event-envelope.ts"
import type { VerificationReport } from "../../domain/ledger/verification.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import { type Connection, openForWriting } from "../sqlite/better-sqlite3-host.ts"
import { applySteps } from "../sqlite/schema-steps.ts"
import { sqliteFailure } from "../sqlite/sqlite-errors.ts"
import { assertFree, copyFailure, draftBeside, publish } from "./ledger-backup.ts"
import type { LedgerFile } from "./ledger-file.ts"
import { insertEvent } from "./compiled/ledger-statements.ts"
import { LEDGER_VERSIONS, schemaSteps } from "./schema-snapshots.ts"
import { eventPage } from "./stored-events.ts"

const PAGE = 1_000

/** Verifies a finished database that no other program knows yet. */
export type VerifyRebuilt = (file: string) => Effect.Effect<VerificationReport, BackupError>

const EXISTS = "the file exists; a rebuilt ledger is never written over one"

const attempt = <A>(target: string, work: () => A): Effect.Effect<A, BackupError> =>
  Effect.try({ try: work, catch: (error) => copyFailure(target, error) })

const opened = (
  target: string,
  open: () => Connection
): Effect.Effect<Connection, BackupError, Scope.Scope> =>
  Effect.acquireRelease(attempt(target, open), (connection) => Effect.sync(() => connection.close()))

/** An empty database of the newest version. Nothing needs to survive a crash before it has its name. */
const openRebuilt = (file: string): Connection => {
  const connection = openForWriting(file)
  connection.pragma("journal_mode = MEMORY")
  connection.pragma("synchronous = OFF")
  connection.pragma("foreign_keys = ON")
  connection.transaction(() => applySteps(connection, LEDGER_VERSIONS, schemaSteps(), 0))
  return connection
}

/** Puts one event in, as a writer would have; the database's own refusal is a finding about that event. */
const replay = (connection: Connection, before: Head, event: EventEnvelope): Head => {
  const where = `event ${event.position}`
  const fault = chainFault(sha256, before, event)
  if (fault !== undefined) throw corrupt({ code: "CHAIN_BROKEN", where, message: fault })
  try {
    insertEvent.run(connection, event)
  } catch (error) {
    const failure = sqliteFailure("the rebuilt database", error)
    if (!(failure instanceof InvariantViolation)) throw error
    throw corrupt({ code: "EVENT_INVALID", where, message: failure.message })
  }
  return headOf(event)
}

const replayAll = Effect.fnUntraced(function* (
  source: Connection,
  file: string,
  target: string
): Effect.fn.Return<void, BackupError, Scope.Scope> {
  const connection = yield* opened(target, () => openRebuilt(file))
  let head: Head = EMPTY_HEAD
  // From the lowest number on, so that no event stands before the first one unseen.
  let after = Number.MIN_SAFE_INTEGER
  while (true) {
    const from = after
    const events = yield* attempt(target, () => eventPage(source, { after: from, limit: PAGE }))
    if (events.length === 0) break
    head = yield* attempt(target, () =>
      connection.transaction(() => events.reduce((before, event) => replay(connection, before, event), head))
    )
    after = head.position
    yield* Effect.yieldNow
  }
  if (head.position > 0) return
  return yield* Effect.fail(
    corrupt({ code: "HEAD_MISMATCH", where: "events", message: "the log is empty: nothing can be rebuilt" })
  )
})

const rebuild = Effect.fnUntraced(function* (
  file: LedgerFile,
  target: string,
  verifyRebuilt: VerifyRebuilt
): Effect.fn.Return<VerificationReport, BackupError, Scope.Scope> {
  yield* assertFree(target, EXISTS)
  const path = yield* draftBeside(target, file.filename)
  yield* Effect.scoped(
    Effect.gen(function* () {
      const source = yield* opened(file.filename, file.openSnapshot)
      yield* attempt(file.filename, () => source.run("BEGIN"))
      yield* replayAll(source, path, target)
    })
  )
  const report = yield* verifyRebuilt(path)
  const [finding] = report.findings
  if (finding !== undefined) return yield* Effect.fail(corrupt(finding))
  yield* publish(path, target, EXISTS)
  return report
})

/** Writes a database rebuilt from the log alone to a file that does not exist yet, and gives its verification. */
export const rebuildTo = (
  file: LedgerFile,
  target: string,
  verifyRebuilt: VerifyRebuilt
): Effect.Effect<VerificationReport, BackupError> => Effect.scoped(rebuild(file, target, verifyRebuilt))
