// Whether paths still name the files that were opened there. A file that is replaced or unlinked lives on for anyone who
// has it open, and everything written to it is lost with the last of them: nothing may be acknowledged from there. It
// looks with stat alone, since opening and closing a database file would drop SQLite's locks.
import { type BigIntStats, lstatSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { StorageFailure } from "../../domain/foundation/storage-errors.ts"
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

/** How long ago a folder must have changed for its next change to have another time with a coarse clock too. */
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

const lost = (file: string, code: string, what: string) =>
  new StorageFailure({
    file,
    code,
    reason: `the file ${what} while it was open; what was not acknowledged does not count: open it again`
  })

/** Throws `FILE_REPLACED` when what a path names now is not what it named; gives what it names. */
const assertSame = (
  path: string,
  seen: Pick<BigIntStats, "dev" | "ino">,
  now: BigIntStats | undefined
): BigIntStats => {
  if (now === undefined) throw lost(path, "FILE_REPLACED", "was removed")
  if (now.ino !== seen.ino || now.dev !== seen.dev) throw lost(path, "FILE_REPLACED", "was replaced")
  return now
}

/** Remembers which files the paths name now; one that names nothing yet is not watched. */
export const watchPlace = (...paths: ReadonlyArray<string>): PlaceCheck => watchPlaceAt(Date.now, paths)

/**
 * As `watchPlace` for one file; throws also once it has a second name, or something else wrote over it: a file of ours never
 * becomes shorter. Whenever it was written, by a checkpoint or by another program, `look` is asked: it throws when the file is
 * no longer what it was, and is false when it has to be asked again.
 */
const watchFile = (file: string, look: () => boolean): PlaceCheck => {
  let seen = identityOf(file)
  return () => {
    if (seen === undefined) return
    const now = assertSame(file, seen, identityOf(file))
    if (now.nlink > 1n) {
      throw new StorageFailure({
        file,
        code: "SEVERAL_NAMES",
        reason: `the file was given another name (a hard link) while it was open, and each name has a log of its own; what was not acknowledged does not count: remove the other name and open it again`
      })
    }
    if (now.size < seen.size) throw lost(file, "FILE_OVERWRITTEN", "became shorter")
    if (now.mtimeNs === seen.mtimeNs || look()) seen = now
  }
}

/**
 * As `watchPlace`, for one who writes to the first of the paths, a database file: it must keep its one name and not be
 * written over.
 */
export const watchWriter = (
  [file, ...beside]: readonly [file: string, ...beside: ReadonlyArray<string>],
  look: () => boolean = () => true,
  clock: () => number = Date.now
): PlaceCheck => {
  const assertFile = watchFile(file, look)
  const assertBeside = watchPlaceAt(clock, beside)
  return () => {
    assertFile()
    assertBeside()
  }
}

/** As `watchPlace`, with the clock (milliseconds) that tells how long a folder has been quiet. */
export const watchPlaceAt = (clock: () => number, paths: ReadonlyArray<string>): PlaceCheck => {
  const watched = paths.flatMap((path) => {
    const seen = identityOf(path)
    return seen === undefined ? [] : [{ path, seen }]
  })
  const folder = folderOf(watched.map(({ path }) => path))
  let settled: BigIntStats | undefined
  return () => {
    // Looked at before the names, so that what changes in between has a later time.
    const before = folder === undefined ? undefined : identityOf(folder)
    if (settled !== undefined && isUnchanged(settled, before)) return
    settled = undefined
    for (const { path, seen } of watched) assertSame(path, seen, identityOf(path))
    if (before !== undefined && BigInt(clock()) - before.ctimeNs / 1_000_000n > SETTLED_MILLIS)
      settled = before
  }
}
