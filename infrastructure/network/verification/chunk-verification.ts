// Compares the chunks of one record, and the terms under which the index keeps them, with what the record's text gives, and
// their segments with the record's owner. It reads and changes nothing.
import { SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import { memoryPath } from "../../../domain/network/records.ts"
import type { ChunkTerms } from "../../../domain/network/ranking/term-counts.ts"
import type { CassetteFinding } from "../../../domain/network/verification.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import { type ChunkRow, type IndexedRecord, madeChunks, searchedPath } from "../index/chunk-rows.ts"
import { termsUnder } from "../index/chunk-terms.ts"
import type { RecordKey } from "../writing/index-writing.ts"
import { countStray } from "./verification-statements.ts"

/** Notes something that is not as it must be. */
export type Find = (code: CassetteFinding["code"], where: string, message: string) => void

const CHUNK_COLUMNS = [
  "chunk_id",
  "ordinal",
  "hash",
  "kind",
  "heading_path",
  "parent_ordinal",
  "byte_start",
  "byte_end"
] as const satisfies ReadonlyArray<keyof ChunkRow>

const TERM_COLUMNS = ["path", "heading", "body", "identifiers"] as const satisfies ReadonlyArray<
  keyof ChunkTerms
>

const STORED = `SELECT ${CHUNK_COLUMNS.map((name) => `c.${name}`).join(", ")}, ${TERM_COLUMNS.map((name) => `t.${name}`).join(", ")}, s.owner
FROM chunks AS c LEFT JOIN chunk_terms AS t ON t.chunk_number = c.chunk_number LEFT JOIN segments AS s ON s.segment = c.chunk_number / ${SEGMENT_CHUNKS}`

interface StoredRow extends ChunkRow, ChunkTerms {
  readonly owner: string | null
}

/** Whose chunks a record's are, and how a finding calls it. */
const identityOf = (
  record: IndexedRecord
): { readonly key: RecordKey; readonly id: number; readonly where: string; readonly owner: string } =>
  "path" in record
    ? { key: "document_id", id: record.document_id, where: `documents ${record.path}`, owner: "" }
    : {
        key: "memory_id",
        id: record.memory_id,
        where: `memories ${memoryPath(record.hash)}`,
        owner: record.owner
      }

/** Compares the chunks of a document or a memory, and their terms, with what its text gives; tells how many it has. */
export const checkChunks = (connection: Connection, record: IndexedRecord, find: Find): number => {
  const { id, key, owner, where } = identityOf(record)
  const rows = connection.all<StoredRow>(`${STORED} WHERE c.${key} = ? ORDER BY c.ordinal`, [id])
  const made = madeChunks(record)
  const termsOf = termsUnder(searchedPath(record))
  if (rows.length !== made.length) {
    find("CHUNK_DIFFERS", where, `${rows.length} chunks are stored, its text gives ${made.length}`)
    return rows.length
  }
  for (const [index, { content, headings, row }] of made.entries()) {
    const stored = rows[index]!
    const changed = CHUNK_COLUMNS.filter((name) => stored[name] !== row[name])
    if (changed.length > 0) {
      find("CHUNK_DIFFERS", `${where} chunk ${index}`, `its text gives another ${changed.join(", ")}`)
      return rows.length
    }
    if (stored.owner !== owner) {
      find("CHUNK_DIFFERS", `${where} chunk ${index}`, "it does not stand in a segment of its owner")
      return rows.length
    }
    const { terms } = termsOf(headings, content)
    if (TERM_COLUMNS.some((name) => stored[name] !== terms[name])) {
      find("TERMS_DIFFER", `${where} chunk ${index}`, "its terms were changed")
      return rows.length
    }
  }
  return rows.length
}

/** Finds chunks, and terms of chunks, that belong to nothing that is searched; `expected` is how many chunks there should be. */
export const checkStrayChunks = (connection: Connection, expected: number, find: Find): number => {
  const { chunks, terms } = countStray.first(connection, {}) ?? { chunks: 0, terms: 0 }
  if (chunks !== expected) {
    find("CHUNK_DIFFERS", "chunks", `${chunks - expected} of them belong to nothing that is searched`)
  }
  if (terms > 0) find("TERMS_DIFFER", "chunk_terms", `${terms} of them belong to no chunk`)
  return chunks
}
