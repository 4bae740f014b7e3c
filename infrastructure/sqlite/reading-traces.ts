// The empty log and its index that SQLite puts beside a database in WAL mode even for readers: they are taken away only
// when there was no log before, and never under somebody else. It loads nothing but SQLite, since children start with it.
import { existsSync } from "node:fs"
import { removeReadingTraces } from "./better-sqlite3-host.ts"
import { isWritable } from "../files/file-access.ts"

/** True when a write-ahead log stands beside the file. */
const hasLog = (filename: string): boolean => existsSync(`${filename}-wal`)

/** What takes away what reading a file puts beside it, once its connections are closed; to be asked for before it is opened. */
export const traceRemoval = (filename: string): (() => void) =>
  hasLog(filename)
    ? () => {}
    : () => {
        if (hasLog(filename) && isWritable(filename)) removeReadingTraces(filename)
      }
