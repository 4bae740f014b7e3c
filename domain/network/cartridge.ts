// The form of a cartridge: a cassette's content as three canonical text files that any program can read, check and
// carry. Every line names its own hash, so that what was changed can be pointed at, and the manifest's roots cover every
// line. Derived data (chunks, indexes, vectors) is never part of one. See docs/spec/network.md, "Cartridges".
import * as Schema from "effect/Schema"
import { jcsText } from "../canonical/jcs.ts"
import type { JsonObject } from "../canonical/json.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { WellFormedText } from "../canonical/text.ts"
import { Timestamp } from "../canonical/timestamp.ts"
import { CassetteId, Mutability } from "./cassette.ts"

/** The files of a cartridge, in the order in which a packed one holds them. */
export const CARTRIDGE_FILES = ["manifest.json", "receipts.jsonl", "records.jsonl"] as const
export type CartridgeFile = (typeof CARTRIDGE_FILES)[number]

/** The version of the form; another major version is refused. */
export const CARTRIDGE_VERSION = "1.0"

const Hash = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "64 lower-case hexadecimal digits" })
)
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const Ordinal = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))

/** True for a path that stays below whatever it is read against. */
const isContainedPath = (path: string): boolean =>
  !path.startsWith("/") && path.split("/").every((name) => name !== "" && name !== "." && name !== "..")

const DocumentPath = WellFormedText.check(
  Schema.makeFilter(isContainedPath, { expected: "a relative path without empty, . and .. names" })
)

const CartridgeManifest = Schema.Struct({
  cartridge_version: Schema.String,
  cassette_id: CassetteId,
  counts: Schema.Struct({ receipts: Count, records: Count }),
  /** As in the handshake. */
  db_hash: Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{16}$/, { expected: "16 lower-case hexadecimal digits" })
  ),
  encoding: Schema.Literal("utf-8"),
  export_format: Schema.Literal("cartridge"),
  id_scheme: Schema.Literal("content-hash"),
  /** SHA-256 over the canonical text of all other fields. */
  manifest_hash: Hash,
  /** The hash of the newest receipt of a migration. */
  migration_receipt: Schema.String.check(
    Schema.isPattern(/^sha256:[0-9a-f]{64}$/, { expected: "sha256: and 64 hexadecimal digits" })
  ),
  mutability: Mutability,
  /** Of the index: texts are kept as they were given. */
  normalization: Schema.Literal("NFC"),
  receipt_chain: Schema.Literal("merkle"),
  receipt_head: Hash,
  /** RFC 6962 root over the bytes of all `receipt_hash`, in the order of the file. */
  receipts_root: Hash,
  /** RFC 6962 root over the bytes of all `entry_hash`, in the order of the file. */
  records_root: Hash,
  schema_version: Schema.String,
  sealed: Schema.Boolean,
  ttl_ms: Count
})
export type CartridgeManifest = typeof CartridgeManifest.Type

const CartridgeReceipt = Schema.Struct({
  operation: Schema.Literals(["migrate", "add", "remove", "seal"]),
  parent_hash: Hash,
  receipt_hash: Hash,
  receipt_index: Ordinal,
  record_hash: Hash,
  rule: WellFormedText
})
/** A line of `receipts.jsonl`. */
export type CartridgeReceipt = typeof CartridgeReceipt.Type

const CartridgeRecord = Schema.Struct({
  added_at: Timestamp,
  content_hash: Hash,
  /** SHA-256 over the canonical text of all fields but itself and `text`. */
  entry_hash: Hash,
  expires_at: Schema.NullOr(Timestamp),
  kind: Schema.Literal("document"),
  path: DocumentPath,
  /** The receipt that wrote it. */
  receipt_index: Ordinal,
  record_hash: Hash,
  text: WellFormedText,
  type: WellFormedText,
  version: Ordinal
})
/** A line of `records.jsonl`. */
export type CartridgeRecord = typeof CartridgeRecord.Type

const strictly = { onExcessProperty: "error", errors: "first" } as const

export const decodeCartridgeManifest = Schema.decodeUnknownResult(CartridgeManifest, strictly)
export const decodeCartridgeReceipt = Schema.decodeUnknownResult(CartridgeReceipt, strictly)
export const decodeCartridgeRecord = Schema.decodeUnknownResult(CartridgeRecord, strictly)

/** The hash of everything in a record's line; its text counts by its content hash. */
export const entryHash = (sha256: Sha256, record: Omit<CartridgeRecord, "entry_hash" | "text">): string => {
  const { entry_hash: _, text: __, ...fields } = record as CartridgeRecord
  return sha256(jcsText(fields))
}

/** The hash of everything in a manifest. */
export const manifestHash = (sha256: Sha256, manifest: Omit<CartridgeManifest, "manifest_hash">): string => {
  const { manifest_hash: _, ...fields } = manifest as CartridgeManifest
  return sha256(jcsText(fields))
}

/** One line of a cartridge's file, with its line feed. */
export const cartridgeLine = (value: CartridgeManifest | CartridgeReceipt | CartridgeRecord): string =>
  `${jcsText(value as unknown as JsonObject)}\n`
