// The form of a cartridge: a cassette's content as three canonical text files that any program can read, check and
// carry. Every line names its own hash, so that what was changed can be pointed at, and the manifest's roots cover every
// line. Derived data (chunks, indexes, vectors) is never part of one. See docs/spec/network.md, "Cartridges".
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { jcsText } from "../../canonical/jcs.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../canonical/json.ts"
import type { Sha256 } from "../../canonical/sha256.ts"
import { WellFormedText } from "../../canonical/text.ts"
import { Timestamp } from "../../canonical/timestamp.ts"
import { CassetteId, Mutability } from "../cassette.ts"

/** The version of the form; another major version is refused. */
export const CARTRIDGE_VERSION = "1.0"

const Hash = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "64 lower-case hexadecimal digits" })
)
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const Ordinal = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))

/** True for a path that stays below the folder that it is read against. */
const isContainedPath = (path: string): boolean =>
  !path.startsWith("/") && path.split("/").every((name) => name !== "" && name !== "." && name !== "..")

const DocumentPath = WellFormedText.check(
  Schema.makeFilter(isContainedPath, { expected: "a relative path without empty, . and .. names" })
)

const CartridgeManifest = Schema.Struct({
  /** The agent whose memories a private cassette's cartridge holds; null when it holds no agent's own. */
  agent_id: Schema.NullOr(WellFormedText),
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
  /** Who sees the memories of the cassette. */
  memories: Schema.Literals(["shared", "private"]),
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

/** What every line of `records.jsonl` has. */
const recordFields = {
  /** SHA-256 over the canonical text of all fields but itself and `text`. */
  entry_hash: Hash,
  /** The receipt that wrote it. */
  receipt_index: Ordinal,
  record_hash: Hash
} as const

const CartridgeDocument = Schema.Struct({
  ...recordFields,
  kind: Schema.Literal("document"),
  added_at: Timestamp,
  content_hash: Hash,
  expires_at: Schema.NullOr(Timestamp),
  path: DocumentPath,
  text: WellFormedText,
  type: WellFormedText,
  version: Ordinal
})
export type CartridgeDocument = typeof CartridgeDocument.Type

const CartridgeMemory = Schema.Struct({
  ...recordFields,
  kind: Schema.Literal("memory"),
  content_hash: Hash,
  /** The only agent that may see it; empty: everybody. */
  owner: WellFormedText,
  text: WellFormedText
})
export type CartridgeMemory = typeof CartridgeMemory.Type

const CartridgeSave = Schema.Struct({
  ...recordFields,
  kind: Schema.Literal("save"),
  agent_id: Schema.NullOr(WellFormedText),
  expires_at: Schema.NullOr(Timestamp),
  /** `record_hash` of what was saved. */
  memory: Hash,
  /** A JSON object as its canonical text. */
  metadata: WellFormedText,
  save_number: Ordinal,
  saved_at: Timestamp
})
export type CartridgeSave = typeof CartridgeSave.Type

/** A line of `records.jsonl`. */
export type CartridgeRecord = CartridgeDocument | CartridgeMemory | CartridgeSave

type Unhashed<Record> = Record extends CartridgeRecord ? Omit<Record, "entry_hash"> : never

const strictly = { onExcessProperty: "error", errors: "first" } as const

export const decodeCartridgeManifest = Schema.decodeUnknownResult(CartridgeManifest, strictly)
export const decodeCartridgeReceipt = Schema.decodeUnknownResult(CartridgeReceipt, strictly)

const decodeDocument = Schema.decodeUnknownResult(CartridgeDocument, strictly)
const decodeMemory = Schema.decodeUnknownResult(CartridgeMemory, strictly)
const decodeSave = Schema.decodeUnknownResult(CartridgeSave, strictly)

/** Decodes a record by its kind, so that a fault is that of a field and not that of every kind. */
export const decodeCartridgeRecord = (
  value: JsonValue
): Result.Result<CartridgeRecord, Schema.SchemaError> => {
  const kind = isJsonObject(value) ? value["kind"] : undefined
  if (kind === "memory") return decodeMemory(value)
  return kind === "save" ? decodeSave(value) : decodeDocument(value)
}

/** The hash of everything in a record's line; its text counts by its content hash. */
export const entryHash = (sha256: Sha256, record: Unhashed<CartridgeRecord>): string => {
  const { entry_hash: _, text: __, ...fields } = record as CartridgeDocument
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
