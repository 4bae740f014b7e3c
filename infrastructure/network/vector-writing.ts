// Writes the vectors of a cassette's texts. They can be made again from the texts, so they have no receipt; a store holds
// vectors of one maker only, and whoever brings another is told both. Beside them stand their signs, in segments, which
// follow every change of the vectors within its transaction.
import { EmbedderMismatch } from "../../domain/network/errors.ts"
import { MAX_TAIL_VECTORS, SEGMENT_VECTORS } from "../../domain/network/limits.ts"
import { signsOf, signWords } from "../../domain/network/sign-bits.ts"
import { type EmbedderIdentity, floatsOf, identityText } from "../../domain/network/vectors.ts"
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

const textOf = ({ content, hash }: { readonly hash: string; readonly content: Uint8Array }): Unembedded => ({
  hash,
  text: Buffer.from(content).toString("utf8")
})

/** Up to `limit` texts of the memory with this hash that have no vector. */
export const unembeddedOfMemory = (host: SqlHost, hash: string, limit: number): ReadonlyArray<Unembedded> =>
  host
    .all<{ hash: string; content: Uint8Array }>(
      `SELECT hash, content FROM chunk_places AS c
WHERE memory_id IN (SELECT memory_id FROM memories WHERE content_hash = ?)
  AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.hash = c.hash) GROUP BY hash ORDER BY hash LIMIT ?`,
      [hash, limit]
    )
    .map(textOf)

/** Up to `limit` texts without a vector. */
export const unembedded = (host: SqlHost, limit: number): ReadonlyArray<Unembedded> =>
  host
    .all<{ hash: string; content: Uint8Array }>(
      `SELECT hash, content FROM chunk_places AS c
WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.hash = c.hash) GROUP BY hash ORDER BY hash LIMIT ?`,
      [limit]
    )
    .map(textOf)

/** Stores vectors; one that another process has stored meanwhile stays, and a text that is gone meanwhile gets none. */
export const putVectors = (
  host: SqlHost,
  identity: EmbedderIdentity,
  vectors: ReadonlyArray<{ readonly hash: string; readonly vector: Float32Array }>
): void => {
  host.transaction(() => {
    for (const { hash, vector } of vectors) {
      const added = host.run(
        "INSERT INTO vectors (hash, model, revision, dimensions, normalizer, data) SELECT ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = ?) ON CONFLICT (hash) DO NOTHING",
        [
          hash,
          identity.model,
          identity.revision,
          identity.dimensions,
          identity.normalizer,
          new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
          hash
        ]
      )
      if (added === 1) {
        host.run("INSERT INTO vector_tail (vector_id) SELECT vector_id FROM vectors WHERE hash = ?", [hash])
      }
    }
    foldLongSigns(host)
  })
}

interface SignSegment {
  readonly present: Uint8Array
  readonly signs: Uint8Array
}

const segmentAt = (host: SqlHost, segment: number): SignSegment | undefined =>
  host.all<SignSegment>("SELECT present, signs FROM vector_signs WHERE segment = ?", [segment])[0]

const putSegment = (host: SqlHost, segment: number, { present, signs }: SignSegment): void => {
  host.run(
    "INSERT INTO vector_signs (segment, present, signs) VALUES (?, ?, ?) ON CONFLICT (segment) DO UPDATE SET present = excluded.present, signs = excluded.signs",
    [segment, present, signs]
  )
}

/** Puts the signs of all waiting vectors into their segments; belongs inside a transaction. */
export const foldSigns = (host: SqlHost): void => {
  const waiting = host.all<{ vector_id: number; data: Uint8Array }>(
    "SELECT v.vector_id, v.data FROM vector_tail AS t JOIN vectors AS v ON v.vector_id = t.vector_id ORDER BY t.vector_id"
  )
  for (const [segment, rows] of Map.groupBy(waiting, ({ vector_id }) =>
    Math.floor(vector_id / SEGMENT_VECTORS)
  )) {
    const stored = segmentAt(host, segment)
    const bytesEach = 4 * signWords(rows[0]!.data.byteLength / 4)
    const size = Math.max(
      stored?.signs.byteLength ?? 0,
      ((rows.at(-1)!.vector_id % SEGMENT_VECTORS) + 1) * bytesEach
    )
    const present = new Uint8Array(SEGMENT_VECTORS / 8)
    const signs = new Uint8Array(size)
    present.set(stored?.present ?? [])
    signs.set(stored?.signs ?? [])
    for (const { data, vector_id } of rows) {
      const place = vector_id % SEGMENT_VECTORS
      present[place >> 3]! |= 1 << (place & 7)
      signs.set(new Uint8Array(signsOf(floatsOf(data)).buffer), place * bytesEach)
    }
    putSegment(host, segment, { present, signs })
  }
  host.run("DELETE FROM vector_tail")
}

const foldLongSigns = (host: SqlHost): void => {
  const [waiting] = host.all<{ count: number }>("SELECT count(*) AS count FROM vector_tail")
  if ((waiting?.count ?? 0) >= MAX_TAIL_VECTORS) foldSigns(host)
}

const forgetSigns = (host: SqlHost, segment: number, places: ReadonlyArray<number>): void => {
  const stored = segmentAt(host, segment)
  if (stored === undefined) return
  const present = new Uint8Array(stored.present)
  for (const place of places) present[place >> 3]! &= ~(1 << (place & 7))
  if (present.some((byte) => byte !== 0)) putSegment(host, segment, { present, signs: stored.signs })
  else host.run("DELETE FROM vector_signs WHERE segment = ?", [segment])
}

/** Removes vectors of texts that no chunk has any more, and their signs. */
export const dropUnusedVectors = (host: SqlHost): void => {
  host.transaction(() => {
    const unused = host.all<{ vector_id: number }>(
      "SELECT vector_id FROM vectors WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = vectors.hash)"
    )
    for (const [segment, rows] of Map.groupBy(unused, ({ vector_id }) =>
      Math.floor(vector_id / SEGMENT_VECTORS)
    )) {
      forgetSigns(
        host,
        segment,
        rows.map(({ vector_id }) => vector_id % SEGMENT_VECTORS)
      )
    }
    for (const { vector_id } of unused) {
      host.run("DELETE FROM vector_tail WHERE vector_id = ?", [vector_id])
      host.run("DELETE FROM vectors WHERE vector_id = ?", [vector_id])
    }
  })
}
