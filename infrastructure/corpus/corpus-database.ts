// Opens the corpus database for the scope's life and runs work on it: the path is judged and the version is read
// before anything is changed, a missing schema is made under the write lock, and a schema that is not the released
// one is refused. One connection serves sections, symbols and expansions alike; nothing above knows the driver.
import type { DatabaseFinding } from "../../domain/foundation/finding.ts"
import { existsSync, statSync } from "node:fs"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import {
  CorpusCorrupt,
  CorpusMissing,
  type CorpusOpenError,
  type CorpusStoreError,
  NotACorpus
} from "../../domain/corpus/errors.ts"
import { type StoreBusy, StoreNewerThanProgram } from "../../domain/foundation/storage-errors.ts"
import { evidenceCopy, reasonForCopy } from "../ledger/opening/evidence-copy.ts"
import {
  configureForWriting,
  type Connection,
  openForReading,
  openForWriting
} from "../sqlite/connection/better-sqlite3-host.ts"
import { type AttemptFailure, busyDeadlineMillis, retryBusy } from "../sqlite/connection/busy-retry.ts"
import { type PlaceCheck, watchPlace, watchWriter } from "../files/opened-file-check.ts"
import { type AccessMode, type PathFault, pathFault } from "../sqlite/files/database-path.ts"
import { journalFault } from "../sqlite/connection/journal-fault.ts"
import { hasJournal, isWantOfPlace, mustBeCopied } from "../sqlite/files/private-copy.ts"
import { corpusIdentity } from "./corpus-identity.ts"
import { openingFindings } from "../sqlite/checks/file-check.ts"
import { supportedNode } from "../sqlite/connection/supported-node.ts"
import { lookUntouched, withoutLeftovers } from "../sqlite/files/untouched-look.ts"
import { lookThrough } from "../sqlite/files/wal-leftovers.ts"
import { type CorpusInspection, corpusSchemaFindings, inspectCorpus, migrateCorpus } from "./corpus-schema.ts"
import { CORPUS_VERSION } from "./schema-snapshots.ts"

export interface CorpusDatabaseOptions {
  readonly filename: string
  /** `write` (default) creates a missing database, `append` needs one, `read` needs one and changes nothing. */
  readonly mode?: AccessMode | undefined
  /** How long to wait for other writers (default 10 seconds; a number is milliseconds). */
  readonly busyDeadline?: Duration.Input | undefined
  readonly allowNetworkFs?: boolean | undefined
  /** Opens for reading a file in any state, so that its damage can be listed; for verification alone. */
  readonly asFound?: boolean | undefined
}

/** The open corpus database. */
export class CorpusDatabase extends Context.Service<
  CorpusDatabase,
  {
    readonly filename: string
    readonly readOnly: boolean
    /** A number that changes when another connection has changed the database; undefined when it cannot be told. */
    readonly dataVersion: () => number | undefined
    /** Runs synchronous work; it is repeated while the database is busy, so a failed attempt must leave nothing. */
    readonly run: <A>(work: (connection: Connection) => A) => Effect.Effect<A, CorpusStoreError>
  }
>()("cortex-cassette/infrastructure/CorpusDatabase") {}

const storeError = (file: string, error: AttemptFailure | StoreBusy): CorpusStoreError => {
  switch (error._tag) {
    case "DatabaseDamaged":
      return new CorpusCorrupt({ file, finding: error.finding })
    case "NotALedger":
      return new NotACorpus({ file, reason: error.reason })
    default:
      return error
  }
}

const attempt = <A>(file: string, deadline: number, work: () => A): Effect.Effect<A, CorpusStoreError> =>
  retryBusy(file, deadline, work).pipe(Effect.mapError((error) => storeError(file, error)))

const pathError = (file: string, error: PathFault): CorpusOpenError => {
  switch (error._tag) {
    case "InvalidInput":
      return new NotACorpus({ file, reason: error.message })
    case "FileMissing":
      return new CorpusMissing({ file: error.file })
    case "NotALedger":
      return new NotACorpus({ file: error.file, reason: error.reason })
    default:
      return error
  }
}

