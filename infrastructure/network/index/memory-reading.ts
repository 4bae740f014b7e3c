// Reads memories as far as the scope lets a caller see them: by the beginning of their hash, or as the note that a hit of
// a memory carries. A memory of another agent and one that does not exist give the same answer.
import { isJsonObject, type JsonObject } from "../../../domain/canonical/json.ts"
import { storedValue } from "../../../domain/canonical/json-reading.ts"
import type { MemoryNote } from "../../../domain/network/cassette.ts"
import type { IndexRequest, StoredMemory, StoredSave } from "../../../domain/network/index-requests.ts"
import { MAX_LISTED_SAVES } from "../../../domain/network/limits.ts"
import type { Connection } from "../../sqlite/better-sqlite3-host.ts"
import type { OpenCassette } from "../cassette-file.ts"

interface SaveRow {
  readonly agent_id: string | null
  readonly saved_at: string
  readonly metadata: string
}

const metadataOf = (text: string): JsonObject => {
  const value = storedValue(text)
  return isJsonObject(value) ? value : {}
}

const savesOf = (connection: Connection, memoryId: number, limit: number): ReadonlyArray<StoredSave> =>
  connection
    .all<SaveRow>(
      "SELECT agent_id, saved_at, metadata FROM saves WHERE memory_id = ? ORDER BY save_number DESC LIMIT ?",
      [memoryId, limit]
    )
    .map(({ agent_id, metadata, saved_at }) => ({ agent_id, saved_at, metadata: metadataOf(metadata) }))

/** What a hit tells of the memory whose chunk it is. */
export const memoryNote = (connection: Connection, memoryId: number): MemoryNote => {
  const [memory] = connection.all<{ hash: string }>(
    "SELECT content_hash AS hash FROM memories WHERE memory_id = ?",
    [memoryId]
  )
  const [newest] = savesOf(connection, memoryId, 1)
  return {
    hash: memory?.hash ?? "",
    agent_id: newest?.agent_id ?? null,
    saved_at: newest?.saved_at ?? "",
    metadata: newest?.metadata ?? {}
  }
}

interface MemoryRow {
  readonly memory_id: number
  readonly hash: string
  readonly text: string
}

/** Memories whose hash begins with `prefix` (hexadecimal digits), in the order of their hashes. */
export const recallMemories = (
  { connection, meta }: OpenCassette,
  { limit, prefix, scope }: IndexRequest & { readonly op: "recall" }
): ReadonlyArray<StoredMemory> => {
  const owner = meta.get("memories") === "private" ? (scope.agent ?? "") : ""
  return connection
    .all<MemoryRow>(
      `SELECT m.memory_id, m.content_hash AS hash, m.text FROM memories AS m
WHERE m.owner IN ('', ?) AND m.content_hash >= ? AND m.content_hash < ?
  AND EXISTS (SELECT 1 FROM saves AS s WHERE s.memory_id = m.memory_id AND (s.expires_at IS NULL OR s.expires_at > ?))
ORDER BY m.content_hash LIMIT ?`,
      // No digit stands after f, so that g ends what begins with the prefix.
      [owner, prefix, `${prefix}g`, scope.now, limit]
    )
    .map(({ hash, memory_id, text }) => {
      const [count] = connection.all<{ count: number }>(
        "SELECT count(*) AS count FROM saves WHERE memory_id = ?",
        [memory_id]
      )
      return {
        hash,
        text,
        saves: savesOf(connection, memory_id, MAX_LISTED_SAVES),
        save_count: count?.count ?? 0
      }
    })
}
