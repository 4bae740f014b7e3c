// Reading a database file so that nothing stays beside it: SQLite puts an empty log and its index beside a database
// in WAL mode even for readers. They are taken away only when there was no log before, and never under somebody else.
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Connection, openForReading, removeReadingTraces } from "./better-sqlite3-host.ts"
import { isWritable } from "./file-system.ts"

/** True when a write-ahead log stands beside the file. */
const hasLog = (filename: string): boolean => existsSync(`${filename}-wal`)

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
  const logged = hasLog(filename)
  try {
    return lookThrough(openForReading(filename), look)
  } finally {
    if (!logged && hasLog(filename) && isWritable(filename)) removeReadingTraces(filename)
  }
}

/** Takes away what SQLite puts beside a file for reading, when the scope closes and the last reader with it. */
export const withoutTraces = (filename: string): Effect.Effect<void, never, Scope.Scope> =>
  hasLog(filename)
    ? Effect.void
    : Effect.addFinalizer(() =>
        Effect.try(() => {
          if (hasLog(filename) && isWritable(filename)) removeReadingTraces(filename)
        }).pipe(
          // Somebody else is at work in the file by now, and the traces are theirs.
          Effect.catch(() => Effect.void)
        )
      )
