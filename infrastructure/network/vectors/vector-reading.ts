// Reads the vectors of a cassette: how many lie how far from an asked one, told by their signs, and which are nearest,
// told by their numbers. Signs are kept in memory between questions for as long as SQLite says that nothing was written to
// the file; numbers are read for those that are compared. What the scope hides is neither counted nor found.
import type {
  IndexRequest,
  NearestTexts,
  VectorCensus,
  VectorStore
} from "../../../domain/network/index-requests.ts"
import { SEGMENT_CHUNKS, SEGMENT_VECTORS } from "../../../domain/network/limits.ts"
import { signDistances, signsOf, signWords } from "../../../domain/network/ranking/sign-bits.ts"
import { byText } from "../../../domain/network/text-order.ts"
import { cosine, type EmbedderIdentity, floatsOf, identityText } from "../../../domain/network/vectors.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import {
  hidesNothing,
  narrowed,
  isVisible,
  type Visibility,
  VISIBLE_SEGMENTS
} from "../index/cassette-visibility.ts"

/** The signs of all vectors of a cassette, as of one version of its file. */
interface Signs {
  readonly version: unknown
  readonly dimensions: number
  /** Ascending. */
  readonly ids: Uint32Array
  readonly words: Uint32Array
  /** The distances to the vector that was asked for last: its question comes twice. */
  asked?: { readonly signs: Uint32Array; readonly distances: Uint16Array }
  /** Which chunks have the text of which vector; read when a scope hides something. */
  owners?: { readonly rows: Uint32Array; readonly chunks: Float64Array }
}

const remembered = new WeakMap<Connection, Signs>()

const readSigns = (connection: Connection, dimensions: number, version: unknown): Signs => {
  const each = signWords(dimensions)
  const segments = connection.all<{ segment: number; present: Uint8Array; signs: Uint8Array }>(
    "SELECT segment, present, signs FROM vector_signs ORDER BY segment"
  )
  const tail = connection.all<{ vector_id: number; data: Uint8Array }>(
    "SELECT v.vector_id, v.data FROM vector_tail AS t JOIN vectors AS v ON v.vector_id = t.vector_id ORDER BY t.vector_id"
  )
  const room = segments.length * SEGMENT_VECTORS + tail.length
  const ids = new Uint32Array(room)
  const words = new Uint32Array(room * each)
  let found = 0
  for (const { present, segment, signs } of segments) {
    const stored = new Uint32Array(new Uint8Array(signs).buffer, 0, signs.byteLength >> 2)
    for (let place = 0; place < SEGMENT_VECTORS; place++) {
      if (((present[place >> 3] ?? 0) & (1 << (place & 7))) === 0) continue
      words.set(stored.subarray(place * each, (place + 1) * each), found * each)
      ids[found++] = segment * SEGMENT_VECTORS + place
    }
  }
  for (const { data, vector_id } of tail) {
    const signs = signsOf(floatsOf(data))
    if (signs.length !== each) continue
    words.set(signs, found * each)
    ids[found++] = vector_id
  }
  return { version, dimensions, ids: ids.subarray(0, found), words: words.subarray(0, found * each) }
}

/** SQLite's own number of the file's state says whether anybody else has written to it since. */
const signsIn = (connection: Connection, dimensions: number): Signs => {
  const version = connection.pragma("data_version")
  const known = remembered.get(connection)
  if (known !== undefined && known.version === version && known.dimensions === dimensions) return known
  const signs = readSigns(connection, dimensions, version)
  remembered.set(connection, signs)
  return signs
}

const distancesTo = (signs: Signs, vector: ReadonlyArray<number>): Uint16Array => {
  const asked = signsOf(vector)
  const { asked: last } = signs
  if (last?.signs.every((word, index) => word === asked[index]) === true) return last.distances
  const distances = signDistances(signs.words, asked)
  signs.asked = { signs: asked, distances }
  return distances
}

const ownersOf = (connection: Connection, signs: Signs): NonNullable<Signs["owners"]> => {
  if (signs.owners !== undefined) return signs.owners
  const rowOf = new Map(Array.from(signs.ids, (id, row) => [id, row]))
  const pairs = connection
    .all<{ vector_id: number; chunk_number: number }>(
      "SELECT v.vector_id, c.chunk_number FROM chunks AS c JOIN vectors AS v ON v.hash = c.hash"
    )
    .flatMap(({ chunk_number, vector_id }) => {
      const row = rowOf.get(vector_id)
      return row === undefined ? [] : [[row, chunk_number] as const]
    })
  return (signs.owners = {
    rows: Uint32Array.from(pairs, ([row]) => row),
    chunks: Float64Array.from(pairs, ([, chunk]) => chunk)
  })
}

/** A mark for each vector whose text some visible chunk has; undefined when nothing is hidden. */
const visibleRows = (
  connection: Connection,
  signs: Signs,
  visibility: Visibility
): Uint8Array | undefined => {
  if (hidesNothing(visibility)) return undefined
  const { chunks, rows } = ownersOf(connection, signs)
  const visible = new Uint8Array(signs.ids.length)
  for (let pair = 0; pair < rows.length; pair++)
    if (isVisible(visibility, chunks[pair]!)) visible[rows[pair]!] = 1
  return visible
}

