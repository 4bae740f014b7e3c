// The ledger's ports on the database of a Durable Object. A ledger is born only where the caller says so: a call to a name that nothing
// was ever posted to must leave nothing. Verification holds the writer's lock, since an object has one connection, and nothing waits
// in real time, since a timer would keep an object awake.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { LedgerStore, type LedgerTransaction } from "../../application/ledger/commands/ledger-store.ts"
import { LedgerReader } from "../../application/ledger/reading/ledger-reader.ts"
import { LedgerEvidence } from "../../application/ledger/verification/ledger-evidence.ts"
import { clockFault } from "../../application/foundation/recordable-time.ts"
import { timestampFromMillis } from "../../domain/canonical/timestamp.ts"
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
import type { OpenError } from "../../domain/ledger/errors.ts"
import { EMPTY_HEAD } from "../../domain/ledger/event-envelope.ts"
import { DATABASE_VERSION } from "../../domain/ledger/limits.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../keys/ed25519.ts"
import type { LedgerDatabase } from "../ledger/opening/ledger-database.ts"
import { type LedgerAttemptFailure, retryOnLedger } from "../ledger/ledger-failures.ts"
import { inspect, judge } from "../ledger/opening/ledger-inspection.ts"
import { makeSnapshot } from "../ledger/verification/ledger-snapshot.ts"
import { type Birth, migrate } from "../ledger/opening/migration-runner.ts"
import { checkOpening } from "../ledger/opening/opening-check.ts"
import { schemaSteps } from "../ledger/opening/schema-snapshots.ts"
import { readHead } from "../ledger/statements/ledger-lookups.ts"
import { makeSqliteLedgerReader } from "../ledger/sqlite-ledger-reader.ts"
import { makeSqliteLedgerStore } from "../ledger/sqlite-ledger-store.ts"
import { damage } from "../sqlite/checks/file-finding.ts"
import type { SqlHost } from "../sqlite/connection/sql-host.ts"
import { boundedFold, MAX_FOLD_UNITS } from "./bounded-fold.ts"
import { nodeRandomIdsLayer } from "../ledger/thoughts/node-random-ids.ts"

export interface ObjectLedgerOptions {
  /** The ledger's id, which is the object's name. */
  readonly ledgerId: string
  /** True where a ledger may be born, which it is with its first event; where there is none, anything else is `NotALedger`. */
  readonly mayCreate: boolean
  /** Most that a verification folds in memory (units). */
  readonly maxFoldUnits?: number | undefined
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

/** What a ledger is made with, where one may be made. */
const birthOf = ({ ledgerId, mayCreate }: ObjectLedgerOptions, now: number): Birth | undefined => {
  if (!mayCreate) return undefined
  const fault = clockFault(now)
  if (fault !== undefined) {
    throw new StorageFailure({ file: ledgerId, code: fault._tag, reason: fault.message })
  }
  return { ledgerId, createdAt: timestampFromMillis(now) }
}

interface OpenedObject {
  readonly database: LedgerDatabase
  /** With what the ledger is made that is not there yet. */
  readonly birth: Birth | undefined
}

/** Opens the ledger of an object, or what may become one. Damage inside a ledger is no error here: it is `fault`. */
const openObject = Effect.fnUntraced(function* (
  host: SqlHost,
  options: ObjectLedgerOptions
): Effect.fn.Return<OpenedObject, OpenError> {
  const { ledgerId: name } = options
  const now = yield* Clock.currentTimeMillis
  const attempt = <A>(work: () => A): Effect.Effect<A, OpenError> =>
    Effect.mapError(retryOnLedger(name, 0, work), (error) =>
      error._tag === "StoreBusy" ? error : openFailure(name, error)
    )
  const opened = { name, readOnly: false, busyDeadline: 0, warnings: [], host, assertInPlace: () => {} }
  const seen = yield* attempt(() => inspect(host))
  const birth = seen.kind === "empty" ? yield* attempt(() => birthOf(options, now)) : undefined
  if (birth !== undefined) {
    return { database: { ...opened, head: EMPTY_HEAD, fault: undefined, ledgerId: name }, birth }
  }
  const isOlder = seen.kind === "ledger" && (seen.version ?? DATABASE_VERSION) < DATABASE_VERSION
  const inspection = isOlder
    ? yield* attempt(() =>
        migrate(host, schemaSteps(), { ledgerId: name, createdAt: timestampFromMillis(now) })
      )
    : seen
  const refusal = judge(name, inspection, name)
  if (refusal !== undefined) return yield* Effect.fail(refusal)
  const check = yield* attempt(() => checkOpening(host, name, schemaSteps(), () => []))
  const ledgerId = inspection.kind === "ledger" ? inspection.ledgerId : undefined
  return { database: { ...opened, ...check, ledgerId }, birth: undefined }
})

/** Takes back a unit of work that made a ledger and wrote nothing into it. */
class NothingWritten extends Error {}

/** The store of a ledger that is made in the very transaction that writes its first event, or not at all. */
const bornByAnEvent = (
  store: LedgerStore["Service"],
  host: SqlHost,
  birth: Birth
): LedgerStore["Service"]["transact"] => {
  let isBorn = false
  return <A>(work: (unit: LedgerTransaction) => A) =>
    Effect.suspend(() => {
      if (isBorn) return store.transact(work)
      let unwritten: { readonly answer: A } | undefined
      return store
        .transact((unit) => {
          migrate(host, schemaSteps(), birth)
          const answer = work(unit)
          if (unit.head().position > 1) return answer
          unwritten = { answer }
          throw new NothingWritten()
        })
        .pipe(
          Effect.tap(() =>
            Effect.sync(() => {
              isBorn = true
            })
          ),
          Effect.catchDefect((defect) =>
            defect instanceof NothingWritten && unwritten !== undefined
              ? Effect.succeed(unwritten.answer)
              : Effect.die(defect)
          )
        )
    })
}

const makePorts = Effect.fnUntraced(function* (host: SqlHost, options: ObjectLedgerOptions) {
  const { birth, database } = yield* openObject(host, options)
  const store = yield* makeSqliteLedgerStore(database)
  const transact = birth === undefined ? store.transact : bornByAnEvent(store, host, birth)
  const lock = yield* Semaphore.make(1)
  host.run("PRAGMA foreign_keys = ON")
  return Layer.mergeAll(
    Layer.succeed(LedgerStore, {
      ...store,
      transact: (work) => lock.withPermits(1)(transact(work))
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
      foldTarget: Effect.sync(() => boundedFold(database.name, options.maxFoldUnits ?? MAX_FOLD_UNITS))
    })
  )
})

/** The ledger's ports on an object's database, with hashing, signatures and random ids. */
export const durableObjectLedgerLayer = (host: SqlHost, options: ObjectLedgerOptions) =>
  Layer.unwrap(makePorts(host, options)).pipe(
    Layer.provideMerge(Layer.mergeAll(nodeHashingLayer, nodeRandomIdsLayer, nodeSigningLayer))
  )
