// Opening a ledger's file: the path is judged, the version is read before anything is changed, a missing schema is
// made under the write lock, and the newest part is checked. It hands out connections and closes them all; it
// never judges commands and never reads a database file other than through SQLite.
import { existsSync, realpathSync, rmSync, statSync } from "node:fs"
import { resolve } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { clockFault } from "../../../application/foundation/recordable-time.ts"
import { timestampFromMillis } from "../../../domain/canonical/timestamp.ts"
import { NotALedger, StorageFailure } from "../../../domain/foundation/storage-errors.ts"
import type { OpenError } from "../../../domain/ledger/errors.ts"
import { DATABASE_VERSION } from "../../../domain/ledger/limits.ts"
import {
  configureForWriting,
  type Connection,
  openAlone,
  openBytes,
  openForReading,
  openForWriting
} from "../../sqlite/connection/better-sqlite3-host.ts"
import { busyDeadlineMillis } from "../../sqlite/connection/busy-retry.ts"
import { openingFindings, orHeaderFault } from "../../sqlite/checks/file-check.ts"
import { loneFileWarnings } from "../../sqlite/files/lone-file.ts"
import { type PlaceCheck, watchPlace, watchWriter } from "../../files/opened-file-check.ts"
import { journalFault } from "../../sqlite/connection/journal-fault.ts"
import { fileFailure, reserveFile } from "../../files/file-system.ts"
import { pathFault } from "../../sqlite/files/database-path.ts"
import { isWantOfPlace, mustBeCopied } from "../../sqlite/files/private-copy.ts"
import { sqliteFailure } from "../../sqlite/connection/sqlite-errors.ts"
import { supportedNode } from "../../sqlite/connection/supported-node.ts"
import { lookUntouched, withoutLeftovers } from "../../sqlite/files/untouched-look.ts"
import { lookInto, lookThrough } from "../../sqlite/files/wal-leftovers.ts"
import { type LedgerAttemptFailure, retryOnLedger } from "../ledger-failures.ts"
import { evidenceCopy, reasonForCopy } from "./evidence-copy.ts"
import { inspect, type Inspection, judge } from "./ledger-inspection.ts"
import { IN_MEMORY, type LedgerFileOptions } from "./ledger-options.ts"
import { companionNotes } from "../../sqlite/checks/schema-check.ts"
import { lookForOverwriting } from "./overwriting.ts"
import { migrate } from "./migration-runner.ts"
import type { LedgerDatabase } from "./ledger-database.ts"
import { ledgerIdentity } from "./ledger-identity.ts"
import { checkOpening, type OpeningCheck } from "./opening-check.ts"
import { schemaSteps } from "./schema-snapshots.ts"
import { watchSchema } from "./schema-watch.ts"

/** How a ledger's file is opened by the parts of this program. */
export interface LedgerOpening extends LedgerFileOptions {
  /** How many of the newest events are checked: fewer for a process that writes once and must be quick. */
  readonly checkedEvents?: number | undefined
}

/** A ledger in a file, or in memory, with what makes further connections to it. */
export interface LedgerFile extends LedgerDatabase {
  readonly host: Connection
  /** A further reading connection; for a database in memory the writer's own. */
  readonly openReader: () => Connection
  /** A connection whose content no writer changes: a snapshot must still be begun on it for a file. */
  readonly openSnapshot: () => Connection
}

/** SQLite failures while opening, as errors of opening. */
const openFailure = (file: string, error: LedgerAttemptFailure): OpenError => {
  switch (error._tag) {
    case "InvariantViolation":
    case "ClockFarBehindHead":
      return new StorageFailure({ file, code: error._tag, reason: error.message })
    default:
      return error
  }
}

const opening = <A>(file: string, deadline: number, work: () => A): Effect.Effect<A, OpenError> =>
  retryOnLedger(file, deadline, work).pipe(
    Effect.mapError((error) => (error._tag === "StoreBusy" ? error : openFailure(file, error)))
  )

/** What is found in a file whose schema cannot be read: a ledger so damaged that only verification can speak of it. */
const DAMAGED: Inspection = { kind: "ledger", version: undefined, ledgerId: undefined }