/** Why what was found cannot be used, if so. */
const judge = (file: string, found: CorpusInspection): CorpusOpenError | undefined => {
  if (found.kind === "foreign") return new NotACorpus({ file, reason: found.reason })
  if (found.kind === "empty") return new NotACorpus({ file, reason: "it is empty" })
  if (found.version === undefined) return new CorpusCorrupt({ file, finding: "it has no version" })
  return found.version > CORPUS_VERSION
    ? new StoreNewerThanProgram({ file, version: found.version, supported: CORPUS_VERSION })
    : undefined
}

const acquire = (
  file: string,
  deadline: number,
  open: () => Connection
): Effect.Effect<Connection, CorpusStoreError, Scope.Scope> =>
  Effect.acquireRelease(attempt(file, deadline, open), (connection) => Effect.sync(() => connection.close()))

/** A connection, and what throws once its file is no longer the one at its path. */
interface Opened {
  readonly connection: Connection
  readonly assertInPlace: PlaceCheck
  /** The same of the database file alone: all that an answer from memory can afford. */
  readonly assertFile: PlaceCheck
}

const hasContent = (file: string): boolean => existsSync(file) && statSync(file).size > 0

/** What is wrong with the file of a corpus database, and with the schema of its version. */
const findingsAtOpening = (connection: Connection): ReadonlyArray<DatabaseFinding> =>
  connection.snapshot(() => [
    ...openingFindings(connection, corpusIdentity),
    ...corpusSchemaFindings(connection)
  ])

const corrupt = (file: string, { code, message, where }: DatabaseFinding): CorpusCorrupt =>
  new CorpusCorrupt({ file, finding: `${code} ${where}: ${message}` })

/** Refuses a version that is not ours and a schema that is not the version's. */
const admit = Effect.fnUntraced(function* (
  file: string,
  deadline: number,
  connection: Connection,
  found: CorpusInspection
) {
  const refusal = judge(file, found)
  if (refusal !== undefined) return yield* Effect.fail(refusal)
  const [finding] = yield* attempt(file, deadline, () => findingsAtOpening(connection))
  if (finding !== undefined) return yield* corrupt(file, finding)
})

/** Refuses a file before a writing connection sets anything in it, so that what is refused stays as it is. */
const admitUntouched = Effect.fnUntraced(function* (file: string, mode: AccessMode, deadline: number) {
  const { finding, found } = yield* attempt(file, deadline, () =>
    lookUntouched(file, (connection) => {
      const seen = inspectCorpus(connection)
      const isOurs = seen.kind === "corpus" && seen.version !== undefined && seen.version <= CORPUS_VERSION
      return { found: seen, finding: isOurs ? findingsAtOpening(connection)[0] : undefined }
    })
  )
  const refusal = found.kind === "empty" && mode === "write" ? undefined : judge(file, found)
  if (refusal !== undefined) return yield* Effect.fail(refusal)
  if (finding !== undefined) return yield* corrupt(file, finding)
})

const openToWrite = Effect.fnUntraced(function* (file: string, mode: AccessMode, deadline: number) {
  if (hasContent(file) || mode === "append") yield* admitUntouched(file, mode, deadline)
  const beforeOpening = watchPlace(file)
  const connection = yield* acquire(file, deadline, () => openForWriting(file))
  const assertFile = watchPlace(file)
  const found = yield* attempt(file, deadline, () => {
    const seen = inspectCorpus(connection)
    if (seen.kind === "foreign") return seen
    const fault = journalFault(file, configureForWriting(connection, "full"))
    if (fault !== undefined) throw fault
    return seen.kind === "corpus" && (seen.version ?? CORPUS_VERSION) >= CORPUS_VERSION
      ? seen
      : migrateCorpus(connection)
  })
  yield* admit(file, deadline, connection, found)
  // The log and its index stand for as long as this connection is open, and commits go there first.
  const assertInPlace = watchWriter([file, `${file}-wal`, `${file}-shm`])
  yield* attempt(file, deadline, beforeOpening)
  return { connection, assertInPlace, assertFile }
})

