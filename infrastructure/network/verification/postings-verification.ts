// Compares the index that ranks with the terms of the chunks: postings, the lengths and sums of segments, and the tail.
// It reads one segment at a time and changes nothing.
import { SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import { decodedPostings, decodePostings } from "../../../domain/network/ranking/postings.ts"
import { type ChunkTerms, lengthOf, weightedCounts } from "../../../domain/network/ranking/term-counts.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { Find } from "./chunk-verification.ts"
import {
  type SegmentRow,
  selectPostingsOf,
  selectSegment,
  selectSegmentNumbers,
  selectTermsBetween,
  selectWaiting
} from "./verification-statements.ts"

/** What the chunks of a segment give that are folded. */
interface Expected {
  /** Term, place and count as lines. */
  readonly postings: ReadonlySet<string>
  /** Words by place. */
  readonly lengths: ReadonlyMap<number, number>
  readonly words: number
  /** One more than the highest place that is taken, folded or not. */
  readonly taken: number
}

const expectedOf = (connection: Connection, segment: number): Expected => {
  const postings = new Set<string>()
  const lengths = new Map<number, number>()
  let taken = 0
  let words = 0
  const range = { from: segment * SEGMENT_CHUNKS, before: (segment + 1) * SEGMENT_CHUNKS }
  for (const row of selectTermsBetween.all(connection, range)) {
    const place = row.chunk_number - segment * SEGMENT_CHUNKS
    taken = place + 1
    if (row.waits === 1) continue
    lengths.set(place, lengthOf(row))
    words += lengthOf(row)
    for (const [term, count] of weightedCounts(row)) postings.add(`${term} ${place} ${count}`)
  }
  return { postings, lengths, words, taken }
}

/** Stored lengths as words by place; undefined for bytes that are no whole lengths. */
const storedLengths = (bytes: Uint8Array): Uint32Array | undefined =>
  bytes.byteLength % 4 === 0 ? new Uint32Array(new Uint8Array(bytes).buffer) : undefined

const segmentFault = (
  { chunks, given, words }: SegmentRow,
  lengths: Uint32Array,
  expected: Expected
): string | undefined => {
  const differing = [...lengths].filter((length, place) => length !== (expected.lengths.get(place) ?? 0))
  const cut = [...expected.lengths.keys()].filter((place) => place >= lengths.length)
  if (differing.length + cut.length > 0) return `${differing.length + cut.length} lengths of chunks differ`
  if (chunks !== expected.lengths.size || words !== expected.words) {
    return `it counts ${chunks} chunks with ${words} words, there are ${expected.lengths.size} with ${expected.words}`
  }
  const taken = Math.max(expected.taken, lengths.length)
  return given < taken ? `${given} places are given, ${taken} are taken` : undefined
}

const decoded = decodedPostings()

const postingsFault = (
  connection: Connection,
  segment: number,
  lengths: Uint32Array,
  expected: Expected
): string | undefined => {
  let found = 0
  let strange = 0
  for (const { chunks, data, last, term } of selectPostingsOf.all(connection, { segment })) {
    let visible = 0
    const postings = decodePostings(data, decoded)
    for (let posting = 0; posting < postings; posting++) {
      const place = decoded.places[posting]!
      if ((lengths[place] ?? 0) === 0) continue
      visible += 1
      if (expected.postings.has(`${term} ${place} ${decoded.counts[posting]!}`)) found += 1
      else strange += 1
    }
    // What is added next is told from the last place on.
    if (visible !== chunks || postings === 0 || last !== decoded.places[postings - 1]) strange += 1
  }
  return strange > 0 || found !== expected.postings.size
    ? `${found} of ${expected.postings.size} postings agree, ${strange} are strange`
    : undefined
}

const faultOf = (connection: Connection, segment: number): string | undefined => {
  const row = selectSegment.first(connection, { segment })
  if (row === undefined) return "there are chunks or postings of it, but not the segment"
  const lengths = storedLengths(row.lengths)
  if (lengths === undefined) return `its lengths are ${row.lengths.byteLength} bytes`
  const expected = expectedOf(connection, segment)
  return postingsFault(connection, segment, lengths, expected) ?? segmentFault(row, lengths, expected)
}

const checkTail = (connection: Connection, find: Find): void => {
  const strange = selectWaiting
    .all(connection, {})
    .filter(
      ({ chunk_number, words, ...terms }) => chunk_number === null || words !== lengthOf(terms as ChunkTerms)
    )
  if (strange.length > 0) {
    find("POSTINGS_DIFFER", "tail", `${strange.length} waiting chunks are not there or have another length`)
  }
}

/** Finds what does not agree in the index that ranks. */
export const checkPostings = (connection: Connection, find: Find): void => {
  for (const { segment } of selectSegmentNumbers.all(connection, { size: SEGMENT_CHUNKS })) {
    const message = faultOf(connection, segment)
    if (message !== undefined) find("POSTINGS_DIFFER", `segment ${segment}`, message)
  }
  checkTail(connection, find)
}
