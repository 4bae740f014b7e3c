// Reading a database file so that nothing stays beside it: SQLite puts an empty log and its index beside a database
// in WAL mode even for readers. They are taken away only when there was no log before, and never under somebody else.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Connection, openForReading, openForWriting } from "./better-sqlite3-host.ts"
import { fileFailure } from "../files/file-system.ts"
import { copyOfOneMoment, hasJournal } from "./private-copy.ts"
import { traceRemoval } from "./reading-traces.ts"
import { Busy } from "./sqlite-errors.ts"

/** Looks into a file through a connection that is closed again. */
export const lookThrough = <A>(connection: Connection, look: (connection: Connection) => A): A => {
  try {
    return look(connection)
  } finally {
    connection.close()
  }
}

/** Looks into an existing file; nothing of it is changed and nothing is left beside it. */
export const lookInto = <A>(filename: string, look: (connection: Connection) => A): A => {
  const removeTraces = traceRemoval(filename)
  try {
    return lookThrough(openForReading(filename), look)
  } finally {
    try {
      removeTraces()
    } catch {
      // Somebody else is at work in the file by now, or it cannot be read at all, which the look has said.
    }
  }
}

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
    // Somebody is at work in it.
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
export const withoutTraces = (filename: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => {
    const removeTraces = traceRemoval(filename)
    return Effect.addFinalizer(() =>
      // Where it fails, somebody else is at work in the file by now, and the traces are theirs.
      Effect.ignore(Effect.try(removeTraces))
    )
  })
