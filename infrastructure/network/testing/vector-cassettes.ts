/**
 * Vectors for tests and benchmarks: clusters that are the same on every machine, and the real ones of a package; and
 * cassettes that hold texts with given vectors. Nothing else may import it.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import { EMBEDDING_NORMALIZER, type EmbedderIdentity, unitVector } from "../../../domain/network/vectors.ts"
import { sha256 } from "../../hashing/sha256.ts"
import { foldSigns, putVectors } from "../vectors/vector-writing.ts"
import { newCassette, put } from "./cassettes.ts"

export const maker = (dimensions: number): EmbedderIdentity => ({
  model: "given",
  revision: "1",
  dimensions,
  normalizer: EMBEDDING_NORMALIZER
})

/** A stream of numbers from 0 to 1 that is the same for the same start. */
const numbersFrom = (start: number) => {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Vectors in clusters: each is a centre and `spread` times as much noise, at length 1. */
export const clusteredVectors = (
  count: number,
  dimensions: number,
  clusters: number,
  spread: number,
  start: number
): ReadonlyArray<Float32Array> => {
  const next = numbersFrom(start)
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const centres = Array.from({ length: clusters }, () => Array.from({ length: dimensions }, normal))
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(next() * clusters)]!
    const values = centre.map((value) => value + spread * normal())
    return unitVector(values, dimensions)!
  })
}

export interface RealText {
  readonly title: string
  readonly content: string
  readonly tags: ReadonlyArray<string>
  /** By all-MiniLM-L6-v2, of the beginning of the content. */
  readonly vector: Float32Array
}

/** The 778 texts and vectors of `@sap-ux/fiori-docs-embeddings`. */
export const realTexts = (): ReadonlyArray<RealText> => {
  const folder = new URL("data/embeddings/", import.meta.resolve("@sap-ux/fiori-docs-embeddings"))
  const read = (name: string) => readFileSync(fileURLToPath(new URL(name, folder)))
  const floats = new Float32Array(new Uint8Array(read("embeddings.bin")).buffer)
  return read("records.jsonl")
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line, index) => {
      const { content, tags_json, title } = JSON.parse(line) as Readonly<
        Record<"content" | "tags_json" | "title", string>
      >
      const tags = JSON.parse(tags_json) as ReadonlyArray<string>
      return { title, content, tags, vector: floats.slice(384 * index, 384 * (index + 1)) }
    })
}

/** The hash of the text that stands for a number. */
export const textHash = (number: number): string => sha256(`text ${number}`)

/**
 * A closed cassette with the given vectors by the number of their text; the signs stay in the tail when `folded` is
 * false. Its chunks are bare: they can be found, and have no words.
 */
export const vectorCassette = (
  folder: string,
  id: string,
  vectors: ReadonlyMap<number, Float32Array>,
  folded = true
): string => {
  const { connection, file } = newCassette(folder, id)
  put(connection, "a/one.md", "# One\n\nA document.")
  const entries = [...vectors].map(([number, vector]) => ({ hash: textHash(number), vector }))
  connection.transaction(() => {
    for (let segment = 1; segment * SEGMENT_CHUNKS < entries.length + 10; segment++) {
      connection.run("INSERT INTO segments VALUES (?, '', ?, 0, 0, x'')", [segment, SEGMENT_CHUNKS])
    }
    for (const [index, { hash }] of entries.entries()) {
      connection.run(
        "INSERT INTO chunks (chunk_number, chunk_id, document_id, ordinal, hash, kind, heading_path, byte_start, byte_end) VALUES (?, ?, 1, ?, ?, 'paragraph', '', 0, 0)",
        [index + 10, hash.slice(0, 32), index + 10, hash]
      )
    }
    if (entries.length > 0) putVectors(connection, maker(entries[0]!.vector.length), entries)
    if (folded) foldSigns(connection)
  })
  connection.close()
  return file
}
