// The published vectors of the network's formats, which an independent program made from the specification: what we compute,
// rank, export and import is exactly that.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { Hit } from "../../domain/network/cassette.ts"
import { recordsRoot } from "../../domain/network/record-root.ts"
import type { Receipt } from "../../domain/network/receipt-form.ts"
import {
  type CassetteDescription,
  descriptionHash,
  chunkId,
  contentRoot,
  memoryRecordHash,
  type MemoryRecord,
  receiptHash,
  recordHash,
  saveRecordHash,
  type SaveRecord,
  type StoredVector,
  vectorHash
} from "../../domain/network/records.ts"
import { termTexts } from "../../domain/network/ranking/words.ts"
import { sha256, sha256Bytes, sha256OfBytes } from "../hashing/sha256.ts"
import { candidateDistance, signDistances, signsOf } from "../../domain/network/ranking/sign-bits.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { englishStem } from "./index/english-stems.ts"
import { exported, filesOf, imported } from "./testing/cartridges.ts"
import { cassetteWith, local, withNetworkOf } from "./testing/cassettes.ts"

interface Vectors {
  readonly records: ReadonlyArray<{
    readonly path: string
    readonly version: number
    readonly type: string
    readonly text: string
    readonly content_hash: string
    readonly added_at: string
    readonly expires_at: string | null
    readonly record_hash: string
  }>
  readonly description: CassetteDescription & { readonly description_hash: string }
  readonly memories: ReadonlyArray<MemoryRecord & { readonly text: string; readonly record_hash: string }>
  readonly saves: ReadonlyArray<SaveRecord & { readonly record_hash: string }>
  readonly receipts: ReadonlyArray<Receipt & { readonly receipt_hash: string }>
  readonly records_root: string
  readonly db_hash: string
  readonly chunks: ReadonlyArray<{
    readonly path: string
    readonly ordinal: number
    readonly text: string
    readonly hash: string
    readonly chunk_id: string
  }>
  readonly words: ReadonlyArray<{
    readonly text: string
    readonly sequence: string
    readonly identifiers: string
  }>
  readonly ranking: {
    readonly question: string
    readonly hits: ReadonlyArray<{
      readonly path: string
      readonly lexical: number
      readonly proximity: number
      readonly score: number
    }>
  }
  readonly repeats: {
    readonly documents: ReadonlyArray<{ readonly path: string; readonly text: string }>
    readonly question: string
    readonly hits: ReadonlyArray<{
      readonly path: string
      readonly ordinal: number
      readonly hash: string
      readonly lexical: number
      readonly proximity: number
      readonly repeats: number
      readonly score: number
    }>
  }
  readonly cartridge: Readonly<Record<string, string>>
  readonly stored_vector: StoredVector & {
    readonly numbers: ReadonlyArray<number>
    readonly vector_hash: string
  }
  readonly signs: {
    readonly vectors: ReadonlyArray<{ readonly numbers: ReadonlyArray<number>; readonly signs: string }>
    readonly distance_of_the_last_two: number
    readonly candidates: ReadonlyArray<{
      readonly vectors_by_distance: ReadonlyArray<number>
      readonly limit: number
      readonly compared_up_to: number | null
    }>
  }
}

const vectors = JSON.parse(
  readFileSync(new URL("../../docs/spec/vectors/network.json", import.meta.url), "utf8")
) as Vectors

