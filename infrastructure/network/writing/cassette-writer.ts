// Opens a cassette for writing, making it when it is missing, for the scope's life. The file is judged before anything
// is changed: a ledger or a database of something else is refused. Every unit of work waits for other writers.
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"
import { existsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { makeFolders } from "../../files/new-folders.ts"
import type { CassetteWriteError } from "../../../application/network/cassette.ts"
import { StoreNewerThanProgram } from "../../../domain/foundation/storage-errors.ts"
import { CASSETTE_SCHEMA_VERSION, CASSETTE_VERSION, majorVersion } from "../../../domain/network/limits.ts"
import { birthDifferences } from "../../../domain/network/birth.ts"
import {
  CassetteDamaged,
  CassetteDiffers,
  LedgerIsNotACassette,
  NotACassette
} from "../../../domain/network/errors.ts"
import {
  configureForWriting,
  type Connection,
  type Durability,
  openForWriting
} from "../../sqlite/connection/better-sqlite3-host.ts"
import { DatabaseDamaged } from "../../sqlite/connection/database-damaged.ts"
import { DEFAULT_BUSY_DEADLINE_MILLIS, retryBusy } from "../../sqlite/connection/busy-retry.ts"
import { openingFindings, orHeaderFault } from "../../sqlite/checks/file-check.ts"
import { watchWriter } from "../../files/opened-file-check.ts"
import { fileFailure } from "../../files/file-system.ts"
import { pathFault } from "../../sqlite/files/database-path.ts"
import { journalFault } from "../../sqlite/connection/journal-fault.ts"
import { leftLogFault } from "../../sqlite/files/left-log.ts"
import { lookUntouched } from "../../sqlite/files/untouched-look.ts"
import { cassetteIdentity } from "../cassette-identity.ts"
import { type CassetteInspection, inspectCassette } from "../cassette-file.ts"
import { type CassetteBirth, cassetteSchemaFindings, createCassette } from "../cassette-schema.ts"

export type { CassetteWriteError }

/** Runs one synchronous unit of work on the cassette. */
export type WriteCassette = <A>(work: (connection: Connection) => A) => Effect.Effect<A, CassetteWriteError>

/** Runs synchronous work on a cassette's file, again while others write; what SQLite says is a typed error. */
export const attemptOnCassette = <A>(
  file: string,
  work: () => A,
  busyDeadlineMillis = DEFAULT_BUSY_DEADLINE_MILLIS
): Effect.Effect<A, CassetteWriteError> =>
  retryBusy(file, busyDeadlineMillis, work).pipe(
    Effect.mapError((error) => {
      switch (error._tag) {
        case "NotALedger":
          return new NotACassette({ file, reason: error.reason })
        case "DatabaseDamaged":
          return new CassetteDamaged({ file, where: error.where, reason: error.finding })
        default:
          return error
      }
    })
  )

const judge = (
  file: string,
  found: CassetteInspection,
  { id, ...asked }: CassetteBirth
): CassetteDiffers | LedgerIsNotACassette | NotACassette | StoreNewerThanProgram | undefined => {
  if (found.kind === "ledger") return new LedgerIsNotACassette({ file })
  if (found.kind === "foreign") return new NotACassette({ file, reason: found.reason })
  if (found.kind === "empty") return undefined
  const stored = found.meta.get("schema_version") ?? ""
  const [version, supported] = [Number(majorVersion(stored)), Number(majorVersion(CASSETTE_SCHEMA_VERSION))]
  if (version > supported) return new StoreNewerThanProgram({ file, version, supported })
  if (version !== supported) {
    return new NotACassette({ file, reason: `its schema version is ${stored || "missing"}` })
  }
  if (found.version !== undefined && found.version > CASSETTE_VERSION) {
    return new StoreNewerThanProgram({ file, version: found.version, supported: CASSETTE_VERSION })
  }
  const own = found.meta.get("cassette_id")
  if (own !== id) return new NotACassette({ file, reason: `it is the cassette ${own}, not ${id}` })
  const differences = birthDifferences(found.meta, asked)
  return differences.length === 0 ? undefined : new CassetteDiffers({ cassette_id: id, file, differences })
}

/**
 * How much of a cassette a writer keeps in memory (KiB): folding the tail goes through all postings of a segment, which
 * would be read again each time.
 */
const WRITER_CACHE_KIBIBYTES = 16_384

/** Sets what a writing connection of a cassette needs; gives the journal mode in force. */
export const configureCassette = (connection: Connection, durability: Durability): string => {
  connection.pragma(`cache_size = -${WRITER_CACHE_KIBIBYTES}`)
  return configureForWriting(connection, durability)
}

/** What a file is; a damaged header is damage, also where SQLite gives another reason. */
const inspected = (connection: Connection): CassetteInspection =>
  orHeaderFault(connection, () => inspectCassette(connection))

/** What is wrong with a cassette before anything is written to it: its header, its free pages, its schema by its exact SQL. */
const findingsAtOpening = (connection: Connection): ReadonlyArray<DatabaseFinding> =>
  connection.snapshot(() => [
    ...openingFindings(connection, cassetteIdentity),
    ...cassetteSchemaFindings(connection)
  ])

const assertUndamaged = (connection: Connection): void => {
  const [damage] = findingsAtOpening(connection)
  if (damage === undefined) return
  throw new DatabaseDamaged({ code: damage.code, where: damage.where, finding: damage.message })
}

const hasContent = (file: string): boolean => existsSync(file) && statSync(file).size > 0

/** Judges the file at a path, if there is one, before anything in it may change. */
const judgeFile = Effect.fnUntraced(function* (
  file: string,
  birth: CassetteBirth,
  busyDeadlineMillis: number,
  look: (connection: Connection) => CassetteInspection
): Effect.fn.Return<void, CassetteWriteError> {
  const left = leftLogFault(file)
  if (left !== undefined) return yield* new NotACassette({ file, reason: left })
  if (!hasContent(file)) return
  const found = yield* attemptOnCassette(file, () => lookUntouched(file, look), busyDeadlineMillis)
  const refusal = judge(file, found, birth)
  if (refusal !== undefined) return yield* Effect.fail(refusal)
})

/** Fails when the file at a path is there and is not this cassette, born like this; nothing of it is changed. */
export const checkCassetteFile = (
  file: string,
  birth: CassetteBirth
): Effect.Effect<void, CassetteWriteError> => judgeFile(file, birth, DEFAULT_BUSY_DEADLINE_MILLIS, inspected)

/** Runs an operation of the file system; what the operating system says is a typed error. */
export const onFile = <A>(file: string, work: () => A): Effect.Effect<A, CassetteWriteError> =>
  Effect.try({ try: work, catch: (error) => fileFailure("path", file, error) })

/**
 * Opens a cassette's file for writing. A file that is there must have been born as `birth` says. Every unit of work waits for
 * other writers until the deadline, and then fails with `StoreBusy`.
 */
export const openCassetteWriter = Effect.fnUntraced(function* (
  file: string,
  birth: CassetteBirth,
  durability: Durability,
  busyDeadlineMillis = DEFAULT_BUSY_DEADLINE_MILLIS
): Effect.fn.Return<WriteCassette, CassetteWriteError, Scope.Scope> {
  const attempt = <A>(work: () => A) => attemptOnCassette(file, work, busyDeadlineMillis)
  yield* onFile(file, () => makeFolders(dirname(file)))
  const fault = pathFault(file, { mode: "write", allowNetworkFs: false })
  if (fault !== undefined) {
    if (fault._tag === "NotALedger") return yield* new NotACassette({ file, reason: fault.reason })
    if (fault._tag === "InvalidInput") return yield* new NotACassette({ file, reason: fault.message })
    return yield* Effect.fail(fault)
  }
  yield* judgeFile(file, birth, busyDeadlineMillis, (untouched) => {
    const seen = inspected(untouched)
    if (seen.kind === "cassette" && judge(file, seen, birth) === undefined) assertUndamaged(untouched)
    return seen
  })
  const connection = yield* Effect.acquireRelease(
    attempt(() => openForWriting(file)),
    (open) => Effect.sync(() => open.close())
  )
  const found = yield* attempt(() => {
    const seen = inspected(connection)
    // What is none of ours is judged below, and its journal mode is none of our business.
    if (judge(file, seen, birth) !== undefined) return seen
    if (seen.kind === "cassette") assertUndamaged(connection)
    const fault = journalFault(file, configureCassette(connection, durability))
    if (fault !== undefined) throw fault
    return createCassette(connection, birth)
  })
  const refusal = judge(file, found, birth)
  if (refusal !== undefined) return yield* Effect.fail(refusal)
  const assertInPlace = watchWriter([file])
  return (work) =>
    attempt(() => {
      const result = work(connection)
      assertInPlace()
      return result
    })
})
