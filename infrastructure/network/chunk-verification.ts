// Compares the chunks of one record, and the terms under which the index keeps them, with what the record's text gives, and
// their segments with the record's owner. It reads and changes nothing.
import { chunksOf } from "../../domain/network/chunks.ts"
import { SEGMENT_CHUNKS } from "../../domain/network/limits.ts"
import type { ChunkTerms } from "../../domain/network/term-counts.ts"
import type { CassetteFinding } from "../../domain/network/verification.ts"
import { sha256 } from "../hashing/sha256.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"
import { termsOf } from "./chunk-terms.ts"
import type { RecordKey } from "./index-writing.ts"
import { outlineOf } from "./outline.ts"

/** Notes something that is not as it must be. */
export type Find = (code: CassetteFinding["code"], where: string, message: string) => void

interface ChunkRow extends ChunkTerms {
  readonly chunk_number: number
  readonly ordinal: number
  readonly hash: string
  readonly heading_path: string
}

/** What chunks are compared with: the record's own text. */
export interface ChunkSource {
  readonly key: RecordKey
  readonly id: number
  readonly where: string
  /** The path by whose ending it is cut and whose words count. */
  readonly path: string
  readonly text: string
  readonly owner: string
}

/** Compares the chunks of a document or a memory, and their terms, with what its text gives. */
export const checkChunks = (connection: Connection, source: ChunkSource, find: Find): void => {
  const { where } = source
  const rows = connection.all<ChunkRow>(
    `SELECT c.chunk_number, c.ordinal, c.hash, c.heading_path, t.path, t.heading, t.body, t.identifiers FROM chunks AS c LEFT JOIN chunk_terms AS t ON t.chunk_number = c.chunk_number WHERE c.${source.key} = ? ORDER BY c.ordinal`,
    [source.id]
  )
  const chunks = chunksOf(source.text, outlineOf(source.path, source.text))
  const texts = chunks.map(({ end, start }) => source.text.slice(start, end))
  if (rows.length !== chunks.length || texts.some((text, index) => sha256(text) !== rows[index]?.hash)) {
    find("CHUNK_DIFFERS", where, `${rows.length} chunks are stored, its text gives ${chunks.length}`)
    return
  }
  const strangers = connection.all<{ segment: number }>(
    `SELECT s.segment FROM chunks AS c JOIN segments AS s ON s.segment = c.chunk_number / ${SEGMENT_CHUNKS} WHERE c.${source.key} = ? AND s.owner <> ?`,
    [source.id, source.owner]
  )
  if (strangers.length > 0) {
    find("CHUNK_DIFFERS", where, "its chunks stand among those of somebody else")
    return
  }
  const differs = rows.find(({ body, heading, identifiers, path }, index) => {
    const terms = termsOf(source.path, chunks[index]!.heading_path, texts[index]!)
    return (
      terms.path !== path ||
      terms.heading !== heading ||
      terms.body !== body ||
      terms.identifiers !== identifiers
    )
  })
  if (differs !== undefined)
    find("TERMS_DIFFER", `${where} chunk ${differs.ordinal}`, "its terms were changed")
}
