// Whether the log beside a database file may be another file's: a file that was copied over, or put back from a backup, while
// an older log stayed beside it. SQLite names a log after the path alone and would take it, and with it pages of another
// database or another time. The format is SQLite's (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
import { readFileSync, statSync } from "node:fs"
import { u32 } from "./database-header.ts"
import { unlessGone } from "../../files/file-access.ts"
import { FRAME_HEADER_BYTES, WAL_HEADER_BYTES } from "./left-log.ts"
import type { StoredBytes } from "./stored-bytes.ts"

const SALT_BYTES = 8

/** Where the newest committed content of each page begins in a log; frames of an older round of it are left out. */
const newestPages = (log: Buffer, pageSize: number): ReadonlyMap<number, number> => {
  const newest = new Map<number, number>()
  const salt = log.subarray(16, 16 + SALT_BYTES)
  let open: Array<readonly [number, number]> = []
  for (let at = WAL_HEADER_BYTES; at + FRAME_HEADER_BYTES + pageSize <= log.length;) {
    if (!log.subarray(at + 8, at + 8 + SALT_BYTES).equals(salt)) break
    open.push([u32(log, at), at + FRAME_HEADER_BYTES])
    // The last frame of a transaction says how many pages the database has after it.
    if (u32(log, at + 4) !== 0) {
      for (const [page, place] of open) newest.set(page, place)
      open = []
    }
    at += FRAME_HEADER_BYTES + pageSize
  }
  return newest
}

/**
 * True when the file was changed in any way, also copied or renamed to its place, after its log was written. The log's own
 * status says nothing: SQLite sets its owner when it opens it.
 */
const isNewerThanLog = (file: string): boolean => {
  const changed = statSync(file, { bigint: true, throwIfNoEntry: false })?.ctimeNs
  const written = statSync(`${file}-wal`, { bigint: true, throwIfNoEntry: false })?.mtimeNs
  return changed !== undefined && written !== undefined && changed > written
}

/**
 * True when a file was changed after its log, and yet not by moving the log's pages into it: some page of the log is not what
 * the file has. Half a checkpoint looks like that too, so this is a reason to look closer and no verdict. Few reads where the
 * log is the newer one, as after every commit.
 */
export const logMayBeForeign = (file: string, bytes: StoredBytes, pageSize: number): boolean => {
  if (!isNewerThanLog(file)) return false
  const log = unlessGone(() => readFileSync(`${file}-wal`))
  if (log === undefined) return false
  for (const [page, place] of newestPages(log, pageSize)) {
    const stored = bytes.read((page - 1) * pageSize, pageSize)
    if (!log.subarray(place, place + pageSize).equals(stored)) return true
  }
  return false
}
