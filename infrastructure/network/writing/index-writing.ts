// Writes the parts of a cassette that can be made again: chunks with their terms, the full-text index, the tail, and the
// postings that the tail is folded into. Everything belongs inside the transaction of the write that it follows; what
// is folded is read from the table, never from memory, since another process may have written it: terms are remembered with
// their counts, which are of use where the table has the same terms.
import { MAX_RUN_TAIL_CHUNKS, SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import { encodePostings, type Posting } from "../../../domain/network/ranking/postings.ts"
import { type ChunkTerms, weightedCounts } from "../../../domain/network/ranking/term-counts.ts"
import { byText } from "../../../domain/network/text-order.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import type { IndexedRecord } from "../index/chunk-rows.ts"
import { type CountedTerms, type SearchedChunk, searchedChunks } from "../index/chunk-terms.ts"
import {
  countTail,
  deleteChunk,
  deleteOfTail,
  deleteTail,
  deleteTerms,
  insertChunk,
  insertPostings,
  insertSegment,
  insertTail,
  insertTerms,
  insertWords,
  lessenPostings,
  removeWords,
  selectLengths,
  selectMeta,
  selectNewestSegment,
  selectNextSegment,
  selectPostings,
  selectTail,
  selectTermsOf,
  type TermsRow,
  updateGiven,
  updateMeta,
  updatePostings,
  updateSegment
} from "./index-statements.ts"
import { dropUnusedVectors } from "../vectors/vector-writing.ts"

/** What a cassette says of itself, by key. */
export const metaOf = (host: SqlHost): ReadonlyMap<string, string> =>
  new Map(selectMeta.all(host, {}).map(({ key, value }) => [key, value]))

export const setMeta = (host: SqlHost, key: string, value: string): void => {
  updateMeta.run(host, { key, value })
}

interface OpenSegment {
  readonly segment: number
  given: number
}

/**
 * What one unit of work gathers for the index and writes once at its end, however many records it holds: FTS5 writes
 * out its words at every statement that a trigger belongs to, and the row of a segment is long.
 */
export interface IndexUnit {
  readonly host: SqlHost
  /** Words by chunk that came and is still there: it goes into the tail and into `chunks_fts`. */
  readonly added: Map<number, number>
  /** The rows of `chunks_fts` that go. */
  readonly removed: Array<TermsRow>
  /** By owner: the segment that numbers are given from, and how many. */
  readonly segments: Map<string, OpenSegment>
  /** Hashes of the chunks that went: a vector whose text is that of no chunk any more goes with the last. */
  readonly withdrawn: Set<string>
}

/** Takes chunks out of the full-text index, and puts those in that were added, all in one statement. */
const flushWords = ({ added, host, removed }: IndexUnit): void => {
  for (const row of removed) removeWords.run(host, row)
  if (added.size === 0) return
  const chunks = JSON.stringify([...added])
  insertTail.run(host, { chunks })
  insertWords.run(host, { chunks })
}

const flush = (unit: IndexUnit): void => {
  const { host, segments, withdrawn } = unit
  for (const { given, segment } of segments.values()) updateGiven.run(host, { given, segment })
  flushWords(unit)
  if (withdrawn.size > 0) dropUnusedVectors(host, [...withdrawn])
}

/** Runs work on the index as one unit; belongs inside the transaction of the writes that it follows. */
export const indexUnit = <A>(host: SqlHost, work: (unit: IndexUnit) => A): A => {
  const unit: IndexUnit = { host, added: new Map(), removed: [], segments: new Map(), withdrawn: new Set() }
  const result = work(unit)
  flush(unit)
  return result
}

const newestSegment = (host: SqlHost, owner: string): OpenSegment | undefined =>
  selectNewestSegment.first(host, { owner })

const newSegment = (host: SqlHost, owner: string): OpenSegment => {
  const segment = selectNextSegment.first(host, {})?.segment ?? 0
  insertSegment.run(host, { segment, owner })
  return { segment, given: 0 }
}

/** Gives out chunk numbers from the owner's newest segment, then from new ones; no number is given twice. */
const takeNumbers = ({ host, segments }: IndexUnit, owner: string, count: number): ReadonlyArray<number> => {
  const numbers: Array<number> = []
  while (numbers.length < count) {
    let last = segments.get(owner) ?? newestSegment(host, owner)
    if (last === undefined || last.given === SEGMENT_CHUNKS) {
      // The unit forgets the full one, which says so at once.
      if (last !== undefined) updateGiven.run(host, { given: last.given, segment: last.segment })
      last = newSegment(host, owner)
    }
    segments.set(owner, last)
    const taken = Math.min(count - numbers.length, SEGMENT_CHUNKS - last.given)
    const first = last.segment * SEGMENT_CHUNKS + last.given
    for (let place = 0; place < taken; place++) numbers.push(first + place)
    last.given += taken
  }
  return numbers
}

/** Puts the chunks of a stored record into the tail; gives how many there are. */
export const indexRecord = (
  unit: IndexUnit,
  record: IndexedRecord,
  chunks: ReadonlyArray<SearchedChunk> = searchedChunks(record)
): number => {
  const { added, host } = unit
  const [document_id, memory_id, owner] =
    "path" in record ? [record.document_id, null, ""] : [null, record.memory_id, record.owner]
  const numbers = takeNumbers(unit, owner, chunks.length)
  for (const [index, chunk] of chunks.entries()) {
    const { row, terms, words } = chunk
    const chunk_number = numbers[index]!
    insertChunk.run(host, { ...row, chunk_number, document_id, memory_id })
    insertTerms.run(host, { ...terms, chunk_number })
    added.set(chunk_number, words)
    const counted = countedOf(host)
    if (counted.size >= MAX_REMEMBERED_CHUNKS) counted.clear()
    counted.set(chunk_number, chunk)
  }
  return chunks.length
}

/** Whose chunks are meant: those of a document or of a memory. */
export type RecordKey = "document_id" | "memory_id"

/** Takes a folded chunk out: its length becomes 0, and every term and segment counts one chunk less. */
const withdraw = (host: SqlHost, row: TermsRow): void => {
  const segment = Math.floor(row.chunk_number / SEGMENT_CHUNKS)
  const place = row.chunk_number % SEGMENT_CHUNKS
  const stored = selectLengths.first(host, { segment })
  if (stored === undefined) return
  const bytes = new Uint8Array(stored.lengths)
  const lengths = new Uint32Array(bytes.buffer, 0, bytes.byteLength >> 2)
  const words = lengths[place] ?? 0
  lengths[place] = 0
  updateSegment.run(host, { segment, chunks: -1, words: -words, lengths: bytes })
  for (const term of weightedCounts(row).keys()) lessenPostings.run(host, { term, segment })
}

/** Takes the chunks of a document or a memory out of every index. */
export const withdrawRecord = (
  { added, host, removed, withdrawn }: IndexUnit,
  key: RecordKey,
  id: number
): void => {
  for (const row of selectTermsOf[key].all(host, { id })) {
    const { chunk_number } = row
    withdrawn.add(row.hash)
    // What came in this unit is in no index yet.
    if (!added.delete(chunk_number)) {
      const waited = deleteOfTail.run(host, { chunk_number })
      if (waited === 0) withdraw(host, row)
      removed.push(row)
    }
    deleteTerms.run(host, { chunk_number })
    deleteChunk.run(host, { chunk_number })
  }
}

interface TailRow extends TermsRow {
  readonly words: number
}

/** How many chunks are remembered at most: another process may fold what this one writes. */
const MAX_REMEMBERED_CHUNKS = 2 * MAX_RUN_TAIL_CHUNKS

/** Terms that a connection has written, with their counts, by chunk and until it folds the tail. */
const remembered = new WeakMap<SqlHost, Map<number, CountedTerms>>()

const countedOf = (host: SqlHost): Map<number, CountedTerms> => {
  const known = remembered.get(host) ?? new Map<number, CountedTerms>()
  remembered.set(host, known)
  return known
}

const isSame = (row: ChunkTerms, { body, heading, identifiers, path }: ChunkTerms): boolean =>
  row.body === body && row.heading === heading && row.identifiers === identifiers && row.path === path

/** How often each term counts in a row; what was counted before is of use where the row has the same terms. */
const eachCount = (
  row: TermsRow,
  before: CountedTerms | undefined,
  add: (term: string, count: number) => void
): void => {
  if (before === undefined || !isSame(row, before.terms)) {
    for (const [term, count] of weightedCounts(row)) add(term, count)
    return
  }
  const { list, pairs } = before.counts
  for (let index = 0; index < pairs.length; index += 2) add(list[pairs[index]!]!, pairs[index + 1]!)
}

/** The tail's postings by segment and term, and its lengths by segment. */
const gather = (rows: ReadonlyArray<TailRow>, counted: ReadonlyMap<number, CountedTerms>) => {
  const segments = new Map<
    number,
    { terms: Map<string, Array<Posting>>; lengths: Array<readonly [number, number]> }
  >()
  for (const row of rows) {
    const number = Math.floor(row.chunk_number / SEGMENT_CHUNKS)
    const place = row.chunk_number % SEGMENT_CHUNKS
    const segment = segments.get(number) ?? { terms: new Map<string, Array<Posting>>(), lengths: [] }
    segments.set(number, segment)
    segment.lengths.push([place, row.words])
    const { terms } = segment
    eachCount(row, counted.get(row.chunk_number), (term, count) => {
      const postings = terms.get(term)
      if (postings === undefined) terms.set(term, [{ place, count }])
      else postings.push({ place, count })
    })
  }
  return segments
}

/** Adds a segment's new postings to those that are stored; in order of the terms, as the index of the table has them. */
const appendPostings = (
  host: SqlHost,
  segment: number,
  terms: ReadonlyMap<string, ReadonlyArray<Posting>>
): void => {
  const sorted = [...terms.keys()].sort(byText)
  const rows = selectPostings.all(host, { segment, terms: JSON.stringify(sorted) })
  const known = new Map(rows.map((row) => [row.term, row]))
  for (const term of sorted) {
    const postings = terms.get(term)!
    const stored = known.get(term)
    const added = encodePostings(postings, stored?.last ?? -1)
    const last = postings.at(-1)!.place
    if (stored === undefined) {
      insertPostings.run(host, { term, segment, chunks: postings.length, last, data: added })
      continue
    }
    const { chunks, data, number } = stored
    updatePostings.run(host, {
      number,
      chunks: chunks + postings.length,
      last,
      data: Buffer.concat([data, added])
    })
  }
}

const appendLengths = (
  host: SqlHost,
  segment: number,
  added: ReadonlyArray<readonly [place: number, words: number]>
): void => {
  const stored = selectLengths.first(host, { segment })
  const size = added.reduce((most, [place]) => Math.max(most, place + 1), (stored?.lengths.length ?? 0) >> 2)
  const bytes = new Uint8Array(4 * size)
  bytes.set(stored?.lengths ?? [])
  const lengths = new Uint32Array(bytes.buffer)
  for (const [place, words] of added) lengths[place] = words
  const words = added.reduce((sum, [, each]) => sum + each, 0)
  updateSegment.run(host, { segment, chunks: added.length, words, lengths: bytes })
}

/** Folds the whole tail into postings. */
export const foldTail = (host: SqlHost): void => {
  for (const [segment, { lengths, terms }] of gather(selectTail.all(host, {}), countedOf(host))) {
    appendPostings(host, segment, terms)
    appendLengths(host, segment, lengths)
  }
  deleteTail.run(host, {})
  remembered.delete(host)
}

/** Folds the tail once `most` chunks wait in it. */
export const foldLongTail = (host: SqlHost, most: number): void => {
  if ((countTail.first(host, {})?.count ?? 0) >= most) foldTail(host)
}
