// A consistent copy of a ledger, made by SQLite itself while writers go on. The target is reserved first and must
// not exist; a copy that could not be finished is removed, so that half a backup never looks like one.
import { closeSync, fsyncSync, openSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import type { BackupError } from "../../application/ledger/ledger-evidence.ts"
import {
  InvalidInput,
  ReadOnlyStore,
  StorageFailure,
  StorageFull,
  StoreCorrupt
} from "../../domain/ledger/errors.ts"
import { fileFailure, nameFault, reserveFile } from "../sqlite/file-system.ts"
import { Busy, sqliteFailure } from "../sqlite/sqlite-errors.ts"
import type { LedgerFile } from "./ledger-file.ts"

/** A target that cannot be written, or that is no name at all. */
export const refused = (target: string, message: string) =>
  new InvalidInput({ message: `${target}: ${message}`, issues: [{ path: String(target), message }] })

/** Creates the target, empty and only if it is not there. */
const reserve = (target: string): Effect.Effect<void, BackupError> => {
  const wrongName = nameFault(target)
  if (wrongName !== undefined) return Effect.fail(refused(target, wrongName))
  return Effect.try({ try: () => reserveFile(target), catch: (error) => reserveFailure(target, error) }).pipe(
    Effect.flatMap((created) =>
      created ? Effect.void : Effect.fail(refused(target, "the file exists; a backup never overwrites"))
    )
  )
}

/** Why a target, or a place beside it, could not be made. */
export const reserveFailure = (target: string, error: unknown): BackupError =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")
    ? refused(target, `there is no folder ${dirname(target)}`)
    : fileFailure(target, target, error)

/** What stopped a copy of a ledger from being written to `target`. */
export const copyFailure = (target: string, error: unknown): BackupError => {
  if (error instanceof StorageFailure) return error
  if ((error as NodeJS.ErrnoException).syscall !== undefined) return fileFailure(target, target, error)
  const failure = sqliteFailure(target, error)
  return failure instanceof StoreCorrupt ||
    failure instanceof StorageFailure ||
    failure instanceof StorageFull ||
    failure instanceof ReadOnlyStore
    ? failure
    : new StorageFailure({
        file: target,
        code: failure._tag,
        reason: failure instanceof Busy ? "the store is locked" : failure.message
      })
}

/** Brings a file or folder to the disk; no SQLite connection may be open on it in this process. */
export const flush = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const copy = (file: LedgerFile, target: string): void => {
  const reader = file.openSnapshot()
  try {
    reader.run("VACUUM INTO ?", [target])
  } finally {
    reader.close()
  }
  // No connection is open on the copy, so it may be opened as a file.
  flush(target)
  flush(dirname(target))
}

/** Writes the copy; whether it is a good one is for verification to say. */
export const backupTo = (file: LedgerFile, target: string): Effect.Effect<void, BackupError> =>
  reserve(target).pipe(
    Effect.andThen(
      Effect.try({ try: () => copy(file, target), catch: (error) => copyFailure(target, error) }).pipe(
        Effect.tapError(() => Effect.sync(() => rmSync(target, { force: true })))
      )
    )
  )
