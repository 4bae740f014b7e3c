// The statements that write what can be made again: chunks, their terms, the full-text index, the tail, segments and postings;
// and the description of a cassette. Those that compare a column with a value for every term cast it (statement.ts).
import type { ChunkTerms } from "../../../domain/network/ranking/term-counts.ts"
import { command, query } from "../../sqlite/connection/statement.ts"

export const selectMeta = query<{ readonly key: string; readonly value: string }>()(
  "SELECT key, value FROM network_meta"
)
export const updateMeta = command("UPDATE network_meta SET value = :value WHERE key = :key")

/** The terms of a chunk by its number. */
export interface TermsRow extends ChunkTerms {
  readonly chunk_number: number
}

export const insertChunk = command(
  "INSERT INTO chunks (chunk_number, chunk_id, document_id, memory_id, ordinal, hash, kind, heading_path, parent_ordinal, byte_start, byte_end) VALUES (:chunk_number, :chunk_id, :document_id, :memory_id, :ordinal, :hash, :kind, :heading_path, :parent_ordinal, :byte_start, :byte_end)"
)
export const deleteChunk = command("DELETE FROM chunks WHERE chunk_number = :chunk_number")

export const insertTerms = command(
  "INSERT INTO chunk_terms (chunk_number, path, heading, body, identifiers) VALUES (:chunk_number, :path, :heading, :body, :identifiers)"
)
export const deleteTerms = command("DELETE FROM chunk_terms WHERE chunk_number = :chunk_number")

type TermsAndHash = TermsRow & { readonly hash: string }

/** The terms of a record's chunks, with the hashes of their texts. */
export const selectTermsOf = {
  document_id: query<TermsAndHash>()(
    "SELECT t.*, c.hash FROM chunks AS c JOIN chunk_terms AS t ON t.chunk_number = c.chunk_number WHERE c.document_id = CAST(:id AS INTEGER)"
  ),
  memory_id: query<TermsAndHash>()(
    "SELECT t.*, c.hash FROM chunks AS c JOIN chunk_terms AS t ON t.chunk_number = c.chunk_number WHERE c.memory_id = CAST(:id AS INTEGER)"
  )
}

// FTS5 has a grammar of its own: a column that is called as the table takes its commands.
export const insertWords = command(
  "INSERT INTO chunks_fts (rowid, path, heading, body, identifiers) SELECT chunk_number, path, heading, body, identifiers FROM chunk_terms WHERE chunk_number IN (SELECT value ->> 0 FROM json_each(:chunks))"
)
export const removeWords = command(
  "INSERT INTO chunks_fts (chunks_fts, rowid, path, heading, body, identifiers) VALUES ('delete', :chunk_number, :path, :heading, :body, :identifiers)"
)
export const mergeWords = command("INSERT INTO chunks_fts (chunks_fts) VALUES ('optimize')")

/** `chunks` is a JSON list of pairs: a chunk's number and how many words it has. */
export const insertTail = command(
  "INSERT INTO tail (chunk_number, words) SELECT value ->> 0, value ->> 1 FROM json_each(:chunks)"
)
export const countTail = query<{ readonly count: number }>()("SELECT count(*) AS count FROM tail")
export const selectTail = query<TermsRow & { readonly words: number }>()(
  "SELECT c.*, t.words FROM tail AS t JOIN chunk_terms AS c ON c.chunk_number = t.chunk_number ORDER BY t.chunk_number"
)
export const deleteOfTail = command("DELETE FROM tail WHERE chunk_number = :chunk_number")
export const deleteTail = command("DELETE FROM tail")

export const selectNewestSegment = query<{ readonly segment: number; given: number }>()(
  "SELECT segment, given FROM segments WHERE owner = :owner ORDER BY segment DESC LIMIT 1"
)
export const selectNextSegment = query<{ readonly segment: number }>()(
  "SELECT coalesce(max(segment) + 1, 0) AS segment FROM segments"
)
export const insertSegment = command(
  "INSERT INTO segments (segment, owner, given, chunks, words, lengths) VALUES (:segment, :owner, 0, 0, 0, x'')"
)
export const updateGiven = command("UPDATE segments SET given = :given WHERE segment = :segment")
export const selectLengths = query<{ readonly lengths: Uint8Array }>()(
  "SELECT lengths FROM segments WHERE segment = :segment"
)
/** Adds chunks and words to a segment, negative numbers too, and puts other lengths in. */
export const updateSegment = command(
  "UPDATE segments SET chunks = chunks + :chunks, words = words + :words, lengths = :lengths WHERE segment = :segment"
)

/** The list of a term in one segment, with the number of its row. */
interface StoredPostings {
  readonly number: number
  readonly term: string
  readonly chunks: number
  readonly last: number
  readonly data: Uint8Array
}

/** `terms` is a JSON list. */
export const selectPostings = query<StoredPostings>()(
  "SELECT rowid AS number, term, chunks, last, data FROM postings WHERE segment = :segment AND term IN (SELECT value FROM json_each(:terms))"
)
export const insertPostings = command(
  "INSERT INTO postings (term, segment, chunks, last, data) VALUES (:term, :segment, :chunks, :last, :data)"
)
export const updatePostings = command(
  "UPDATE postings SET chunks = :chunks, last = :last, data = :data WHERE rowid = :number"
)
/** A chunk with the term is gone; its place stays in the list. */
export const lessenPostings = command(
  "UPDATE postings SET chunks = chunks - 1 WHERE term = CAST(:term AS TEXT) AND segment = CAST(:segment AS INTEGER)"
)
export const deleteEmptyPostings = command("DELETE FROM postings WHERE chunks = 0")
