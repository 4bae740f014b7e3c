// A consistent copy of a ledger, made by SQLite itself while writers go on. It is made in a private folder beside the
// target and gets its name only when it is whole, so that half a backup never looks like one, even of a process that
// was killed; nothing is ever written over.
import { closeSync, lstatSync, openSync, type Stats, statSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { BackupError } from "../../../application/ledger/verification/ledger-copies.ts"
import { invalidAt, InvalidInput } from "../../../domain/foundation/errors.ts"
import { ReadOnlyStore, StorageFailure, StorageFull } from "../../../domain/foundation/storage-errors.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { fileFailure, flush, nameFault, publishFile } from "../../files/file-system.ts"
import { closeLike, OWNER_READ_WRITE, takeAfter } from "../../files/file-access.ts"
import { newPlaceFault } from "../../files/new-place.ts"
import { Busy, isSqliteError } from "../../sqlite/connection/sqlite-errors.ts"
import { ledgerFailure } from "../ledger-failures.ts"
import { makeDraftFolder } from "./draft-folder.ts"
import type { LedgerFile } from "../opening/ledger-file.ts"

/** A target that cannot be written, or that is no name at all. */
const refused = (target: string, message: string) => invalidAt(String(target), message)

/** Why a target, or a place beside it, could not be made. */
const placeFailure = (target: string, error: unknown): BackupError =>
  isSqliteError(error)
    ? copyFailure(target, error)
    : ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")
      ? refused(target, `there is no folder ${dirname(target)}`)
      : fileFailure(target, target, error)

/** Refuses a target that is no name, or that names something already. */
export const assertFree = (target: string, exists: string): Effect.Effect<void, BackupError> => {
  const wrongName = nameFault(target)
  if (wrongName !== undefined) return Effect.fail(refused(target, wrongName))
  const unfit = newPlaceFault(target, target)
  if (unfit !== undefined) return Effect.fail(unfit)
  return Effect.try({
    try: () => lstatSync(target, { throwIfNoEntry: false }) === undefined,
    catch: (error) => placeFailure(target, error)
  }).pipe(Effect.flatMap((free) => (free ? Effect.void : Effect.fail(refused(target, exists)))))
}

/** What stopped a copy of a ledger from being written to `target`. */
export const copyFailure = (target: string, error: unknown): BackupError => {
  if (error instanceof StorageFailure || error instanceof InvalidInput) return error
  if ((error as NodeJS.ErrnoException).syscall !== undefined) return fileFailure(target, target, error)
  const failure = ledgerFailure(target, error)
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

/** A folder of our own on the target's file system, which goes with the scope. */
const workplace = (target: string): Effect.Effect<string, BackupError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => makeDraftFolder(target), catch: (error) => placeFailure(target, error) }),
    ({ remove }) => Effect.sync(remove)
  ).pipe(Effect.map(({ path }) => path))

/**
 * An empty file in a folder of our own on the target's file system, to be filled with a copy of `source`. It is no more open
 * than that, and takes after a file in whose place it is put. Without a source it is as open as any new file.
 */
export const draftBeside = (
  target: string,
  source: string | undefined,
  standing?: Stats
): Effect.Effect<string, BackupError, Scope.Scope> =>
  Effect.flatMap(workplace(target), (folder) =>
    Effect.try({
      try: () => {
        const draft = join(folder, "ledger.db")
        // A source that was removed meanwhile is told by the copying.
        const found = source === undefined ? undefined : statSync(source, { throwIfNoEntry: false })
        const mode = source === undefined ? undefined : (found?.mode ?? 0) | OWNER_READ_WRITE
        closeSync(openSync(draft, "wx", mode))
        const sources = found === undefined ? [] : [found]
        if (standing === undefined) closeLike(draft, ...sources)
        else takeAfter(draft, standing, ...sources)
        return draft
      },
      catch: (error) => placeFailure(target, error)
    })
  )

/** Brings a finished file to the disk and gives it its name; no connection may be open on it in this process. */
export const publish = (draft: string, target: string, exists: string): Effect.Effect<void, BackupError> =>
  Effect.try({
    try: () => {
      flush(draft)
      const published = publishFile(draft, target)
      if (published) flush(dirname(target))
      return published
    },
    catch: (error) => copyFailure(target, error)
  }).pipe(Effect.flatMap((published) => (published ? Effect.void : Effect.fail(refused(target, exists)))))

/** Writes SQLite's own copy of one moment into a draft. */
export const copyInto = (file: LedgerFile, draft: string): void => {
  const reader = file.openSnapshot()
  try {
    reader.run("VACUUM INTO ?", [draft])
  } finally {
    reader.close()
  }
}

const EXISTS = "the file exists; a backup never overwrites"

/** Writes the copy; whether it is a good one is for verification to say. */
export const backupTo = (file: LedgerFile, target: string): Effect.Effect<void, BackupError> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* assertFree(target, EXISTS)
      const draft = yield* draftBeside(target, file.name)
      yield* Effect.try({ try: () => copyInto(file, draft), catch: (error) => copyFailure(target, error) })
      yield* publish(draft, target, EXISTS)
    })
  )
