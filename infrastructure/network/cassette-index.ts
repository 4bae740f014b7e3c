// Answers what the hub asks of a cassette's index: counts, best chunks, closeness of words, texts. It reads postings in
// segments and, beside them, the tail that no writer has folded yet. All is synchronous and of one moment; nothing is
// remembered between questions but what a receipt's hash names.
import type {
  BestChunks,
  DescribedChunk,
  IndexAnswers,
  IndexFacts,
  IndexRequest,
  Scope,
  StoredChunk
} from "../../domain/network/index-requests.ts"
import { closenesses, type Counts, termScore, type Weights } from "../../domain/network/lexical.ts"
import { BestScores } from "../../domain/network/best-scores.ts"
import { SEGMENT_CHUNKS } from "../../domain/network/limits.ts"
import { decodedPostings, decodePostings } from "../../domain/network/postings.ts"
import type { Question } from "../../domain/network/query-text.ts"
import { weightedCount } from "../../domain/network/term-counts.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"
import type { CassetteFault, CassetteFile, OpenCassette } from "./cassette-file.ts"
import { factsOf } from "./cassette-facts.ts"
import { narrowed, sees, type Sight, sightOf, VISIBLE_SEGMENTS } from "./cassette-sight.ts"
import { memoryNote, recallMemories } from "./memory-reading.ts"
import { hashesWithPrefixes, textsOfHashes } from "./symbol-lookup.ts"
import { nearestTexts, vectorCensus, vectorOfText, vectorStores } from "./vector-reading.ts"

interface TermsRow {
  readonly chunk_number: number
  readonly words: number
  readonly path: string
  readonly heading: string
  readonly body: string
  readonly identifiers: string
}

/** Chunks of some kind by number; undefined stands for all of them. */
type Chosen = ReadonlySet<number> | undefined

/** Which lists may be seen, where that must be asked. */
const VISIBLE_LIST = `segment IN (${VISIBLE_SEGMENTS})`

interface PostingsRow {
  readonly segment: number
  readonly data: Uint8Array
}

/** The lists of a term in every segment that may be seen. */
const postingsOf = (connection: Connection, term: string, sight: Sight): ReadonlyArray<PostingsRow> =>
  connection.all<PostingsRow>(
    ...narrowed(sight, "SELECT segment, data FROM postings WHERE term = ?", VISIBLE_LIST, [term])
  )

const readTail = (connection: Connection, sight: Sight): ReadonlyArray<TermsRow> =>
  connection
    .all<TermsRow>(
      "SELECT t.chunk_number, t.words, c.path, c.heading, c.body, c.identifiers FROM tail AS t JOIN chunk_terms AS c ON c.chunk_number = t.chunk_number"
    )
    .filter(({ chunk_number }) => sees(sight, chunk_number))

const lengthsIn = (bytes: Uint8Array): Uint32Array => {
  const copy = new Uint8Array(bytes)
  return new Uint32Array(copy.buffer, 0, copy.byteLength >> 2)
}

/** Lengths by segment that were read since the file last changed. */
type KnownLengths = Map<number, Uint32Array>

const remembered = new WeakMap<Connection, { readonly version: number; readonly lengths: KnownLengths }>()

/** What is remembered of the moment that is being read; whatever was committed since makes it empty. */
const knownLengths = (connection: Connection): KnownLengths => {
  const [{ version }] = connection.all<{ version: number }>(
    "SELECT data_version AS version FROM pragma_data_version"
  ) as [{ version: number }]
  const known = remembered.get(connection)
  if (known?.version === version) return known.lengths
  const lengths: KnownLengths = new Map()
  remembered.set(connection, { version, lengths })
  return lengths
}

const storedLengths = (connection: Connection, segment: number): Uint32Array => {
  const [row] = connection.all<{ lengths: Uint8Array }>("SELECT lengths FROM segments WHERE segment = ?", [
    segment
  ])
  return lengthsIn(row?.lengths ?? new Uint8Array(0))
}