/** What a file is; one whose pages tell nothing may be judged as a corpus database, and found damaged. */
const inspectedAsFound = (
  file: string,
  deadline: number,
  connection: Connection
): Effect.Effect<CorpusInspection, CorpusStoreError> =>
  attempt(file, deadline, () => inspectCorpus(connection)).pipe(
    Effect.catchTag("CorpusCorrupt", () =>
      Effect.succeed<CorpusInspection>({ kind: "corpus", version: undefined })
    )
  )

const openToRead = Effect.fnUntraced(function* (file: string, deadline: number, asFound: boolean) {
  if (!hasContent(file)) {
    return yield* new NotACorpus({ file, reason: "it is empty" })
  }
  const open = (path: string) =>
    Effect.gen(function* () {
      const assertInPlace = watchPlace(path)
      const connection = yield* acquire(file, deadline, () => openForReading(path))
      if (asFound) {
        const found = yield* inspectedAsFound(file, deadline, connection)
        const refusal = judge(file, found)
        if (refusal !== undefined && refusal._tag !== "CorpusCorrupt") return yield* Effect.fail(refusal)
      } else {
        const found = yield* attempt(file, deadline, () => inspectCorpus(connection))
        yield* admit(file, deadline, connection, found)
      }
      return { connection, assertInPlace, assertFile: assertInPlace }
    })
  // The copy is ours: a transaction that was cut short is undone in it.
  const copied = evidenceCopy(file, reasonForCopy(file)).pipe(
    Effect.tap((copy) =>
      hasJournal(copy.file)
        ? attempt(file, deadline, () => lookThrough(openForWriting(copy.file), inspectCorpus))
        : Effect.void
    ),
    Effect.flatMap((copy) => open(copy.file))
  )
  if (mustBeCopied(file)) return yield* copied
  // Where SQLite cannot put its shared memory beside the file, a private copy is read.
  yield* withoutLeftovers(file)
  return yield* open(file).pipe(
    Effect.catchTags({
      StorageFailure: (error) => (isWantOfPlace(error.code) ? copied : Effect.fail(error)),
      ReadOnlyStore: () => copied,
      StorageFull: () => copied
    })
  )
})

const dataVersionOf = ({ assertFile, connection }: Opened): number | undefined => {
  try {
    assertFile()
    return connection.all<{ data_version: number }>("PRAGMA data_version")[0]?.data_version
  } catch {
    // Busy, or no longer the file at its path: the caller looks the matter up instead, and that says what is wrong.
    return undefined
  }
}

/** Opens a corpus database for the scope's life. */
const openCorpusDatabase = Effect.fnUntraced(function* ({
  allowNetworkFs = false,
  asFound = false,
  busyDeadline,
  filename,
  mode = "write"
}: CorpusDatabaseOptions): Effect.fn.Return<CorpusDatabase["Service"], CorpusOpenError, Scope.Scope> {
  yield* supportedNode
  const deadline = busyDeadlineMillis(busyDeadline)
  const fault = pathFault(filename, { mode, allowNetworkFs })
  if (fault !== undefined) return yield* Effect.fail(pathError(filename, fault))
  const opened =
    mode === "read"
      ? yield* openToRead(filename, deadline, asFound)
      : yield* openToWrite(filename, mode, deadline)
  return {
    filename,
    readOnly: mode === "read",
    dataVersion: () => dataVersionOf(opened),
    run: (work) =>
      attempt(filename, deadline, () => {
        opened.assertInPlace()
        const value = work(opened.connection)
        // What went into a file that is gone by now was not stored, and what was read there no longer stands.
        opened.assertInPlace()
        return value
      })
  }
})

/** The open corpus database as a layer. */
export const corpusDatabaseLayer = (
  options: CorpusDatabaseOptions
): Layer.Layer<CorpusDatabase, CorpusOpenError> => Layer.effect(CorpusDatabase, openCorpusDatabase(options))
