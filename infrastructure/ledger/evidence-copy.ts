// Read-only evidence: where SQLite cannot, or must not, put files of its own beside a database (a read-only file,
// folder or medium, or a journal that it would have to undo), the database and its logs are copied into a private
// temporary folder and the copy is opened. The original is read byte by byte and never touched.
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { StorageFailure } from "../../domain/ledger/errors.ts"
import { isWritable } from "../sqlite/file-access.ts"
import { realSleep } from "../sqlite/real-time.ts"

/** How often a copy is made again because its original changed meanwhile. */
const MAX_COPIES = 5

/** How long to wait before that (milliseconds). */
const PAUSE_MILLIS = 20

/** True when a transaction may be half-done in the file, which SQLite must undo before anything is read. */
export const hasJournal = (filename: string): boolean => existsSync(`${filename}-journal`)

/** True for a file of no bytes beside which a log stands: it held a database until it was cut. */
export const isEmptied = (filename: string): boolean => {
  // In this order: a file that is being created has content before it has a log.
  const logged = [`${filename}-wal`, `${filename}-shm`].some((path) => existsSync(path))
  return logged && existsSync(filename) && statSync(filename).size === 0
}

/** Why a file that was cut to nothing is not opened. */
export const EMPTIED =
  "it is empty, but a database's log stands beside it: bring the file back from a backup, or move the log away"

/**
 * True when a file must not be opened where it is: SQLite would have to undo a half-done transaction in it, or
 * would leave files beside it that only we may write, and so lock its owner out.
 */
export const mustBeCopied = (filename: string): boolean =>
  hasJournal(filename) ||
  (!isWritable(filename) && isWritable(dirname(filename)) && !existsSync(`${filename}-shm`))

/** Why this file is read in a copy. */
export const reasonForCopy = (filename: string): string =>
  hasJournal(filename)
    ? "has a journal of a transaction that was cut short, which is undone in a copy alone"
    : "is in a place that cannot be written"

const parts = ["", "-wal", "-journal"] as const

const copyFailure = (file: string, error: unknown): StorageFailure =>
  new StorageFailure({ file, code: "COPY_FAILED", reason: (error as Error).message })

/** What shows any change of a database and its logs, a checkpoint's included: identity, size and time in nanoseconds. */
const picture = (filename: string): string =>
  parts
    .map((part) => {
      const found = statSync(`${filename}${part}`, { bigint: true, throwIfNoEntry: false })
      return found === undefined ? "-" : [found.dev, found.ino, found.size, found.mtimeNs].join(" ")
    })
    .join("; ")

type CopyFile = (from: string, to: string) => void

const copyInto = (folder: string, filename: string, copyFile: CopyFile): string => {
  const copy = join(folder, basename(filename))
  for (const part of parts) {
    rmSync(`${copy}${part}`, { force: true })
    if (existsSync(`${filename}${part}`)) copyFile(`${filename}${part}`, `${copy}${part}`)
  }
  // A copy is our own: it may be written, so that SQLite can undo a transaction that was cut short.
  chmodSync(copy, 0o600)
  return copy
}

/** One moment of the original: a copy between whose beginning and end somebody wrote is made again. */
const consistentCopy = Effect.fnUntraced(function* (
  folder: string,
  filename: string,
  copyFile: CopyFile
): Effect.fn.Return<string, StorageFailure> {
  const attempt = Effect.try({
    try: () => {
      const before = picture(filename)
      const copy = copyInto(folder, filename, copyFile)
      return picture(filename) === before ? copy : undefined
    },
    catch: (error) => copyFailure(filename, error)
  })
  for (let count = 1; ; count++) {
    const copy = yield* attempt
    if (copy !== undefined) return copy
    if (count === MAX_COPIES) {
      return yield* new StorageFailure({
        file: filename,
        code: "COPY_TORN",
        reason: "it changed each time while it was copied: try again when its writers rest"
      })
    }
    yield* realSleep(PAUSE_MILLIS)
  }
})

/** A copy of the database for the scope's life, with a sentence that says so and why; `copyFile` is replaced in tests. */
export const evidenceCopy = (
  filename: string,
  reason: string,
  copyFile: CopyFile = copyFileSync
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
    Effect.flatMap((folder) => consistentCopy(folder, filename, copyFile)),
    Effect.map((file) => ({
      file,
      warnings: [`${filename} ${reason}: a private copy of it was examined`]
    }))
  )
