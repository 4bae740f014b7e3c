// Writes the vectors of a cassette's texts. They can be made again from the texts, so they have no receipt; a store holds
// vectors of one maker only, and whoever brings another is told both.
import { EmbedderMismatch } from "../../domain/network/errors.ts"
import { type EmbedderIdentity, identityText } from "../../domain/network/vectors.ts"
import type { SqlHost } from "../sqlite/sql-host.ts"

/** Why vectors of this maker may not be added, if so. */
export const embedderFault = (
  host: SqlHost,
  id: string,
  identity: EmbedderIdentity
): EmbedderMismatch | undefined => {
  const stored = host
    .all<EmbedderIdentity>("SELECT DISTINCT model, revision, dimensions, normalizer FROM vectors")
    .map(identityText)
    .find((text) => text !== identityText(identity))
  return stored === undefined
    ? undefined
    : new EmbedderMismatch({ cassette_id: id, stored, configured: identityText(identity) })
}

/** A text that has no vector yet. */
export interface Unembedded {
  readonly hash: string
  readonly text: string
}

/** Up to `limit` texts without a vector. */
export const unembedded = (host: SqlHost, limit: number): ReadonlyArray<Unembedded> =>
  host
    .all<{ hash: string; content: Uint8Array }>(
      `SELECT c.hash, substr(CAST(d.text AS BLOB), c.byte_start + 1, c.byte_end - c.byte_start) AS content
FROM chunks AS c JOIN documents AS d ON d.document_id = c.document_id
WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.hash = c.hash) GROUP BY c.hash ORDER BY c.hash LIMIT ?`,
      [limit]
    )
    .map(({ content, hash }) => ({ hash, text: Buffer.from(content).toString("utf8") }))

/** Stores vectors; one that another process has stored meanwhile stays. */
export const putVectors = (
  host: SqlHost,
  identity: EmbedderIdentity,
  vectors: ReadonlyArray<{ readonly hash: string; readonly vector: Float32Array }>
): void => {
  host.transaction(() => {
    for (const { hash, vector } of vectors) {
      host.run(
        "INSERT INTO vectors (hash, model, revision, dimensions, normalizer, data) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING",
        [
          hash,
          identity.model,
          identity.revision,
          identity.dimensions,
          identity.normalizer,
          new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
        ]
      )
    }
  })
}

/** Removes vectors of texts that no chunk has any more. */
export const dropUnusedVectors = (host: SqlHost): void => {
  host.run("DELETE FROM vectors WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = vectors.hash)")
}
