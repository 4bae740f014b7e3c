// What a database's journal mode must be: a write-ahead log, or nothing for a database in memory. A file system that cannot
// have one would give another durability, and other readers, than every part of this program promises.
import { StorageFailure } from "../../../domain/foundation/storage-errors.ts"

/** Why a database may not be written in the journal mode that SQLite keeps, if so. */
export const journalFault = (
  file: string,
  mode: string,
  wanted: "wal" | "memory" = "wal"
): StorageFailure | undefined =>
  mode === wanted
    ? undefined
    : new StorageFailure({
        file,
        code: "NO_WRITE_AHEAD_LOG",
        reason: `SQLite keeps journal mode ${mode} here instead of a write-ahead log: put the file on another file system`
      })
