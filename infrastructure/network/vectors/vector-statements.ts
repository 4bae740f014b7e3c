// The statements that write vectors, their signs and their number, and that read what a write must know of them.
import type { SignSegment } from "../../../domain/network/ranking/sign-bits.ts"
import type { EmbedderIdentity } from "../../../domain/network/vectors.ts"
import { command, query } from "../../sqlite/connection/statement.ts"

export const selectMakers = query<EmbedderIdentity>()(
  "SELECT DISTINCT model, revision, dimensions, normalizer FROM vectors"
)

interface TextRow {
  readonly hash: string
  readonly content: Uint8Array
}

/** Texts of one memory without a vector. */
export const selectUnembeddedOfMemory = query<TextRow>()(
  `SELECT hash, content FROM chunk_places AS c
WHERE memory_id IN (SELECT memory_id FROM memories WHERE content_hash = :content_hash)
  AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.hash = c.hash) GROUP BY hash ORDER BY hash LIMIT :limit`
)
/** Texts without a vector. */
export const selectUnembedded = query<TextRow>()(
  `SELECT hash, content FROM chunk_places AS c
WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.hash = c.hash) GROUP BY hash ORDER BY hash LIMIT :limit`
)

export const addToVectorCount = command(
  "UPDATE network_meta SET value = CAST(value + CAST(:more AS INTEGER) AS TEXT) WHERE key = 'vectors'"
)

/** Writes none for a text that no chunk has, or that has one already. */
export const insertVector = command(
  "INSERT INTO vectors (hash, model, revision, dimensions, normalizer, data, vector_hash) SELECT :hash, :model, :revision, :dimensions, :normalizer, :data, :vector_hash WHERE EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = :hash) AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.hash = :hash)"
)
export const deleteVector = command("DELETE FROM vectors WHERE vector_id = :vector_id")

/** A vector as its signs are changed: its number, its dimensions and how many bytes it has. */
export interface NumberedVector {
  readonly vector_id: number
  readonly dimensions: number
  readonly size: number
}

/** Vectors of these texts (a JSON list of hashes) that no chunk has any more. */
export const selectUnusedVectors = query<NumberedVector>()(
  "SELECT vector_id, dimensions, length(data) AS size FROM vectors WHERE hash IN (SELECT value FROM json_each(:hashes)) AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = vectors.hash)"
)

export const insertVectorTail = command(
  "INSERT INTO vector_tail (vector_id) SELECT vector_id FROM vectors WHERE hash = :hash"
)
export const countVectorTail = query<{ readonly count: number }>()(
  "SELECT count(*) AS count FROM vector_tail"
)
export const selectVectorTail = query<NumberedVector & { readonly data: Uint8Array }>()(
  "SELECT v.vector_id, v.dimensions, length(v.data) AS size, v.data FROM vector_tail AS t JOIN vectors AS v ON v.vector_id = t.vector_id ORDER BY t.vector_id"
)
export const deleteOfVectorTail = command("DELETE FROM vector_tail WHERE vector_id = :vector_id")
export const deleteVectorTail = command("DELETE FROM vector_tail")

export const selectSigns = query<SignSegment>()(
  "SELECT present, signs FROM vector_signs WHERE segment = :segment"
)
export const upsertSigns = command(
  "INSERT INTO vector_signs (segment, present, signs) VALUES (:segment, :present, :signs) ON CONFLICT (segment) DO UPDATE SET present = excluded.present, signs = excluded.signs"
)
export const deleteSigns = command("DELETE FROM vector_signs WHERE segment = :segment")
