// Which databases this process has open. On POSIX systems, closing any descriptor of a file drops this process's locks on it, so
// what reads files of all kinds asks here first, and leaves a database and what SQLite keeps beside it alone.
import { realpathSync } from "node:fs"
import { resolve } from "node:path"

/** How many connections each has, by its real path. */
const connections = new Map<string, number>()

const COMPANION = /-(?:wal|shm|journal)$/

const realPath = (file: string): string => {
  try {
    return realpathSync.native(file)
  } catch {
    return resolve(file)
  }
}

/** Notes a connection to an existing file; what it gives is called when that is closed. */
export const noteOpen = (file: string): (() => void) => {
  const path = realPath(file)
  connections.set(path, (connections.get(path) ?? 0) + 1)
  let isNoted = true
  return () => {
    if (!isNoted) return
    isNoted = false
    const left = (connections.get(path) ?? 0) - 1
    if (left > 0) connections.set(path, left)
    else connections.delete(path)
  }
}

/** True for the real path of a database that this process has open, or of a file that SQLite keeps beside it. */
export const isOpenDatabase = (path: string): boolean =>
  connections.size > 0 && (connections.has(path) || connections.has(path.replace(COMPANION, "")))
