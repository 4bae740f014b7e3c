// The texts of chunks with the places where they stand, as far as a scope lets them be seen. A text is read once, and of many
// places only the first are named; how many there are is told.
import type { StoredPlace, StoredText, WantedText } from "../../../domain/network/index-requests.ts"
import { byStoredPlace } from "../../../domain/network/text-order.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import { isVisible, type Visibility } from "./cassette-visibility.ts"
import { memoryNote } from "./memory-reading.ts"

/** A place with the number of its chunk, and of the memory if it is one. */
interface NumberedPlace {
  readonly chunk_number: number
  readonly memory_id: number | null
  readonly place: StoredPlace
}

interface PlaceRow extends Omit<StoredPlace, "heading_path">, Omit<NumberedPlace, "place"> {
  readonly hash: string
  readonly heading_path: string
}

const placeOf = ({ chunk_id, heading_path, kind, ordinal, path, type }: PlaceRow): StoredPlace => ({
  chunk_id,
  path,
  type,
  ordinal,
  kind,
  heading_path: heading_path === "" ? [] : heading_path.split("\n")
})

const PLACES = `SELECT chunk_number, chunk_id, memory_id, path, type, hash, ordinal, kind, heading_path
FROM chunk_places WHERE hash IN (SELECT value FROM json_each(?)) ORDER BY path, ordinal`

/** All visible places of the texts of hashes, by hash, each in order of path and ordinal. */
export const visiblePlaces = (
  connection: Connection,
  visibility: Visibility,
  hashes: ReadonlyArray<string>
): ReadonlyMap<string, ReadonlyArray<NumberedPlace>> => {
  const rows = connection
    .all<PlaceRow>(PLACES, [JSON.stringify(hashes)])
    .filter(({ chunk_number }) => isVisible(visibility, chunk_number))
    // SQLite orders by UTF-8, cassettes are merged by UTF-16.
    .sort(byStoredPlace)
  return new Map(
    [...Map.groupBy(rows, ({ hash }) => hash)].map(([hash, places]) => [
      hash,
      places.map((row) => ({
        chunk_number: row.chunk_number,
        memory_id: row.memory_id,
        place: placeOf(row)
      }))
    ])
  )
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const LINE_FEED = 10

const lineFeeds = (bytes: Uint8Array): number => {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1
  return count
}

/** The text of a chunk, and its first and last line in the document, from 1. */
interface ChunkText extends Pick<StoredText, "content"> {
  readonly line_start: number
  readonly line_end: number
}

interface ChunkSpan {
  readonly chunk_number: number
  readonly document_id: number | null
  readonly memory_id: number | null
  readonly byte_start: number
  readonly byte_end: number
}

const SPANS = `SELECT chunk_number, document_id, memory_id, byte_start, byte_end FROM chunks
WHERE chunk_number IN (SELECT value FROM json_each(?)) ORDER BY document_id, memory_id, byte_start`

/** The first bytes of the record that a chunk is cut from. */
const beginningOf = (
  connection: Connection,
  { document_id, memory_id }: ChunkSpan,
  bytes: number
): Uint8Array => {
  const [table, key, id] =
    document_id === null ? ["memories", "memory_id", memory_id] : ["documents", "document_id", document_id]
  const [row] = connection.all<{ readonly text: Uint8Array }>(
    `SELECT substr(CAST(text AS BLOB), 1, ?) AS text FROM ${table} WHERE ${key} = ?`,
    [bytes, id]
  )
  return row?.text ?? new Uint8Array()
}

/** The texts of chunks by number; each document is read once, and its lines are counted once. */
export const chunkTexts = (
  connection: Connection,
  chunks: ReadonlyArray<number>
): ReadonlyMap<number, ChunkText> => {
  const spans = connection.all<ChunkSpan>(SPANS, [JSON.stringify(chunks)])
  const records = Map.groupBy(spans, ({ document_id, memory_id }) => `${document_id} ${memory_id}`)
  const texts = new Map<number, ChunkText>()
  for (const own of records.values()) {
    const end = own.reduce((most, { byte_end }) => Math.max(most, byte_end), 0)
    const bytes = beginningOf(connection, own[0]!, end)
    let at = 0
    let line = 1
    for (const { byte_end, byte_start, chunk_number } of own) {
      line += lineFeeds(bytes.subarray(at, byte_start))
      at = byte_start
      const text = bytes.subarray(byte_start, byte_end)
      texts.set(chunk_number, {
        content: decoder.decode(text),
        line_start: line,
        line_end: line + lineFeeds(text)
      })
    }
  }
  return texts
}

/** Those of the wanted texts that are there and may be seen, each with at most `limit` places. */
export const storedTexts = (
  connection: Connection,
  visibility: Visibility,
  wanted: ReadonlyArray<WantedText>,
  limit: number
): ReadonlyArray<StoredText> => {
  const byHash = visiblePlaces(
    connection,
    visibility,
    wanted.map(({ hash }) => hash)
  )
  const found = wanted.flatMap(({ first, hash }) => {
    const places = byHash.get(hash) ?? []
    const best =
      places.find(({ place }) => place.path === first?.path && place.ordinal === first.ordinal) ?? places[0]
    return best === undefined ? [] : [{ hash, best, places }]
  })
  const texts = chunkTexts(
    connection,
    found.map(({ best }) => best.chunk_number)
  )
  return found.flatMap(({ best, hash, places }): ReadonlyArray<StoredText> => {
    const text = texts.get(best.chunk_number)
    if (text === undefined) return []
    const others = places.filter((place) => place !== best)
    return [
      {
        hash,
        ...text,
        ...(best.memory_id === null ? {} : { memory: memoryNote(connection, best.memory_id) }),
        places: [best, ...others.slice(0, limit - 1)].map(({ place }) => place),
        place_count: places.length
      }
    ]
  })
}
