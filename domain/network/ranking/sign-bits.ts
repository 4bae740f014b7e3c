// The signs of vectors, one bit for each number: how many bits two vectors differ in tells roughly how far apart they
// are, at a thirtieth of the reading. Signs only choose whom to compare; they never score anything. The rule of whom
// to compare is about all asked cassettes together, so that a divided corpus ranks as one.
import {
  CANDIDATES_PER_TEXT,
  CANDIDATE_SHARE,
  EXACT_VECTORS,
  MIN_CANDIDATES,
  SEGMENT_VECTORS
} from "../limits.ts"

/** How many 32-bit words hold the signs of one vector. */
export const signWords = (dimensions: number): number => Math.ceil(dimensions / 32)

/** The signs of a vector: bit i of word w is 1 when number 32w + i is above 0. */
export const signsOf = (vector: ArrayLike<number>): Uint32Array => {
  const words = new Uint32Array(signWords(vector.length))
  for (let place = 0; place < vector.length; place++) {
    if (vector[place]! > 0) words[place >> 5]! |= 1 << (place & 31)
  }
  return words
}

/** The signs of up to `SEGMENT_VECTORS` vectors, one after another: zeros where there is none, and nothing behind the last. */
export interface SignSegment {
  /** A bit for each place that is taken, low bits first. */
  readonly present: Uint8Array
  readonly signs: Uint8Array
}

/** What stands at some places of a segment from now on: signs, or nothing. */
export type SignChanges = ReadonlyMap<number, Uint32Array | undefined>

/** The last place that is taken; -1 when none is. */
const lastPlace = (present: Uint8Array): number => {
  const lastByte = present.findLastIndex((byte) => byte !== 0)
  return lastByte < 0 ? -1 : 8 * lastByte + 31 - Math.clz32(present[lastByte]!)
}

/** True when the signs in a segment can be those of vectors of so many dimensions. */
export const isOfDimensions = ({ present, signs }: SignSegment, dimensions: number): boolean =>
  signs.byteLength === 4 * signWords(dimensions) * (lastPlace(present) + 1)

/** A segment with these changes, for vectors of so many dimensions; undefined when no place of it is taken. */
export const changedSegment = (
  segment: SignSegment | undefined,
  changes: SignChanges,
  dimensions: number
): SignSegment | undefined => {
  const bytesEach = 4 * signWords(dimensions)
  const present = new Uint8Array(SEGMENT_VECTORS / 8)
  const signs = new Uint8Array(SEGMENT_VECTORS * bytesEach)
  present.set(segment?.present ?? [])
  signs.set(segment?.signs ?? [])
  for (const [place, words] of changes) {
    const bit = 1 << (place & 7)
    if (words === undefined) present[place >> 3]! &= ~bit
    else present[place >> 3]! |= bit
    signs.set(
      words === undefined ? new Uint8Array(bytesEach) : new Uint8Array(words.buffer),
      place * bytesEach
    )
  }
  const last = lastPlace(present)
  if (last < 0) return undefined
  return { present, signs: signs.slice(0, (last + 1) * bytesEach) }
}

/** In how many bits each of many vectors differs from the asked one; their words stand one after another. */
export const signDistances = (words: Uint32Array, asked: Uint32Array): Uint16Array => {
  const each = asked.length
  const distances = new Uint16Array(words.length / each)
  for (let vector = 0, from = 0; vector < distances.length; vector++, from += each) {
    let distance = 0
    for (let word = 0; word < each; word++) {
      let bits = words[from + word]! ^ asked[word]!
      bits -= (bits >>> 1) & 0x55_55_55_55
      bits = (bits & 0x33_33_33_33) + ((bits >>> 2) & 0x33_33_33_33)
      distance += Math.imul((bits + (bits >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24
    }
    distances[vector] = distance
  }
  return distances
}

/** How many vectors lie at each distance from the asked one, over several cassettes. */
export const sumOfCensuses = (censuses: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => {
  const longest = censuses.reduce((most, { length }) => Math.max(most, length), 0)
  return Array.from({ length: longest }, (_, distance) =>
    censuses.reduce((sum, census) => sum + (census[distance] ?? 0), 0)
  )
}

/**
 * Up to which distance vectors are compared by their numbers, for the best `limit` texts; null when all are. Everything
 * at that distance is compared, so that it does not matter who is counted first.
 */
export const candidateDistance = (
  census: ReadonlyArray<number>,
  limit: number,
  exactUpTo: number = EXACT_VECTORS
): number | null => {
  const vectors = census.reduce((sum, count) => sum + count, 0)
  if (vectors <= exactUpTo) return null
  const wanted = Math.max(MIN_CANDIDATES, Math.ceil(CANDIDATE_SHARE * vectors), CANDIDATES_PER_TEXT * limit)
  let found = 0
  for (const [distance, count] of census.entries()) {
    found += count
    if (found >= wanted) return distance
  }
  return null
}
