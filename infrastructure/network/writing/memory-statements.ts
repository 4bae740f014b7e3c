// The statements that write memories and their saves, and that read what a write must know of them.
import { command, query } from "../../sqlite/connection/statement.ts"

/** A memory as a write knows it. */
export interface MemoryRow {
  readonly memory_id: number
  readonly record_hash: string
}

export const selectMemory = query<MemoryRow>()(
  "SELECT memory_id, record_hash FROM memories WHERE owner = :owner AND content_hash = :content_hash"
)
export const insertMemory = command(
  "INSERT INTO memories (owner, text, content_hash, record_hash) VALUES (:owner, :text, :content_hash, :record_hash)"
)
export const deleteMemory = command("DELETE FROM memories WHERE memory_id = :memory_id")

/** Memories whose every save has expired. */
export const selectExpiredMemories = query<MemoryRow>()(
  "SELECT memory_id, record_hash FROM memories AS m WHERE NOT EXISTS (SELECT 1 FROM saves WHERE memory_id = m.memory_id AND (expires_at IS NULL OR expires_at > :now)) ORDER BY memory_id"
)

export const selectMemoryIds = query<{ readonly memory_id: number }>()(
  "SELECT memory_id FROM memories ORDER BY memory_id"
)
export const selectMemoryToIndex = query<{
  readonly memory_id: number
  readonly hash: string
  readonly owner: string
  readonly text: string
}>()("SELECT memory_id, content_hash AS hash, owner, text FROM memories WHERE memory_id = :memory_id")

export const selectLastSave = query<{ readonly save_number: number }>()(
  "SELECT coalesce(max(save_number), 0) AS save_number FROM saves WHERE memory_id = :memory_id"
)
export const insertSave = command(
  "INSERT INTO saves (memory_id, save_number, agent_id, saved_at, expires_at, metadata, record_hash) VALUES (:memory_id, :save_number, :agent_id, :saved_at, :expires_at, :metadata, :record_hash)"
)
export const selectSaves = query<{ readonly save_id: number; readonly record_hash: string }>()(
  "SELECT save_id, record_hash FROM saves WHERE memory_id = :memory_id ORDER BY save_number DESC"
)
export const deleteSave = command("DELETE FROM saves WHERE save_id = :save_id")
export const countSavesByOthers = query<{ readonly saves: number }>()(
  "SELECT count(*) AS saves FROM saves WHERE memory_id = :memory_id AND agent_id IS NOT :agent"
)
