// Read-only evidence: where SQLite cannot make its shared-memory file beside a database (a read-only folder or
// medium), the database and its write-ahead log are copied into a private temporary folder and the copy is opened.
// The original is read byte by byte and never touched; the copy is gone when the scope closes.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type OpenError, StorageFailure } from "../../domain/ledger/errors.ts"

const copyInto = (folder: string, filename: string): string => {
  const copy = join(folder, basename(filename))
  copyFileSync(filename, copy)
  if (existsSync(`${filename}-wal`)) copyFileSync(`${filename}-wal`, `${copy}-wal`)
  return copy
}

/** A copy of the database for the scope's life, with a sentence that says so. */
export const evidenceCopy = (
  filename: string
): Effect.Effect<
  { readonly file: string; readonly warnings: ReadonlyArray<string> },
  OpenError,
  Scope.Scope
> =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "cassette-evidence-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ).pipe(
    Effect.flatMap((folder) =>
      Effect.try({
        try: () => copyInto(folder, filename),
        catch: (error) =>
          new StorageFailure({ file: filename, code: "COPY_FAILED", reason: (error as Error).message })
      })
    ),
    Effect.map((file) => ({
      file,
      warnings: [`${filename} is in a place that cannot be written: a private copy of it was examined`]
    }))
  )