/** What a file is; a damaged header is damage, also where SQLite gives another reason. */
export const inspected = (connection: Connection): Inspection =>
  orHeaderFault(connection, () => inspect(connection))

/** What a file is, and whether it is damaged, told before a writing connection sets anything in it. */
interface FirstLook {
  readonly found: Inspection
  readonly damaged: boolean
}

/**
 * The first look at an existing file. In a journal mode that is not the log's, and in an older version, opening for writing
 * would change the file, so everything that opening checks is checked before.
 */
const firstLook =
  ({ checkedEvents, filename }: LedgerOpening) =>
  (connection: Connection): FirstLook => {
    const found = inspected(connection)
    if (found.kind !== "ledger" || (found.version ?? Infinity) > DATABASE_VERSION)
      return { found, damaged: false }
    const isAsItStays = found.version === DATABASE_VERSION && connection.pragma("journal_mode") === "wal"
    const fault = isAsItStays
      ? openingFindings(connection, ledgerIdentity)[0]
      : checkFile(connection, filename, checkedEvents).fault
    return { found, damaged: fault !== undefined }
  }

/** A file that this opening has created, for as long as no ledger was born in it. */
interface Reservation {
  unborn: boolean
}

/** Creates a missing file; when no ledger is born in it, it goes with the scope. */
const reserved = (filename: string): Effect.Effect<Reservation, OpenError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: (): Reservation => ({ unborn: reserveFile(filename) }),
      catch: (error) => fileFailure("/filename", filename, error)
    }),
    ({ unborn }) =>
      unborn
        ? // What cannot be looked into belongs to another program by now.
          Effect.ignore(Effect.try(() => removeUnborn(filename)))
        : Effect.void
  )

/** Removes the file of a ledger that was never born, with what SQLite put beside it; never one that others have open. */
const removeUnborn = (filename: string): void => {
  const remove = () => {
    for (const part of ["", "-wal", "-shm", "-journal"]) rmSync(`${filename}${part}`, { force: true })
  }
  if (!hasContent(filename)) return remove()
  lookThrough(openAlone(filename), (alone) => {
    if (inspect(alone).kind === "empty") remove()
  })
}

const hasContent = (filename: string): boolean => existsSync(filename) && statSync(filename).size > 0

/** The opening check of a file. */
export const checkFile = (connection: Connection, filename: string, newest?: number): OpeningCheck =>
  checkOpening(connection, filename, schemaSteps(), () => openingFindings(connection, ledgerIdentity), newest)

/** The opening check; a ledger without a readable version is damaged before anything else. */
const checked = (
  connection: Connection,
  { checkedEvents, filename }: LedgerOpening,
  found: Inspection
): OpeningCheck => {
  const check = checkFile(connection, filename, checkedEvents)
  return check.fault === undefined && found.kind === "ledger" && found.version === undefined
    ? { ...check, fault: { code: "ROW_MISSING", where: "cassette_meta db_version", message: "no version" } }
    : check
}

const acquire = (
  file: string,
  deadline: number,
  open: () => Connection
): Effect.Effect<Connection, OpenError, Scope.Scope> =>
  Effect.acquireRelease(opening(file, deadline, open), (connection) => Effect.sync(() => connection.close()))

type AdmittedFields = "head" | "fault" | "name" | "busyDeadline" | "ledgerId" | "host"

/** Judges what was found once more, on the connection that stays, checks it, and gives what every opening gives. */
const admitted = Effect.fnUntraced(function* (
  options: LedgerOpening,
  deadline: number,
  connection: Connection,
  found: Inspection
): Effect.fn.Return<Pick<LedgerFile, AdmittedFields>, OpenError> {
  const { filename, ledgerId } = options
  const refusal = judge(filename, found, ledgerId)
  if (refusal !== undefined) return yield* Effect.fail(refusal)
  const check = yield* opening(filename, deadline, () => checked(connection, options, found))
  return {
    ...check,
    name: filename,
    busyDeadline: deadline,
    ledgerId: found.kind === "ledger" ? found.ledgerId : undefined,
    host: connection
  }
})

