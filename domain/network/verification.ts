// The vocabulary of verifying a cassette: stable finding codes and the report. A code is never renamed or reused;
// docs/spec/network.md lists them for other implementations.
import * as Schema from "effect/Schema"
import { databaseFindingCodes, findingWith, Verdict } from "../foundation/finding.ts"

/** Every finding code with what it means; those of a schema are the same for every database. */
const cassetteFindingCodes = {
  INTEGRITY: databaseFindingCodes.INTEGRITY,
  TABLE_MISSING: databaseFindingCodes.TABLE_MISSING,
  TRIGGER_MISSING: databaseFindingCodes.TRIGGER_MISSING,
  SCHEMA_MISSING: databaseFindingCodes.SCHEMA_MISSING,
  SCHEMA_CHANGED: databaseFindingCodes.SCHEMA_CHANGED,
  SCHEMA_EXTRA: databaseFindingCodes.SCHEMA_EXTRA,
  MIGRATION_CHANGED: databaseFindingCodes.MIGRATION_CHANGED,
  DESCRIPTION_INVALID: "what a cassette says of itself is not what it can be, or what it holds",
  RULE_BROKEN: "a receipt or a record is not what the cassette's mutability allows",
  CONTENT_HASH_MISMATCH: "the text of a document or a memory is not the text of its content hash",
  RECORD_HASH_MISMATCH: "a record's hash is not that of what identifies it",
  RECEIPT_CHAIN_BROKEN: "a receipt does not follow from the one before it",
  RECORD_WITHOUT_RECEIPT: "a document, a memory or a save has no receipt of its write",
  RECORD_MISSING: "a receipt names a record that is not there",
  MEMORY_WITHOUT_SAVE: "a memory has no save",
  CHUNK_DIFFERS: "the chunks of a document or a memory are not those that its text gives: reindex",
  TERMS_DIFFER: "a chunk's terms are not those that its text gives: reindex",
  POSTINGS_DIFFER: "the index that ranks does not agree with the chunks' terms: reindex",
  FULL_TEXT_DIFFERS: "the full-text index does not agree with the chunks' terms: reindex",
  VECTOR_INVALID: "a vector is not one of length 1 of the cassette's one maker: reindex",
  VECTOR_HASH_MISMATCH: "a vector's hash is not that of its text, its maker and its numbers: reindex",
  VECTOR_WITHOUT_CHUNK: "a vector's text is that of no chunk: reindex",
  VECTOR_MISSING: "not all vectors that were written are there: reindex",
  SIGNS_DIFFER: "the signs that choose vectors do not agree with the vectors: reindex"
} as const

/** A finding; `where` is the cassette, then what it is about: `docs documents notes/a.md`. */
export const CassetteFinding = findingWith(cassetteFindingCodes)
export type CassetteFinding = typeof CassetteFinding.Type

export const CassetteReport = Schema.Struct({
  verdict: Verdict,
  findings: Schema.Array(CassetteFinding),
  findings_left_off: Schema.Int,
  /** Facts that are no fault: another tool keeps tables in a cassette. */
  warnings: Schema.Array(Schema.String),
  cassettes: Schema.Array(
    Schema.Struct({
      cassette_id: Schema.String,
      db_hash: Schema.String,
      documents: Schema.Int,
      memories: Schema.Int,
      chunks: Schema.Int,
      receipts: Schema.Int,
      receipt_head: Schema.String
    })
  )
})
export type CassetteReport = typeof CassetteReport.Type