/** Which vectors may be seen: those of a text that has a chunk in a segment that is read. */
const VISIBLE_VECTOR = `EXISTS (SELECT 1 FROM chunks AS c WHERE c.hash = vectors.hash AND c.chunk_number / ${SEGMENT_CHUNKS} IN (${VISIBLE_SEGMENTS}))`

/** A cassette has vectors of one maker, whose name stands beside each. */
const makerIn = (connection: Connection, visibility: Visibility): EmbedderIdentity | null => {
  const [from, parameters] = narrowed(visibility, "FROM vectors WHERE true", VISIBLE_VECTOR, [])
  const sql = `SELECT model, revision, dimensions, normalizer ${from} ORDER BY vector_id LIMIT 1`
  return connection.all<EmbedderIdentity>(sql, parameters)[0] ?? null
}

const isBy = (stored: EmbedderIdentity | null, identity: EmbedderIdentity): boolean =>
  stored !== null && identityText(stored) === identityText(identity)

/** How many visible vectors lie at each distance. */
export const vectorCensus = (
  connection: Connection,
  visibility: Visibility,
  { identity, vector }: IndexRequest & { readonly op: "census" }
): VectorCensus => {
  const stored = makerIn(connection, visibility)
  if (!isBy(stored, identity)) return { counts: [], stored }
  const signs = signsIn(connection, identity.dimensions)
  const visible = visibleRows(connection, signs, visibility)
  const distances = distancesTo(signs, vector)
  const counts = Array.from({ length: identity.dimensions + 1 }, () => 0)
  for (let row = 0; row < distances.length; row++) {
    if (visible === undefined || visible[row] === 1) counts[distances[row]!]! += 1
  }
  return { counts, stored }
}

interface VectorRow {
  readonly hash: string
  readonly data: Uint8Array
}

const READ_ALL = "SELECT hash, data FROM vectors"
const READ_SOME = `${READ_ALL} WHERE vector_id IN (SELECT value FROM json_each(?))`

/** The numbers of the vectors that are compared: of all, or of the visible ones that are near enough. */
const comparedVectors = (
  connection: Connection,
  visibility: Visibility,
  { identity, vector, within }: IndexRequest & { readonly op: "nearest" }
): ReadonlyArray<VectorRow> => {
  if (hidesNothing(visibility) && within === null) return connection.all<VectorRow>(READ_ALL)
  const signs = signsIn(connection, identity.dimensions)
  const visible = visibleRows(connection, signs, visibility)
  const distances = within === null ? undefined : distancesTo(signs, vector)
  const ids: Array<number> = []
  for (let row = 0; row < signs.ids.length; row++) {
    if (visible !== undefined && visible[row] === 0) continue
    if (distances === undefined || distances[row]! <= within!) ids.push(signs.ids[row]!)
  }
  return connection.all<VectorRow>(READ_SOME, [JSON.stringify(ids)])
}

/** The texts nearest to a vector, by comparing the vectors of its maker. */
export const nearestTexts = (
  connection: Connection,
  visibility: Visibility,
  request: IndexRequest & { readonly op: "nearest" }
): NearestTexts => {
  const { identity, limit, vector } = request
  if (!isBy(makerIn(connection, visibility), identity)) return { hashes: [], scores: [] }
  const asked = Float32Array.from(vector)
  const scored = comparedVectors(connection, visibility, request)
    .filter(({ data }) => data.byteLength === 4 * identity.dimensions)
    .map(({ data, hash }) => ({ hash, score: cosine(asked, floatsOf(data)) }))
    .sort((left, right) => right.score - left.score || byText(left.hash, right.hash))
  const found: Array<(typeof scored)[number]> = []
  for (const text of scored) {
    if (found.length >= limit) break
    // A text whose document is gone keeps its vector until the next indexing.
    const chunks = connection.all("SELECT 1 FROM chunks WHERE hash = ? LIMIT 1", [text.hash])
    if (chunks.length > 0) found.push(text)
  }
  return { hashes: found.map(({ hash }) => hash), scores: found.map(({ score }) => score) }
}

/** The vector of a visible text by this maker; null when there is none. */
export const vectorOfText = (
  connection: Connection,
  visibility: Visibility,
  { hash, identity }: IndexRequest & { readonly op: "vector" }
): ReadonlyArray<number> | null => {
  const chunks = connection.all<{ chunk_number: number }>("SELECT chunk_number FROM chunks WHERE hash = ?", [
    hash
  ])
  if (!chunks.some(({ chunk_number }) => isVisible(visibility, chunk_number))) return null
  const [row] = connection.all<EmbedderIdentity & { readonly data: Uint8Array }>(
    "SELECT model, revision, dimensions, normalizer, data FROM vectors WHERE hash = ?",
    [hash]
  )
  return row !== undefined && isBy(row, identity) ? [...floatsOf(row.data)] : null
}

/** How many vectors there are of each maker. */
export const vectorStores = (connection: Connection, visibility: Visibility): ReadonlyArray<VectorStore> => {
  const [from, parameters] = narrowed(visibility, "FROM vectors WHERE true", VISIBLE_VECTOR, [])
  return connection
    .all<EmbedderIdentity & { readonly count: number }>(
      `SELECT model, revision, dimensions, normalizer, count(*) AS count ${from} GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
      parameters
    )
    .map(({ count, dimensions, model, normalizer, revision }) => ({
      identity: { model, revision, dimensions, normalizer },
      count
    }))
}