/** A file system that refuses the write-ahead log would give another durability, and other readers, than promised. */
const configured = Effect.fnUntraced(function* (
  { durability = "full", filename }: LedgerFileOptions,
  deadline: number,
  connection: Connection
): Effect.fn.Return<void, OpenError> {
  const mode = yield* opening(filename, deadline, () => configureForWriting(connection, durability))
  const fault = journalFault(filename, mode, filename === IN_MEMORY ? "memory" : "wal")
  if (fault !== undefined) yield* fault
})

/** What the file is once it is sure to be a ledger of this version, or is none at all. */
const bornOrFound = Effect.fnUntraced(function* (
  { filename, ledgerId }: LedgerFileOptions,
  deadline: number,
  connection: Connection
): Effect.fn.Return<Inspection, OpenError> {
  const now = yield* Clock.currentTimeMillis
  // Most openings find a ledger of this version and need no write lock.
  return yield* opening(filename, deadline, () => {
    const seen = inspect(connection)
    if (seen.kind === "ledger" && (seen.version ?? DATABASE_VERSION) >= DATABASE_VERSION) return seen
    const fault = clockFault(now)
    if (fault !== undefined) {
      throw new StorageFailure({ file: filename, code: fault._tag, reason: fault.message })
    }
    const birth = {
      ledgerId: ledgerId ?? globalThis.crypto.randomUUID(),
      createdAt: timestampFromMillis(now)
    }
    return migrate(connection, schemaSteps(), birth)
  })
})

/** Moves the log into the file; when SQLite cannot, everything stays in the log, where it is as safe as before. */
const isLogMoved = (connection: Connection, file: string): boolean => {
  try {
    connection.pragma("wal_checkpoint(PASSIVE)")
    return true
  } catch (error) {
    // Only what is no error of SQLite is thrown on.
    sqliteFailure(file, error)
    return false
  }
}

