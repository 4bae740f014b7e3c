// Read-only evidence: a private copy of a database that cannot, or must not, be read where it is, for a scope's life, in a
// temporary folder that goes with it. The wait for a writer to rest holds up no one else.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { StorageFailure, type StorageFull } from "../../../domain/foundation/storage-errors.ts"
import { fileFailure } from "../../files/file-system.ts"
import {
  COPY_TORN,
  type CopyFile,
  copyOfOneMoment,
  hasJournal,
  MAX_COPIES
} from "../../sqlite/files/private-copy.ts"
import { realSleep } from "../../sqlite/connection/real-time.ts"

/** How long to wait before a copy is made again because its original changed meanwhile (milliseconds). */
const PAUSE_MILLIS = 20

/** Why this file is read in a copy. */
export const reasonForCopy = (filename: string): string =>
  hasJournal(filename)
    ? "has a journal of a transaction that was cut short, which is undone in a copy alone"
    : "is in a place that cannot be written"

const copyFailure = (file: string, error: unknown): StorageFailure | StorageFull => {
  const failure = fileFailure("/filename", file, error)
  return failure._tag === "StorageFull"
    ? failure
    : new StorageFailure({ file, code: "COPY_FAILED", reason: (error as Error).message })
}

/** One moment of the original: a copy between whose beginning and end something was written is made again. */
const consistentCopy = Effect.fnUntraced(function* (
  folder: string,
  filename: string,
  copyFile: CopyFile | undefined
): Effect.fn.Return<string, StorageFailure | StorageFull> {
  const attempt = Effect.try({
    try: () => copyOfOneMoment(folder, filename, copyFile),
    catch: (error) => copyFailure(filename, error)
  })
  for (let count = 1; ; count++) {
    const copy = yield* attempt
    if (copy !== undefined) return copy
    if (count === MAX_COPIES) {
      return yield* new StorageFailure({
        file: filename,
        code: "COPY_TORN",
        reason: COPY_TORN
      })
    }
    yield* realSleep(PAUSE_MILLIS)
  }
})

/** A copy of the database for the scope's life, with a sentence that says so and why; `copyFile` is replaced in tests. */
export const evidenceCopy = (
  filename: string,
  reason: string,
  copyFile?: CopyFile
): Effect.Effect<
  { readonly file: string; readonly warnings: ReadonlyArray<string> },
  StorageFailure | StorageFull,
  Scope.Scope
> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => mkdtempSync(join(tmpdir(), "cassette-evidence-")),
      catch: (error) => copyFailure(filename, error)
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ).pipe(
    Effect.flatMap((folder) => consistentCopy(folder, filename, copyFile)),
    Effect.map((file) => ({
      file,
      warnings: [`${filename} ${reason}: a private copy of it was examined`]
    }))
  )
