// Writes the parts of a cassette that can be made again: chunks with their terms, the full-text index, the tail, and the
// postings that the tail is folded into. Everything belongs inside the transaction of the write that it follows; what
// is folded is read from the table, never from memory, since another process may have written it.
import { chunkId } from "../../domain/network/records.ts"
import { utf8ByteLength } from "../../domain/canonical/text.ts"
import { chunksOf } from "../../domain/network/chunks.ts"
import { MAX_TAIL_CHUNKS, SEGMENT_CHUNKS } from "../../domain/network/limits.ts"
import { encodePostings, type Posting } from "../../domain/network/postings.ts"
import { type ChunkTerms, lengthOf, weightedCounts } from "../../domain/network/term-counts.ts"
import { byText } from "../../domain/network/text-order.ts"
import { sha256 } from "../hashing/sha256.ts"
import type { SqlHost } from "../sqlite/sql-host.ts"
import { termsOf } from "./chunk-terms.ts"
import { outlineOf } from "./outline.ts"

const metaNumber = (host: SqlHost, key: string): number =>
  Number(host.all<{ value: string }>("SELECT value FROM network_meta WHERE key = ?", [key])[0]?.value ?? 0)

export const setMeta = (host: SqlHost, key: string, value: string): void => {
  host.run("UPDATE network_meta SET value = ? WHERE key = ?", [value, key])
}

interface IndexedDocument {
  readonly document_id: number
  readonly path: string
  readonly text: string
}

/** Cuts a stored document into chunks and puts them into the tail; gives how many there are. */
export const indexDocument = (host: SqlHost, { document_id, path, text }: IndexedDocument): number => {
  const chunks = chunksOf(text, outlineOf(path, text))
  let number = metaNumber(host, "next_chunk")
  let units = 0
  let bytes = 0
  for (const chunk of chunks) {
    const content = text.slice(chunk.start, chunk.end)
    bytes += utf8ByteLength(text.slice(units, chunk.start))
    const size = utf8ByteLength(content)
    const hash = sha256(content)
    host.run(
      "INSERT INTO chunks (chunk_number, chunk_id, document_id, ordinal, hash, kind, heading_path, parent_ordinal, byte_start, byte_end) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        number,
        chunkId(sha256, path, chunk.ordinal, hash),
        document_id,
        chunk.ordinal,
        hash,
        chunk.kind,
        chunk.heading_path.join("\n"),
        chunk.parent_ordinal,
        bytes,
        bytes + size
      ]
    )
    const terms = termsOf(path, chunk.heading_path, content)
    const columns = [number, terms.path, terms.heading, terms.body, terms.identifiers]
    host.run(
      "INSERT INTO chunk_terms (chunk_number, path, heading, body, identifiers) VALUES (?, ?, ?, ?, ?)",
      columns
    )
    host.run(
      "INSERT INTO chunks_fts (rowid, path, heading, body, identifiers) VALUES (?, ?, ?, ?, ?)",
      columns
    )
    host.run("INSERT INTO tail (chunk_number, words) VALUES (?, ?)", [number, lengthOf(terms)])
    bytes += size
    units = chunk.end
    number += 1
  }
  setMeta(host, "next_chunk", `${number}`)
  return chunks.length
}

interface TermsRow extends ChunkTerms {
  readonly chunk_number: number
}

const termsOfChunks = (host: SqlHost, documentId: number): ReadonlyArray<TermsRow> =>
  host.all<TermsRow>(
    "SELECT t.* FROM chunks AS c JOIN chunk_terms AS t ON t.chunk_number = c.chunk_number WHERE c.document_id = ?",
    [documentId]
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
    host.run("UPDATE postings SET chunks = chunks - 1 WHERE term = ? AND segment = ?", [term, segment])
  }
}

/** Takes the chunks of a document out of every index. */
export const withdrawDocument = (host: SqlHost, documentId: number): void => {
  for (const row of termsOfChunks(host, documentId)) {
    const waited = host.run("DELETE FROM tail WHERE chunk_number = ?", [row.chunk_number])
    if (waited === 0) withdraw(host, row)
    host.run(
      "INSERT INTO chunks_fts (chunks_fts, rowid, path, heading, body, identifiers) VALUES ('delete', ?, ?, ?, ?, ?)",
      [row.chunk_number, row.path, row.heading, row.body, row.identifiers]
    )
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

const appendPostings = (
  host: SqlHost,
  segment: number,
  term: string,
  postings: ReadonlyArray<Posting>
): void => {
  const [stored] = host.all<{ chunks: number; last: number; data: Uint8Array }>(
    "SELECT chunks, last, data FROM postings WHERE term = ? AND segment = ?",
    [term, segment]
  )
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
    return
  }
  host.run("UPDATE postings SET chunks = ?, last = ?, data = ? WHERE term = ? AND segment = ?", [
    stored.chunks + postings.length,
    last,
    Buffer.concat([stored.data, added]),
    term,
    segment
  ])
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
  host.run(
    "INSERT INTO segments (segment, chunks, words, lengths) VALUES (?, ?, ?, ?) ON CONFLICT (segment) DO UPDATE SET chunks = chunks + excluded.chunks, words = words + excluded.words, lengths = excluded.lengths",
    [segment, added.length, words, bytes]
  )
}

/** Folds the whole tail into postings. */
export const foldTail = (host: SqlHost): void => {
  const rows = host.all<TailRow>(
    "SELECT c.*, t.words FROM tail AS t JOIN chunk_terms AS c ON c.chunk_number = t.chunk_number ORDER BY t.chunk_number"
  )
  for (const [segment, { lengths, terms }] of gather(rows)) {
    for (const term of [...terms.keys()].sort(byText)) appendPostings(host, segment, term, terms.get(term)!)
    appendLengths(host, segment, lengths)
  }
  host.run("DELETE FROM tail")
}

/** Folds the tail once it is long. */
export const foldLongTail = (host: SqlHost): void => {
  const waiting = host.all<{ count: number }>("SELECT count(*) AS count FROM tail")[0]?.count ?? 0
  if (waiting >= MAX_TAIL_CHUNKS) foldTail(host)
}
