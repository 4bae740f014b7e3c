// Judges the lines of a cartridge one after another, receipts and the records that they wrote: every hash, the chain, what
// the mutability allows, and at the end both roots and the counts. It keeps a few hashes for each record and nothing of
// the texts, and stops at the first fault, which it names; it reads nothing itself.
import { bytesOfHex, hexText, type Sha256Bytes } from "../../canonical/bytes.ts"
import { isJsonObject, type JsonValue } from "../../canonical/json.ts"
import { parseCanonicalJson } from "../../canonical/stored-json.ts"
import type { Sha256 } from "../../canonical/sha256.ts"
import { utf8ByteLength } from "../../canonical/text.ts"
import { MerkleFrontier } from "../../evidence/merkle-frontier.ts"
import { leafHash } from "../../evidence/merkle-tree.ts"
import type { CartridgeFile } from "./cartridge-names.ts"
import {
  type CartridgeDocument,
  type CartridgeManifest,
  type CartridgeMemory,
  type CartridgeReceipt,
  type CartridgeRecord,
  type CartridgeSave,
  CARTRIDGE_VERSION,
  entryHash,
  manifestHash
} from "./cartridge.ts"
import type { Mutability } from "../cassette.ts"
import type { CartridgeFault } from "../errors.ts"
import {
  CASSETTE_SCHEMA_VERSION,
  majorVersion,
  MAX_DOCUMENT_BYTES,
  MAX_MEMORY_BYTES,
  MAX_METADATA_BYTES
} from "../limits.ts"
import { NO_RECEIPT } from "../receipt-form.ts"
import { brokenRule } from "../receipt-rules.ts"
import { recordsRoot } from "../record-root.ts"
import {
  contentRoot,
  descriptionHash,
  memoryRecordHash,
  receiptHash,
  recordHash,
  saveRecordHash
} from "../records.ts"
import { rulesOf } from "../mutability.ts"

/** What is wrong; the place is that of the line that was judged, unless the fault names another. */
export interface Fault {
  readonly code: CartridgeFault
  readonly reason: string
  readonly file?: CartridgeFile
}

const fault = (code: CartridgeFault, reason: string, file?: CartridgeFile): Fault =>
  file === undefined ? { code, reason } : { code, reason, file }

/** Both ways of hashing. */
export interface CartridgeHashing {
  readonly sha256: Sha256
  readonly sha256Bytes: Sha256Bytes
}

const readVersions = {
  cartridge_version: CARTRIDGE_VERSION,
  schema_version: CASSETTE_SCHEMA_VERSION
} as const

/** Judges the versions that a manifest names, before anything else of it is understood. */
export const versionFault = (manifest: JsonValue): Fault | undefined => {
  if (!isJsonObject(manifest)) return undefined
  for (const [name, read] of Object.entries(readVersions)) {
    const version = manifest[name]
    if (typeof version === "string" && majorVersion(version) !== majorVersion(read)) {
      return fault("VERSION_UNSUPPORTED", `${name} has another major number than ${read}, which is read here`)
    }
  }
  return undefined
}

/** Judges a manifest by itself. */
export const manifestFault = (sha256: Sha256, manifest: CartridgeManifest): Fault | undefined => {
  if (manifestHash(sha256, manifest) !== manifest.manifest_hash) {
    return fault("MANIFEST_HASH_MISMATCH", "manifest_hash is not that of its fields")
  }
  return manifest.agent_id === null || manifest.memories === "private"
    ? undefined
    : fault("RULE_BROKEN", "only the cartridge of a private cassette is an agent's")
}

/** What a receipt added and none has removed. */
interface Live {
  readonly receipt_index: number
  carried: boolean
}

/** What the lines that were judged came to. */
export interface CartridgeFacts extends Pick<
  CartridgeManifest,
  "counts" | "db_hash" | "migration_receipt" | "receipt_head" | "receipts_root" | "records_root" | "sealed"
> {}

/** What a cassette promised when it was made, and for whom the cartridge is. */
export interface CartridgeScope extends Pick<
  CartridgeManifest,
  "agent_id" | "cassette_id" | "memories" | "mutability" | "schema_version" | "ttl_ms"
> {}

/** Takes the receipts in order and, right after the receipt that wrote it, each record. */
export class CartridgeCheck {
  private readonly hashing: CartridgeHashing
  private readonly scope: CartridgeScope
  private readonly mutability: Mutability
  /** The hash of what the cassette is, which the first receipt names. */
  readonly firstParent: string
  private readonly receiptsTree: MerkleFrontier
  private readonly recordsTree: MerkleFrontier
  private readonly live = new Map<string, Live>()
  private readonly versions = new Map<string, number>()
  /** How many saves each memory has. */
  private readonly saves = new Map<string, number>()
  private readonly recordHashes: Array<string> = []
  /** A memory whose first save is the next thing to come. */
  private unsaved: string | undefined = undefined
  private migration = NO_RECEIPT
  private newest: CartridgeReceipt | undefined = undefined

