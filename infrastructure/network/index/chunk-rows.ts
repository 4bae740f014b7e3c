// What a record's text gives as rows of chunks: where each stands, under which names, and by which id. Writing and
// verification make them here, so that they cannot come apart.
import { chunksOf } from "../../../domain/network/chunks.ts"
import { chunkId, memoryPath } from "../../../domain/network/records.ts"
import { sha256 } from "../../hashing/sha256.ts"
import { outlineOf } from "./outline.ts"

/** What chunks are cut from: a document, or a memory, which has no path that could be searched. */
export type IndexedRecord =
  | { readonly document_id: number; readonly path: string; readonly text: string }
  | { readonly memory_id: number; readonly hash: string; readonly owner: string; readonly text: string }

/** What of a record decides how it is cut; it need not be stored yet. */
export type CutRecord =
  | { readonly path: string; readonly text: string }
  | { readonly hash: string; readonly text: string }

/** The path by whose ending a record is cut and whose words count: a memory has none. */
export const searchedPath = (record: CutRecord): string => ("path" in record ? record.path : "")

/** A row of `chunks` without its number and without whose it is. */
export interface ChunkRow {
  readonly chunk_id: string
  readonly ordinal: number
  readonly hash: string
  readonly kind: string
  readonly heading_path: string
  readonly parent_ordinal: number | null
  readonly byte_start: number
  readonly byte_end: number
}

/** A chunk with what its terms come from. */
export interface MadeChunk {
  readonly row: ChunkRow
  readonly headings: ReadonlyArray<string>
  readonly content: string
}

/** The chunks of a record, in the order of its text. */
export const madeChunks = (record: CutRecord): ReadonlyArray<MadeChunk> => {
  const { text } = record
  const place = "path" in record ? record.path : memoryPath(record.hash)
  let units = 0
  let bytes = 0
  return chunksOf(text, outlineOf(searchedPath(record), text)).map((chunk) => {
    const { end, heading_path, kind, ordinal, parent_ordinal, start } = chunk
    const content = text.slice(start, end)
    const byte_start = bytes + Buffer.byteLength(text.slice(units, start))
    const byte_end = byte_start + Buffer.byteLength(content)
    bytes = byte_end
    units = end
    const hash = sha256(content)
    return {
      row: {
        chunk_id: chunkId(sha256, place, ordinal, hash),
        ordinal,
        hash,
        kind,
        heading_path: heading_path.join("\n"),
        parent_ordinal,
        byte_start,
        byte_end
      },
      headings: heading_path,
      content
    }
  })
}
