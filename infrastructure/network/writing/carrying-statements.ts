// The statements that read what is carried from a cassette into a new one: what has not expired.
import { query } from "../../sqlite/connection/statement.ts"

/** The documents that are carried: every version, or the newest of each path. */
export const selectCarried = {
  all: query<{ readonly document_id: number }>()(
    "SELECT document_id FROM documents WHERE expires_at IS NULL OR expires_at > :now ORDER BY path, version"
  ),
  newest: query<{ readonly document_id: number }>()(
    "SELECT document_id FROM documents AS d WHERE (expires_at IS NULL OR expires_at > :now) AND version = (SELECT max(version) FROM documents WHERE path = d.path) ORDER BY path, version"
  )
}

export const selectCarriedDocument = query<{
  readonly path: string
  readonly type: string
  readonly text: string
  readonly content_hash: string
  readonly added_at: string
}>()("SELECT path, type, text, content_hash, added_at FROM documents WHERE document_id = :document_id")

/** Each text that is remembered, with its memories: the first, and all as a JSON list. */
export const selectRemembered = query<{
  readonly content_hash: string
  readonly first: number
  readonly memories: string
}>()(
  "SELECT content_hash, min(memory_id) AS first, json_group_array(memory_id) AS memories FROM memories GROUP BY content_hash ORDER BY first"
)
export const selectMemoryText = query<{ readonly text: string }>()(
  "SELECT text FROM memories WHERE memory_id = :memory_id"
)

/** A save as it is carried. */
export interface CarriedSave {
  readonly agent_id: string | null
  readonly saved_at: string
  readonly metadata: string
}

/** The saves of these memories (a JSON list of their ids). */
export const selectCarriedSaves = query<CarriedSave>()(
  "SELECT s.agent_id, s.saved_at, s.metadata FROM saves AS s JOIN memories AS m ON m.memory_id = s.memory_id WHERE s.memory_id IN (SELECT value FROM json_each(:memories)) AND (s.expires_at IS NULL OR s.expires_at > :now) ORDER BY s.saved_at, m.owner, s.save_number"
)

/** How many memories have a save that has not expired, and how many one without an agent. */
export const countRemembered = query<{ readonly remembered: number; readonly unowned: number }>()(
  `SELECT (SELECT count(*) FROM memories AS m WHERE EXISTS (SELECT 1 FROM saves WHERE memory_id = m.memory_id AND (expires_at IS NULL OR expires_at > :now))) AS remembered,
(SELECT count(*) FROM memories AS m WHERE EXISTS (SELECT 1 FROM saves WHERE memory_id = m.memory_id AND (expires_at IS NULL OR expires_at > :now) AND agent_id IS NULL)) AS unowned`
)

/** How many documents and saves there are, expired ones included. */
export const countHeld = query<{ readonly held: number }>()(
  "SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM saves) AS held"
)
