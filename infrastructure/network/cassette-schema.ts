// How a file becomes a cassette, in one transaction that also writes the first receipt, so that there is exactly one beginning
// however many create the file at once; and how a cassette is carried over to a later version, with a receipt of it.
import type { DatabaseFinding } from "../../domain/foundation/finding.ts"
import { type CassetteDescription, descriptionHash, receiptHash } from "../../domain/network/records.ts"
import type { MemoryScope, Mutability } from "../../domain/network/cassette.ts"
import { CASSETTE_SCHEMA_VERSION } from "../../domain/network/limits.ts"
import { sha256 } from "../hashing/sha256.ts"
import { DatabaseDamaged } from "../sqlite/connection/database-damaged.ts"
import type { Connection } from "../sqlite/connection/better-sqlite3-host.ts"
import { schemaFindings } from "../sqlite/checks/schema-check.ts"
import { recordedVersion } from "../sqlite/recorded-version.ts"
import { applySteps, stepsUpTo } from "../sqlite/checks/schema-steps.ts"
import type { SqlHost } from "../sqlite/connection/sql-host.ts"
import { CASSETTE_VERSIONS, type CassetteInspection, inspectCassette } from "./cassette-file.ts"
import { cassetteSteps } from "./schema-snapshots.ts"
import { insertReceipt, selectNewestReceipt, type StoredReceipt } from "./writing/document-statements.ts"
import { INDEX_COMPLETE } from "./writing/index-state.ts"
import { metaOf } from "./writing/index-writing.ts"

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

/** What differs from the schema of the version that the cassette records. */
export const cassetteSchemaFindings = (host: SqlHost): ReadonlyArray<DatabaseFinding> =>
  schemaFindings(
    host,
    CASSETTE_VERSIONS,
    stepsUpTo(cassetteSteps(), recordedVersion(host, CASSETTE_VERSIONS))
  )

/** Nothing is ever written again to a sealed cassette, not even a later version. */
const carryOver = (
  connection: Connection,
  { meta, version }: Extract<CassetteInspection, { kind: "cassette" }>
): void => {
  const missing = cassetteSteps().filter((step) => step.version > (version ?? Number.POSITIVE_INFINITY))
  if (missing.length === 0 || meta.get("sealed") === "1") return
  const [damage] = cassetteSchemaFindings(connection)
  if (damage !== undefined) {
    throw new DatabaseDamaged({ code: damage.code, where: damage.where, finding: damage.message })
  }
  applySteps(connection, CASSETTE_VERSIONS, missing, 0)
  for (const step of missing) addReceipt(connection, "migrate", step.checksum, step.name)
}

/**
 * Makes an empty file a cassette, and carries an older cassette over that is as `birth` says; each version has its receipt. What
 * is something else is left as it is.
 */
export const createCassette = (connection: Connection, birth: CassetteBirth): CassetteInspection =>
  connection.transaction(() => {
    const found = inspectCassette(connection)
    if (found.kind === "cassette") carryOver(connection, found)
    else if (found.kind === "empty") {
      beginCassette(connection, birth)
      for (const step of cassetteSteps()) addReceipt(connection, "migrate", step.checksum, step.name)
    } else return found
    return inspectCassette(connection)
  })
