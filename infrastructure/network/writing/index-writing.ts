// Writes the parts of a cassette that can be made again: chunks with their terms, the full-text index, the tail, and the
// postings that the tail is folded into. Everything belongs inside the transaction of the write that it follows; what
// is folded is read from the table, never from memory, since another process may have written it.
import { SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import { encodePostings, type Posting } from "../../../domain/network/postings.ts"
import { type ChunkTerms, lengthOf, weightedCounts } from "../../../domain/network/term-counts.ts"
import { byText } from "../../../domain/network/text-order.ts"
import { NUMBER_VALUE, type SqlHost, TEXT_VALUE } from "../../sqlite/sql-host.ts"
import type { IndexedRecord } from "../index/chunk-rows.ts"
import { type SearchedChunk, searchedChunks } from "../index/chunk-terms.ts"
import { dropUnusedVectors } from "../vectors/vector-writing.ts"

/** What a cassette says of itself, by key. */
export const metaOf = (host: SqlHost): ReadonlyMap<string, string> =>
  new Map(
    host
      .all<{ key: string; value: string }>("SELECT key, value FROM network_meta")
      .map(({ key, value }) => [key, value])
  )

export const setMeta = (host: SqlHost, key: string, value: string): void => {
  host.run("UPDATE network_meta SET value = ? WHERE key = ?", [value, key])
}

interface TermsRow extends ChunkTerms {
  readonly chunk_number: number
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
  for (const { body, chunk_number, heading, identifiers, path } of removed) {
    host.run(
      "INSERT INTO chunks_fts (chunks_fts, rowid, path, heading, body, identifiers) VALUES ('delete', ?, ?, ?, ?, ?)",
      [chunk_number, path, heading, body, identifiers]
    )
  }
  if (added.size === 0) return
  const chunks = JSON.stringify([...added])
  host.run("INSERT INTO tail (chunk_number, words) SELECT value ->> 0, value ->> 1 FROM json_each(?)", [
    chunks
  ])
  host.run(
    "INSERT INTO chunks_fts (rowid, path, heading, body, identifiers) SELECT chunk_number, path, heading, body, identifiers FROM chunk_terms WHERE chunk_number IN (SELECT value ->> 0 FROM json_each(?))",
    [chunks]
  )
}

const flush = (unit: IndexUnit): void => {
  const { host, segments, withdrawn } = unit
  for (const { given, segment } of segments.values()) {
    host.run("UPDATE segments SET given = ? WHERE segment = ?", [given, segment])
  }
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
  host.all<OpenSegment>("SELECT segment, given FROM segments WHERE owner = ? ORDER BY segment DESC LIMIT 1", [
    owner
  ])[0]

const newSegment = (host: SqlHost, owner: string): OpenSegment => {
  const [next] = host.all<{ segment: number }>(
    "SELECT coalesce(max(segment) + 1, 0) AS segment FROM segments"
  )
  const segment = next?.segment ?? 0
  host.run(
    "INSERT INTO segments (segment, owner, given, chunks, words, lengths) VALUES (?, ?, 0, 0, 0, x'')",
    [segment, owner]
  )
  return { segment, given: 0 }
}

/** Gives out chunk numbers from the owner's newest segment, then from new ones; no number is given twice. */
const takeNumbers = ({ host, segments }: IndexUnit, owner: string, count: number): ReadonlyArray<number> => {
  const numbers: Array<number> = []
  while (numbers.length < count) {
    let last = segments.get(owner) ?? newestSegment(host, owner)
    if (last === undefined || last.given === SEGMENT_CHUNKS) {
      // The unit forgets the full one, which says so at once.
      if (last !== undefined) {
        host.run("UPDATE segments SET given = ? WHERE segment = ?", [last.given, last.segment])
      }
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
  const [documentId, memoryId, owner] =
    "path" in record ? [record.document_id, null, ""] : [null, record.memory_id, record.owner]
  const numbers = takeNumbers(unit, owner, chunks.length)
  for (const [index, { row, terms }] of chunks.entries()) {
    const number = numbers[index]!
    host.run(
      "INSERT INTO chunks (chunk_number, chunk_id, document_id, memory_id, ordinal, hash, kind, heading_path, parent_ordinal, byte_start, byte_end) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        number,
        row.chunk_id,
        documentId,
        memoryId,
        row.ordinal,
        row.hash,
        row.kind,
        row.heading_path,
        row.parent_ordinal,
        row.byte_start,
        row.byte_end
      ]
    )
    host.run(
      "INSERT INTO chunk_terms (chunk_number, path, heading, body, identifiers) VALUES (?, ?, ?, ?, ?)",
      [number, terms.path, terms.heading, terms.body, terms.identifiers]
    )
    added.set(number, lengthOf(terms))
  }
  return chunks.length
}

/** Whose chunks are meant: those of a document or of a memory. */
export type RecordKey = "document_id" | "memory_id"

const termsOfChunks = (
  host: SqlHost,
  key: RecordKey,
  id: number
): ReadonlyArray<TermsRow & { readonly hash: string }> =>
  host.all(
    `SELECT t.*, c.hash FROM chunks AS c JOIN chunk_terms AS t ON t.chunk_number = c.chunk_number WHERE c.${key} = ${NUMBER_VALUE}`,
    [id]
  )

/** Takes a folded chunk out: its length becomes 0, and every term and segment counts one chunk less. */
const withdraw = (host: SqlHost, row: TermsRow): void => {
  const segment = Math.floor(row.chunk_number / SEGMENT_CHUNKS)
  const place = row.chunk_number % SEGMENT_CHUNKS
  const [stored] = host.all<{ lengths: Uint8Array }>("SELECT lengths FROM segments WHERE segment = ?", [
    segment
  ])
  if (stored === undefined) return
  const bytes = new Uint8Array(stored.lengths)
  const lengths = new Uint32Array(bytes.buffer, 0, bytes.byteLength >> 2)
  const words = lengths[place] ?? 0
  lengths[place] = 0
  host.run("UPDATE segments SET chunks = chunks - 1, words = words - ?, lengths = ? WHERE segment = ?", [
    words,
    bytes,
    segment
  ])
  for (const term of weightedCounts(row).keys()) {
    host.run(
      `UPDATE postings SET chunks = chunks - 1 WHERE term = ${TEXT_VALUE} AND segment = ${NUMBER_VALUE}`,
      [term, segment]
    )
  }
}

/** Takes the chunks of a document or a memory out of every index. */
export const withdrawRecord = (
  { added, host, removed, withdrawn }: IndexUnit,
  key: RecordKey,
  id: number
): void => {
  for (const row of termsOfChunks(host, key, id)) {
    withdrawn.add(row.hash)
    // What came in this unit is in no index yet.
    if (!added.delete(row.chunk_number)) {
      const waited = host.run("DELETE FROM tail WHERE chunk_number = ?", [row.chunk_number])
      if (waited === 0) withdraw(host, row)
      removed.push(row)
    }
    host.run("DELETE FROM chunk_terms WHERE chunk_number = ?", [row.chunk_number])
    host.run("DELETE FROM chunks WHERE chunk_number = ?", [row.chunk_number])
  }
}

interface TailRow extends TermsRow {
  readonly words: number
}

/** The tail's postings by segment and term, and its lengths by segment. */
const gather = (rows: ReadonlyArray<TailRow>) => {
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
    for (const [term, count] of weightedCounts(row)) {
      const postings = segment.terms.get(term)
      if (postings === undefined) segment.terms.set(term, [{ place, count }])
      else postings.push({ place, count })
    }
  }
  return segments
}

interface StoredPostings {
  readonly number: number
  readonly term: string
  readonly chunks: number
  readonly last: number
  readonly data: Uint8Array
}

/** Adds a segment's new postings to those that are stored; in order of the terms, as the index of the table has them. */
const appendPostings = (
  host: SqlHost,
  segment: number,
  terms: ReadonlyMap<string, ReadonlyArray<Posting>>
): void => {
  const sorted = [...terms.keys()].sort(byText)
  const rows = host.all<StoredPostings>(
    "SELECT rowid AS number, term, chunks, last, data FROM postings WHERE segment = ? AND term IN (SELECT value FROM json_each(?))",
    [segment, JSON.stringify(sorted)]
  )
  const known = new Map(rows.map((row) => [row.term, row]))
  for (const term of sorted) {
    const postings = terms.get(term)!
    const stored = known.get(term)
    const added = encodePostings(postings, stored?.last ?? -1)
    const last = postings.at(-1)!.place
    if (stored === undefined) {
      host.run("INSERT INTO postings (term, segment, chunks, last, data) VALUES (?, ?, ?, ?, ?)", [
        term,
        segment,
        postings.length,
        last,
        added
      ])
      continue
    }
    host.run("UPDATE postings SET chunks = ?, last = ?, data = ? WHERE rowid = ?", [
      stored.chunks + postings.length,
      last,
      Buffer.concat([stored.data, added]),
      stored.number
    ])
  }
}

const appendLengths = (
  host: SqlHost,
  segment: number,
  added: ReadonlyArray<readonly [place: number, words: number]>
): void => {
  const [stored] = host.all<{ lengths: Uint8Array }>("SELECT lengths FROM segments WHERE segment = ?", [
    segment
  ])
  const size = added.reduce((most, [place]) => Math.max(most, place + 1), (stored?.lengths.length ?? 0) >> 2)
  const bytes = new Uint8Array(4 * size)
  bytes.set(stored?.lengths ?? [])
  const lengths = new Uint32Array(bytes.buffer)
  for (const [place, words] of added) lengths[place] = words
  const words = added.reduce((sum, [, each]) => sum + each, 0)
  host.run("UPDATE segments SET chunks = chunks + ?, words = words + ?, lengths = ? WHERE segment = ?", [
    added.length,
    words,
    bytes,
    segment
  ])
}

/** Folds the whole tail into postings. */
export const foldTail = (host: SqlHost): void => {
  const rows = host.all<TailRow>(
    "SELECT c.*, t.words FROM tail AS t JOIN chunk_terms AS c ON c.chunk_number = t.chunk_number ORDER BY t.chunk_number"
  )
  for (const [segment, { lengths, terms }] of gather(rows)) {
    appendPostings(host, segment, terms)
    appendLengths(host, segment, lengths)
  }
  host.run("DELETE FROM tail")
}

/** Folds the tail once `most` chunks wait in it. */
export const foldLongTail = (host: SqlHost, most: number): void => {
  const waiting = host.all<{ count: number }>("SELECT count(*) AS count FROM tail")[0]?.count ?? 0
  if (waiting >= most) foldTail(host)
}