/** A further connection to the file that was opened, and to no other that stands in its place by now. */
const openFrom = (filename: string, assertInPlace: PlaceCheck) => (): Connection => {
  assertInPlace()
  const connection = openForReading(filename)
  try {
    assertInPlace()
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

const openInMemory = Effect.fnUntraced(function* (
  options: LedgerOpening,
  deadline: number
): Effect.fn.Return<LedgerFile, OpenError, Scope.Scope> {
  const connection = yield* acquire(IN_MEMORY, deadline, () => openForWriting(IN_MEMORY))
  yield* configured(options, deadline, connection)
  const found = yield* bornOrFound(options, deadline, connection)
  return {
    ...(yield* admitted(options, deadline, connection, found)),
    readOnly: false,
    warnings: [],
    openReader: () => connection,
    openSnapshot: () => openBytes(connection.serialize()),
    assertInPlace: () => {},
    settle: () => isLogMoved(connection, IN_MEMORY)
  }
})

const openToWrite = Effect.fnUntraced(function* (
  options: LedgerOpening,
  deadline: number
): Effect.fn.Return<LedgerFile, OpenError, Scope.Scope> {
  const { filename, ledgerId } = options
  const mayCreate = options.mode !== "append"
  const reservation = mayCreate ? yield* reserved(filename) : { unborn: false }
  const created = reservation.unborn
  const assertFile = watchPlace(filename)
  if (!created && (hasContent(filename) || !mayCreate)) {
    const { damaged, found } = yield* opening(filename, deadline, () =>
      lookUntouched(filename, firstLook(options))
    )
    const refusal = found.kind === "empty" && mayCreate ? undefined : judge(filename, found, ledgerId)
    if (refusal !== undefined) return yield* Effect.fail(refusal)
    // Nothing is ever written to a file that is found damaged: it is opened as for reading, and says why.
    if (damaged) return yield* openToRead(options, deadline)
  }
  const wasEmpty = !created && !hasContent(filename)
  const connection = yield* acquire(filename, deadline, () => openForWriting(filename))
  yield* configured(options, deadline, connection)
  const found = yield* bornOrFound(options, deadline, connection)
  reservation.unborn = false
  const assertSchema = yield* opening(filename, deadline, () => watchSchema(connection, filename))
  const fields = yield* admitted(options, deadline, connection, found)
  const other = yield* acquire(filename, deadline, openFrom(filename, assertFile))
  // The log and its index stand for as long as this connection is open, and commits go there first.
  const assertInPlace = watchWriter([filename, `${filename}-wal`, `${filename}-shm`], () =>
    lookForOverwriting(filename, connection, other)
  )
  yield* opening(filename, deadline, assertFile)
  return {
    ...fields,
    readOnly: false,
    warnings: wasEmpty ? [`${filename} was an empty file: a new ledger was made in it`] : [],
    openReader: openFrom(filename, assertFile),
    openSnapshot: openFrom(filename, assertFile),
    assertInPlace,
    assertSchema,
    settle: () => isLogMoved(connection, filename)
  }
})

interface EvidenceFile {
  readonly file: string
  readonly warnings: ReadonlyArray<string>
}

const copied = (filename: string, deadline: number): Effect.Effect<EvidenceFile, OpenError, Scope.Scope> =>
  evidenceCopy(filename, reasonForCopy(filename)).pipe(
    Effect.tap(({ file }) =>
      Effect.catchTag(
        opening(filename, deadline, () => lookThrough(openForWriting(file), inspected)),
        "StoreCorrupt",
        () => Effect.void
      )
    )
  )

/** Opens for reading; where SQLite cannot put its shared memory beside the file, a private copy is opened. */
const openEvidence = (
  filename: string,
  deadline: number
): Effect.Effect<EvidenceFile, OpenError, Scope.Scope> =>
  mustBeCopied(filename)
    ? copied(filename, deadline)
    : withoutLeftovers(filename).pipe(
        Effect.andThen(opening(filename, deadline, () => lookInto(filename, inspected))),
        Effect.as({ file: filename, warnings: [] }),
        Effect.catchTags({
          StorageFailure: (error) =>
            isWantOfPlace(error.code) ? copied(filename, deadline) : Effect.fail(error),
          ReadOnlyStore: () => copied(filename, deadline),
          StorageFull: () => copied(filename, deadline),
          StoreCorrupt: () => Effect.succeed({ file: filename, warnings: [] })
        })
      )

const openToRead = Effect.fnUntraced(function* (
  options: LedgerOpening,
  deadline: number
): Effect.fn.Return<LedgerFile, OpenError, Scope.Scope> {
  const { filename } = options
  if (!hasContent(filename)) {
    return yield* new NotALedger({ file: filename, reason: "it is empty" })
  }
  const { file, warnings } = yield* openEvidence(filename, deadline)
  const assertInPlace = watchPlace(file)
  const connection = yield* acquire(filename, deadline, () => openForReading(file))
  const found = yield* opening(filename, deadline, () => inspected(connection)).pipe(
    Effect.catchTag("StoreCorrupt", () => Effect.succeed(DAMAGED))
  )
  // A schema that cannot be read is a finding of the opening check.
  const companions =
    found === DAMAGED ? [] : yield* opening(filename, deadline, () => companionNotes(connection))
  return {
    ...(yield* admitted(options, deadline, connection, found)),
    readOnly: true,
    warnings: [...warnings, ...loneFileWarnings(filename), ...companions],
    openReader: openFrom(file, assertInPlace),
    openSnapshot: openFrom(file, assertInPlace),
    assertInPlace
  }
})

/** Opens a ledger's file for the scope's life. Damage inside a ledger is no error here: it is `fault`. */
export const openLedgerFile = Effect.fnUntraced(function* (
  options: LedgerOpening
): Effect.fn.Return<LedgerFile, OpenError, Scope.Scope> {
  const { allowNetworkFs = false, mode = "write", networkKind } = options
  yield* supportedNode
  const deadline = busyDeadlineMillis(options.busyDeadline)
  if (options.filename === IN_MEMORY) return yield* openInMemory(options, deadline)
  // Absolute, so that it names the same file when the process changes its folder.
  const filename = resolve(options.filename)
  const fault = pathFault(filename, { mode, allowNetworkFs, networkKind })
  if (fault !== undefined) return yield* Effect.fail(fault)
  // SQLite follows links: its log and journal stand beside the file itself, and are looked for there.
  const real = yield* Effect.try({
    try: () => (existsSync(filename) ? realpathSync(filename) : filename),
    catch: (error) => fileFailure("/filename", filename, error)
  })
  const opened = { ...options, filename: real }
  return mode === "read" ? yield* openToRead(opened, deadline) : yield* openToWrite(opened, deadline)
})
