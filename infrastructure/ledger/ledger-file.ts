// Opening a ledger's file: the path is judged, the version is read before anything is changed, a missing schema is
// made under the write lock, and the newest part is checked. It hands out connections and closes them all; it
// never judges commands and never reads a database file other than through SQLite.
import { existsSync, realpathSync, statSync } from "node:fs"
import { dirname } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Identifier } from "../../domain/canonical/text.ts"
import { timestampFromMillis } from "../../domain/canonical/timestamp.ts"
import {
  InvalidInput,
  NotALedger,
  type OpenError,
  StorageFailure,
  StoreNewerThanProgram,
  WrongLedger
} from "../../domain/ledger/errors.ts"
import { DATABASE_VERSION } from "../../domain/ledger/limits.ts"
import {
  configureForWriting,
  type Connection,
  type Durability,
  openBytes,
  openForReading,
  openForWriting
} from "../sqlite/better-sqlite3-host.ts"
import { type AttemptFailure, DEFAULT_BUSY_DEADLINE_MILLIS, retryBusy } from "../sqlite/busy-retry.ts"
import { type AccessMode, isWritable, pathFault } from "../sqlite/file-system.ts"
import { lookInto, lookThrough, withoutTraces } from "../sqlite/traceless-reading.ts"
import { evidenceCopy } from "./evidence-copy.ts"
import { inspect, type Inspection } from "./ledger-inspection.ts"
import { migrate } from "./migration-runner.ts"
import { checkOpening, type OpeningCheck } from "./opening-check.ts"
import { schemaSteps } from "./schema-snapshots.ts"

export interface LedgerFileOptions {
  /** The database file, or `:memory:` for tests. */
  readonly filename: string
  /** `write` (default) creates a missing ledger, `append` needs one, `read` needs one and changes nothing. */
  readonly mode?: AccessMode | undefined
  /** Default `full`: an acknowledged command survives a power cut. */
  readonly durability?: Durability | undefined
  /** The ledger's id: given to a new ledger (default a random UUID), demanded of an existing one. */
  readonly ledgerId?: string | undefined
  /** How long to wait for other writers (milliseconds). */
  readonly busyDeadline?: number | undefined
  readonly allowNetworkFs?: boolean | undefined
}

export interface LedgerFile extends OpeningCheck {
  readonly filename: string
  readonly readOnly: boolean
  readonly busyDeadline: number
  readonly ledgerId: string | undefined
  /** What people must know about this opening. */
  readonly warnings: ReadonlyArray<string>
  /** The writer's connection, or the reader's when the file is read-only. */
  readonly connection: Connection
  /** A further reading connection; for a database in memory the writer's own. */
  readonly openReader: () => Connection
  /** A connection whose content no writer changes: a snapshot must still be begun on it for a file. */
  readonly openSnapshot: () => Connection
}

export const IN_MEMORY = ":memory:"

/** SQLite failures while opening, as errors of opening. */
const openFailure = (file: string, error: AttemptFailure): OpenError => {
  switch (error._tag) {
    case "InvariantViolation":
    case "ClockFarBehindHead":
      return new StorageFailure({ file, code: error._tag, reason: error.message })
    default:
      return error
  }
}

const opening = <A>(file: string, deadline: number, work: () => A): Effect.Effect<A, OpenError> =>
  retryBusy(file, deadline, work).pipe(
    Effect.mapError((error) => (error._tag === "StoreBusy" ? error : openFailure(file, error)))
  )

const judge = (file: string, found: Inspection, ledgerId: string | undefined): OpenError | undefined => {
  if (found.kind === "foreign") return new NotALedger({ file, reason: found.reason })
  if (found.kind === "empty") return new NotALedger({ file, reason: "it is empty" })
  if (found.version !== undefined && found.version > DATABASE_VERSION) {
    return new StoreNewerThanProgram({ file, version: found.version, supported: DATABASE_VERSION })
  }
  return ledgerId !== undefined && found.ledgerId !== undefined && found.ledgerId !== ledgerId
    ? new WrongLedger({ file, expected: ledgerId, actual: found.ledgerId })
    : undefined
}

