// Writes the vectors of a cassette's texts. They can be made again from the texts, so they have no receipt. A store holds
// vectors of one maker only; vectors of another are refused, and the error names both makers. Beside them stand their number, and their signs in
// segments, which follow every change of the vectors within its transaction.
import { EmbedderMismatch } from "../../../domain/network/errors.ts"
import { MAX_TAIL_VECTORS, SEGMENT_VECTORS } from "../../../domain/network/limits.ts"
import {
  changedSegment,
  isOfDimensions,
  type SignChanges,
  type SignSegment,
  signsOf
} from "../../../domain/network/sign-bits.ts"
import { vectorHash } from "../../../domain/network/records.ts"
import { type EmbedderIdentity, floatsOf, identityText } from "../../../domain/network/vectors.ts"
import { sha256, sha256OfBytes } from "../../hashing/sha256.ts"
import type { SqlHost } from "../../sqlite/sql-host.ts"

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

/** The description of a cassette says how many vectors it has, so that one that is lost is missed. */
const countVectors = (host: SqlHost, more: number): void => {
  if (more === 0) return
  host.run("UPDATE network_meta SET value = CAST(value + CAST(? AS INTEGER) AS TEXT) WHERE key = 'vectors'", [
    more
  ])
}

/** Stores vectors; one that another process has stored meanwhile stays, and a text that is gone meanwhile gets none. */
export const putVectors = (
  host: SqlHost,
  identity: EmbedderIdentity,
  vectors: ReadonlyArray<{ readonly hash: string; readonly vector: Float32Array }>
): void => {
  const { dimensions, model, normalizer, revision } = identity
  host.transaction(() => {
    let stored = 0
    for (const { hash, vector } of vectors) {
      const data = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
      const vector_hash = vectorHash(sha256, { ...identity, hash, data_hash: sha256OfBytes(data) })
      const added = host.run(
        "INSERT INTO vectors (hash, model, revision, dimensions, normalizer, data, vector_hash) SELECT ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = ?) AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.hash = ?)",
        [hash, model, revision, dimensions, normalizer, data, vector_hash, hash, hash]
      )
      if (added === 0) continue
      stored += 1
      host.run("INSERT INTO vector_tail (vector_id) SELECT vector_id FROM vectors WHERE hash = ?", [hash])
    }
    countVectors(host, stored)
    foldLongSigns(host)
  })
}

/** Damage that the writer sees itself, as SQLite tells its own: nothing of the transaction is written. */
const damage = (what: string): Error => Object.assign(new Error(what), { code: "SQLITE_CORRUPT" })

const changeSegment = (host: SqlHost, segment: number, changes: SignChanges, dimensions: number): void => {
  const [stored] = host.all<SignSegment>("SELECT present, signs FROM vector_signs WHERE segment = ?", [
    segment
  ])
  if (stored !== undefined && !isOfDimensions(stored, dimensions)) {
    throw damage(`the signs of segment ${segment} are not those of vectors of ${dimensions} dimensions`)
  }
  const changed = changedSegment(stored, changes, dimensions)
  if (changed === undefined) host.run("DELETE FROM vector_signs WHERE segment = ?", [segment])
  else {
    host.run(
      "INSERT INTO vector_signs (segment, present, signs) VALUES (?, ?, ?) ON CONFLICT (segment) DO UPDATE SET present = excluded.present, signs = excluded.signs",
      [segment, changed.present, changed.signs]
    )
  }
}

interface NumberedVector {
  readonly vector_id: number
  readonly dimensions: number
  readonly size: number
}

/** Changes the signs of these vectors, segment by segment. */
const changeSigns = <V extends NumberedVector>(
  host: SqlHost,
  vectors: ReadonlyArray<V>,
  signs: (vector: V) => Uint32Array | undefined
): void => {
  const [{ dimensions } = { dimensions: 0 }] = vectors
  const strange = vectors.find((vector) => vector.dimensions !== dimensions || vector.size !== 4 * dimensions)
  if (strange !== undefined) {
    throw damage(`vector ${strange.vector_id} has another size than its ${dimensions} dimensions`)
  }
  const segments = Map.groupBy(vectors, ({ vector_id }) => Math.floor(vector_id / SEGMENT_VECTORS))
  for (const [segment, own] of segments) {
    const changes = new Map(own.map((vector) => [vector.vector_id % SEGMENT_VECTORS, signs(vector)]))
    changeSegment(host, segment, changes, dimensions)
  }
}

/** Puts the signs of all waiting vectors into their segments; belongs inside a transaction. */
export const foldSigns = (host: SqlHost): void => {
  const waiting = host.all<NumberedVector & { readonly data: Uint8Array }>(
    "SELECT v.vector_id, v.dimensions, length(v.data) AS size, v.data FROM vector_tail AS t JOIN vectors AS v ON v.vector_id = t.vector_id ORDER BY t.vector_id"
  )
  changeSigns(host, waiting, ({ data }) => signsOf(floatsOf(data)))
  host.run("DELETE FROM vector_tail")
}

const foldLongSigns = (host: SqlHost): void => {
  const [waiting] = host.all<{ count: number }>("SELECT count(*) AS count FROM vector_tail")
  if ((waiting?.count ?? 0) >= MAX_TAIL_VECTORS) foldSigns(host)
}

/** Removes the vectors, and their signs, of those of these texts that no chunk has any more; belongs inside a transaction. */
export const dropUnusedVectors = (host: SqlHost, hashes: ReadonlyArray<string>): void => {
  const unused = host.all<NumberedVector>(
    "SELECT vector_id, dimensions, length(data) AS size FROM vectors WHERE hash IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = vectors.hash)",
    [JSON.stringify(hashes)]
  )
  const folded = unused.filter(
    ({ vector_id }) => host.run("DELETE FROM vector_tail WHERE vector_id = ?", [vector_id]) === 0
  )
  changeSigns(host, folded, () => undefined)
  for (const { vector_id } of unused) host.run("DELETE FROM vectors WHERE vector_id = ?", [vector_id])
  countVectors(host, -unused.length)
}
