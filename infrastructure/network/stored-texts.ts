// The texts of chunks with the places where they stand, as far as a scope lets them be seen. A text is read once, and of many
// places only the first are named; how many there are is told.
import type { StoredPlace, StoredText, WantedText } from "../../domain/network/index-requests.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"
import { sees, type Sight } from "./cassette-sight.ts"
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
  sight: Sight,
  hashes: ReadonlyArray<string>
): ReadonlyMap<string, ReadonlyArray<NumberedPlace>> => {
  const rows = connection
    .all<PlaceRow>(PLACES, [JSON.stringify(hashes)])
    .filter(({ chunk_number }) => sees(sight, chunk_number))
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
export const chunkText = (
  connection: Connection,
  chunk: number
): Pick<StoredText, "content"> & { readonly line_start: number; readonly line_end: number } => {
  const [row] = connection.all<{ readonly upToEnd: Uint8Array; readonly start: number }>(
    `SELECT substr(CAST(coalesce(d.text, m.text) AS BLOB), 1, c.byte_end) AS upToEnd, c.byte_start AS start
FROM chunks AS c LEFT JOIN documents AS d ON d.document_id = c.document_id
LEFT JOIN memories AS m ON m.memory_id = c.memory_id WHERE c.chunk_number = ?`,
    [chunk]
  )
  const { start = 0, upToEnd = new Uint8Array() } = row ?? {}
  const bytes = upToEnd.subarray(start)
  const line_start = 1 + lineFeeds(upToEnd.subarray(0, start))
  return { content: decoder.decode(bytes), line_start, line_end: line_start + lineFeeds(bytes) }
}

/** Those of the wanted texts that are there and may be seen, each with at most `limit` places. */
export const storedTexts = (
  connection: Connection,
  sight: Sight,
  wanted: ReadonlyArray<WantedText>,
  limit: number
): ReadonlyArray<StoredText> => {
  const hashes = wanted.map(({ hash }) => hash)
  const byHash = visiblePlaces(connection, sight, hashes)
  return wanted.flatMap(({ first, hash }): ReadonlyArray<StoredText> => {
    const places = byHash.get(hash) ?? []
    const best =
      places.find(({ place }) => place.path === first?.path && place.ordinal === first.ordinal) ?? places[0]
    if (best === undefined) return []
    const others = places.filter((place) => place !== best)
    return [
      {
        hash,
        ...chunkText(connection, best.chunk_number),
        ...(best.memory_id === null ? {} : { memory: memoryNote(connection, best.memory_id) }),
        places: [best, ...others.slice(0, limit - 1)].map(({ place }) => place),
        place_count: places.length
      }
    ]
  })
}
