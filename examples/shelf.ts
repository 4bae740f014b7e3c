// A store of one's own for the cassette network: a shelf of notes in memory. It keeps no file and knows no schema of ours; it
// shakes hands, finds notes by their words, and counts itself. examples/network.ts asks it together with cassettes.
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import type { CassetteStats, Handshake, PlainStore, StoreHit } from "cortex-cassette/network"

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const byTitle = ([left]: readonly [string, string], [right]: readonly [string, string]): number =>
  left < right ? -1 : 1

/** A shelf with these notes by their titles, as a cassette with this id. */
export const makeShelf = (id: string, notes: Readonly<Record<string, string>>): PlainStore => {
  const shelf = Object.entries(notes).sort(byTitle)
  const stats: CassetteStats = {
    total_chunks: shelf.length,
    with_vectors: 0,
    files: shelf.length,
    content_types: shelf.length === 0 ? [] : ["note"]
  }
  const handshake: Handshake = {
    cassette_id: id,
    db_path: "in memory",
    // What is on the shelf, and not where it lies: two shelves with the same notes have the same hash.
    db_hash: sha256(JSON.stringify(shelf)).slice(0, 16),
    capabilities: ["fts"],
    schema_version: "1.0",
    protocol: "SNP",
    protocol_version: "1.0",
    embedding_model: null,
    mutability: "immutable",
    stats
  }
  const find = (text: string, topK: number): ReadonlyArray<StoreHit> => {
    const wanted = new Set(wordsOf(text))
    return shelf
      .map(([path, content]) => ({
        path,
        content,
        count: wordsOf(`${path} ${content}`).filter((word) => wanted.has(word)).length
      }))
      .filter(({ count }) => count > 0)
      .sort((left, right) => right.count - left.count)
      .slice(0, topK)
      .map(({ content, path }) => ({
        chunk_id: sha256(path).slice(0, 32),
        path,
        hash: sha256(content),
        content
      }))
  }
  return {
    cassetteId: id,
    inProcess: true,
    handshake: Effect.succeed(handshake),
    getStats: Effect.succeed(stats),
    query: (text, topK) => Effect.sync(() => find(text, topK)),
    close: Effect.void
  }
}