  constructor(hashing: CartridgeHashing, scope: CartridgeScope) {
    this.hashing = hashing
    this.scope = scope
    this.mutability = scope.mutability
    this.firstParent = descriptionHash(hashing.sha256, scope)
    this.receiptsTree = new MerkleFrontier(hashing.sha256Bytes)
    this.recordsTree = new MerkleFrontier(hashing.sha256Bytes)
  }

  private grow(tree: MerkleFrontier, hash: string): void {
    const { sha256Bytes } = this.hashing
    tree.append(leafHash(sha256Bytes, bytesOfHex(hash) ?? new Uint8Array(0)))
  }

  /** Judges the next receipt. */
  receipt(receipt: CartridgeReceipt): Fault | undefined {
    const { newest } = this
    const { receipt_hash, receipt_index, record_hash } = receipt
    if (receiptHash(this.hashing.sha256, receipt) !== receipt_hash) {
      return fault("RECEIPT_HASH_MISMATCH", "receipt_hash is not that of its fields")
    }
    if (receipt_index !== (newest?.receipt_index ?? 0) + 1) {
      return fault("RECEIPT_CHAIN_BROKEN", `receipt_index is ${receipt_index}, not that of the line`)
    }
    if (receipt.parent_hash !== (newest?.receipt_hash ?? this.firstParent)) {
      return fault("RECEIPT_CHAIN_BROKEN", "parent_hash is not the receipt before it")
    }
    const broken = brokenRule(receipt, {
      newest: newest?.operation,
      mutability: this.mutability,
      isThere: this.live.has(record_hash)
    })
    if (broken !== undefined) return fault("RULE_BROKEN", broken)
    const wrong = this.unsavedFault(receipt) ?? this.follow(receipt)
    if (wrong !== undefined) return wrong
    this.grow(this.receiptsTree, receipt_hash)
    this.newest = receipt
    return undefined
  }

  private follow({
    operation,
    receipt_hash,
    receipt_index,
    record_hash
  }: CartridgeReceipt): Fault | undefined {
    const known = this.live.get(record_hash)
    if (operation === "migrate") this.migration = receipt_hash
    if (operation === "add") this.live.set(record_hash, { receipt_index, carried: false })
    if (operation === "remove") {
      if (known?.carried === true) {
        return fault("RECORD_WITHOUT_RECEIPT", "it removes a record that the cartridge holds")
      }
      this.live.delete(record_hash)
    }
    return undefined
  }

  /** A memory is saved by the receipt right behind its own. */
  private unsavedFault({ receipt_index }: CartridgeReceipt): Fault | undefined {
    const memory = this.unsaved === undefined ? undefined : this.live.get(this.unsaved)
    return memory === undefined || memory.receipt_index === receipt_index - 1
      ? undefined
      : fault("RULE_BROKEN", "the memory before it has no save")
  }

  /** Judges the record that the newest receipt wrote. */
  record(record: CartridgeRecord): Fault | undefined {
    const wrong = this.contentFault(record) ?? this.ruleFault(record)
    if (wrong !== undefined) return wrong
    const known = this.live.get(record.record_hash)
    if (this.newest?.record_hash !== record.record_hash || known?.receipt_index !== record.receipt_index) {
      return fault("RECORD_WITHOUT_RECEIPT", `receipt ${record.receipt_index} did not add it`)
    }
    known.carried = true
    this.remember(record)
    this.recordHashes.push(record.record_hash)
    this.grow(this.recordsTree, record.entry_hash)
    return undefined
  }

  private remember(record: CartridgeRecord): void {
    this.unsaved = undefined
    if (record.kind === "document") this.versions.set(record.path, record.version)
    if (record.kind === "save") this.saves.set(record.memory, record.save_number)
    if (record.kind === "memory") {
      this.saves.set(record.record_hash, 0)
      this.unsaved = record.record_hash
    }
  }

  private recordHashOf(record: CartridgeRecord): string {
    const { sha256 } = this.hashing
    if (record.kind === "document") return recordHash(sha256, record)
    return record.kind === "memory" ? memoryRecordHash(sha256, record) : saveRecordHash(sha256, record)
  }

  private contentFault(record: CartridgeRecord): Fault | undefined {
    const { sha256 } = this.hashing
    if ("text" in record && sha256(record.text) !== record.content_hash) {
      return fault("CONTENT_HASH_MISMATCH", "content_hash is not that of its text")
    }
    if (this.recordHashOf(record) !== record.record_hash) {
      return fault("RECORD_HASH_MISMATCH", "record_hash is not that of its fields")
    }
    return entryHash(sha256, record) === record.entry_hash
      ? undefined
      : fault("ENTRY_HASH_MISMATCH", "entry_hash is not that of its fields")
  }

