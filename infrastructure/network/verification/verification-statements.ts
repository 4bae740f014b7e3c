// The statements of verification. It reads whole tables in their order, one record at a time where a record may be large.
import type { Receipt } from "../../../domain/network/receipt-form.ts"
import type { SaveRecord } from "../../../domain/network/records.ts"
import type { SignSegment } from "../../../domain/network/ranking/sign-bits.ts"
import type { ChunkTerms } from "../../../domain/network/ranking/term-counts.ts"
import { query } from "../../sqlite/connection/statement.ts"

export interface ReceiptRow extends Receipt {
  readonly receipt_hash: string
}
export const selectReceipts = query<ReceiptRow>()("SELECT * FROM write_receipts ORDER BY receipt_index")

export interface DocumentRow {
  readonly document_id: number
  readonly path: string
  readonly version: number
  readonly type: string
  readonly text: string
  readonly content_hash: string
  readonly record_hash: string
  readonly added_at: string
  readonly expires_at: string | null
}
export const selectDocumentIds = query<{ readonly document_id: number }>()(
  "SELECT document_id FROM documents ORDER BY path, version"
)
export const selectDocument = query<DocumentRow>()("SELECT * FROM documents WHERE document_id = :document_id")
/** A version that took the place of a document in the index. */
export const selectSuccessor = query<{ readonly found: number }>()(
  "SELECT 1 AS found FROM documents WHERE path = :path AND version > :version AND (SELECT value FROM network_meta WHERE key = 'mutability') IS NOT 'append-only'"
)

export interface MemoryRow {
  readonly memory_id: number
  readonly owner: string
  readonly text: string
  readonly content_hash: string
  readonly record_hash: string
}
export const selectMemory = query<MemoryRow>()("SELECT * FROM memories WHERE memory_id = :memory_id")

interface SaveRow extends Omit<SaveRecord, "memory"> {
  readonly record_hash: string
}
export const selectSavesOf = query<SaveRow>()(
  "SELECT * FROM saves WHERE memory_id = :memory_id ORDER BY save_number"
)

interface TermsRow extends ChunkTerms {
  readonly chunk_number: number
}
export const selectTermsBetween = query<TermsRow & { readonly waits: number }>()(
  "SELECT *, chunk_number IN (SELECT chunk_number FROM tail) AS waits FROM chunk_terms WHERE chunk_number >= :from AND chunk_number < :before ORDER BY chunk_number"
)
export const selectLastChunk = query<{ readonly last: number }>()(
  "SELECT coalesce(max(chunk_number), -1) AS last FROM chunk_terms"
)
/** FTS5's own search: `term` is a query in its grammar. */
export const countMatches = query<{ readonly chunks: number }>()(
  "SELECT count(*) AS chunks FROM chunks_fts WHERE chunks_fts MATCH :term"
)
export const countStray = query<{ readonly chunks: number; readonly terms: number }>()(
  "SELECT (SELECT count(*) FROM chunks) AS chunks, (SELECT count(*) FROM chunk_terms WHERE chunk_number NOT IN (SELECT chunk_number FROM chunks)) AS terms"
)

export interface SegmentRow {
  readonly given: number
  readonly chunks: number
  readonly words: number
  readonly lengths: Uint8Array
}
export const selectSegment = query<SegmentRow>()(
  "SELECT given, chunks, words, lengths FROM segments WHERE segment = :segment"
)
/** `size` is how many chunks a segment has. */
export const selectSegmentNumbers = query<{ readonly segment: number }>()(
  "SELECT segment FROM segments UNION SELECT segment FROM postings UNION SELECT chunk_number / CAST(:size AS INTEGER) FROM chunk_terms"
)
export const selectPostingsOf = query<{
  readonly term: string
  readonly chunks: number
  readonly last: number
  readonly data: Uint8Array
}>()("SELECT term, chunks, last, data FROM postings WHERE segment = :segment")
export const selectWaiting = query<
  Partial<ChunkTerms> & { readonly words: number; readonly chunk_number: number | null }
>()("SELECT t.words, c.* FROM tail AS t LEFT JOIN chunk_terms AS c ON c.chunk_number = t.chunk_number")

export const selectAllSigns = query<SignSegment & { readonly segment: number }>()(
  "SELECT * FROM vector_signs"
)
export const selectTailNumbers = query<{ readonly vector_id: number }>()("SELECT vector_id FROM vector_tail")
export const selectStrayVectors = query<{ readonly hash: string }>()(
  "SELECT hash FROM vectors AS v WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.hash = v.hash) ORDER BY hash"
)
export const selectVectorCount = query<{ readonly value: string }>()(
  "SELECT value FROM network_meta WHERE key = 'vectors'"
)
