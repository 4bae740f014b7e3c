// Writes the vectors of a cassette's texts. They can be made again from the texts, so they have no receipt. A store holds
// vectors of one maker only; vectors of another are refused, and the error names both makers. Beside them stand their number, and their signs in
// segments, which follow every change of the vectors within its transaction.
import { EmbedderMismatch } from "../../../domain/network/errors.ts"
import { MAX_TAIL_VECTORS, SEGMENT_VECTORS } from "../../../domain/network/limits.ts"
import {
  changedSegment,
  isOfDimensions,
  type SignChanges,
  signsOf
} from "../../../domain/network/ranking/sign-bits.ts"
import { vectorHash } from "../../../domain/network/records.ts"
import { type EmbedderIdentity, floatsOf, identityText } from "../../../domain/network/vectors.ts"
import { sha256, sha256OfBytes } from "../../hashing/sha256.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import {
  addToVectorCount,
  countVectorTail,
  deleteOfVectorTail,
  deleteSigns,
  deleteVector,
  deleteVectorTail,
  insertVector,
  insertVectorTail,
  type NumberedVector,
  selectMakers,
  selectSigns,
  selectUnembedded,
  selectUnembeddedOfMemory,
  selectUnusedVectors,
  selectVectorTail,
  upsertSigns
} from "./vector-statements.ts"

/** Why vectors of this maker may not be added, if so. */
export const embedderFault = (
  host: SqlHost,
  id: string,
  identity: EmbedderIdentity
): EmbedderMismatch | undefined => {
  const stored = selectMakers
    .all(host, {})
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
export const unembeddedOfMemory = (
  host: SqlHost,
  content_hash: string,
  limit: number
): ReadonlyArray<Unembedded> => selectUnembeddedOfMemory.all(host, { content_hash, limit }).map(textOf)

/** Up to `limit` texts without a vector. */
export const unembedded = (host: SqlHost, limit: number): ReadonlyArray<Unembedded> =>
  selectUnembedded.all(host, { limit }).map(textOf)

/** The description of a cassette says how many vectors it has, so that one that is lost is missed. */
const countVectors = (host: SqlHost, more: number): void => {
  if (more !== 0) addToVectorCount.run(host, { more })
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
      const added = insertVector.run(host, {
        dimensions,
        model,
        normalizer,
        revision,
        hash,
        data,
        vector_hash
      })
      if (added === 0) continue
      stored += 1
      insertVectorTail.run(host, { hash })
    }
    countVectors(host, stored)
    foldLongSigns(host)
  })
}

/** Damage that the writer sees itself, as SQLite tells its own: nothing of the transaction is written. */
const damage = (what: string): Error => Object.assign(new Error(what), { code: "SQLITE_CORRUPT" })

const changeSegment = (host: SqlHost, segment: number, changes: SignChanges, dimensions: number): void => {
  const stored = selectSigns.first(host, { segment })
  if (stored !== undefined && !isOfDimensions(stored, dimensions)) {
    throw damage(`the signs of segment ${segment} are not those of vectors of ${dimensions} dimensions`)
  }
  const changed = changedSegment(stored, changes, dimensions)
  if (changed === undefined) deleteSigns.run(host, { segment })
  else upsertSigns.run(host, { segment, present: changed.present, signs: changed.signs })
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
  changeSigns(host, selectVectorTail.all(host, {}), ({ data }) => signsOf(floatsOf(data)))
  deleteVectorTail.run(host, {})
}

const foldLongSigns = (host: SqlHost): void => {
  if ((countVectorTail.first(host, {})?.count ?? 0) >= MAX_TAIL_VECTORS) foldSigns(host)
}

/** Removes the vectors, and their signs, of those of these texts that no chunk has any more; belongs inside a transaction. */
export const dropUnusedVectors = (host: SqlHost, hashes: ReadonlyArray<string>): void => {
  const unused = selectUnusedVectors.all(host, { hashes: JSON.stringify(hashes) })
  const folded = unused.filter(({ vector_id }) => deleteOfVectorTail.run(host, { vector_id }) === 0)
  changeSigns(host, folded, () => undefined)
  for (const { vector_id } of unused) deleteVector.run(host, { vector_id })
  countVectors(host, -unused.length)
}
