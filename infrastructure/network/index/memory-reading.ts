// Reads memories as far as the scope lets a caller see them: by the beginning of their hash, or as the note that a hit of
// a memory carries. A memory of another agent and one that does not exist give the same answer.
import { isJsonObject, type JsonObject } from "../../../domain/canonical/json.ts"
import { storedValue } from "../../../domain/canonical/json-reading.ts"
import type { MemoryNote } from "../../../domain/network/cassette.ts"
import type { IndexRequest, StoredMemory, StoredSave } from "../../../domain/network/index-requests.ts"
import { MAX_LISTED_SAVES } from "../../../domain/network/limits.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { OpenCassette } from "../cassette-file.ts"
import { countSaves, selectMemoryHash, selectRecalled, selectSaves } from "./memory-statements.ts"

const metadataOf = (text: string): JsonObject => {
  const value = storedValue(text)
  return isJsonObject(value) ? value : {}
}

const savesOf = (connection: Connection, memory_id: number, limit: number): ReadonlyArray<StoredSave> =>
  selectSaves
    .all(connection, { memory_id, limit })
    .map(({ agent_id, metadata, saved_at }) => ({ agent_id, saved_at, metadata: metadataOf(metadata) }))

/** What a hit tells of the memory whose chunk it is. */
export const memoryNote = (connection: Connection, memory_id: number): MemoryNote => {
  const memory = selectMemoryHash.first(connection, { memory_id })
  const [newest] = savesOf(connection, memory_id, 1)
  return {
    hash: memory?.hash ?? "",
    agent_id: newest?.agent_id ?? null,
    saved_at: newest?.saved_at ?? "",
    metadata: newest?.metadata ?? {}
  }
}

/** Memories whose hash begins with `prefix` (hexadecimal digits), in the order of their hashes. */
export const recallMemories = (
  { connection, meta }: OpenCassette,
  { limit, prefix, scope }: IndexRequest & { readonly op: "recall" }
): ReadonlyArray<StoredMemory> => {
  const owner = meta.get("memories") === "private" ? (scope.agent ?? "") : ""
  // No digit stands after f, so that g ends what begins with the prefix.
  const range = { from: prefix, before: `${prefix}g` }
  return selectRecalled
    .all(connection, { ...range, owner, now: scope.now, limit })
    .map(({ hash, memory_id, text }) => ({
      hash,
      text,
      saves: savesOf(connection, memory_id, MAX_LISTED_SAVES),
      save_count: countSaves.first(connection, { memory_id })?.count ?? 0
    }))
}
