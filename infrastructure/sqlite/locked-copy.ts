// A copy of a database file that this process has locked. On POSIX systems, closing any descriptor of a file drops this
// process's locks on it, so the copy is read through a descriptor that stays open.
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs"
import type { Connection } from "./better-sqlite3-host.ts"
import { permissionsLike } from "./file-access.ts"
import { readStored } from "./stored-bytes.ts"

const COPIED_BYTES = 1_048_576

type Read = (offset: number, length: number) => Uint8Array

/** Reads through a descriptor of our own, which is left open until the process ends: closing it would drop the locks. */
const leftOpen = (file: string): Read => {
  const descriptor = openSync(file, "r")
  return (offset, length) => {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset))
  }
}

/**
 * Copies the file of a connection, whose lock stays in force, without its log. The copy is never more open than the file, takes
 * the place of one that was left, and is not on the disk before it is flushed.
 */
export const copyLocked = (locked: Connection, copy: string): void =>
  readStored(locked, (bytes) => {
    const file = locked.file ?? ""
    const read = bytes?.read ?? leftOpen(file)
    rmSync(copy, { force: true })
    const descriptor = openSync(copy, "wx", permissionsLike(file).file)
    try {
      for (let at = 0; ;) {
        const piece = read(at, COPIED_BYTES)
        if (piece.length === 0) return
        for (let written = 0; written < piece.length;) written += writeSync(descriptor, piece, written)
        at += piece.length
      }
    } finally {
      closeSync(descriptor)
    }
  })