const hasJournal = (filename: string): boolean => existsSync(`${filename}-journal`)

/** A journal means that a transaction may be half-done in the file: SQLite must undo it before anything is read. */
const inspectAfterRecovery = (filename: string): Inspection =>
  hasJournal(filename) ? lookThrough(openForWriting(filename), inspect) : lookInto(filename, inspect)

const hasContent = (filename: string): boolean => existsSync(filename) && statSync(filename).size > 0

/** The opening check; a ledger without a readable version is damaged before anything else. */
const checked = (connection: Connection, filename: string, found: Inspection): OpeningCheck => {
  const check = checkOpening(connection, filename, schemaSteps())
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

/** Judges what was found once more, on the connection that stays, checks it, and gives what every opening gives. */
const admitted = Effect.fnUntraced(function* (
  { filename, ledgerId }: LedgerFileOptions,
  deadline: number,
  connection: Connection,
  found: Inspection
): Effect.fn.Return<Omit<LedgerFile, "readOnly" | "warnings" | "openReader" | "openSnapshot">, OpenError> {
  const refusal = judge(filename, found, ledgerId)
  if (refusal !== undefined) return yield* Effect.fail(refusal)
  const check = yield* opening(filename, deadline, () => checked(connection, filename, found))
  return {
    ...check,
    filename,
    busyDeadline: deadline,
    ledgerId: found.kind === "ledger" ? found.ledgerId : undefined,
    connection
  }
})

const openToWrite = Effect.fnUntraced(function* (
  options: LedgerFileOptions,
  deadline: number
): Effect.fn.Return<LedgerFile, OpenError, Scope.Scope> {
  const { filename, ledgerId } = options
  const inMemory = filename === IN_MEMORY
  const mayCreate = options.mode !== "append"
  if (!inMemory && (hasContent(filename) || !mayCreate)) {
    const found = yield* opening(filename, deadline, () => inspectAfterRecovery(filename))
    const refusal = found.kind === "empty" && mayCreate ? undefined : judge(filename, found, ledgerId)
    if (refusal !== undefined) return yield* Effect.fail(refusal)
  }
  const connection = yield* acquire(filename, deadline, () => openForWriting(filename))
  yield* opening(filename, deadline, () => configureForWriting(connection, options.durability ?? "full"))
  const birth = {
    ledgerId: ledgerId ?? globalThis.crypto.randomUUID(),
    createdAt: timestampFromMillis(yield* Clock.currentTimeMillis)
  }
  // Most openings find a ledger of this version and need no write lock.
  const found = yield* opening(filename, deadline, () => {
    const seen = inspect(connection)
    return seen.kind === "ledger" && (seen.version ?? DATABASE_VERSION) >= DATABASE_VERSION
      ? seen
      : migrate(connection, schemaSteps(), birth)
  })
  return {
    ...(yield* admitted(options, deadline, connection, found)),
    readOnly: false,
    warnings: [],
    openReader: inMemory ? () => connection : () => openForReading(filename),
    openSnapshot: inMemory ? () => openBytes(connection.serialize()) : () => openForReading(filename)
  }
})

interface Evidence {
  readonly file: string
  readonly warnings: ReadonlyArray<string>
}

/**
 * True when a file must not be opened where it is: SQLite would have to undo a half-done transaction in it, or
 * would leave files beside it that only we may write, and so lock its owner out.
 */
const mustBeCopied = (filename: string): boolean =>
  hasJournal(filename) ||
  (!isWritable(filename) && isWritable(dirname(filename)) && !existsSync(`${filename}-shm`))

const copied = (filename: string, deadline: number): Effect.Effect<Evidence, OpenError, Scope.Scope> =>
  evidenceCopy(filename).pipe(
    Effect.tap(({ file }) => opening(filename, deadline, () => inspectAfterRecovery(file)))
  )

/** Opens for reading; where SQLite cannot put its shared memory beside the file, a private copy is opened. */
const openEvidence = (filename: string, deadline: number): Effect.Effect<Evidence, OpenError, Scope.Scope> =>
  mustBeCopied(filename)
    ? copied(filename, deadline)
    : withoutTraces(filename).pipe(
        Effect.andThen(opening(filename, deadline, () => lookInto(filename, inspect))),
        Effect.as({ file: filename, warnings: [] }),
        Effect.catchTags({
          StorageFailure: (error) =>
            error.code.startsWith("SQLITE_CANTOPEN") ? copied(filename, deadline) : Effect.fail(error),
          ReadOnlyStore: () => copied(filename, deadline)
        })
      )

const openToRead = Effect.fnUntraced(function* (
  options: LedgerFileOptions,
  deadline: number
): Effect.fn.Return<LedgerFile, OpenError, Scope.Scope> {
  const { filename } = options
  if (!hasContent(filename)) return yield* new NotALedger({ file: filename, reason: "it is empty" })
  const { file, warnings } = yield* openEvidence(filename, deadline)
  const connection = yield* acquire(filename, deadline, () => openForReading(file))
  const found = yield* opening(filename, deadline, () => inspect(connection))
  return {
    ...(yield* admitted(options, deadline, connection, found)),
    readOnly: true,
    warnings,
    openReader: () => openForReading(file),
    openSnapshot: () => openForReading(file)
  }
})

const isIdentifier = Schema.is(Identifier)

/** The driver crashes the process on an older Node, without a word. */
const isNodeNewEnough = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}

