// What a reading connection remembers of its file's postings between two questions: lists of terms, since counting and
// scoring need the same ones and common words come in every question, and lengths of chunks. It is of one state of the
// file and of one caller: every commit, and a question of another caller, makes it empty. The size of lists is
// bounded; lengths take four bytes for each chunk of the file, and are kept whole, since nearly every question needs them.
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import { narrowed, type Visibility, VISIBLE_SEGMENTS } from "./cassette-visibility.ts"

/** How much of lists is remembered by connection (bytes). */
const MAX_KNOWN_BYTES = 1_048_576

/** What a row or a term takes beside its list, roughly (bytes). */
const ROW_BYTES = 200

/** The chunks of a term in one segment: how many are still there, and all as bytes. */
export interface PostingsRow {
  readonly term: string
  readonly segment: number
  readonly chunks: number
  readonly data: Uint8Array
}

const LISTS =
  "SELECT term, segment, chunks, data FROM postings WHERE term IN (SELECT value FROM json_each(?))"

/** A segment's lists in the order of the question's terms; undefined where a term is not in it. */
export type SegmentLists = ReadonlyArray<Uint8Array | undefined>

/** The lists of terms by segment, for the segments that are asked for. */
export const bySegment = (
  lists: ReadonlyArray<ReadonlyArray<PostingsRow>>,
  segments: Iterable<number>
): ReadonlyMap<number, SegmentLists> => {
  const found = new Map(
    [...segments].map((segment): [number, Array<Uint8Array | undefined>] => [segment, []])
  )
  for (const [index, rows] of lists.entries()) {
    for (const { data, segment } of rows) {
      const own = found.get(segment)
      if (own !== undefined) own[index] = data
    }
  }
  return found
}

/** Lists and lengths of one state of a file, of the segments that one caller may see. */
export class KnownPostings {
  readonly version: number
  readonly visibility: Visibility
  private readonly connection: Connection
  private readonly lists = new Map<string, ReadonlyArray<PostingsRow>>()
  private readonly lengths = new Map<number, Uint32Array>()
  private bytes = 0

  constructor(connection: Connection, visibility: Visibility, version: number) {
    this.connection = connection
    this.visibility = visibility
    this.version = version
  }

  /** The postings of each term, in the order of the terms. */
  listsOf(terms: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<PostingsRow>> {
    const missing = terms.filter((term) => !this.lists.has(term))
    const rows =
      missing.length === 0
        ? []
        : this.connection.all<PostingsRow>(
            ...narrowed(this.visibility, LISTS, `segment IN (${VISIBLE_SEGMENTS})`, [JSON.stringify(missing)])
          )
    const read = Map.groupBy(rows, ({ term }) => term)
    for (const term of missing) this.lists.set(term, read.get(term) ?? [])
    const found = terms.map((term) => this.lists.get(term) ?? [])
    this.bytes += rows.reduce(
      (sum, { data }) => sum + data.byteLength + ROW_BYTES,
      missing.length * ROW_BYTES
    )
    if (this.bytes > MAX_KNOWN_BYTES) {
      this.lists.clear()
      this.bytes = 0
    }
    return found
  }

  /** The lengths of a segment's chunks in words, which must not be changed; 0 where there is none any more. */
  lengthsOf(segment: number): Uint32Array {
    const before = this.lengths.get(segment)
    if (before !== undefined) return before
    const [row] = this.connection.all<{ lengths: Uint8Array }>(
      "SELECT lengths FROM segments WHERE segment = ?",
      [segment]
    )
    const bytes = new Uint8Array(row?.lengths ?? [])
    const lengths = new Uint32Array(bytes.buffer, 0, bytes.byteLength >> 2)
    this.lengths.set(segment, lengths)
    return lengths
  }
}

const isSameCaller = (left: Visibility, right: Visibility): boolean =>
  left.owner === right.owner && left.isEmpty === right.isEmpty

const remembered = new WeakMap<Connection, KnownPostings>()

/** What is remembered of the moment that is being read; it must not be used after that. */
export const knownPostings = (connection: Connection, visibility: Visibility): KnownPostings => {
  const [row] = connection.all<{ version: number }>("SELECT data_version AS version FROM pragma_data_version")
  const version = row?.version ?? 0
  const before = remembered.get(connection)
  if (before?.version === version && isSameCaller(before.visibility, visibility)) return before
  const empty = new KnownPostings(connection, visibility, version)
  remembered.set(connection, empty)
  return empty
}
