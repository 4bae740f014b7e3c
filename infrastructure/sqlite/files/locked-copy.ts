// A copy of a database file that this process may have open. On POSIX systems, closing any descriptor of a file drops this
// process's locks on it, so the copy of such a file is read through a descriptor that stays open.
import { closeSync, copyFileSync, openSync, realpathSync, rmSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { permissionsLike } from "../../files/file-access.ts"
import { isOpenDatabase } from "../connection/open-databases.ts"
import { heldDescriptor, readAt } from "./stored-bytes.ts"

const COPIED_BYTES = 1_048_576

/**
 * Copies a file, and what locks this process has on it stay in force; of a database, what stands in its log is not in it. The
 * copy is never more open than the file, takes the place of one that was left, and is not on the disk before it is flushed.
 */
export const copyKeepingLocks = (file: string, copy: string): void => {
  rmSync(copy, { force: true })
  if (process.platform === "win32" || !isOpenDatabase(realpathSync.native(file))) {
    return copyFileSync(file, copy)
  }
  // Where SQLite's own descriptor cannot be found, one more stays open until the process ends.
  const source = heldDescriptor(file) ?? openSync(file, "r")
  const target = openSync(copy, "wx", permissionsLike(file, dirname(copy)).file)
  try {
    for (let at = 0; ;) {
      const piece = readAt(source, at, COPIED_BYTES)
      if (piece.length === 0) return
      for (let written = 0; written < piece.length;) written += writeSync(target, piece, written)
      at += piece.length
    }
  } finally {
    closeSync(target)
  }
}
