// Names and failures of files of every kind: which name can be a file's, what the operating system said against one,
// how a new file takes its name, and which file systems are on another machine.
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { ReadOnlyStore, StorageFailure, StorageFull } from "../../domain/foundation/storage-errors.ts"
import { InvalidInput } from "../../domain/foundation/errors.ts"
import { OWNER_READ_WRITE, permissionsLike, succeed } from "./file-access.ts"
import { exhaustedFailure } from "./exhaustion.ts"

/** Magic numbers of network file systems as statfs(2) gives them. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"]
])

/** The kind of network file system with this statfs(2) type, or undefined for a local or unknown one. */
export const kindOfType = (type: number): string | undefined => networkFileSystems.get(type >>> 0)

/** The kind of network file system that `path` lies on, or undefined for a local or unknown one. */
export const networkKind = (path: string): string | undefined => kindOfType(Number(statfsSync(path).type))

/** Why a name cannot be a file's, or undefined. The driver would trim it, or take it for something else. */
export const nameFault = (name: unknown): string | undefined => {
  if (typeof name !== "string" || name.trim() === "") return "name a file"
  if (name.includes("\0") || !name.isWellFormed())
    return "the name has characters that no file's name can have"
  if (name.trimEnd() !== name)
    return "the name ends with a blank, which would be cut off: name the file without it"
  if (name.trim() === ":memory:")
    return "a file may not have the name of a database in memory: choose another"
  if (name.endsWith("/")) return "the name ends with a slash, as a folder's does: name the file"
  if (/^\s*file:/i.test(name)) return "name the file by its path, not by a URI"
  return undefined
}

/** What is wrong with a path whose names the operating system cannot follow, by its error code. */
const pathAdvice: ReadonlyMap<string, string> = new Map([
  ["ENOTDIR", "a part of the path is a file and no folder: check the path"],
  ["ENAMETOOLONG", "the path or a name in it is too long: choose a shorter one"],
  ["ELOOP", "a link in the path leads to itself: name the file itself"]
])

const readOnlyCodes = new Set(["EACCES", "EPERM", "EROFS"])
const fullCodes = new Set(["ENOSPC", "EDQUOT"])

/** What the operating system said about `file` as a typed error; `field` is where an impossible path was given. */
export const fileFailure = (
  field: string,
  file: string,
  error: unknown
): InvalidInput | ReadOnlyStore | StorageFull | StorageFailure => {
  const { code = "UNKNOWN", message } = error as NodeJS.ErrnoException
  const advice = pathAdvice.get(code)
  if (advice !== undefined) {
    const text = `${file}: ${advice}`
    return new InvalidInput({ message: text, issues: [{ path: field, message: text }] })
  }
  if (readOnlyCodes.has(code)) return new ReadOnlyStore({ file })
  if (fullCodes.has(code)) return new StorageFull({ file })
  return exhaustedFailure(file, code) ?? new StorageFailure({ file, code, reason: message })
}

/** Brings a file, or which names a folder has, to the disk; no SQLite connection may be open on the file in this process. */
export const flush = (path: string): void => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Creates an empty file where there is none and says whether it did. A file that is there is not opened, so no lock
 * on it is lost. A file that becomes a copy of `source` is never more open than that.
 */
export const reserveFile = (file: string, source?: string): boolean => {
  try {
    closeSync(
      openSync(file, "wx", source === undefined ? undefined : permissionsLike(source, dirname(file)).file)
    )
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

/** Makes an empty file that will take the place of `file`: its owner and group where this process may give them, never more open. */
export const reserveSuccessor = (draft: string, file: string): void => {
  closeSync(openSync(draft, "wx", OWNER_READ_WRITE))
  succeed(draft, statSync(file))
}

/** What a file system says that has no hard links. */
const noLinks = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"])

/** True when a link failed because the file system has none, or gives this process none. */
export const hasNoLinks = (error: unknown): boolean =>
  noLinks.has((error as NodeJS.ErrnoException).code ?? "")

/**
 * Gives a finished file its name, unless there is something under it, and says whether it did. Anyone who is killed here
 * leaves a whole file under the name or none; only where there are no hard links can an empty one be left.
 */
export const publishFile = (draft: string, file: string): boolean => {
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    if (!hasNoLinks(error)) throw error
    if (!reserveFile(file)) return false
  }
  try {
    renameSync(draft, file)
    return true
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
}
