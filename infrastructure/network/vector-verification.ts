// Judges the vectors of a cassette: each must have length 1 and the same maker as the others, and its signs must stand
// in a segment or its number in the tail. Whether a vector is the right one for its text only its maker could say.
import type { CassetteFinding } from "../../domain/network/verification.ts"
import { SEGMENT_VECTORS } from "../../domain/network/limits.ts"
import { signsOf } from "../../domain/network/sign-bits.ts"
import { cosine, type EmbedderIdentity, floatsOf, identityText } from "../../domain/network/vectors.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"

interface VectorRow extends EmbedderIdentity {
  readonly vector_id: number
  readonly hash: string
  readonly data: Uint8Array
}

/** How far the square of a stored length may be from 1: the rounding of 32-bit floats. */
const LENGTH_TOLERANCE = 1e-4

const faultOf = (row: VectorRow, maker: string): string | undefined => {
  if (identityText(row) !== maker) return `its maker is ${identityText(row)}, that of others ${maker}`
  if (row.data.byteLength !== 4 * row.dimensions) return `it has ${row.data.byteLength} bytes`
  const values = floatsOf(row.data)
  return Math.abs(cosine(values, values) - 1) <= LENGTH_TOLERANCE ? undefined : "its length is not 1"
}

const isBit = (present: Uint8Array, place: number): boolean =>
  ((present[place >> 3] ?? 0) & (1 << (place & 7))) !== 0

const bitCount = (bytes: Uint8Array): number =>
  Array.from({ length: bytes.byteLength * 8 }, (_, place) => place).filter((place) => isBit(bytes, place))
    .length

const isSame = (left: Uint8Array, right: Uint8Array): boolean =>
  left.byteLength === right.byteLength && left.every((byte, index) => byte === right[index])

/** What is wrong with vectors and their signs. */
export const vectorFindings = (
  connection: Connection
): ReadonlyArray<Pick<CassetteFinding, "code" | "where" | "message">> => {
  const invalid: Array<Pick<CassetteFinding, "code" | "where" | "message">> = []
  const tail = new Set(
    connection.all<{ vector_id: number }>("SELECT vector_id FROM vector_tail").map((row) => row.vector_id)
  )
  const segments = new Map(
    connection
      .all<{ segment: number; present: Uint8Array; signs: Uint8Array }>("SELECT * FROM vector_signs")
      .map((row) => [row.segment, row])
  )
  const expected = tail.size + [...segments.values()].reduce((sum, { present }) => sum + bitCount(present), 0)
  let maker: string | undefined
  let vectors = 0
  let strange = 0
  for (const { vector_id } of connection.all<{ vector_id: number }>(
    "SELECT vector_id FROM vectors ORDER BY vector_id"
  )) {
    const [row] = connection.all<VectorRow>("SELECT * FROM vectors WHERE vector_id = ?", [vector_id])
    if (row === undefined) continue
    maker ??= identityText(row)
    const message = faultOf(row, maker)
    if (message !== undefined) invalid.push({ code: "VECTOR_INVALID", where: `vectors ${row.hash}`, message })
    vectors += 1
    const place = vector_id % SEGMENT_VECTORS
    const segment = segments.get(Math.floor(vector_id / SEGMENT_VECTORS))
    if (segment !== undefined && isBit(segment.present, place)) {
      const signs = new Uint8Array(signsOf(floatsOf(row.data)).buffer)
      const from = place * signs.byteLength
      if (!isSame(segment.signs.subarray(from, from + signs.byteLength), signs) || tail.has(vector_id)) {
        strange += 1
      }
    } else if (!tail.has(vector_id)) strange += 1
  }
  if (strange === 0 && expected === vectors) return invalid
  const message = `${vectors} vectors, ${expected} signs or waiting numbers, ${strange} of them strange`
  return [...invalid, { code: "SIGNS_DIFFER", where: "vector_signs", message }]
}
