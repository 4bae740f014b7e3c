// Judges the vectors of a cassette: each must have length 1, the same maker as the others, a text that is a chunk's, and
// the hash that it was written with; all that were written must be there, and their signs must stand in a segment or
// their number in the tail. Whether a vector is the right one for its text only its maker could say.
import { vectorHash } from "../../../domain/network/records.ts"
import { SEGMENT_VECTORS } from "../../../domain/network/limits.ts"
import { changedSegment, type SignSegment, signsOf } from "../../../domain/network/ranking/sign-bits.ts"
import { cosine, type EmbedderIdentity, floatsOf, identityText } from "../../../domain/network/vectors.ts"
import { sha256, sha256OfBytes } from "../../hashing/sha256.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { Find } from "./chunk-verification.ts"
import {
  selectAllSigns,
  selectStrayVectors,
  selectTailNumbers,
  selectVectorCount
} from "./verification-statements.ts"

interface VectorRow extends EmbedderIdentity {
  readonly vector_id: number
  readonly hash: string
  readonly data: Uint8Array
  readonly vector_hash: string
}

/** How far the square of a stored length may be from 1: the rounding of 32-bit floats. */
const LENGTH_TOLERANCE = 1e-4

const faultOf = (row: VectorRow, maker: string): string | undefined => {
  if (identityText(row) !== maker) return `its maker is ${identityText(row)}, that of others ${maker}`
  if (row.data.byteLength !== 4 * row.dimensions) return `it has ${row.data.byteLength} bytes`
  const values = floatsOf(row.data)
  return Math.abs(cosine(values, values) - 1) <= LENGTH_TOLERANCE ? undefined : "its length is not 1"
}

const checkVector = (row: VectorRow, maker: string, find: Find): void => {
  const where = `vectors ${row.hash}`
  const fault = faultOf(row, maker)
  if (fault !== undefined) find("VECTOR_INVALID", where, fault)
  if (vectorHash(sha256, { ...row, data_hash: sha256OfBytes(row.data) }) !== row.vector_hash) {
    find("VECTOR_HASH_MISMATCH", where, "its text, its maker or its numbers were changed")
  }
}

const isSame = (left: Uint8Array, right: Uint8Array): boolean =>
  left.byteLength === right.byteLength && left.every((byte, index) => byte === right[index])

const isSegment = (stored: SignSegment | undefined, made: SignSegment | undefined): boolean =>
  stored === undefined || made === undefined
    ? stored === made
    : isSame(stored.present, made.present) && isSame(stored.signs, made.signs)

/** The signs of vectors by segment and place, as they must stand. */
type Signs = Map<number, Map<number, Uint32Array>>

/** Compares the segments, and the numbers that wait, with what the vectors give. */
const checkSigns = (
  connection: Connection,
  tail: ReadonlySet<number>,
  waiting: number,
  signs: Signs,
  dimensions: number,
  find: Find
): void => {
  const stored = new Map(selectAllSigns.all(connection, {}).map((row) => [row.segment, row]))
  const strange = [...new Set([...stored.keys(), ...signs.keys()])].filter(
    (segment) =>
      !isSegment(stored.get(segment), changedSegment(undefined, signs.get(segment) ?? new Map(), dimensions))
  )
  if (strange.length > 0) {
    find("SIGNS_DIFFER", "vector_signs", `the vectors give other signs in the segments ${strange.join(", ")}`)
  }
  if (tail.size !== waiting) {
    find("SIGNS_DIFFER", "vector_tail", `${tail.size - waiting} of its numbers are those of no vector`)
  }
}

/** Checks every vector, and that all are there, with a text and signs. */
export const checkVectors = (connection: Connection, find: Find): void => {
  const tail = new Set(selectTailNumbers.all(connection, {}).map((row) => row.vector_id))
  const signs: Signs = new Map()
  let maker: string | undefined
  // How many numbers a vector has: taken from one whose numbers are there, since a damaged cell may say any.
  let dimensions: number | undefined
  let vectors = 0
  let waiting = 0
  connection.each<VectorRow>("SELECT * FROM vectors NOT INDEXED ORDER BY vector_id", (row) => {
    maker ??= identityText(row)
    vectors += 1
    checkVector(row, maker, find)
    if (row.data.byteLength === 4 * row.dimensions) dimensions ??= row.dimensions
    if (tail.has(row.vector_id)) waiting += 1
    else if (dimensions !== undefined && row.data.byteLength === 4 * dimensions) {
      const segment = Math.floor(row.vector_id / SEGMENT_VECTORS)
      const own = signs.get(segment) ?? new Map<number, Uint32Array>()
      signs.set(segment, own.set(row.vector_id % SEGMENT_VECTORS, signsOf(floatsOf(row.data))))
    }
    return true
  })
  for (const { hash } of selectStrayVectors.all(connection, {})) {
    find("VECTOR_WITHOUT_CHUNK", `vectors ${hash}`, "no chunk has its text")
  }
  const written = selectVectorCount.first(connection, {})
  if (written?.value !== `${vectors}`) {
    find("VECTOR_MISSING", "vectors", `${vectors} are there, ${written?.value ?? "none"} were written`)
  }
  checkSigns(connection, tail, waiting, signs, dimensions ?? 0, find)
}
