// The released versions of a cassette's schema, and how a file becomes a cassette: in one transaction that also writes
// the first receipt, so that there is exactly one beginning however many create the file at once.
import { type CassetteDescription, descriptionHash, receiptHash } from "../../domain/network/records.ts"
import type { MemoryScope, Mutability } from "../../domain/network/cassette.ts"
import { CASSETTE_SCHEMA_VERSION } from "../../domain/network/limits.ts"
import { schema } from "../../migrations/snapshots/network/0001.ts"
import { sha256 } from "../hashing/sha256.ts"
import { DatabaseDamaged } from "../sqlite/database-damaged.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"
import { applySteps, schemaStep, type SchemaStep } from "../sqlite/schema-steps.ts"
import type { SqlHost } from "../sqlite/sql-host.ts"
import { type CassetteInspection, inspectCassette } from "./cassette-file.ts"
import { insertReceipt, selectNewestReceipt, type StoredReceipt } from "./writing/document-statements.ts"
import { INDEX_COMPLETE } from "./writing/index-state.ts"
import { metaOf } from "./writing/index-writing.ts"

/** Where a cassette records its versions. */
export const CASSETTE_VERSIONS = { table: "cassette_migrations" } as const

let steps: ReadonlyArray<SchemaStep> | undefined

/** Every released version, oldest first. */
export const cassetteSteps = (): ReadonlyArray<SchemaStep> =>
  (steps ??= [schemaStep(1, "0001-cassette", schema)])

/** What a new cassette is told once and keeps. */
export interface CassetteBirth {
  readonly id: string
  readonly mutability: Mutability
  readonly memories: MemoryScope
  /** How long an ephemeral cassette keeps a document (milliseconds). */
  readonly ttlMillis: number
}

/** Adds a receipt as it was made elsewhere; the guards hold it against the chain's end. */
export const copyReceipt = (host: SqlHost, receipt: StoredReceipt): void => {
  insertReceipt.run(host, receipt)
}

/** The hash of what a cassette says that it is: the parent of its first receipt. */
export const describedHash = (meta: ReadonlyMap<string, string>): string => {
  const value = (key: keyof CassetteDescription) => meta.get(key) ?? ""
  return descriptionHash(sha256, {
    cassette_id: value("cassette_id"),
    memories: value("memories"),
    mutability: value("mutability"),
    schema_version: value("schema_version"),
    ttl_ms: value("ttl_ms")
  })
}

/** True for a receipt with the hash of its fields; a damaged cell may hold what cannot be hashed. */
const isWhole = ({ receipt_hash, ...receipt }: StoredReceipt): boolean =>
  [receipt.parent_hash, receipt.operation, receipt.record_hash, receipt.rule].every(
    (value) => typeof value === "string"
  ) && receiptHash(sha256, receipt) === receipt_hash

/** The newest receipt, if there is one; nothing is built on one whose hash is not that of its fields. */
const chainEnd = (host: SqlHost): StoredReceipt | undefined => {
  const end = selectNewestReceipt.first(host, {})
  if (end === undefined || isWhole(end)) return end
  throw new DatabaseDamaged({
    code: "RECEIPT_CHAIN_BROKEN",
    where: `write_receipts ${end.receipt_index}`,
    finding: "its hash is not that of its fields"
  })
}

/** Adds receipts inside one transaction: the chain's end is read there, and then is what was added last. */
export class ReceiptChain {
  private readonly host: SqlHost
  private end: StoredReceipt | undefined

  constructor(host: SqlHost) {
    this.host = host
  }

  add(operation: string, record_hash: string, rule: string): void {
    const { host } = this
    const end = this.end ?? chainEnd(host)
    const receipt = {
      receipt_index: (end?.receipt_index ?? 0) + 1,
      parent_hash: end?.receipt_hash ?? describedHash(metaOf(host)),
      operation,
      record_hash,
      rule
    }
    const added = { ...receipt, receipt_hash: receiptHash(sha256, receipt) }
    copyReceipt(host, added)
    this.end = added
  }
}

/** Adds the receipt of one write; belongs into the write's own transaction. */
export const addReceipt = (host: SqlHost, operation: string, record_hash: string, rule: string): void =>
  new ReceiptChain(host).add(operation, record_hash, rule)

/** Gives an empty file the tables, guards and description of a cassette; its receipts are the caller's. */
export const beginCassette = (
  connection: Connection,
  { id, memories, mutability, ttlMillis }: CassetteBirth
): void => {
  applySteps(connection, CASSETTE_VERSIONS, cassetteSteps(), 0)
  const meta = {
    cassette_id: id,
    mutability,
    memories,
    schema_version: CASSETTE_SCHEMA_VERSION,
    ttl_ms: `${ttlMillis}`,
    indexing: INDEX_COMPLETE,
    reindexing: "0",
    sealed: "0",
    vectors: "0"
  }
  for (const [key, value] of Object.entries(meta)) {
    connection.run("INSERT INTO network_meta (key, value) VALUES (?, ?)", [key, value])
  }
}

/** Makes an empty file a cassette; what is a cassette already, or something else, is left as it is. */
export const createCassette = (connection: Connection, birth: CassetteBirth): CassetteInspection =>
  connection.transaction(() => {
    const found = inspectCassette(connection)
    if (found.kind !== "empty") return found
    beginCassette(connection, birth)
    for (const step of cassetteSteps()) addReceipt(connection, "migrate", step.checksum, step.name)
    return inspectCassette(connection)
  })
