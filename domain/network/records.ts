// The names that content gives itself: chunk ids, record hashes, receipts and the root over all records. Each is a
// SHA-256 over a canonical array (`jcs/1`), so that anybody can compute it from an export. See docs/spec/network.md.
import { jcsText } from "../canonical/jcs.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { CASSETTE_SCHEMA_VERSION } from "./limits.ts"
import type { Receipt } from "./receipt-form.ts"
import type { EmbedderIdentity } from "./vectors.ts"

/** What a cassette is told once and keeps; the first receipt names its hash as its parent. */
export interface CassetteDescription {
  readonly cassette_id: string
  readonly memories: string
  readonly mutability: string
  readonly schema_version: string
  /** Milliseconds. */
  readonly ttl_ms: number | string
}

/** The hash of what a cassette is: the root of its chain of receipts. */
export const descriptionHash = (sha256: Sha256, description: CassetteDescription): string =>
  sha256(
    jcsText([
      "cassette/description/1",
      description.cassette_id,
      description.memories,
      description.mutability,
      description.schema_version,
      `${description.ttl_ms}`
    ])
  )

/** What identifies a document: a new version of one path, or another time, is a new record. */
export interface DocumentRecord {
  readonly path: string
  readonly version: number
  readonly type: string
  /** SHA-256 of the text. */
  readonly content_hash: string
  readonly added_at: string
  /** Until when an ephemeral cassette keeps it. */
  readonly expires_at: string | null
}

/** The hash under which a document stands in receipts and in the root. */
export const recordHash = (sha256: Sha256, document: DocumentRecord): string =>
  sha256(
    jcsText([
      "cassette/document/1",
      document.path,
      document.version,
      document.type,
      document.content_hash,
      document.added_at,
      document.expires_at
    ])
  )

/** What identifies a memory: its text for its owner (an agent; empty: everybody). */
export interface MemoryRecord {
  readonly owner: string
  /** SHA-256 of the text. */
  readonly content_hash: string
}

/** The hash under which a memory stands in receipts and in the root. */
export const memoryRecordHash = (sha256: Sha256, { content_hash, owner }: MemoryRecord): string =>
  sha256(jcsText(["cassette/memory/1", owner, content_hash]))

/** Who saved a memory, when, and with what. */
export interface SaveRecord {
  /** `record_hash` of the memory. */
  readonly memory: string
  /** From 1 on. */
  readonly save_number: number
  readonly agent_id: string | null
  readonly saved_at: string
  /** Until when an ephemeral cassette keeps it. */
  readonly expires_at: string | null
  /** A JSON object as `jcs/1`. */
  readonly metadata: string
}

/** The hash under which a save stands in receipts and in the root. */
export const saveRecordHash = (sha256: Sha256, save: SaveRecord): string =>
  sha256(
    jcsText([
      "cassette/save/1",
      save.memory,
      save.save_number,
      save.agent_id,
      save.saved_at,
      save.expires_at,
      save.metadata
    ])
  )

/** Where a memory is found in place of a path: its symbol. */
export const memoryPath = (hash: string): string => `@A:${hash}`

/** `chunk_id`: the place and the text of a chunk, 32 hexadecimal digits. */
export const chunkId = (sha256: Sha256, path: string, ordinal: number, hash: string): string =>
  sha256(jcsText([path, ordinal, hash])).slice(0, 32)

/** The hash of a receipt, which the next one names as its parent. */
export const receiptHash = (sha256: Sha256, receipt: Receipt): string =>
  sha256(
    jcsText([
      "cassette/receipt/1",
      receipt.receipt_index,
      receipt.parent_hash,
      receipt.operation,
      receipt.record_hash,
      receipt.rule
    ])
  )

/** `db_hash`: names what a cassette holds and not its file's bytes; 16 hexadecimal digits. */
export const contentRoot = (sha256: Sha256, root: string): string =>
  sha256(jcsText(["cassette/content/1", CASSETTE_SCHEMA_VERSION, root])).slice(0, 16)

/** A vector as a store keeps it. */
export interface StoredVector extends EmbedderIdentity {
  /** SHA-256 of the text. */
  readonly hash: string
  /** SHA-256 of the numbers: little-endian 32-bit floats. */
  readonly data_hash: string
}

/** The hash of a stored vector: whose it is, who made it, and its numbers. */
export const vectorHash = (sha256: Sha256, vector: StoredVector): string =>
  sha256(
    jcsText([
      "cassette/vector/1",
      vector.hash,
      vector.model,
      vector.revision,
      vector.dimensions,
      vector.normalizer,
      vector.data_hash
    ])
  )
