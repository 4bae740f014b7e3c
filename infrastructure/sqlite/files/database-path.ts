// What must be known about a path before SQLite may touch it: that its name means one file and nothing else, that it
// is no folder, that a file is there when one is expected, and that it lies on no network file system, where locks
// cannot be trusted. It looks with stat alone and never opens a database file.
import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs"
import { dirname } from "node:path"
import { InvalidInput } from "../../../domain/foundation/errors.ts"
import {
  FileMissing,
  NetworkFileSystem,
  NotALedger,
  ReadOnlyStore,
  type StorageFailure,
  type StorageFull,
  type UnsafePlace
} from "../../../domain/foundation/storage-errors.ts"
import { isReadable, isWritable } from "../../files/file-access.ts"
import { fileFailure, networkKind } from "../../files/file-system.ts"
import { newPlaceFault } from "../../files/new-place.ts"
import { leftLogFault, noFileBeside } from "./left-log.ts"
import { keptNames, loneFileFault } from "./lone-file.ts"
import { recognized } from "../../files/recognized-file.ts"

/** `write` creates a missing file, `append` writes to one that is there, `read` changes nothing. */
export type AccessMode = "write" | "append" | "read"

/** `replace` puts another file in the place of what is there, or was there. */
type PathUse = AccessMode | "replace"

export interface PathExpectations {
  /**
   * Reading and appending need the file, creating and replacing its folder; all but reading may write both. What is replaced
   * may have lost its file beside its log, and may have the names that a replacing which was killed gave it.
   */
  readonly mode: PathUse
  readonly allowNetworkFs: boolean
  /** How to find the kind of file system; replaced in tests. */
  readonly networkKind?: typeof networkKind | undefined
}

/** Why a path cannot be opened. */
export type PathFault =
  | FileMissing
  | InvalidInput
  | NetworkFileSystem
  | NotALedger
  | ReadOnlyStore
  | StorageFailure
  | StorageFull
  | UnsafePlace

/** What stands at a path, or undefined for nothing; a path that cannot be followed is thrown. */
const found = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** The link that leads to nothing, or undefined: what would be made there is not what was named. */
const deadLink = (file: string): FileMissing | undefined =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? new FileMissing({ file: readlinkSync(file) })
    : undefined

const unreachable = (file: string): InvalidInput => {
  const message = `${file} may not be read: check the permissions of the file and of the folders above it`
  return new InvalidInput({ message, issues: [{ path: "/filename", message }] })
}

/** A restore also takes away the tree of hashes. */
const companionFault = (file: string, mode: PathUse): InvalidInput | undefined => {
  const message = noFileBeside(file, mode === "replace" ? [".merkle"] : [])
  return message === undefined
    ? undefined
    : new InvalidInput({ message, issues: [{ path: "/filename", message }] })
}

const judged = (file: string, expected: PathExpectations): PathFault | undefined => {
  const folder = dirname(file)
  const there = found(file)
  // SQLite follows links: a file's log stands beside the file itself.
  const real = there === undefined ? file : realpathSync(file)
  const companion = companionFault(real, expected.mode)
  if (companion !== undefined) return companion
  const left = leftLogFault(real)
  if (left !== undefined && expected.mode !== "replace") return new NotALedger({ file, reason: left })
  if (there === undefined) {
    if (expected.mode === "read" || expected.mode === "append") return new FileMissing({ file })
    if (found(folder) === undefined) return new FileMissing({ file: folder })
    const unfit = deadLink(file) ?? newPlaceFault("/filename", file)
    if (unfit !== undefined) return unfit
  }
  if (there?.isFile() === false)
    return new NotALedger({ file, reason: recognized(file) ?? "it is a folder or a device" })
  if (there !== undefined && !isReadable(file)) return unreachable(file)
  if (expected.mode !== "read" && !(isWritable(folder) && (there === undefined || isWritable(file)))) {
    return new ReadOnlyStore({ file })
  }
  const kept = expected.mode === "replace" && there !== undefined ? keptNames(realpathSync(file)).length : 0
  const lone = expected.mode === "read" || there === undefined ? undefined : loneFileFault(file, kept)
  if (lone !== undefined) return lone
  if (expected.allowNetworkFs) return undefined
  const kind = (expected.networkKind ?? networkKind)(there === undefined ? folder : file)
  return kind === undefined ? undefined : new NetworkFileSystem({ file, kind })
}

/** The error that forbids to open `file`, or undefined. */
export const pathFault = (file: string, expected: PathExpectations): PathFault | undefined => {
  try {
    return judged(file, expected)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === "EACCES" ? unreachable(file) : fileFailure("/filename", file, error)
  }
}
