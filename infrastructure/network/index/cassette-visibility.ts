// What a caller may see of a cassette. Chunks of a private memory stand in segments of their owner alone, so that whole
// segments are left out unread; what has expired is left out chunk by chunk. Every answer of an index goes through here.
import type { ReadScope } from "../../../domain/network/index-requests.ts"
import { SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import type { OpenCassette } from "../cassette-file.ts"
import { rulesOf } from "../../../domain/network/mutability.ts"

/** What the scope lets a question see of one cassette. */
export interface Visibility {
  /** Chunks that have expired; undefined when there are none. */
  readonly hidden: ReadonlySet<number> | undefined
  /** Whose segments are read beside everybody's; undefined where all segments are everybody's. */
  readonly owner: string | undefined
  /** The segments that are read; undefined for all. */
  readonly segments: ReadonlySet<number> | undefined
  /** True when nothing is seen at all: memories are asked for, and there are none. */
  readonly isEmpty: boolean
}

/** True when the scope lets everything be seen that is there. */
export const hidesNothing = ({ hidden, isEmpty, segments }: Visibility): boolean =>
  !isEmpty && hidden === undefined && segments === undefined

const EXPIRED_CHUNKS = `SELECT c.chunk_number FROM documents AS d JOIN chunks AS c ON c.document_id = d.document_id WHERE d.expires_at <= ?
UNION ALL SELECT c.chunk_number FROM chunks AS c WHERE c.memory_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM saves AS s WHERE s.memory_id = c.memory_id AND s.expires_at > ?)`

interface ChunkNumber {
  readonly chunk_number: number
}

/** The segments whose owner is everybody or the caller, who is the parameter. */
export const VISIBLE_SEGMENTS = "SELECT segment FROM segments WHERE owner IN ('', ?)"

/** Finds out what a scope lets see, at the moment of a question. */
export const visibilityOf = (
  { connection, meta }: OpenCassette,
  { agent, now, only }: ReadScope
): Visibility => {
  const owner = meta.get("memories") === "private" ? (agent ?? "") : undefined
  if (only === "memory" && connection.all("SELECT 1 FROM memories LIMIT 1").length === 0) {
    return { hidden: undefined, owner, segments: undefined, isEmpty: true }
  }
  const segments =
    owner === undefined
      ? undefined
      : new Set(connection.all<{ segment: number }>(VISIBLE_SEGMENTS, [owner]).map(({ segment }) => segment))
  const rows: ReadonlyArray<ChunkNumber> = [
    ...(rulesOf(meta.get("mutability") ?? "").expires
      ? connection.all<ChunkNumber>(EXPIRED_CHUNKS, [now, now])
      : []),
    ...(only === "memory"
      ? connection.all<ChunkNumber>("SELECT chunk_number FROM chunks WHERE memory_id IS NULL")
      : [])
  ]
  const hidden = rows.length === 0 ? undefined : new Set(rows.map(({ chunk_number }) => chunk_number))
  return { hidden, owner, segments, isEmpty: false }
}

/** Whether a chunk may be seen. */
export const isVisible = ({ hidden, isEmpty, segments }: Visibility, chunk: number): boolean =>
  !isEmpty && segments?.has(Math.floor(chunk / SEGMENT_CHUNKS)) !== false && hidden?.has(chunk) !== true

/** Rows of postings and vectors are narrowed in SQL where segments have owners; elsewhere nothing is compared. */
export const narrowed = (
  { isEmpty, owner }: Visibility,
  sql: string,
  condition: string,
  parameters: ReadonlyArray<string | number>
): readonly [sql: string, parameters: ReadonlyArray<string | number>] =>
  isEmpty
    ? [`${sql} AND false`, parameters]
    : owner === undefined
      ? [sql, parameters]
      : [`${sql} AND ${condition}`, [...parameters, owner]]