/** Options that would make a ledger that never verifies, one that vanishes, or a wait without an end. */
const optionsFault = (options: LedgerFileOptions): InvalidInput | undefined => {
  const { busyDeadline = 0, durability = "full", filename, ledgerId, mode = "write" } = options
  const issues = [
    ...(isNodeNewEnough()
      ? []
      : [
          {
            path: "",
            message: `SQLite's library needs Node 22.19 or newer, this is ${process.versions.node}`
          }
        ]),
    ...(["full", "normal"].includes(durability) ? [] : [{ path: "/durability", message: "full or normal" }]),
    ...(["write", "append", "read"].includes(mode)
      ? []
      : [{ path: "/mode", message: "write, append or read" }]),
    ...(typeof filename === "string" && filename !== ""
      ? []
      : [{ path: "/filename", message: "name a file" }]),
    ...(ledgerId === undefined || isIdentifier(ledgerId)
      ? []
      : [{ path: "/ledgerId", message: "1 to 256 bytes of UTF-8 without control characters" }]),
    ...(busyDeadline >= 0 ? [] : [{ path: "/busyDeadline", message: "milliseconds, from 0 on" }])
  ]
  return issues.length === 0
    ? undefined
    : new InvalidInput({
        message: issues.map(({ message, path }) => `${path}: ${message}`).join("; "),
        issues
      })
}

/** Opens a ledger's file for the scope's life. Damage inside a ledger is no error here: it is `fault`. */
export const openLedgerFile = Effect.fnUntraced(function* (
  options: LedgerFileOptions
): Effect.fn.Return<LedgerFile, OpenError, Scope.Scope> {
  const { filename, mode = "write" } = options
  const deadline = options.busyDeadline ?? DEFAULT_BUSY_DEADLINE_MILLIS
  const fault =
    optionsFault(options) ??
    (filename === IN_MEMORY
      ? undefined
      : pathFault(filename, { mode, allowNetworkFs: options.allowNetworkFs ?? false }))
  if (fault !== undefined) return yield* Effect.fail(fault)
  // SQLite follows links: its log and journal stand beside the file itself, and are looked for there.
  const real = { ...options, filename: existsSync(filename) ? realpathSync(filename) : filename }
  return mode === "read" ? yield* openToRead(real, deadline) : yield* openToWrite(real, deadline)
})
