// Whether paths still name the files that were opened there. A file that is replaced or unlinked lives on for whoever
// has it open, and everything written to it is lost with the last of them: nothing may be acknowledged from there. It
// looks with stat alone, since opening and closing a database file would drop SQLite's locks.
import { type BigIntStats, lstatSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { StorageFailure } from "../../domain/ledger/errors.ts"
import { fileSystemKind } from "./file-system-kind.ts"

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

/** File systems where a folder's times change whenever a name in it is made, removed or given to another file. */
const KEEP_FOLDER_TIMES = new Set(["btrfs", "ext4", "tmpfs", "xfs"])

/** How long ago a folder must have changed for its next change to have another time, whatever the clock's grain. */
const SETTLED_MILLIS = 2_000n

/** The one folder in which all of several paths are plain names, where its times can answer for them. */
const folderOf = (paths: ReadonlyArray<string>): string | undefined => {
  const [folder, ...others] = new Set(paths.map((path) => dirname(path)))
  if (folder === undefined || others.length > 0 || paths.length < 2) return undefined
  try {
    if (paths.some((path) => lstatSync(path).isSymbolicLink())) return undefined
    return KEEP_FOLDER_TIMES.has(fileSystemKind(folder).name) ? folder : undefined
  } catch {
    // Where there is nothing to be learnt, every path is looked at.
    return undefined
  }
}

/**
 * True when no name in the folder was made, removed or given away since it was seen as `settled`: one look instead of
 * one for each name. Only a folder that had been quiet for a while was seen as settled.
 */
const isUnchanged = (settled: BigIntStats, now: BigIntStats | undefined): boolean =>
  now !== undefined &&
  now.ctimeNs === settled.ctimeNs &&
  now.mtimeNs === settled.mtimeNs &&
  now.ino === settled.ino &&
  now.dev === settled.dev

/** Remembers which files the paths name now; one that names nothing yet is not watched. */
export const watchPlace = (...paths: ReadonlyArray<string>): PlaceCheck => watchPlaceAt(Date.now, paths)

/** As `watchPlace`, with the clock (milliseconds) that tells how long a folder has been quiet. */
export const watchPlaceAt = (clock: () => number, paths: ReadonlyArray<string>): PlaceCheck => {
  const watched = paths.flatMap((path) => {
    const found = identityOf(path)
    return found === undefined ? [] : [{ path, dev: found.dev, ino: found.ino }]
  })
  const folder = folderOf(watched.map(({ path }) => path))
  let settled: BigIntStats | undefined
  return () => {
    // Looked at before the names, so that what changes in between has a later time.
    const before = folder === undefined ? undefined : identityOf(folder)
    if (settled !== undefined && isUnchanged(settled, before)) return
    settled = undefined
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
    if (before !== undefined && BigInt(clock()) - before.ctimeNs / 1_000_000n > SETTLED_MILLIS)
      settled = before
  }
}