  private ruleFault(record: CartridgeRecord): Fault | undefined {
    if (this.unsaved !== undefined && (record.kind !== "save" || record.memory !== this.unsaved)) {
      return fault("RULE_BROKEN", "the memory before it has no save")
    }
    if (record.kind !== "memory" && (record.expires_at !== null) !== rulesOf(this.mutability).expires) {
      return fault("RULE_BROKEN", "records of an ephemeral cassette expire, and no others")
    }
    if (record.kind !== "document" && !rulesOf(this.mutability).remembers) {
      return fault("RULE_BROKEN", "nothing is remembered in an immutable cassette")
    }
    if (record.kind === "document") return this.documentFault(record)
    return record.kind === "memory" ? this.memoryFault(record) : this.saveFault(record)
  }

  private documentFault(record: CartridgeDocument): Fault | undefined {
    return utf8ByteLength(record.text) > MAX_DOCUMENT_BYTES
      ? fault("LIMIT_EXCEEDED", `a text has ${MAX_DOCUMENT_BYTES} bytes at most`)
      : this.versionFault(record)
  }

  private memoryFault({ owner, record_hash, text }: CartridgeMemory): Fault | undefined {
    const { agent_id, memories } = this.scope
    if (utf8ByteLength(text) > MAX_MEMORY_BYTES) {
      return fault("LIMIT_EXCEEDED", `a memory has ${MAX_MEMORY_BYTES} bytes at most`)
    }
    if (owner !== (memories === "private" ? agent_id : "")) {
      return fault(
        "RULE_BROKEN",
        "its owner is not the agent of the cartridge, or everybody sees its cassette"
      )
    }
    return this.saves.has(record_hash) ? fault("RULE_BROKEN", "it is there already") : undefined
  }

  private saveFault({ agent_id, memory, metadata, save_number }: CartridgeSave): Fault | undefined {
    if (utf8ByteLength(metadata) > MAX_METADATA_BYTES) {
      return fault("LIMIT_EXCEEDED", `metadata has ${MAX_METADATA_BYTES} bytes at most`)
    }
    if (!isJsonObject(parseCanonicalJson(metadata))) {
      return fault("FIELD_INVALID", "/metadata is no JSON object in canonical form")
    }
    if (this.scope.memories === "private" && agent_id !== this.scope.agent_id) {
      return fault("RULE_BROKEN", "it is not by the agent of the cartridge")
    }
    const before = this.saves.get(memory)
    return before !== undefined && save_number === before + 1
      ? undefined
      : fault("RULE_BROKEN", `save ${save_number} does not follow ${before ?? "any memory"}`)
  }

  private versionFault({ path, version }: CartridgeDocument): Fault | undefined {
    const before = this.versions.get(path)
    const isNext = rulesOf(this.mutability).versions
      ? version === (before ?? 0) + 1
      : before === undefined && version === 1
    return isNext ? undefined : fault("RULE_BROKEN", `version ${version} does not follow ${before ?? "none"}`)
  }

  /** What the lines so far give for the fields of a manifest. */
  facts(): CartridgeFacts {
    const { sha256, sha256Bytes } = this.hashing
    return {
      counts: { receipts: this.receiptsTree.size, records: this.recordsTree.size },
      db_hash: contentRoot(sha256, recordsRoot(sha256Bytes, this.recordHashes)),
      migration_receipt: `sha256:${this.migration}`,
      receipt_head: this.newest?.receipt_hash ?? NO_RECEIPT,
      receipts_root: hexText(this.receiptsTree.root()),
      records_root: hexText(this.recordsTree.root()),
      sealed: this.newest?.operation === "seal"
    }
  }

  /** The first receipt whose record is not there although nothing removed it. */
  missing(): { readonly receipt_index: number; readonly fault: Fault } | undefined {
    for (const { carried, receipt_index } of this.live.values()) {
      if (!carried) {
        return { receipt_index, fault: fault("RECORD_MISSING", "the record that it adds is not there") }
      }
    }
    return undefined
  }

  /** Judges everything that was taken against the manifest. */
  end(manifest: CartridgeManifest): Fault | undefined {
    const facts = this.facts()
    if (this.unsaved !== undefined) {
      return fault("RULE_BROKEN", "its last memory has no save", "records.jsonl")
    }
    for (const [name, file] of [
      ["receipts", "receipts.jsonl"],
      ["records", "records.jsonl"]
    ] as const) {
      if (facts.counts[name] !== manifest.counts[name]) {
        const reason = `it has ${facts.counts[name]} lines, the manifest says ${manifest.counts[name]}`
        return fault("COUNT_MISMATCH", reason, file)
      }
      if (facts[`${name}_root`] !== manifest[`${name}_root`]) {
        return fault("ROOT_MISMATCH", `its root is ${facts[`${name}_root`]}, the manifest has another`, file)
      }
    }
    for (const name of ["receipt_head", "migration_receipt", "db_hash", "sealed"] as const) {
      if (facts[name] !== manifest[name]) {
        return fault("MANIFEST_DIFFERS", `${name} should be ${facts[name]}`, "manifest.json")
      }
    }
    return undefined
  }
}
