// The one place where SQLite's result codes become tagged errors. Every code has an answer here; what has no
// better name is a StorageFailure that carries the code. A busy store is a signal for the retry, not an error yet.
import { InvariantViolation } from "../../../domain/foundation/errors.ts"
import { ReadOnlyStore, StorageFailure, StorageFull } from "../../../domain/foundation/storage-errors.ts"
import { DatabaseDamaged } from "./database-damaged.ts"
import { isBusyCode } from "./busy-code.ts"
import { exhaustedFailure } from "../../files/exhaustion.ts"

/** Another connection holds the lock: try again. */
export class Busy {
  readonly _tag = "Busy"
}

export type SqliteFailure =
  | Busy
  | InvariantViolation
  | ReadOnlyStore
  | StorageFailure
  | StorageFull
  | DatabaseDamaged

interface SqliteError {
  readonly code: string
  readonly message: string
}

export const isSqliteError = (error: unknown): error is SqliteError =>
  typeof error === "object" &&
  error !== null &&
  "code" in error &&
  typeof error.code === "string" &&
  error.code.startsWith("SQLITE_")

/** True when SQLite does not take the file for a database. */
export const isNoDatabase = (error: unknown): boolean =>
  isSqliteError(error) && error.code === "SQLITE_NOTADB"

/** What SQLite calls something else, and what is damage of the file. */
const DAMAGE = new Set([
  "SQLITE_NOTADB",
  "SQLITE_TOOBIG",
  "SQLITE_IOERR_SHORT_READ",
  "SQLITE_IOERR_CORRUPTFS"
])

/** What SQLite says of our own statements where the stored schema, or its form in the header, was damaged. */
const DAMAGED_SCHEMA =
  /^no such (?:column|index|module|table)|has no column named|^no query solution|is circularly defined|^unsupported file format/

/** The tagged error for a thrown SQLite error about `file`; anything else (a defect) is thrown again. */
export const sqliteFailure = (file: string, error: unknown): SqliteFailure => {
  if (!isSqliteError(error)) throw error
  const { code, message } = error
  if (isBusyCode(code)) return new Busy()
  if (code.startsWith("SQLITE_CONSTRAINT")) return new InvariantViolation({ message })
  const exhausted = exhaustedFailure(file, code)
  if (exhausted !== undefined) return exhausted
  // The shared memory beside the database cannot grow: the same want of room by another name.
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE") return new StorageFull({ file })
  // A cell that no program can hold was not written by one; a page that ends early was cut. A file that was never a
  // database is told from one whose header was damaged when it is opened.
  const isDamage = code.startsWith("SQLITE_CORRUPT") || DAMAGE.has(code)
  if (isDamage || (code === "SQLITE_ERROR" && DAMAGED_SCHEMA.test(message))) {
    return new DatabaseDamaged({ code: "INTEGRITY", where: file, finding: message })
  }
  if (code.startsWith("SQLITE_READONLY") || code === "SQLITE_PERM" || code === "SQLITE_AUTH") {
    return new ReadOnlyStore({ file })
  }
  return new StorageFailure({ file, code, reason: message })
}
