// What this process may do with a path, as the operating system says. It loads nothing else, since children start with it.
import { accessSync, chmodSync, chownSync, constants, type Stats, statSync } from "node:fs"

const may = (path: string, access: number): boolean => {
  try {
    accessSync(path, access)
    return true
  } catch {
    return false
  }
}

/** True when this process may read the file at `path`. */
export const isReadable = (path: string): boolean => may(path, constants.R_OK)

/** True when this process may write the file or into the folder at `path`. */
export const isWritable = (path: string): boolean => may(path, constants.W_OK)

/** Runs a read of a file; undefined when the file is gone, as a log is once its last user has closed it. */
export const unlessGone = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** The permissions that new files and folders are made with, before the process's own mask takes its part away. */
export interface Permissions {
  readonly file: number
  readonly folder: number
}

const READ_ALL = 0o444
const READ_WRITE_ALL = 0o666
export const OWNER_READ_WRITE = 0o600
const GROUP = 0o070
const OTHERS = 0o007
const SET_GROUP = 0o2000

/** The group that Linux gives a new file: the process's own, or the folder's where that says so; elsewhere the folder's. */
const groupOfNew = (folder: string): number | undefined => {
  const found = statSync(folder, { throwIfNoEntry: false })
  const isOwn = process.platform === "linux" && ((found?.mode ?? 0) & SET_GROUP) === 0
  return isOwn ? process.getegid?.() : found?.gid
}

/** A group of another name gets no more than everybody has; the owner may always read and write. */
const allowed = ({ gid, mode }: Stats, groupOfCopy: number | undefined): number => {
  const own = mode & (gid === groupOfCopy ? READ_WRITE_ALL : ~GROUP | ((mode & OTHERS) << 3))
  return (own & READ_WRITE_ALL) | OWNER_READ_WRITE
}

/**
 * The permissions of a copy in `folder` of the file or folder at `source`: others may do no more with the copy than with
 * the source, and the owner may always read and write it. A source that is missing asks for nothing.
 */
export const permissionsLike = (source: string, folder: string): Permissions => {
  const found = statSync(source, { throwIfNoEntry: false })
  const file = found === undefined ? READ_WRITE_ALL : allowed(found, groupOfNew(folder))
  // A folder that may be read may be entered too.
  return { file, folder: file | ((file & READ_ALL) >> 2) }
}

/** Takes from a file what its group and others may not do with one of these. */
export const closeLike = (path: string, ...sources: ReadonlyArray<Stats>): void => {
  const { gid, mode } = statSync(path)
  const fitting = sources.reduce((now, source) => now & allowed(source, gid), mode)
  // A file system without permissions refuses to set any, and its files are all as open as each other.
  if ((mode & READ_WRITE_ALL & ~fitting) !== 0) chmodSync(path, fitting)
}

/** Gives a file owner and group as far as this process may. */
const giveTo = (path: string, { gid, uid }: Stats): void => {
  for (const owner of [uid, statSync(path).uid]) {
    const now = statSync(path)
    if (now.uid === owner && now.gid === gid) return
    try {
      return chownSync(path, owner, gid)
    } catch {
      // Only root gives files away, and a group only to its members: what the new owner may is judged afterwards.
    }
  }
}

/** Makes a file stand for another: the same owner and group where this process may give them, and no more open than any of these. */
export const takeAfter = (path: string, source: Stats, ...others: ReadonlyArray<Stats>): void => {
  giveTo(path, source)
  closeLike(path, source, ...others)
}

/** Gives an empty file, which its owner alone may open, what another has: owner and group as far as may be, and its openness. */
export const succeed = (path: string, standing: Stats): void => {
  giveTo(path, standing)
  const { gid, mode } = statSync(path)
  const own = allowed(standing, gid)
  if ((mode & READ_WRITE_ALL) !== own) chmodSync(path, own)
}
