// Judges the memories of a cassette and their saves: every hash, every receipt, a save for each memory, and their chunks.
// It reads one record at a time and changes nothing.
import { appendTo } from "../../../domain/foundation/appending.ts"
import { memoryPath, memoryRecordHash, saveRecordHash } from "../../../domain/network/records.ts"
import { sha256 } from "../../hashing/sha256.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import { selectMemoryIds } from "../writing/memory-statements.ts"
import { checkChunks, type Find } from "./chunk-verification.ts"
import { type MemoryRow, selectMemory, selectSavesOf } from "./verification-statements.ts"

const checkSaves = (
  connection: Connection,
  memory: MemoryRow,
  records: ReadonlySet<string>,
  find: Find
): ReadonlyArray<string> => {
  const saves = selectSavesOf.all(connection, { memory_id: memory.memory_id })
  const where = `memories ${memoryPath(memory.content_hash)}`
  if (saves.length === 0) find("MEMORY_WITHOUT_SAVE", where, "no save says who remembers it")
  for (const { record_hash, ...save } of saves) {
    const name = `${where} save ${save.save_number}`
    if (saveRecordHash(sha256, { ...save, memory: memory.record_hash }) !== record_hash) {
      find("RECORD_HASH_MISMATCH", name, "its number, agent, times or metadata were changed")
    }
    if (!records.has(record_hash)) find("RECORD_WITHOUT_RECEIPT", name, "no receipt says that it was added")
  }
  return saves.map(({ record_hash }) => record_hash)
}

/** Checks every memory; gives how many there are, their chunks, and the record hashes of all of them and of their saves. */
export const checkMemories = (
  connection: Connection,
  records: ReadonlySet<string>,
  find: Find
): { readonly memories: number; readonly chunks: number; readonly records: ReadonlyArray<string> } => {
  const stored: Array<string> = []
  let chunks = 0
  const ids = selectMemoryIds.all(connection, {})
  for (const { memory_id } of ids) {
    const memory = selectMemory.first(connection, { memory_id })
    if (memory === undefined) continue
    const { content_hash, owner, record_hash, text } = memory
    const where = `memories ${memoryPath(content_hash)}`
    if (sha256(text) !== content_hash) find("CONTENT_HASH_MISMATCH", where, "its text was changed")
    if (memoryRecordHash(sha256, memory) !== record_hash) {
      find("RECORD_HASH_MISMATCH", where, "its owner or content hash was changed")
    }
    if (!records.has(record_hash)) find("RECORD_WITHOUT_RECEIPT", where, "no receipt says that it was added")
    stored.push(record_hash)
    appendTo(stored, checkSaves(connection, memory, records, find))
    chunks += checkChunks(connection, { memory_id, hash: content_hash, owner, text }, find)
  }
  return { memories: ids.length, chunks, records: stored }
}
