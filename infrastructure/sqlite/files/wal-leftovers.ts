// The empty log and its index that SQLite puts beside a database in WAL mode even for readers. They are taken away only when there
// was no log before, and never while another program uses them. It loads nothing but SQLite, since children start with it.
import { existsSync } from "node:fs"
import { type Connection, openForReading, removeWalLeftovers } from "../connection/better-sqlite3-host.ts"
import { isWritable } from "../../files/file-access.ts"

/** True when a write-ahead log stands beside the file. */
const hasLog = (filename: string): boolean => existsSync(`${filename}-wal`)

/** What takes away what reading a file puts beside it, once its connections are closed; to be asked for before it is opened. */
export const leftoverRemoval = (filename: string): (() => void) =>
  hasLog(filename)
    ? () => {}
    : () => {
        if (hasLog(filename) && isWritable(filename)) removeWalLeftovers(filename)
      }

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
  const removeLeftovers = leftoverRemoval(filename)
  try {
    return lookThrough(openForReading(filename), look)
  } finally {
    try {
      removeLeftovers()
    } catch {
      // Another program is at work in the file by now, or it cannot be read at all, which the look has said.
    }
  }
}
