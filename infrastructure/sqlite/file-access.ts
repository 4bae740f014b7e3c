// What this process may do with a path, as the operating system says. It loads nothing else, since children start with it.
import { accessSync, constants, type Stats, statSync } from "node:fs"

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
const OWNER_READ_WRITE = 0o600

/**
 * The permissions of a copy of the file or folder at `source`: others may do no more with the copy than with the source,
 * and the owner may always read and write it. A source that is missing asks for nothing.
 */
export const permissionsLike = (source: string | Stats): Permissions => {
  const found = typeof source === "string" ? statSync(source, { throwIfNoEntry: false }) : source
  const file = ((found?.mode ?? READ_WRITE_ALL) & READ_WRITE_ALL) | OWNER_READ_WRITE
  // A folder that may be read may be entered too.
  return { file, folder: file | ((file & READ_ALL) >> 2) }
}