/** The lengths of a segment's chunks in words; 0 where there is none any more or the scope hides it. */
const lengthsOf = (
  connection: Connection,
  segment: number,
  known: KnownLengths,
  { hidden }: Sight
): Uint32Array => {
  const stored = known.get(segment) ?? storedLengths(connection, segment)
  known.set(segment, stored)
  if (hidden === undefined) return stored
  return stored.map((length, place) => (hidden.has(segment * SEGMENT_CHUNKS + place) ? 0 : length))
}

interface SegmentRow {
  readonly segment: number
  readonly chunks: number
  readonly words: number
}

const segmentsOf = (connection: Connection, sight: Sight): ReadonlyArray<SegmentRow> =>
  connection.all<SegmentRow>(
    ...narrowed(sight, "SELECT segment, chunks, words FROM segments WHERE true", "owner IN ('', ?)", [])
  )

/** How many folded chunks that may be seen have each term; a term that none has is left out. */
const frequenciesOf = (
  connection: Connection,
  terms: ReadonlyArray<string>,
  sight: Sight
): ReadonlyMap<string, number> => {
  const [sql, parameters] = narrowed(
    sight,
    "SELECT term, sum(chunks) AS chunks FROM postings WHERE term IN (SELECT value FROM json_each(?))",
    VISIBLE_LIST,
    [JSON.stringify(terms)]
  )
  const rows = connection.all<{ term: string; chunks: number }>(`${sql} GROUP BY term`, parameters)
  return new Map(rows.map(({ chunks, term }) => [term, chunks]))
}

// Used by one list at a time.
const decoded = decodedPostings()

/** How many chunks that have not expired have the term: their lists must be read for it. */
const livingFrequency = (
  connection: Connection,
  term: string,
  sight: Sight,
  lengths: ReadonlyMap<number, Uint32Array>
): number => {
  let chunks = 0
  for (const row of postingsOf(connection, term, sight)) {
    const words = lengths.get(row.segment)
    const found = decodePostings(row.data, decoded)
    for (let index = 0; index < found; index++) if ((words?.[decoded.places[index]!] ?? 0) > 0) chunks += 1
  }
  return chunks
}

const has = (row: TermsRow, term: string): boolean => weightedCount(row, term) > 0

