// The write port over SQL: one immediate transaction per group of commands, statements compiled once, SQLite's
// refusals as InvariantViolation. While nothing happens it lets the host tidy up: a file's log is moved into the file, so that
// readers stay quick and the log small.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LedgerStore, LedgerTransaction } from "../../application/ledger/commands/ledger-store.ts"
import { InvariantViolation } from "../../domain/foundation/errors.ts"
import { ReadOnlyStore, StorageFailure } from "../../domain/foundation/storage-errors.ts"
import { type StoreWriteError, StoreCorrupt } from "../../domain/ledger/errors.ts"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import { receiptIdOf } from "../../domain/ledger/ids.ts"
import { idleSleep } from "../sqlite/connection/real-time.ts"
import { sqliteFailure } from "../sqlite/connection/sqlite-errors.ts"
import type { SqlHost } from "../sqlite/connection/sql-host.ts"
import { selectThought, selectThoughtTail } from "./thoughts/compiled/thought-statements.ts"
import { type LedgerAttemptFailure, retryOnLedger } from "./ledger-failures.ts"
import type { LedgerDatabase } from "./opening/ledger-database.ts"
import {
  insertEvent,
  selectHeadPlace,
  selectMessageByKey,
  selectReceipt,
  selectStep
} from "./statements/compiled/ledger-statements.ts"
import { nextPendingStep } from "./statements/ledger-lookups.ts"
import { eventPage } from "./statements/stored-events.ts"

/** How long nothing must have been written before the host tidies up. */
const IDLE_INTERVAL_MILLIS = 1_000

/** What a row of an event takes beside its data, with room for the longest names (bytes). */
const ROW_BYTES = 4_096

/** A head that is not there is no event's. */
const NO_HEAD = { position: 0, hash: "" }

const insertOf = (host: SqlHost, file: string, event: EventEnvelope): number => {
  try {
    return insertEvent.run(host, event)
  } catch (error) {
    const failure = sqliteFailure(file, error)
    throw failure instanceof InvariantViolation ? failure : error
  }
}

const makeTransaction = (host: SqlHost, file: string): LedgerTransaction => ({
  maxEventBytes: host.facts.maxRowBytes === undefined ? undefined : host.facts.maxRowBytes - ROW_BYTES,
  head: () => selectHeadPlace.first(host, {}) ?? NO_HEAD,
  eventsAfter: (after, limit) => eventPage(host, { after, limit }),
  messageByKey: (run_id, idempotency_key) => selectMessageByKey.first(host, { run_id, idempotency_key }),
  nextPendingStep: (place) => nextPendingStep(host, place),
  step: (step_id) => selectStep.first(host, { step_id }),
  receiptOfStep: (stepId) => selectReceipt.first(host, { receipt_id: receiptIdOf(stepId) }),
  thought: (id) => selectThought.first(host, { id }),
  thoughtTail: (task_id) => selectThoughtTail.first(host, { task_id })?.hash,
  append: (event) => {
    const written = insertOf(host, file, event)
    // A trigger that is not ours can swallow an insert; what was not stored may never be acknowledged.
    if (written !== 1) {
      const where = `event ${event.position}`
      throw new StoreCorrupt({
        code: "SCHEMA_EXTRA",
        where,
        finding: "the event was swallowed instead of stored"
      })
    }
  }
})

/** SQLite failures of a whole unit of work. */
const writeFailure = (file: string, error: LedgerAttemptFailure): StoreWriteError => {
  switch (error._tag) {
    case "InvariantViolation":
    case "NotALedger":
      return new StorageFailure({ file, code: error._tag, reason: error.message })
    default:
      return error
  }
}

/** Tidies up while the ledger is idle; never waits, and tries again later. */
const settleWhenIdle = (settle: () => boolean, writes: () => number): Effect.Effect<never> =>
  Effect.gen(function* () {
    let seen = 0
    let done = 0
    while (true) {
      yield* idleSleep(IDLE_INTERVAL_MILLIS)
      const now = writes()
      if (now === seen && now !== done && settle()) done = now
      seen = now
    }
  })

/** The write port on an opened ledger; on a read-only one every unit of work is refused. */
export const makeSqliteLedgerStore = Effect.fnUntraced(function* (
  database: LedgerDatabase
): Effect.fn.Return<LedgerStore["Service"], never, Scope.Scope> {
  const { assertInPlace, assertSchema, busyDeadline, host, name, readOnly, settle } = database
  const transaction = makeTransaction(host, name)
  let writes = 0
  let doubtful = false
  if (!readOnly && settle !== undefined) {
    yield* Effect.forkScoped(settleWhenIdle(settle, () => writes))
  }
  return {
    ledgerId: database.ledgerId,
    openedHead: database.head,
    fault: database.fault,
    transact: readOnly
      ? () => Effect.fail(new ReadOnlyStore({ file: name }))
      : <A>(work: (unit: LedgerTransaction) => A) =>
          retryOnLedger(name, busyDeadline, () => {
            if (doubtful) assertInPlace()
            const result = host.transaction(() => {
              assertSchema?.()
              return work(transaction)
            })
            // What went into a file that is in its place no longer is committed, and lost: no caller may be told. One
            // look after the commit is enough; one before is only for a file that was seen to be lost.
            doubtful = true
            assertInPlace()
            doubtful = false
            writes += 1
            return result
          }).pipe(
            Effect.mapError((error) => (error._tag === "StoreBusy" ? error : writeFailure(name, error)))
          )
  }
})
