// Read-only evidence: where SQLite cannot, or must not, put files of its own beside a database (a read-only file,
// folder or medium), the database and its logs are copied into a private temporary folder and the copy is opened.
// The original is read byte by byte and never touched; the copy is gone when the scope closes.
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { StorageFailure } from "../../domain/ledger/errors.ts"

const copyFailure = (file: string, error: unknown): StorageFailure =>
  new StorageFailure({ file, code: "COPY_FAILED", reason: (error as Error).message })

const copyInto = (folder: string, filename: string): string => {
  const copy = join(folder, basename(filename))
  copyFileSync(filename, copy)
  for (const log of ["-wal", "-journal"]) {
    if (existsSync(`${filename}${log}`)) copyFileSync(`${filename}${log}`, `${copy}${log}`)
  }
  // A copy is our own: it may be written, so that SQLite can undo a transaction that was cut short.
  chmodSync(copy, 0o600)
  return copy
}

/** A copy of the database for the scope's life, with a sentence that says so. */
export const evidenceCopy = (
  filename: string
): Effect.Effect<
  { readonly file: string; readonly warnings: ReadonlyArray<string> },
  StorageFailure,
  Scope.Scope
> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => mkdtempSync(join(tmpdir(), "cassette-evidence-")),
      catch: (error) => copyFailure(filename, error)
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ).pipe(
    Effect.flatMap((folder) =>
      Effect.try({
        try: () => copyInto(folder, filename),
        catch: (error) => copyFailure(filename, error)
      })
    ),
    Effect.map((file) => ({
      file,
      warnings: [`${filename} is in a place that cannot be written: a private copy of it was examined`]
    }))
  )
