// The statements that read memories and facts of records, as far as an owner may see them: everybody's (the empty text) and its own.
import { query } from "../../sqlite/connection/statement.ts"

export const selectSaves = query<{
  readonly agent_id: string | null
  readonly saved_at: string
  readonly metadata: string
}>()(
  "SELECT agent_id, saved_at, metadata FROM saves WHERE memory_id = :memory_id ORDER BY save_number DESC LIMIT :limit"
)
export const countSaves = query<{ readonly count: number }>()(
  "SELECT count(*) AS count FROM saves WHERE memory_id = :memory_id"
)
export const selectMemoryHash = query<{ readonly hash: string }>()(
  "SELECT content_hash AS hash FROM memories WHERE memory_id = :memory_id"
)

/** Memories whose hash stands from one text on and before another. */
export const selectRecalled = query<{
  readonly memory_id: number
  readonly hash: string
  readonly text: string
}>()(
  `SELECT m.memory_id, m.content_hash AS hash, m.text FROM memories AS m
WHERE m.owner IN ('', :owner) AND m.content_hash >= :from AND m.content_hash < :before
  AND EXISTS (SELECT 1 FROM saves AS s WHERE s.memory_id = m.memory_id AND (s.expires_at IS NULL OR s.expires_at > :now))
ORDER BY m.content_hash LIMIT :limit`
)

export const selectNewestReceiptHash = query<{ readonly receipt_hash: string }>()(
  "SELECT receipt_hash FROM write_receipts ORDER BY receipt_index DESC LIMIT 1"
)
export const selectRecordHashes = query<{ readonly record_hash: string }>()(
  `SELECT record_hash FROM documents
UNION ALL SELECT record_hash FROM memories WHERE owner IN ('', :owner)
UNION ALL SELECT s.record_hash FROM saves AS s JOIN memories AS m ON m.memory_id = s.memory_id WHERE m.owner IN ('', :owner)`
)
export const selectTypes = query<{ readonly type: string }>()(
  "SELECT DISTINCT type FROM documents WHERE expires_at IS NULL OR expires_at > :now"
)
export const countFiles = query<{ readonly count: number }>()(
  "SELECT count(DISTINCT path) AS count FROM documents WHERE expires_at IS NULL OR expires_at > :now"
)
/** How many saves there are that have not expired, and how many of them name an agent. */
export const countVisibleSaves = query<{ readonly count: number; readonly named: number }>()(
  "SELECT count(*) AS count, count(s.agent_id) AS named FROM memories AS m JOIN saves AS s ON s.memory_id = m.memory_id WHERE m.owner IN ('', :owner) AND (s.expires_at IS NULL OR s.expires_at > :now)"
)
