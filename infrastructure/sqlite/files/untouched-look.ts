// Looking into a database file before anything in it may change, also where a transaction was cut short in it.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Connection, openForReading, openForWriting } from "../connection/better-sqlite3-host.ts"
import { fileFailure } from "../../files/file-system.ts"
import { copyOfOneMoment, hasJournal } from "./private-copy.ts"
import { Busy } from "../connection/sqlite-errors.ts"
import { leftoverRemoval, lookInto, lookThrough } from "./wal-leftovers.ts"

/** SQLite's code where a file cannot be read before a transaction that was cut short is undone in it. */
const HOT_JOURNAL = "SQLITE_READONLY_ROLLBACK"

/** True when a transaction was cut short in the file and is to be undone before anything can be read. */
const isHalfDone = (filename: string): boolean => {
  if (!hasJournal(filename)) return false
  try {
    lookThrough(openForReading(filename), (connection) =>
      connection.all("SELECT 1 FROM sqlite_schema LIMIT 1")
    )
    return false
  } catch (error) {
    return (error as { readonly code?: unknown }).code === HOT_JOURNAL
  }
}

/** Looks into a private copy of a file, in which SQLite undoes what a killed writer left half-done. */
const lookIntoCopy = <A>(filename: string, look: (connection: Connection) => A): A => {
  const folder = mkdtempSync(join(tmpdir(), "cassette-look-"))
  try {
    const copy = copyOfOneMoment(folder, filename)
    // Another program is at work in it.
    if (copy === undefined) throw new Busy()
    return lookThrough(openForWriting(copy), look)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Looks into an existing file to judge it, before anything in it may change: as `lookInto`, and where a half-done transaction must
 * be undone first, into a copy. It is synchronous, and takes as long as the file is large then.
 */
export const lookUntouched = <A>(filename: string, look: (connection: Connection) => A): A => {
  if (!isHalfDone(filename)) return lookInto(filename, look)
  try {
    return lookIntoCopy(filename, look)
  } catch (error) {
    throw "syscall" in (error as object) ? fileFailure("/filename", filename, error) : error
  }
}

/** Takes away what SQLite puts beside a file for reading, when the scope closes and the last reader with it. */
export const withoutLeftovers = (filename: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => {
    const removeLeftovers = leftoverRemoval(filename)
    return Effect.addFinalizer(() =>
      // Where it fails, another program is at work in the file by now, and what stands beside it is its own.
      Effect.ignore(Effect.try(removeLeftovers))
    )
  })
