// Gathers the facts that checks are made of: from the file system with stat alone, from databases through connections that
// change nothing and leave nothing. Whatever cannot be opened becomes a check with the error's own words.
import { statSync } from "node:fs"
import { dirname } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { nearestTimestamp } from "../../../domain/canonical/timestamp.ts"
import { DATABASE_VERSION } from "../../../domain/ledger/limits.ts"
import { logGrowth, oldestLease } from "../../../infrastructure/ledger/ledger-facts.ts"
import { openScratch } from "../../../infrastructure/sqlite/better-sqlite3-host.ts"
import { fileSystemKind } from "../../../infrastructure/sqlite/file-system-kind.ts"
import { isWritable } from "../../../infrastructure/sqlite/file-access.ts"
import { leftLogFault } from "../../../infrastructure/sqlite/left-log.ts"
import { loneFileFault } from "../../../infrastructure/sqlite/lone-file.ts"
import { companionNotes } from "../../../infrastructure/sqlite/schema-check.ts"
import { Busy, sqliteFailure } from "../../../infrastructure/sqlite/sqlite-errors.ts"
import { lookInto, lookThrough } from "../../../infrastructure/sqlite/traceless-reading.ts"
import { Durability } from "../cassette/ledger-flags.ts"
import { withLedgerFile } from "../cassette/open-ledger.ts"
import {
  bytesText,
  type Check,
  companionChecks,
  type FileFacts,
  fileChecks,
  leftLogCheck,
  ledgerChecks,
  missingCheck,
  type OpeningFailure,
  unusableCheck
} from "./checks.ts"

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** True when something stands at a path, whatever it is. */
export const stands = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A path that cannot be followed is told by whoever opens it.
    return true
  }
}

/** What stat and statfs say of a database file that is there. */
const fileFacts = (name: string, file: string): FileFacts => {
  const { freeBytes, isMemory, isNetwork, name: fileSystem } = fileSystemKind(file)
  return {
    name,
    file,
    fileSystem,
    isNetwork,
    isMemory,
    freeBytes,
    bytes: sizeOf(file),
    walBytes: sizeOf(`${file}-wal`),
    writable: isWritable(file) && isWritable(dirname(file)),
    lone: loneFileFault(file)?.reason
  }
}

/** The version of SQLite that the driver brings. */
export const sqliteVersion = (): string =>
  lookThrough(
    openScratch(),
    (scratch) => scratch.all<{ version: string }>("SELECT sqlite_version() AS version")[0]?.version ?? ""
  )

const DAY_MILLIS = 86_400_000

/** Turns every failure into one check. */
const orUnusable = <A extends ReadonlyArray<Check>, E extends OpeningFailure, R>(
  name: string,
  verify: string,
  program: Effect.Effect<A, E, R>
) =>
  Effect.catch(program, (error) => Effect.succeed<ReadonlyArray<Check>>([unusableCheck(name, error, verify)]))

/** What SQLite says against a file as the error that a command would end with; other errors by their message. */
const failureIn = (file: string, error: unknown): OpeningFailure => {
  try {
    const failure = sqliteFailure(file, error)
    return failure instanceof Busy ? { _tag: "StoreBusy", message: `another program holds ${file}` } : failure
  } catch {
    return { message: error instanceof Error ? error.message : String(error) }
  }
}

/** Reads a file through SQLite or the file system; what either says against it is an error with a message. */
const attempt = <A>(file: string, work: () => A): Effect.Effect<A, OpeningFailure> =>
  Effect.try({ try: work, catch: (error) => failureIn(file, error) })

/** What is to be said of the tables that other tools keep in a database. */
const companionsIn = (name: string, file: string) =>
  attempt(file, () => companionChecks(name, lookInto(file, companionNotes)))

const factsOfLedger = Effect.fnUntraced(function* (file: string) {
  const durability = yield* Durability
  const { expiredLeases, fault } = yield* withLedgerFile(file, "read", (ledger) =>
    ledger.runStream.pipe(
      Stream.runFold(
        () => 0,
        (sum, run) => sum + run.expired_leases
      ),
      Effect.map((expiredLeases) => ({ fault: ledger.fault, expiredLeases }))
    )
  )
  const now = yield* Clock.currentTimeMillis
  const ago = (days: number) => nearestTimestamp(Math.max(0, now - days * DAY_MILLIS))
  return yield* attempt(file, () =>
    lookInto(file, (connection) =>
      connection.snapshot(() => {
        const { events, last_day, last_week, newest } = logGrowth(connection, ago(1), ago(7))
        const [row] = connection.all<{ value: string }>(
          "SELECT value FROM cassette_meta WHERE key = 'db_version'"
        )
        return {
          version: Number(row?.value),
          supported: DATABASE_VERSION,
          durability,
          events,
          lastDay: last_day,
          lastWeek: last_week,
          newest,
          oldestLease: oldestLease(connection),
          expiredLeases,
          fault: fault === undefined ? undefined : `${fault.code} at ${fault.where}: ${fault.message}`,
          now: nearestTimestamp(now)
        }
      })
    )
  )
})

/** A file that is not there is no fault, unless its log is. */
const absentCheck = (name: string, file: string, how: string): Check => {
  const left = leftLogFault(file)
  return left === undefined ? missingCheck(name, file, how) : leftLogCheck(name, left)
}

interface Database {
  readonly name: string
  readonly file: string
  readonly how: string
  readonly verify: string
}

/** What is to be said of a database's file, and of its content; of the file also where nothing in it can be read. */
const checksOfFile = <E extends OpeningFailure, R>(
  { file, how, name, verify }: Database,
  content: (place: FileFacts) => Effect.Effect<ReadonlyArray<Check>, E, R>,
  arranged: (ofFile: ReadonlyArray<Check>, ofContent: ReadonlyArray<Check>) => ReadonlyArray<Check>
): Effect.Effect<ReadonlyArray<Check>, never, R> => {
  if (!stands(file)) return Effect.succeed([absentCheck(name, file, how)])
  const inside = (place: FileFacts) =>
    Effect.map(orUnusable(name, verify, content(place)), (found) => arranged(fileChecks(place), found))
  return orUnusable(
    name,
    verify,
    Effect.flatMap(
      attempt(file, () => fileFacts(name, file)),
      inside
    )
  )
}

/** Everything that is to be said of the ledger at a path. */
export const ledgerChecksOf = (file: string) =>
  checksOfFile(
    {
      name: "ledger",
      file,
      how: "the first message that is posted makes it",
      verify: "cortex cassette verify"
    },
    Effect.fnUntraced(function* (place) {
      const facts = yield* factsOfLedger(file)
      return [...ledgerChecks(facts, place), ...(yield* companionsIn("ledger", file))]
    }),
    (ofFile, ofContent) => [...ofFile, ...ofContent]
  )

/** What is to be said of another database at a path: `look` opens it and gives what was seen. */
export const databaseChecksOf = <E extends OpeningFailure, R>(
  database: Database,
  look: Effect.Effect<string, E, R>
): Effect.Effect<ReadonlyArray<Check>, never, R> =>
  checksOfFile(
    database,
    Effect.fnUntraced(function* ({ bytes }) {
      const { file, name } = database
      const seen = `${yield* look}; ${file}, ${bytesText(bytes)}`
      return [{ check: name, state: "ok" as const, seen }, ...(yield* companionsIn(name, file))]
    }),
    // One line for a database that needs nothing: a network has many.
    (ofFile, [whole, ...rest]) => [
      ...(whole === undefined ? [] : [whole]),
      ...ofFile.filter(({ state }) => state !== "ok"),
      ...rest
    ]
  )
