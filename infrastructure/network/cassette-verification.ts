// Judges a cassette from its file alone: SQLite's own check, the schema, every document against its hashes, the chain of
// receipts against the documents, and everything derived against what the documents give. It reads one moment and
// changes nothing.
import type { CassetteFinding, CassetteReport } from "../../domain/network/verification.ts"
import { FIRST_PARENT, type Receipt } from "../../domain/network/receipt-form.ts"
import { contentRoot, receiptHash, recordHash } from "../../domain/network/records.ts"
import { recordsRoot } from "../../domain/network/record-root.ts"
import { sha256, sha256Bytes } from "../hashing/sha256.ts"
import { type Connection, openBytes } from "../sqlite/better-sqlite3-host.ts"
import { schemaFindings } from "../sqlite/schema-check.ts"
import { CASSETTE_VERSIONS, cassetteSteps } from "./cassette-schema.ts"
import { checkChunks, checkStrayChunks, type Find } from "./chunk-verification.ts"
import { checkDescription, checkRecordRules, checkRules } from "./description-verification.ts"
import { checkMemories } from "./memory-verification.ts"
import { checkPostings } from "./postings-verification.ts"
import { vectorFindings } from "./vector-verification.ts"

interface DocumentRow {
  readonly document_id: number
  readonly path: string
  readonly version: number
  readonly type: string
  readonly text: string
  readonly content_hash: string
  readonly record_hash: string
}

const checkStructure = (connection: Connection, find: Find): boolean => {
  for (const { integrity_check: line } of connection.all<{ integrity_check: string }>(
    "PRAGMA integrity_check(10)"
  )) {
    if (line !== "ok") find("INTEGRITY", "file", line)
  }
  const findings = schemaFindings(connection, CASSETTE_VERSIONS, cassetteSteps())
  for (const { code, message, where } of findings) find(code as CassetteFinding["code"], where, message)
  return findings.length === 0
}

interface ReceiptRow extends Receipt {
  readonly receipt_hash: string
}

/** Checks the chain; gives the records that it says are there. */
const checkReceipts = (receipts: ReadonlyArray<ReceiptRow>, find: Find): ReadonlySet<string> => {
  const records = new Set<string>()
  let parent = FIRST_PARENT
  for (const [index, row] of receipts.entries()) {
    const { receipt_hash, ...receipt } = row
    const where = `write_receipts ${receipt.receipt_index}`
    if (receipt.receipt_index !== index + 1 || receipt.parent_hash !== parent) {
      find("RECEIPT_CHAIN_BROKEN", where, "it does not follow from the receipt before it")
    }
    if (receiptHash(sha256, receipt) !== receipt_hash) {
      find("RECEIPT_CHAIN_BROKEN", where, "its hash is not that of its fields")
    }
    parent = receipt_hash
    if (receipt.operation === "add") records.add(receipt.record_hash)
    if (receipt.operation === "remove") records.delete(receipt.record_hash)
  }
  return records
}

const checkDocument = (document: DocumentRow, records: ReadonlySet<string>, find: Find): void => {
  const where = `documents ${document.path}`
  if (sha256(document.text) !== document.content_hash) {
    find("CONTENT_HASH_MISMATCH", where, "its text was changed")
  }
  if (recordHash(sha256, document) !== document.record_hash) {
    find("RECORD_HASH_MISMATCH", where, "its path, version, type or content hash was changed")
  }
  if (!records.has(document.record_hash)) {
    find("RECORD_WITHOUT_RECEIPT", where, "no receipt says that it was added")
  }
}

/** SQLite's own check of the full-text index writes, so it runs on a private copy. */
const checkFullText = (connection: Connection, find: Find): void => {
  const bytes = connection.serialize()
  // A database in memory has no write-ahead log, and must not say that it needs one.
  bytes.fill(1, 18, 20)
  const copy = openBytes(bytes)
  try {
    copy.run("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
  } catch (error) {
    find("FULL_TEXT_DIFFERS", "chunks_fts", error instanceof Error ? error.message : "SQLite's check fails")
  } finally {
    copy.close()
  }
}

/** Findings and facts of one open cassette. */
export const verifyCassette = (
  connection: Connection,
  id: string
): {
  readonly findings: ReadonlyArray<CassetteFinding>
  readonly facts: CassetteReport["cassettes"][number]
} => {
  const findings: Array<CassetteFinding> = []
  const find: Find = (code, where, message) => findings.push({ code, where: `${id} ${where}`, message })
  const isWhole = checkStructure(connection, find)
  const receipts = isWhole
    ? connection.all<ReceiptRow>("SELECT * FROM write_receipts ORDER BY receipt_index")
    : []
  const records = checkReceipts(receipts, find)
  let chunks = 0
  const stored: Array<string> = []
  let documents = 0
  let memories = 0
  if (isWhole) {
    checkDescription(connection, id, receipts, find)
    checkRules(connection, receipts, find)
    checkRecordRules(connection, find)
    const ids = connection.all<{ document_id: number }>(
      "SELECT document_id FROM documents ORDER BY path, version"
    )
    for (const { document_id } of ids) {
      const [document] = connection.all<DocumentRow>("SELECT * FROM documents WHERE document_id = ?", [
        document_id
      ])
      if (document === undefined) continue
      documents += 1
      stored.push(document.record_hash)
      checkDocument(document, records, find)
      if (isIndexed(connection, document)) chunks += checkChunks(connection, document, find)
    }
    const remembered = checkMemories(connection, records, find)
    memories = remembered.memories
    chunks = checkStrayChunks(connection, chunks + remembered.chunks, find)
    stored.push(...remembered.records)
    const present = new Set(stored)
    for (const record of records) {
      if (!present.has(record))
        find("RECORD_MISSING", `record ${record}`, "what it was is gone without a receipt")
    }
    checkPostings(connection, find)
    for (const { code, message, where } of vectorFindings(connection)) find(code, where, message)
    checkFullText(connection, find)
  }
  return {
    findings,
    facts: {
      cassette_id: id,
      db_hash: contentRoot(sha256, recordsRoot(sha256Bytes, stored)),
      documents,
      memories,
      chunks,
      receipts: receipts.length,
      receipt_head: receipts.at(-1)?.receipt_hash ?? FIRST_PARENT
    }
  }
}

/** False for a document whose newer version took its place in the index. */
const isIndexed = (connection: Connection, { path, version }: DocumentRow): boolean =>
  connection.all<{ found: number }>(
    "SELECT 1 AS found FROM documents WHERE path = ? AND version > ? AND (SELECT value FROM network_meta WHERE key = 'mutability') IS NOT 'append-only'",
    [path, version]
  ).length === 0