describe("the vectors of docs/spec/vectors/network.json", () => {
  it("give the signs of embedded texts, their distance, and who is compared", () => {
    const { candidates, distance_of_the_last_two, vectors: given } = vectors.signs
    for (const { numbers, signs } of given) {
      expect(Buffer.from(signsOf(numbers).buffer).toString("hex")).toBe(signs)
    }
    const [left, right] = given.slice(-2).map(({ numbers }) => signsOf(numbers))
    expect([...signDistances(left!, right!)]).toEqual([distance_of_the_last_two])
    for (const { compared_up_to, limit, vectors_by_distance } of candidates) {
      expect(candidateDistance(vectors_by_distance, limit)).toBe(compared_up_to)
    }
  })

  it("hash a stored vector", () => {
    const { numbers, vector_hash, ...vector } = vectors.stored_vector
    const data_hash = sha256OfBytes(new Uint8Array(Float32Array.from(numbers).buffer))
    expect(data_hash).toBe(vector.data_hash)
    expect(vectorHash(sha256, vector)).toBe(vector_hash)
  })

  it("name records, receipts and their roots", () => {
    for (const record of vectors.records) {
      expect(sha256(record.text)).toBe(record.content_hash)
      expect(recordHash(sha256, record)).toBe(record.record_hash)
    }
    for (const memory of vectors.memories) {
      expect(sha256(memory.text)).toBe(memory.content_hash)
      expect(memoryRecordHash(sha256, memory)).toBe(memory.record_hash)
    }
    for (const save of vectors.saves) expect(saveRecordHash(sha256, save)).toBe(save.record_hash)
    expect(descriptionHash(sha256, vectors.description)).toBe(vectors.description.description_hash)
    expect(vectors.receipts[0]?.parent_hash).toBe(vectors.description.description_hash)
    for (const receipt of vectors.receipts) expect(receiptHash(sha256, receipt)).toBe(receipt.receipt_hash)
    const root = recordsRoot(
      sha256Bytes,
      [...vectors.records, ...vectors.memories, ...vectors.saves].map(({ record_hash }) => record_hash)
    )
    expect([root, contentRoot(sha256, root)]).toEqual([vectors.records_root, vectors.db_hash])
  })

  it("name chunks", () => {
    for (const { chunk_id, hash, ordinal, path, text } of vectors.chunks) {
      expect(sha256(text)).toBe(hash)
      expect(chunkId(sha256, path, ordinal, hash)).toBe(chunk_id)
    }
  })

  it.each(vectors.words.map(({ identifiers, sequence, text }) => [text, sequence, identifiers] as const))(
    "take %s apart",
    (text, sequence, identifiers) => {
      expect(termTexts(text, englishStem)).toEqual({ sequence, identifiers })
    }
  )

  it("cut and rank documents", async () => {
    const documents = Object.fromEntries(vectors.records.map(({ path, text }) => [path, text]))
    const cassette = local("vectors", cassetteWith(temporaryFolder(), "vectors", documents))
    const { hits } = await withNetworkOf([cassette], (network) => network.query(vectors.ranking.question))
    expect(hits.map(({ path }) => path)).toEqual(vectors.ranking.hits.map(({ path }) => path))
    for (const [index, { lexical, proximity, score }] of vectors.ranking.hits.entries()) {
      const hit = hits[index]!
      expect(hit.score).toBeCloseTo(score, 12)
      expect(hit.parts.lexical?.score).toBeCloseTo(lexical, 12)
      expect(hit.parts.lexical?.proximity).toBeCloseTo(proximity, 12)
      const chunk = vectors.chunks.find(({ path }) => path === hit.path)
      expect([hit.content, hit.chunk_id]).toEqual([chunk?.text, chunk?.chunk_id])
    }
  })

  it("rank further texts of a document", async () => {
    const { documents, hits: expected, question } = vectors.repeats
    const texts = Object.fromEntries(documents.map(({ path, text }) => [path, text]))
    const cassette = local("repeats", cassetteWith(temporaryFolder(), "repeats", texts))
    const { hits } = await withNetworkOf([cassette], (network) => network.query(question))
    const places = ({ hash, ordinal, path }: Pick<Hit, "hash" | "ordinal" | "path">) => [path, ordinal, hash]
    expect(hits.map(places)).toEqual(expected.map(places))
    for (const [index, { lexical, proximity, repeats, score }] of expected.entries()) {
      const { parts, score: actual } = hits[index]!
      expect(actual).toBeCloseTo(score, 12)
      expect(parts.lexical?.score).toBeCloseTo(lexical, 12)
      expect(parts.lexical?.proximity).toBeCloseTo(proximity, 12)
      expect(parts.lexical?.repeats).toBe(repeats)
    }
  })

  it("carry a cartridge that is imported, and exported to the same bytes", async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, "given"))
    for (const [name, text] of Object.entries(vectors.cartridge)) {
      writeFileSync(join(folder, "given", name), text)
    }
    expect(Result.isSuccess(await imported(join(folder, "given"), join(folder, "made.db")))).toBe(true)
    await exported("vectors", join(folder, "made.db"), join(folder, "again"))
    expect(filesOf(join(folder, "again"))).toEqual(vectors.cartridge)
  })
})
