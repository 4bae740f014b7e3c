// The one place where SQLite's result codes become tagged errors. Every code has an answer here; what has no
// better name is a StorageFailure that carries the code. A busy store is a signal for the retry, not an error yet.
import {
  InvariantViolation,
  NotALedger,
  ReadOnlyStore,
  StorageFailure,
  StorageFull,
  StoreCorrupt
} from "../../domain/ledger/errors.ts"
import { isBusyCode } from "./busy-code.ts"
import { exhaustedFailure } from "./exhaustion.ts"

/** Another connection holds the lock: try again. */
export class Busy {
  readonly _tag = "Busy"
}

export type SqliteFailure =
  | Busy
  | InvariantViolation
  | NotALedger
  | ReadOnlyStore
  | StorageFailure
  | StorageFull
  | StoreCorrupt

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

/** What SQLite calls something else, and what is damage of the file. */
const DAMAGE = new Set(["SQLITE_TOOBIG", "SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_CORRUPTFS"])

/** What SQLite says of our own statements where a name in the stored schema was damaged. */
const DAMAGED_NAME = /^no such (?:column|table)|has no column named/

/** The tagged error for a thrown SQLite error about `file`; anything else (a defect) is thrown again. */
export const sqliteFailure = (file: string, error: unknown): SqliteFailure => {
  if (!isSqliteError(error)) throw error
  const { code, message } = error
  if (isBusyCode(code)) return new Busy()
  if (code.startsWith("SQLITE_CONSTRAINT")) return new InvariantViolation({ message })
  // The shared memory beside the database cannot grow: the same want of room by another name.
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE") return new StorageFull({ file })
  if (code === "SQLITE_NOTADB") return new NotALedger({ file, reason: "it is no SQLite database" })
  // A cell that no program can hold was not written by one; a page that ends early was cut.
  const isDamage = code.startsWith("SQLITE_CORRUPT") || DAMAGE.has(code)
  if (isDamage || (code === "SQLITE_ERROR" && DAMAGED_NAME.test(message))) {
    return new StoreCorrupt({ code: "INTEGRITY", where: file, finding: message })
  }
  if (code.startsWith("SQLITE_READONLY") || code === "SQLITE_PERM" || code === "SQLITE_AUTH") {
    return new ReadOnlyStore({ file })
  }
  return exhaustedFailure(file, code) ?? new StorageFailure({ file, code, reason: message })
}
