// Whether paths still name the files that were opened there. A file that is replaced or unlinked lives on for whoever
// has it open, and everything written to it is lost with the last of them: nothing may be acknowledged from there. It
// looks with stat alone, since opening and closing a database file would drop SQLite's locks.
import { type BigIntStats, statSync } from "node:fs"
import { StorageFailure } from "../../domain/ledger/errors.ts"

const identityOf = (path: string): BigIntStats | undefined => {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    // A path that can no longer be followed names nothing.
    return undefined
  }
}

/** Throws `StorageFailure` (code `FILE_REPLACED`) once a path names another file than it did, or none. */
export type PlaceCheck = () => void

/** Remembers which files the paths name now; one that names nothing yet is not watched. */
export const watchPlace = (...paths: ReadonlyArray<string>): PlaceCheck => {
  const watched = paths.flatMap((path) => {
    const found = identityOf(path)
    return found === undefined ? [] : [{ path, dev: found.dev, ino: found.ino }]
  })
  return () => {
    for (const { dev, ino, path } of watched) {
      const now = identityOf(path)
      if (now === undefined || now.ino !== ino || now.dev !== dev) {
        throw new StorageFailure({
          file: path,
          code: "FILE_REPLACED",
          reason: `the file was ${now === undefined ? "removed" : "replaced"} while it was open; what was not acknowledged does not count: open it again`
        })
      }
    }
  }
}
