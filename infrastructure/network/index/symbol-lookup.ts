// Finds the texts that symbols name in one cassette: hashes by their first digits through the indexes, and texts by
// whole hashes. Nothing outside the scope is found, and a text that its own hash does not name is told as damaged
// instead of being shown.
import type { ReadScope, SymbolText } from "../../../domain/network/index-requests.ts"
import { MAX_PLACES } from "../../../domain/network/limits.ts"
import type { SymbolKind } from "../../../domain/network/symbols/symbols.ts"
import { byStoredPlace } from "../../../domain/network/text-order.ts"
import { sha256 } from "../../hashing/sha256.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { OpenCassette } from "../cassette-file.ts"
import { isVisible, type Visibility } from "./cassette-visibility.ts"
import { chunkTexts, visiblePlaces } from "./stored-texts.ts"

interface FoundHash {
  /** Which of the asked prefixes it begins with. */
  readonly asked: number
  readonly hash: string
  readonly chunk_number: number
}

// A hash that begins with the digits is not below them and below them with a letter behind f: a range of the index.
const CHUNK_HASHES = `SELECT p.key AS asked, c.hash, c.chunk_number
FROM json_each(?) AS p CROSS JOIN chunks AS c INDEXED BY ix_chunks_hash ON c.hash >= p.value AND c.hash < p.value || 'g'`

// Expired documents are hidden, and where a newer version takes an older one's place, the older one is.
const VISIBLE_RESEARCH = `d.type = 'research' AND (d.expires_at IS NULL OR d.expires_at > ?)
AND NOT (? = 'stable' AND EXISTS (SELECT 1 FROM documents AS n WHERE n.path = d.path AND n.version > d.version))`

const DOCUMENT_HASHES = `SELECT p.key AS asked, d.content_hash AS hash, -1 AS chunk_number
FROM json_each(?) AS p CROSS JOIN documents AS d INDEXED BY ix_documents_content ON d.content_hash >= p.value AND d.content_hash < p.value || 'g'
WHERE ${VISIBLE_RESEARCH}`

const DOCUMENTS_OF_HASHES = `SELECT d.document_id AS id, d.path, d.type, d.content_hash AS hash
FROM documents AS d WHERE d.content_hash IN (SELECT value FROM json_each(?)) AND ${VISIBLE_RESEARCH} ORDER BY d.path, d.version`

// Of everybody and of the caller, as long as one save of it has not expired.
const VISIBLE_MEMORY = `m.owner IN ('', ?)
AND EXISTS (SELECT 1 FROM saves AS s WHERE s.memory_id = m.memory_id AND (s.expires_at IS NULL OR s.expires_at > ?))`

const MEMORY_HASHES = `SELECT p.key AS asked, m.content_hash AS hash, -1 AS chunk_number
FROM json_each(?) AS p CROSS JOIN memories AS m ON m.content_hash >= p.value AND m.content_hash < p.value || 'g'
WHERE ${VISIBLE_MEMORY}`

const MEMORIES_OF_HASHES = `SELECT m.memory_id AS id, '@A:' || m.content_hash AS path, 'memory' AS type, m.content_hash AS hash
FROM memories AS m WHERE m.content_hash IN (SELECT value FROM json_each(?)) AND ${VISIBLE_MEMORY} ORDER BY m.content_hash, m.owner`

const mutabilityOf = ({ meta }: OpenCassette): string => meta.get("mutability") ?? ""

const foundHashes = (
  cassette: OpenCassette,
  kind: SymbolKind,
  prefixes: ReadonlyArray<string>,
  { now }: ReadScope,
  { owner = "" }: Visibility
): ReadonlyArray<FoundHash> => {
  const { connection } = cassette
  const asked = JSON.stringify(prefixes)
  switch (kind) {
    case "chunk":
      return connection.all<FoundHash>(CHUNK_HASHES, [asked])
    case "document":
      return connection.all<FoundHash>(DOCUMENT_HASHES, [asked, now, mutabilityOf(cassette)])
    case "memory":
      return connection.all<FoundHash>(MEMORY_HASHES, [asked, owner, now])
  }
}

