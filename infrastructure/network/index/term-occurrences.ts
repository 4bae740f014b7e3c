// How often the words of a question stand in some chunks and in the whole documents that these belong to, which ranking
// weighs together. It is read from the same postings and the same tail as scores are. A record's chunks have numbers
// that follow one another in a segment, and what may not be seen is never given as a chunk to begin with.
import type { Occurrences, Weights } from "../../../domain/network/ranking/lexical.ts"
import { SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import { decodedPostings, decodePostings } from "../../../domain/network/ranking/postings.ts"
import { type ChunkTerms, weightedCount } from "../../../domain/network/ranking/term-counts.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import { bySegment, type KnownPostings, type PostingsRow } from "./known-postings.ts"

/** A chunk that no writer has folded yet, with its terms. */
export interface TailRow extends ChunkTerms {
  readonly chunk_number: number
  readonly words: number
}

/** The lists of each term of the weights, in their order. */
export type TermLists = ReadonlyArray<ReadonlyArray<PostingsRow>>

/** What all of a question's answers from one moment of a file are made of. */
export interface IndexMoment {
  readonly connection: Connection
  readonly known: KnownPostings
  readonly tail: ReadonlyArray<TailRow>
  readonly lists: TermLists
  readonly weights: Weights
}

/** One number for the document or the memory of a chunk `c`. */
export const RECORD = "coalesce(c.document_id, -c.memory_id)"

/** A chunk and its record, by their numbers. */
export interface RecordedChunk {
  readonly chunk_number: number
  readonly record: number
}

interface Span {
  readonly record: number
  readonly segment: number
  readonly first: number
  readonly last: number
}

// The index of each column has all that is read.
const spansBy = (column: string, record: string): string =>
  `SELECT ${record} AS record, chunk_number / ${SEGMENT_CHUNKS} AS segment, min(chunk_number) AS first, max(chunk_number) AS last FROM chunks WHERE ${column} IN (SELECT value FROM json_each(?)) GROUP BY 1, 2`
const DOCUMENT_SPANS = spansBy("document_id", "document_id")
const MEMORY_SPANS = spansBy("memory_id", "-memory_id")

/** Where the chunks of records stand. */
const spansOf = (connection: Connection, records: ReadonlySet<number>): ReadonlyArray<Span> => {
  const documents = [...records].filter((record) => record > 0)
  const memories = [...records].filter((record) => record < 0).map((record) => -record)
  const spans = (sql: string, ids: ReadonlyArray<number>): ReadonlyArray<Span> =>
    ids.length === 0 ? [] : connection.all<Span>(sql, [JSON.stringify(ids)])
  return [...spans(DOCUMENT_SPANS, documents), ...spans(MEMORY_SPANS, memories)]
}

interface Tally extends Occurrences {
  readonly counts: Array<number>
  length: number
}

/** The tallies of chunks and of records, each made when it is asked for. */
class Tallies {
  private readonly tallies = new Map<number, Tally>()
  private readonly terms: number

  constructor(terms: number) {
    this.terms = terms
  }

  of(number: number): Tally {
    const before = this.tallies.get(number)
    if (before !== undefined) return before
    const tally = { counts: Array.from({ length: this.terms }, () => 0), length: 0 }
    this.tallies.set(number, tally)
    return tally
  }
}

// Used by one segment at a time: for each place of the segment the tally that its words add to, if its chunk is asked for.
const chunkAt = Array.from({ length: SEGMENT_CHUNKS }, (): Tally | undefined => undefined)
const recordAt = Array.from({ length: SEGMENT_CHUNKS }, (): Tally | undefined => undefined)
const decoded = decodedPostings()

const addList = (list: Uint8Array, term: number): void => {
  const { counts, places } = decoded
  const found = decodePostings(list, decoded)
  for (let index = 0; index < found; index++) {
    const place = places[index]!
    const record = recordAt[place]
    if (record === undefined) continue
    record.counts[term]! += counts[index]!
    const chunk = chunkAt[place]
    if (chunk !== undefined) chunk.counts[term] = counts[index]!
  }
}

const addWaiting = (row: TailRow, { terms }: Weights): void => {
  const place = row.chunk_number % SEGMENT_CHUNKS
  for (const tally of [chunkAt[place], recordAt[place]]) {
    if (tally === undefined) continue
    tally.length += row.words
    for (const [index, { term }] of terms.entries()) tally.counts[index]! += weightedCount(row, term)
  }
}

/** What the weights' terms count in a chunk and in its whole record. */
export interface ChunkOccurrences {
  readonly chunk: Occurrences
  readonly record: Occurrences
}

/** The occurrences in each of the chunks, in their order. */
export const occurrencesOf = (
  { connection, known, lists, tail, weights }: IndexMoment,
  asked: ReadonlyArray<RecordedChunk>
): ReadonlyArray<ChunkOccurrences> => {
  const records = new Set(asked.map(({ record }) => record))
  const spans = Map.groupBy(spansOf(connection, records), ({ segment }) => segment)
  const ofChunks = new Tallies(lists.length)
  const ofRecords = new Tallies(lists.length)
  const chunksBySegment = Map.groupBy(asked, ({ chunk_number }) => Math.floor(chunk_number / SEGMENT_CHUNKS))
  const tailBySegment = Map.groupBy(tail, ({ chunk_number }) => Math.floor(chunk_number / SEGMENT_CHUNKS))
  for (const [segment, segmentLists] of bySegment(lists, spans.keys())) {
    const lengths = known.lengthsOf(segment)
    chunkAt.fill(undefined)
    recordAt.fill(undefined)
    for (const { first, last, record } of spans.get(segment) ?? []) {
      const tally = ofRecords.of(record)
      for (let place = first % SEGMENT_CHUNKS; place <= last % SEGMENT_CHUNKS; place++) {
        recordAt[place] = tally
        tally.length += lengths[place] ?? 0
      }
    }
    for (const { chunk_number } of chunksBySegment.get(segment) ?? []) {
      const place = chunk_number % SEGMENT_CHUNKS
      chunkAt[place] = ofChunks.of(chunk_number)
      chunkAt[place].length = lengths[place] ?? 0
    }
    for (const [term, list] of segmentLists.entries()) if (list !== undefined) addList(list, term)
    for (const row of tailBySegment.get(segment) ?? []) addWaiting(row, weights)
  }
  return asked.map(({ chunk_number, record }) => ({
    chunk: ofChunks.of(chunk_number),
    record: ofRecords.of(record)
  }))
}
