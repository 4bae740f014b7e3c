// The ledger's ports on the database of a Durable Object. A ledger is born only where the caller says so: a call to a name that nothing
// was ever posted to must leave nothing. Verification holds the writer's lock, since an object has one connection, and nothing waits
// in real time, since a timer would keep an object awake.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { LedgerStore } from "../../application/ledger/commands/ledger-store.ts"
import { MemoryTables } from "../../application/ledger/memory/memory-tables.ts"
import { LedgerReader } from "../../application/ledger/reading/ledger-reader.ts"
import { LedgerEvidence } from "../../application/ledger/verification/ledger-evidence.ts"
import { clockFault } from "../../application/foundation/recordable-time.ts"
import { timestampFromMillis } from "../../domain/canonical/timestamp.ts"
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import type { OpenError } from "../../domain/ledger/errors.ts"
import { DATABASE_VERSION } from "../../domain/ledger/limits.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../keys/ed25519.ts"
import type { LedgerDatabase } from "../ledger/ledger-database.ts"
import { type LedgerAttemptFailure, retryOnLedger } from "../ledger/ledger-failures.ts"
import { inspect, type Inspection, judge } from "../ledger/ledger-inspection.ts"
import { makeSnapshot } from "../ledger/ledger-snapshot.ts"
import { migrate } from "../ledger/migration-runner.ts"
import { checkOpening } from "../ledger/opening-check.ts"
import { schemaSteps } from "../ledger/schema-snapshots.ts"
import { readHead } from "../ledger/ledger-lookups.ts"
import { makeSqliteLedgerReader } from "../ledger/sqlite-ledger-reader.ts"
import { makeSqliteLedgerStore } from "../ledger/sqlite-ledger-store.ts"
import { damage } from "../sqlite/file-finding.ts"
import type { SqlHost } from "../sqlite/sql-host.ts"
import { nodeRandomIdsLayer } from "../thoughts/node-random-ids.ts"

export interface ObjectLedgerOptions {
  /** The ledger's id, which is the object's name. */
  readonly ledgerId: string
  /** True where a ledger may be born; where there is none, anything else is `NotALedger`. */
  readonly mayCreate: boolean
}

/** What SQLite says of an object's pages; the whole account of them is kept from the object. */
const pagesOf = (host: SqlHost) => () =>
  host
    .all<{ quick_check: string }>("PRAGMA quick_check")
    .filter(({ quick_check }) => quick_check !== "ok")
    .map(({ quick_check }) => damage("database", quick_check))

const openFailure = (file: string, error: LedgerAttemptFailure): OpenError =>
  error._tag === "InvariantViolation" || error._tag === "ClockFarBehindHead"
    ? new StorageFailure({ file, code: error._tag, reason: error.message })
    : error

const found = (host: SqlHost, { ledgerId, mayCreate }: ObjectLedgerOptions, now: number): Inspection => {
  const seen = inspect(host)
  if (seen.kind === "foreign" || (seen.kind === "empty" && !mayCreate)) return seen
  if (seen.kind === "ledger" && (seen.version ?? DATABASE_VERSION) >= DATABASE_VERSION) return seen
  const fault = clockFault(now)
  if (fault !== undefined) {
    throw new StorageFailure({ file: ledgerId, code: fault._tag, reason: fault.message })
  }
  return migrate(host, schemaSteps(), { ledgerId, createdAt: timestampFromMillis(now) })
}

/** Opens the ledger of an object, or makes it. Damage inside a ledger is no error here: it is `fault`. */
const openObject = Effect.fnUntraced(function* (
  host: SqlHost,
  options: ObjectLedgerOptions
): Effect.fn.Return<LedgerDatabase, OpenError> {
  const { ledgerId: name } = options
  const now = yield* Clock.currentTimeMillis
  const attempt = <A>(work: () => A): Effect.Effect<A, OpenError> =>
    Effect.mapError(retryOnLedger(name, 0, work), (error) =>
      error._tag === "StoreBusy" ? error : openFailure(name, error)
    )
  const inspection = yield* attempt(() => found(host, options, now))
  const refusal = judge(name, inspection, name)
  if (refusal !== undefined) return yield* Effect.fail(refusal)
  const check = yield* attempt(() => checkOpening(host, name, schemaSteps(), () => []))
  return {
    ...check,
    name,
    readOnly: false,
    busyDeadline: 0,
    ledgerId: inspection.kind === "ledger" ? inspection.ledgerId : undefined,
    warnings: [],
    host,
    assertInPlace: () => {}
  }
})

const makePorts = Effect.fnUntraced(function* (host: SqlHost, options: ObjectLedgerOptions) {
  const database = yield* openObject(host, options)
  const store = yield* makeSqliteLedgerStore(database)
  const lock = yield* Semaphore.make(1)
  host.run("PRAGMA foreign_keys = ON")
  return Layer.mergeAll(
    Layer.succeed(LedgerStore, {
      ...store,
      transact: (work) => lock.withPermits(1)(store.transact(work))
    }),
    Layer.succeed(
      LedgerReader,
      makeSqliteLedgerReader(database, host, {
        counter: () => readHead(host).position,
        wait: Effect.never
      })
    ),
    Layer.succeed(LedgerEvidence, {
      warnings: database.warnings,
      snapshot: Effect.acquireRelease(
        Effect.as(lock.take(1), makeSnapshot(host, database.name, pagesOf(host))),
        () => lock.release(1)
      ),
      foldTarget: Effect.sync(() => new MemoryTables())
    })
  )
})

/** The ledger's ports on an object's database, with hashing, signatures and random ids. */
export const durableObjectLedgerLayer = (host: SqlHost, options: ObjectLedgerOptions) =>
  Layer.unwrap(makePorts(host, options)).pipe(
    Layer.provideMerge(Layer.mergeAll(nodeHashingLayer, nodeRandomIdsLayer, nodeSigningLayer))
  )
