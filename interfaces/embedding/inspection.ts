// Reads what a report on this machine says of its database files: from the file system with stat alone, from databases
// through connections that change nothing and leave nothing.
import { statSync } from "node:fs"
import { dirname } from "node:path"
import { logGrowth } from "../../infrastructure/ledger/opening/ledger-facts.ts"
import { openScratch } from "../../infrastructure/sqlite/connection/better-sqlite3-host.ts"
import { isWritable } from "../../infrastructure/files/file-access.ts"
import { fileSystemKind } from "../../infrastructure/files/file-system-kind.ts"
import { loneFileFault } from "../../infrastructure/sqlite/files/lone-file.ts"
import { companionNotes } from "../../infrastructure/sqlite/checks/schema-check.ts"
import { Busy, sqliteFailure } from "../../infrastructure/sqlite/connection/sqlite-errors.ts"
import { lookInto, lookThrough } from "../../infrastructure/sqlite/files/wal-leftovers.ts"

export { keptFiles } from "../../infrastructure/network/writing/carrying.ts"
export { sourcesOf } from "../../infrastructure/network/configured-cassettes.ts"
export { leftLogFault } from "../../infrastructure/sqlite/files/left-log.ts"

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** What stat and statfs say of a database file that is there. */
export const statedFacts = (file: string) => {
  const { freeBytes, isMemory, isNetwork, name: fileSystem } = fileSystemKind(file)
  return {
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

/** What is to be said of the tables that other tools keep in a database. */
export const companionsOf = (file: string): ReadonlyArray<string> => lookInto(file, companionNotes)

/** A ledger's version, and its log's growth since two times, all of one moment. */
export const ledgerGrowth = (file: string, dayAgo: string, weekAgo: string) =>
  lookInto(file, (connection) =>
    connection.snapshot(() => {
      const { events, last_day, last_week, newest } = logGrowth(connection, dayAgo, weekAgo)
      const [row] = connection.all<{ value: string }>(
        "SELECT value FROM cassette_meta WHERE key = 'db_version'"
      )
      return {
        version: Number(row?.value),
        events,
        lastDay: last_day,
        lastWeek: last_week,
        newest
      }
    })
  )

/** What was said against a file as the error that a command would end with; other errors by their message. */
export const failureIn = (
  file: string,
  error: unknown
): { readonly _tag?: string; readonly message: string } => {
  try {
    const failure = sqliteFailure(file, error)
    return failure instanceof Busy ? { _tag: "StoreBusy", message: `another program holds ${file}` } : failure
  } catch {
    return { message: error instanceof Error ? error.message : String(error) }
  }
}