/** For each prefix the hashes that begin with it, at most `limit` of them, in order; `visibility` is that of the scope. */
export const hashesWithPrefixes = (
  cassette: OpenCassette,
  kind: SymbolKind,
  prefixes: ReadonlyArray<string>,
  limit: number,
  scope: ReadScope,
  visibility: Visibility
): ReadonlyArray<ReadonlyArray<string>> => {
  const found = prefixes.map(() => new Set<string>())
  for (const { asked, chunk_number, hash } of foundHashes(cassette, kind, prefixes, scope, visibility)) {
    if (chunk_number === -1 || isVisible(visibility, chunk_number)) found[asked]?.add(hash)
  }
  return found.map((hashes) => [...hashes].sort().slice(0, limit))
}

/** The first text that is the one which the hash names; the others are not read. */
const wholeText = <Place>(
  hash: string,
  places: ReadonlyArray<Place>,
  textOf: (place: Place) => string
): string | null => {
  for (const place of places) {
    const text = textOf(place)
    if (sha256(text) === hash) return text
  }
  return null
}

const textsOfChunks = (
  connection: Connection,
  visibility: Visibility,
  hashes: ReadonlyArray<string>
): ReadonlyArray<SymbolText> => {
  const found = [...visiblePlaces(connection, visibility, hashes)]
  const firsts = chunkTexts(
    connection,
    found.flatMap(([, places]) => places[0]?.chunk_number ?? [])
  )
  const textOf = (chunk: number): string =>
    (firsts.get(chunk) ?? chunkTexts(connection, [chunk]).get(chunk))?.content ?? ""
  return found.map(([hash, places]) => ({
    hash,
    content: wholeText(hash, places, ({ chunk_number }) => textOf(chunk_number)),
    places: places.slice(0, MAX_PLACES).map(({ place: { chunk_id, heading_path, ordinal, path, type } }) => ({
      path,
      type,
      chunk_id,
      ordinal,
      heading_path
    })),
    place_count: places.length
  }))
}

interface WholeText {
  readonly id: number
  readonly path: string
  readonly type: string
  readonly hash: string
}

const wholeTexts = (
  connection: Connection,
  table: "documents" | "memories",
  rows: ReadonlyArray<WholeText>
): ReadonlyArray<SymbolText> => {
  const key = table === "documents" ? "document_id" : "memory_id"
  const textOf = ({ id }: WholeText) =>
    connection.all<{ text: string }>(`SELECT text FROM ${table} WHERE ${key} = ?`, [id])[0]?.text ?? ""
  return [...Map.groupBy(rows, ({ hash }) => hash)].map(([hash, texts]) => ({
    hash,
    content: wholeText(hash, texts, textOf),
    places: texts
      .map(({ path, type }) => ({ path, type, chunk_id: null, ordinal: null, heading_path: [] }))
      .sort(byStoredPlace)
      .slice(0, MAX_PLACES),
    place_count: texts.length
  }))
}

/** The texts of these hashes, each once with the first of its places. */
export const textsOfHashes = (
  cassette: OpenCassette,
  kind: SymbolKind,
  hashes: ReadonlyArray<string>,
  { now }: ReadScope,
  visibility: Visibility
): ReadonlyArray<SymbolText> => {
  const { connection } = cassette
  const { owner = "" } = visibility
  const asked = JSON.stringify(hashes)
  switch (kind) {
    case "chunk":
      return textsOfChunks(connection, visibility, hashes)
    case "document":
      return wholeTexts(
        connection,
        "documents",
        connection.all<WholeText>(DOCUMENTS_OF_HASHES, [asked, now, mutabilityOf(cassette)])
      )
    case "memory":
      return wholeTexts(
        connection,
        "memories",
        connection.all<WholeText>(MEMORIES_OF_HASHES, [asked, owner, now])
      )
  }
}
