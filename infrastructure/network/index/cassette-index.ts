// Answers what the hub asks of a cassette's index: counts, best chunks, closeness of words, texts. It reads postings in
// segments and, beside them, the tail that no writer has folded yet. All is synchronous and of one moment; nothing is
// remembered between questions but what a receipt's hash or the state of the file names.
import type {
  BestChunks,
  DescribedChunk,
  IndexAnswers,
  IndexFacts,
  IndexRequest,
  ReadScope
} from "../../../domain/network/index-requests.ts"
import {
  closenesses,
  type Counts,
  termScore,
  type Weights,
  wordScore
} from "../../../domain/network/ranking/lexical.ts"
import { BestScores } from "../../../domain/network/ranking/best-scores.ts"
import { SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import { decodedPostings, decodePostings } from "../../../domain/network/ranking/postings.ts"
import type { Question } from "../../../domain/network/ranking/query-text.ts"
import { weightedCount } from "../../../domain/network/ranking/term-counts.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { CassetteFault, CassetteFile, OpenCassette } from "../cassette-file.ts"
import { factsOf } from "./cassette-facts.ts"
import { unfinishedIn } from "../writing/index-state.ts"
import {
  narrowed,
  isVisible,
  type Visibility,
  visibilityOf,
  VISIBLE_SEGMENTS
} from "./cassette-visibility.ts"
import { recallMemories } from "./memory-reading.ts"
import {
  bySegment,
  type KnownPostings,
  knownPostings,
  type PostingsRow,
  type SegmentLists
} from "./known-postings.ts"
import {
  occurrencesOf,
  type IndexMoment,
  RECORD,
  type RecordedChunk,
  type TailRow,
  type TermLists
} from "./term-occurrences.ts"
import { storedTexts } from "./stored-texts.ts"
import { hashesWithPrefixes, textsOfHashes } from "./symbol-lookup.ts"
import { nearestTexts, vectorCensus, vectorOfText, vectorStores } from "../vectors/vector-reading.ts"

/** Chunks of some kind by number; undefined stands for all of them. */
type Chosen = ReadonlySet<number> | undefined

const readTail = (connection: Connection, visibility: Visibility): ReadonlyArray<TailRow> =>
  connection
    .all<TailRow>(
      "SELECT t.chunk_number, t.words, c.path, c.heading, c.body, c.identifiers FROM tail AS t JOIN chunk_terms AS c ON c.chunk_number = t.chunk_number"
    )
    .filter(({ chunk_number }) => isVisible(visibility, chunk_number))

/** The lengths of a segment's chunks in words; 0 where there is none any more or the scope hides it. */
const lengthsOf = (known: KnownPostings, segment: number, { hidden }: Visibility): Uint32Array => {
  const stored = known.lengthsOf(segment)
  if (hidden === undefined) return stored
  return stored.map((length, place) => (hidden.has(segment * SEGMENT_CHUNKS + place) ? 0 : length))
}

interface SegmentRow {
  readonly segment: number
  readonly chunks: number
  readonly words: number
}

const segmentsOf = (connection: Connection, visibility: Visibility): ReadonlyArray<SegmentRow> =>
  connection.all<SegmentRow>(
    ...narrowed(visibility, "SELECT segment, chunks, words FROM segments WHERE true", "owner IN ('', ?)", [])
  )

// Used by one list at a time.
const decoded = decodedPostings()

/** How many chunks of the lists have not expired: the lists must be read for it. */
const livingIn = (rows: ReadonlyArray<PostingsRow>, lengths: ReadonlyMap<number, Uint32Array>): number => {
  let chunks = 0
  for (const row of rows) {
    const words = lengths.get(row.segment)
    const found = decodePostings(row.data, decoded)
    for (let index = 0; index < found; index++) if ((words?.[decoded.places[index]!] ?? 0) > 0) chunks += 1
  }
  return chunks
}

const has = (row: TailRow, term: string): boolean => weightedCount(row, term) > 0

/** Counts chunks, words and chunks with each term. */
const count = (cassette: OpenCassette, terms: ReadonlyArray<string>, scope: ReadScope): Counts => {
  const { connection } = cassette
  const visibility = visibilityOf(cassette, scope)
  const tail = readTail(connection, visibility)
  const inTail = (term: string) => tail.reduce((sum, row) => sum + (has(row, term) ? 1 : 0), 0)
  const tailWords = tail.reduce((sum, { words }) => sum + words, 0)
  const segments = segmentsOf(connection, visibility)
  const known = knownPostings(connection, visibility)
  const lists = known.listsOf(terms)
  if (visibility.hidden === undefined) {
    return {
      chunks: segments.reduce((sum, { chunks }) => sum + chunks, 0) + tail.length,
      words: segments.reduce((sum, { words }) => sum + words, 0) + tailWords,
      frequencies: terms.map(
        (term, index) => lists[index]!.reduce((sum, { chunks }) => sum + chunks, 0) + inTail(term)
      )
    }
  }
  const lengths = new Map(segments.map(({ segment }) => [segment, lengthsOf(known, segment, visibility)]))
  const visible = [...lengths.values()].flatMap((words) => [...words].filter((length) => length > 0))
  return {
    chunks: visible.length + tail.length,
    words: visible.reduce((sum, length) => sum + length, 0) + tailWords,
    frequencies: terms.map((term, index) => livingIn(lists[index]!, lengths) + inTail(term))
  }
}

/** Chunks that hold every phrase, or undefined when there is no phrase. */
const withPhrases = (connection: Connection, phrases: Question["phrases"]): Chosen => {
  if (phrases.length === 0) return undefined
  const match = phrases.map((phrase) => `"${phrase.join(" ").replaceAll('"', '""')}"`).join(" AND ")
  const rows = connection.all<{ rowid: number }>("SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?", [
    match
  ])
  return new Set(rows.map(({ rowid }) => rowid))
}

// Used by one segment at a time: making them again for each would be most of the work of small questions.
const marked = new Uint8Array(SEGMENT_CHUNKS)
const scores = new Float64Array(SEGMENT_CHUNKS)
const { counts, places } = decoded

/** Marks the chunks that drivers bring in; false when there are no other terms, since then every chunk is one of those. */
const markDriven = ({ terms }: Weights, lists: SegmentLists): boolean => {
  if (terms.every(({ driver }) => driver)) return false
  marked.fill(0)
  for (let index = 0; index < lists.length; index++) {
    const list = terms[index]!.driver ? lists[index] : undefined
    if (list === undefined) continue
    const found = decodePostings(list, decoded)
    for (let posting = 0; posting < found; posting++) marked[places[posting]!] = 1
  }
  return true
}

/** Scores one segment: drivers bring the chunks in, then every term adds to them, in binary order. */
const scoreSegment = (
  segment: number,
  lengths: Uint32Array,
  weights: Weights,
  lists: SegmentLists,
  wanted: Chosen,
  bests: BestScores
): void => {
  const isMarked = markDriven(weights, lists)
  const { mean, terms } = weights
  scores.fill(0)
  for (let index = 0; index < lists.length; index++) {
    const list = lists[index]
    if (list === undefined) continue
    const { idf } = terms[index]!
    const found = decodePostings(list, decoded)
    for (let posting = 0; posting < found; posting++) {
      const place = places[posting]!
      if (isMarked && marked[place] === 0) continue
      scores[place]! += termScore(idf, counts[posting]!, lengths[place] ?? 0, mean)
    }
  }
  for (let place = 0; place < lengths.length; place++) {
    const score = scores[place]!
    // What any term stands in scores above 0.
    if (score === 0 || lengths[place] === 0) continue
    const chunk = segment * SEGMENT_CHUNKS + place
    if (wanted === undefined || wanted.has(chunk)) bests.add(chunk, score)
  }
}

const scoreTail = (row: TailRow, weights: Weights): number => {
  let score = 0
  let driven = false
  for (const { driver, idf, term } of weights.terms) {
    const weighted = weightedCount(row, term)
    if (weighted === 0) continue
    driven ||= driver
    score += termScore(idf, weighted, row.words, weights.mean)
  }
  return driven ? score : 0
}

/** The lists of every segment that drivers bring chunks of in. */
const drivenSegments = (lists: TermLists, { terms }: Weights): ReadonlyMap<number, SegmentLists> =>
  bySegment(
    lists,
    lists.flatMap((rows, index) => (terms[index]!.driver ? rows.map(({ segment }) => segment) : []))
  )

const readingOf = (connection: Connection, visibility: Visibility, weights: Weights): IndexMoment => {
  const known = knownPostings(connection, visibility)
  const lists = known.listsOf(weights.terms.map(({ term }) => term))
  return { connection, known, lists, weights, tail: readTail(connection, visibility) }
}

interface DescribedRow extends Omit<DescribedChunk, "closeness" | "lexical">, RecordedChunk {
  readonly heading?: string | null
  readonly body?: string | null
}

const ASKED_CHUNKS =
  "FROM json_each(?) AS asked JOIN chunks AS c ON c.chunk_number = asked.value LEFT JOIN documents AS d ON d.document_id = c.document_id LEFT JOIN memories AS m ON m.memory_id = c.memory_id"
const PLACE = "coalesce(d.path, '@A:' || m.content_hash) AS path"
const DESCRIPTION = `c.chunk_number, ${RECORD} AS record, ${PLACE}, c.hash, c.ordinal`
const DESCRIBED = `SELECT ${DESCRIPTION} ${ASKED_CHUNKS}`
const DESCRIBED_WITH_TERMS = `SELECT ${DESCRIPTION}, t.heading, t.body ${ASKED_CHUNKS} LEFT JOIN chunk_terms AS t ON t.chunk_number = c.chunk_number`

/** What ranking must know of chunks that may be seen, by number. */
const descriptions = (
  reading: IndexMoment,
  chunks: ReadonlyArray<number>,
  neighbours: Question["neighbours"],
  visibility: Visibility
): ReadonlyMap<number, DescribedChunk> => {
  if (chunks.length === 0) return new Map()
  const rows = reading.connection
    .all<DescribedRow>(neighbours.length === 0 ? DESCRIBED : DESCRIBED_WITH_TERMS, [JSON.stringify(chunks)])
    .filter(({ chunk_number }) => isVisible(visibility, chunk_number))
  const occurrences = occurrencesOf(reading, rows)
  return new Map(
    rows.map(({ body, chunk_number, hash, heading, ordinal, path }, index) => {
      const { chunk, record } = occurrences[index]!
      const lexical = wordScore(reading.weights, chunk, record)
      const closeness = closenesses(neighbours, `${heading ?? ""} ${body ?? ""}`)
      return [chunk_number, { path, hash, ordinal, lexical, closeness }]
    })
  )
}

const describeChunks = (
  cassette: OpenCassette,
  { chunks, neighbours, scope, weights }: IndexRequest & { readonly op: "describe" }
): ReadonlyArray<DescribedChunk | null> => {
  const visibility = visibilityOf(cassette, scope)
  const described = descriptions(
    readingOf(cassette.connection, visibility, weights),
    chunks,
    neighbours,
    visibility
  )
  return chunks.map((chunk) => described.get(chunk) ?? null)
}

/** The descriptions of the `count` best, which ranking most likely needs: another request for them costs more. */
const describeBest = (
  reading: IndexMoment,
  { chunks, scores }: Pick<BestChunks, "chunks" | "scores">,
  count: number,
  neighbours: Question["neighbours"],
  visibility: Visibility
): BestChunks["described"] => {
  const best = [...chunks.keys()].sort((left, right) => scores[right]! - scores[left]!).slice(0, count)
  const numbers = best.map((index) => chunks[index]!)
  const described = descriptions(reading, numbers, neighbours, visibility)
  return [...described].map(([chunk, description]) => Object.assign({ chunk }, description))
}

/** The best chunks: everything that scores as well as the `limit`-th best. */
const best = (cassette: OpenCassette, request: IndexRequest & { readonly op: "best" }): BestChunks => {
  const { connection } = cassette
  const { limit, neighbours, phrases, scope, weights } = request
  const visibility = visibilityOf(cassette, scope)
  const wanted = withPhrases(connection, phrases)
  const bests = new BestScores(limit)
  const reading = readingOf(connection, visibility, weights)
  for (const [segment, lists] of drivenSegments(reading.lists, weights)) {
    const lengths = lengthsOf(reading.known, segment, visibility)
    scoreSegment(segment, lengths, weights, lists, wanted, bests)
  }
  for (const row of reading.tail) {
    const score = wanted === undefined || wanted.has(row.chunk_number) ? scoreTail(row, weights) : 0
    if (score > 0) bests.add(row.chunk_number, score)
  }
  const found = bests.all()
  return { ...found, described: describeBest(reading, found, request.describe, neighbours, visibility) }
}

/** How many chunks may be seen, and how many of them are definitions. */
const chunkFacts = (
  connection: Connection,
  visibility: Visibility
): Pick<IndexFacts, "total_chunks" | "definitions"> => {
  const [row] = connection.all<{ total: number; definitions: number }>(
    ...narrowed(
      visibility,
      "SELECT count(*) AS total, coalesce(sum(kind = 'definition'), 0) AS definitions FROM chunks WHERE true",
      `chunk_number / ${SEGMENT_CHUNKS} IN (${VISIBLE_SEGMENTS})`,
      []
    )
  )
  const hidden = [...(visibility.hidden ?? [])].filter((chunk) =>
    isVisible({ ...visibility, hidden: undefined }, chunk)
  )
  return { total_chunks: (row?.total ?? 0) - hidden.length, definitions: row?.definitions ?? 0 }
}

const answers: {
  readonly [Op in IndexRequest["op"]]: (
    cassette: OpenCassette,
    request: Extract<IndexRequest, { readonly op: Op }>
  ) => IndexAnswers[Op]
} = {
  facts: (cassette, { scope }) => {
    const visibility = visibilityOf(cassette, scope)
    return {
      ...factsOf(cassette, scope, visibility.owner),
      vectors: vectorStores(cassette.connection, visibility),
      ...chunkFacts(cassette.connection, visibility),
      ...unfinishedIn(cassette.connection)
    }
  },
  count: (cassette, { scope, terms }) => ({
    ...count(cassette, terms, scope),
    ...unfinishedIn(cassette.connection)
  }),
  best,
  describe: describeChunks,
  census: (cassette, request) => ({
    ...vectorCensus(cassette.connection, visibilityOf(cassette, request.scope), request),
    ...unfinishedIn(cassette.connection)
  }),
  nearest: (cassette, request) =>
    nearestTexts(cassette.connection, visibilityOf(cassette, request.scope), request),
  vector: (cassette, request) =>
    vectorOfText(cassette.connection, visibilityOf(cassette, request.scope), request),
  places: (cassette, { limit, scope, texts }) =>
    storedTexts(cassette.connection, visibilityOf(cassette, scope), texts, limit),
  prefixed: (cassette, { kind, limit, prefixes, scope }) =>
    hashesWithPrefixes(cassette, kind, prefixes, limit, scope, visibilityOf(cassette, scope)),
  texts: (cassette, { hashes, kind, scope }) =>
    textsOfHashes(cassette, kind, hashes, scope, visibilityOf(cassette, scope)),
  recall: recallMemories
}

/** Answers one request from a cassette's file, or says why it cannot. */
export const askIndex = <Op extends IndexRequest["op"]>(
  file: CassetteFile,
  request: Extract<IndexRequest, { readonly op: Op }>
): { readonly value: IndexAnswers[Op] } | CassetteFault =>
  file.read((cassette) => answers[request.op as Op](cassette, request))
