// When a database file must be read in a copy, and how a copy of one moment is made: where SQLite cannot, or must not,
// put files of its own beside a database, the database and its logs are copied and the copy is opened. The original is
// read byte by byte and never touched. It loads nothing but Node's file system, since children start with it.
import { chmodSync, closeSync, existsSync, openSync, readSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { isWritable } from "../../files/file-access.ts"
import { copyKeepingLocks } from "./locked-copy.ts"

/** How often a copy is made again because its original changed meanwhile. */
export const MAX_COPIES = 5

/** What is said of a file that changed during every copy. */
export const COPY_TORN = "it changed each time while it was copied: try again when its writers rest"

/** True when a transaction may be half-done in the file, which SQLite must undo before anything is read. */
export const hasJournal = (filename: string): boolean => existsSync(`${filename}-journal`)

/** Where a database's header says for writers and for readers whether there is a log, and what stands there if not. */
const LOG_OFFSET = 18
const WITHOUT_LOG = Buffer.from([1, 1])

/**
 * False for a database that surely has no log, beside which a reader puts nothing. Closing a file drops its locks of
 * this process, so nothing may be open on a log here: it is asked only where no shared memory stands.
 */
const mayHaveLog = (filename: string): boolean => {
  const versions = Buffer.alloc(WITHOUT_LOG.byteLength)
  try {
    const descriptor = openSync(filename, "r")
    try {
      readSync(descriptor, versions, 0, versions.byteLength, LOG_OFFSET)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Anyone who copies it is told the same, and says it.
    return true
  }
  return !versions.equals(WITHOUT_LOG)
}

/**
 * True when a file must not be opened where it is: SQLite would have to undo a half-done transaction in it, or
 * would leave files beside it that only we may write, and so lock its owner out.
 */
export const mustBeCopied = (filename: string): boolean =>
  hasJournal(filename) ||
  (!isWritable(filename) &&
    isWritable(dirname(filename)) &&
    !existsSync(`${filename}-shm`) &&
    mayHaveLog(filename))

/** True when SQLite failed, by its code, because it cannot put its shared memory beside the file that it reads. */
export const isWantOfPlace = (code: string): boolean =>
  /^SQLITE_(?:CANTOPEN|READONLY)(?:_|$)/.test(code) ||
  ["SQLITE_PERM", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"].includes(code)

const parts = ["", "-wal", "-journal"] as const

/** What shows any change of a database and its logs, a checkpoint's included: identity, size and time in nanoseconds. */
export const pictureOf = (filename: string): string =>
  parts
    .map((part) => {
      const found = statSync(`${filename}${part}`, { bigint: true, throwIfNoEntry: false })
      return found === undefined ? "-" : [found.dev, found.ino, found.size, found.mtimeNs].join(" ")
    })
    .join("; ")

/** Copies one file. */
export type CopyFile = (from: string, to: string) => void

/**
 * Copies a database and its logs into a folder and gives the copy's path, or nothing when something was written between
 * beginning and end. What the operating system says is thrown.
 */
export const copyOfOneMoment = (
  folder: string,
  filename: string,
  copyFile: CopyFile = copyKeepingLocks
): string | undefined => {
  const before = pictureOf(filename)
  const copy = join(folder, basename(filename))
  for (const part of parts) {
    rmSync(`${copy}${part}`, { force: true })
    if (existsSync(`${filename}${part}`)) copyFile(`${filename}${part}`, `${copy}${part}`)
  }
  // A copy is our own: it may be written, so that SQLite can undo a transaction that was cut short.
  chmodSync(copy, 0o600)
  return pictureOf(filename) === before ? copy : undefined
}
