// The form in which the chunks of a term stand in one segment: pairs of variable-length whole numbers, the distance
// from the chunk before and the weighted count of the term. Lists only grow at their end; a chunk that was taken out
// keeps its pair and is known by its length 0. This file knows bytes and nothing of SQL.

import { SEGMENT_CHUNKS } from "../limits.ts"

const write = (bytes: Array<number>, value: number): void => {
  let rest = value
  while (rest > 127) {
    bytes.push((rest & 127) | 128)
    rest >>>= 7
  }
  bytes.push(rest)
}

/** One chunk's place in its segment (0 to 4095) and the weighted count of the term in it (1 or more). */
export interface Posting {
  readonly place: number
  readonly count: number
}

/** The bytes of postings in ascending places; `after` is the last place that stands before them, or -1. */
export const encodePostings = (postings: ReadonlyArray<Posting>, after: number): Uint8Array => {
  const bytes: Array<number> = []
  let last = after
  for (const { count, place } of postings) {
    write(bytes, place - last)
    write(bytes, count)
    last = place
  }
  return Uint8Array.from(bytes)
}

/** Places and counts of a list of postings, in arrays that the caller keeps and uses again. */
export interface DecodedPostings {
  readonly places: Uint16Array
  readonly counts: Uint32Array
}

/** Room for the postings of one term in one segment. */
export const decodedPostings = (): DecodedPostings => ({
  places: new Uint16Array(SEGMENT_CHUNKS),
  counts: new Uint32Array(SEGMENT_CHUNKS)
})

/** Decodes postings and gives how many there are; bytes that end in the middle of a number end the list. */
export const decodePostings = (bytes: Uint8Array, { counts, places }: DecodedPostings): number => {
  let place = -1
  let at = 0
  let found = 0
  while (at < bytes.length && found < SEGMENT_CHUNKS) {
    let byte = bytes[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127 && at < bytes.length; shift += 7) {
      byte = bytes[at++]!
      distance |= (byte & 127) << shift
    }
    if (at >= bytes.length) return found
    byte = bytes[at++]!
    let count = byte & 127
    for (let shift = 7; byte > 127 && at < bytes.length; shift += 7) {
      byte = bytes[at++]!
      count |= (byte & 127) << shift
    }
    place += distance
    places[found] = place
    counts[found] = count
    found += 1
  }
  return found
}
