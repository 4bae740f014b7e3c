// Compares the index that ranks with the terms of the chunks: postings, the lengths and sums of segments, and the tail.
// It reads one segment at a time and changes nothing.
import { SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import { decodedPostings, decodePostings } from "../../../domain/network/postings.ts"
import { type ChunkTerms, lengthOf, weightedCounts } from "../../../domain/network/term-counts.ts"
import type { Connection } from "../../sqlite/better-sqlite3-host.ts"
import type { Find } from "./chunk-verification.ts"

interface TermsRow extends ChunkTerms {
  readonly chunk_number: number
  readonly waits: number
}

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
  for (const row of connection.all<TermsRow>(
    "SELECT *, chunk_number IN (SELECT chunk_number FROM tail) AS waits FROM chunk_terms WHERE chunk_number >= ? AND chunk_number < ? ORDER BY chunk_number",
    [segment * SEGMENT_CHUNKS, (segment + 1) * SEGMENT_CHUNKS]
  )) {
    const place = row.chunk_number - segment * SEGMENT_CHUNKS
    taken = place + 1
    if (row.waits === 1) continue
    lengths.set(place, lengthOf(row))
    words += lengthOf(row)
    for (const [term, count] of weightedCounts(row)) postings.add(`${term} ${place} ${count}`)
  }
  return { postings, lengths, words, taken }
}

interface SegmentRow {
  readonly given: number
  readonly chunks: number
  readonly words: number
  readonly lengths: Uint8Array
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
  for (const { chunks, data, last, term } of connection.all<{
    term: string
    chunks: number
    last: number
    data: Uint8Array
  }>("SELECT term, chunks, last, data FROM postings WHERE segment = ?", [segment])) {
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
  const [row] = connection.all<SegmentRow>(
    "SELECT given, chunks, words, lengths FROM segments WHERE segment = ?",
    [segment]
  )
  if (row === undefined) return "there are chunks or postings of it, but not the segment"
  const lengths = storedLengths(row.lengths)
  if (lengths === undefined) return `its lengths are ${row.lengths.byteLength} bytes`
  const expected = expectedOf(connection, segment)
  return postingsFault(connection, segment, lengths, expected) ?? segmentFault(row, lengths, expected)
}

const checkTail = (connection: Connection, find: Find): void => {
  const rows = connection.all<Partial<ChunkTerms> & { words: number; chunk_number: number | null }>(
    "SELECT t.words, c.* FROM tail AS t LEFT JOIN chunk_terms AS c ON c.chunk_number = t.chunk_number"
  )
  const strange = rows.filter(
    ({ chunk_number, words, ...terms }) => chunk_number === null || words !== lengthOf(terms as ChunkTerms)
  )
  if (strange.length > 0) {
    find("POSTINGS_DIFFER", "tail", `${strange.length} waiting chunks are not there or have another length`)
  }
}

/** Finds what does not agree in the index that ranks. */
export const checkPostings = (connection: Connection, find: Find): void => {
  const segments = connection.all<{ segment: number }>(
    `SELECT segment FROM segments UNION SELECT segment FROM postings UNION SELECT chunk_number / ${SEGMENT_CHUNKS} FROM chunk_terms`
  )
  for (const { segment } of segments) {
    const message = faultOf(connection, segment)
    if (message !== undefined) find("POSTINGS_DIFFER", `segment ${segment}`, message)
  }
  checkTail(connection, find)
}
