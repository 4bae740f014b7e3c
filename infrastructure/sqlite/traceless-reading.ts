// Reading a database file so that nothing stays beside it: SQLite puts an empty log and its index beside a database
// in WAL mode even for readers. They are taken away only when there was no log before, and never under somebody else.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Connection, openForReading } from "./better-sqlite3-host.ts"
import { traceRemoval } from "./reading-traces.ts"

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

/** Takes away what SQLite puts beside a file for reading, when the scope closes and the last reader with it. */
export const withoutTraces = (filename: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => {
    const removeTraces = traceRemoval(filename)
    return Effect.addFinalizer(() =>
      // Where it fails, somebody else is at work in the file by now, and the traces are theirs.
      Effect.ignore(Effect.try(removeTraces))
    )
  })