/** Counts chunks, words and chunks with each term. */
const count = (cassette: OpenCassette, terms: ReadonlyArray<string>, scope: Scope): Counts => {
  const { connection } = cassette
  const sight = sightOf(cassette, scope)
  const tail = readTail(connection, sight)
  const inTail = (term: string) => tail.reduce((sum, row) => sum + (has(row, term) ? 1 : 0), 0)
  const tailWords = tail.reduce((sum, { words }) => sum + words, 0)
  const segments = segmentsOf(connection, sight)
  if (sight.hidden === undefined) {
    const stored = frequenciesOf(connection, terms, sight)
    return {
      chunks: segments.reduce((sum, { chunks }) => sum + chunks, 0) + tail.length,
      words: segments.reduce((sum, { words }) => sum + words, 0) + tailWords,
      frequencies: terms.map((term) => (stored.get(term) ?? 0) + inTail(term))
    }
  }
  const known = knownLengths(connection)
  const lengths = new Map(
    segments.map(({ segment }) => [segment, lengthsOf(connection, segment, known, sight)])
  )
  const visible = [...lengths.values()].flatMap((words) => [...words].filter((length) => length > 0))
  return {
    chunks: visible.length + tail.length,
    words: visible.reduce((sum, length) => sum + length, 0) + tailWords,
    frequencies: terms.map((term) => livingFrequency(connection, term, sight, lengths) + inTail(term))
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

// Used by one segment at a time: making them anew for each would be most of the work of small questions.
const marked = new Uint8Array(SEGMENT_CHUNKS)
const scores = new Float64Array(SEGMENT_CHUNKS)
const { counts, places } = decoded

/** A segment's lists in the order of the question's terms; undefined where a term is not in it. */
type SegmentLists = ReadonlyArray<Uint8Array | undefined>

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

const scoreTail = (row: TermsRow, weights: Weights): number => {
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

interface ListRow {
  readonly term: string
  readonly segment: number
  readonly data: Uint8Array
}

const LISTS = "SELECT term, segment, data FROM postings WHERE term IN (SELECT value FROM json_each(?))"
const LISTS_OF_SEGMENTS = `${LISTS} AND segment IN (SELECT value FROM json_each(?))`

/** The lists of every segment that drivers bring chunks of in; those of other terms are read for these alone. */
const listsOf = (
  connection: Connection,
  { terms }: Weights,
  sight: Sight
): ReadonlyMap<number, SegmentLists> => {
  const segments = new Map<number, Array<Uint8Array | undefined>>()
  const add = ({ data, segment, term }: ListRow): void => {
    const lists = segments.get(segment) ?? terms.map(() => undefined)
    lists[terms.findIndex((each) => each.term === term)] = data
    segments.set(segment, lists)
  }
  const named = (isDriver: boolean) =>
    terms.filter(({ driver }) => driver === isDriver).map(({ term }) => term)
  const drivers = narrowed(sight, LISTS, VISIBLE_LIST, [JSON.stringify(named(true))])
  for (const row of connection.all<ListRow>(...drivers)) add(row)
  const others = named(false)
  if (segments.size === 0 || others.length === 0) return segments
  const asked = [JSON.stringify(others), JSON.stringify([...segments.keys()])]
  for (const row of connection.all<ListRow>(LISTS_OF_SEGMENTS, asked)) add(row)
  return segments
}

/** The best chunks: everything that scores as well as the `limit`-th best. */
const best = (cassette: OpenCassette, request: IndexRequest & { readonly op: "best" }): BestChunks => {
  const { connection } = cassette
  const { limit, phrases, scope, weights } = request
  const sight = sightOf(cassette, scope)
  const wanted = withPhrases(connection, phrases)
  const bests = new BestScores(limit)
  const known = knownLengths(connection)
  for (const [segment, lists] of listsOf(connection, weights, sight)) {
    const lengths = lengthsOf(connection, segment, known, sight)
    scoreSegment(segment, lengths, weights, lists, wanted, bests)
  }
  for (const row of readTail(connection, sight)) {
    const score = wanted === undefined || wanted.has(row.chunk_number) ? scoreTail(row, weights) : 0
    if (score > 0) bests.add(row.chunk_number, score)
  }
  return bests.all()
}

interface DescribedRow extends Omit<DescribedChunk, "closeness"> {
  readonly chunk_number: number
  readonly heading?: string | null
  readonly body?: string | null
}

const ASKED_CHUNKS =
  "FROM json_each(?) AS asked JOIN chunks AS c ON c.chunk_number = asked.value LEFT JOIN documents AS d ON d.document_id = c.document_id LEFT JOIN memories AS m ON m.memory_id = c.memory_id"
const PLACE = "coalesce(d.path, '@A:' || m.content_hash) AS path"
const DESCRIBED = `SELECT c.chunk_number, ${PLACE}, c.hash, c.ordinal ${ASKED_CHUNKS}`
const DESCRIBED_WITH_TERMS = `SELECT c.chunk_number, ${PLACE}, c.hash, c.ordinal, t.heading, t.body ${ASKED_CHUNKS} LEFT JOIN chunk_terms AS t ON t.chunk_number = c.chunk_number`

const describe = (
  cassette: OpenCassette,
  { chunks, neighbours, scope }: IndexRequest & { readonly op: "describe" }
): ReadonlyArray<DescribedChunk | null> => {
  const rows = cassette.connection.all<DescribedRow>(
    neighbours.length === 0 ? DESCRIBED : DESCRIBED_WITH_TERMS,
    [JSON.stringify(chunks)]
  )
  const sight = sightOf(cassette, scope)
  const described = new Map(
    rows
      .filter(({ chunk_number }) => sees(sight, chunk_number))
      .map(({ body, chunk_number, hash, heading, ordinal, path }) => [
        chunk_number,
        { path, hash, ordinal, closeness: closenesses(neighbours, `${heading ?? ""} ${body ?? ""}`) }
      ])
  )
  return chunks.map((chunk) => described.get(chunk) ?? null)
}

interface ChunkRow extends Omit<StoredChunk, "heading_path" | "content" | "memory"> {
  readonly chunk_number: number
  readonly memory_id: number | null
  readonly heading_path: string
  readonly content: Uint8Array
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const storedChunk = (connection: Connection, row: ChunkRow): StoredChunk => ({
  chunk_id: row.chunk_id,
  path: row.path,
  type: row.type,
  hash: row.hash,
  ordinal: row.ordinal,
  kind: row.kind,
  heading_path: row.heading_path === "" ? [] : row.heading_path.split("\n"),
  content: decoder.decode(row.content),
  ...(row.memory_id === null ? {} : { memory: memoryNote(connection, row.memory_id) })
})

/** Every visible place of the given texts. */
const placesOfTexts = (
  cassette: OpenCassette,
  hashes: ReadonlyArray<string>,
  scope: Scope
): ReadonlyArray<StoredChunk> => {
  const { connection } = cassette
  const sight = sightOf(cassette, scope)
  return connection
    .all<ChunkRow>(
      "SELECT chunk_number, chunk_id, memory_id, path, type, hash, ordinal, kind, heading_path, content FROM chunk_places WHERE hash IN (SELECT value FROM json_each(?)) ORDER BY path, ordinal",
      [JSON.stringify(hashes)]
    )
    .filter(({ chunk_number }) => sees(sight, chunk_number))
    .map((row) => storedChunk(connection, row))
}

/** How many chunks may be seen, and how many of them are definitions. */
const chunkFacts = (
  connection: Connection,
  sight: Sight
): Pick<IndexFacts, "total_chunks" | "definitions"> => {
  const [row] = connection.all<{ total: number; definitions: number }>(
    ...narrowed(
      sight,
      "SELECT count(*) AS total, coalesce(sum(kind = 'definition'), 0) AS definitions FROM chunks WHERE true",
      `chunk_number / ${SEGMENT_CHUNKS} IN (${VISIBLE_SEGMENTS})`,
      []
    )
  )
  const hidden = [...(sight.hidden ?? [])].filter((chunk) => sees({ ...sight, hidden: undefined }, chunk))
  return { total_chunks: (row?.total ?? 0) - hidden.length, definitions: row?.definitions ?? 0 }
}

const answers: {
  readonly [Op in IndexRequest["op"]]: (
    cassette: OpenCassette,
    request: Extract<IndexRequest, { readonly op: Op }>
  ) => IndexAnswers[Op]
} = {
  facts: (cassette, { scope }) => {
    const sight = sightOf(cassette, scope)
    return {
      ...factsOf(cassette, scope, sight.owner),
      vectors: vectorStores(cassette.connection, sight),
      ...chunkFacts(cassette.connection, sight)
    }
  },
  count: (cassette, { scope, terms }) => count(cassette, terms, scope),
  best,
  describe,
  census: (cassette, request) => vectorCensus(cassette.connection, sightOf(cassette, request.scope), request),
  nearest: (cassette, request) =>
    nearestTexts(cassette.connection, sightOf(cassette, request.scope), request),
  vector: (cassette, request) => vectorOfText(cassette.connection, sightOf(cassette, request.scope), request),
  places: (cassette, { hashes, scope }) => placesOfTexts(cassette, hashes, scope),
  prefixed: (cassette, { kind, limit, prefixes, scope }) =>
    hashesWithPrefixes(cassette, kind, prefixes, limit, scope, sightOf(cassette, scope)),
  texts: (cassette, { hashes, kind, scope }) =>
    textsOfHashes(cassette, kind, hashes, scope, (chunks) => placesOfTexts(cassette, chunks, scope)),
  recall: recallMemories
}

/** Answers one request from a cassette's file, or says why it cannot. */
export const askIndex = <Op extends IndexRequest["op"]>(
  file: CassetteFile,
  request: Extract<IndexRequest, { readonly op: Op }>
): { readonly value: IndexAnswers[Op] } | CassetteFault =>
  file.read((cassette) => answers[request.op as Op](cassette, request))
