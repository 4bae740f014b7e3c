// Whether something wrote over a ledger's file under a writer that has it open, as a copy onto the file does. The writer's
// own connection remembers pages and would not see it: another one reads the newest event and some before it, each
// twice as far back as the last. That one forgets its pages before each look. It is asked only when the file was written, which a
// checkpoint does now and then, and stays open, since reading the schema costs more than all else here.
import { StorageFailure } from "../../../domain/foundation/storage-errors.ts"
import { DatabaseDamaged } from "../../sqlite/connection/database-damaged.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { sqliteFailure } from "../../sqlite/connection/sqlite-errors.ts"

interface Link {
  readonly position: number
  readonly hash: string
  readonly prev_hash: string
}

const overwritten = (file: string) =>
  new StorageFailure({
    file,
    code: "FILE_OVERWRITTEN",
    reason:
      "the file was written over while it was open (was a backup copied onto it?); what was not acknowledged does not count: end what has it open and verify it; cortex cassette restore puts a backup in its place safely"
  })

const linkAt = (host: SqlHost, position: number): Link | undefined =>
  host.all<Link>("SELECT position, hash, prev_hash FROM events WHERE position = ?", [position])[0]

/** True when the head is an event's and events at growing distances from it still follow one another. */
const holdsTogether = (host: SqlHost): boolean => {
  const [head] = host.all<{ size: number; hash: string }>("SELECT size, hash FROM head")
  if (head === undefined || linkAt(host, head.size)?.hash !== head.hash) return false
  for (let back = 0; back < head.size - 1; back = back * 2 + 1) {
    const [event, before] = [linkAt(host, head.size - back), linkAt(host, head.size - back - 1)]
    if (event === undefined || event.prev_hash !== before?.hash) return false
  }
  return true
}

/**
 * Throws `StorageFailure` (code `FILE_OVERWRITTEN`) when the file is no longer the ledger that was open; false when it could
 * not be looked at, as while others have it locked. It was open in `writer`; `other` is another connection to it.
 */
export const lookForOverwriting = (file: string, writer: SqlHost, other: Connection): boolean => {
  const known = writer.all<{ size: number }>("SELECT size FROM head")[0]
  try {
    // SQLite itself forgets them only after a commit.
    other.pragma("shrink_memory")
    if (other.snapshot(() => holdsTogether(other) && linkAt(other, known?.size ?? 0) !== undefined))
      return true
  } catch (error) {
    const failure = sqliteFailure(file, error)
    if (!(failure instanceof DatabaseDamaged)) return false
  }
  throw overwritten(file)
}
