// Judges a cassette from its file alone: SQLite's own check, the schema, every document against its hashes, the chain of
// receipts against the documents, and everything derived against what the documents give. It reads one moment and
// changes nothing.
import { appendTo } from "../../../domain/foundation/appending.ts"
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"
import type { CassetteFinding, CassetteReport } from "../../../domain/network/verification.ts"
import { SEGMENT_CHUNKS } from "../../../domain/network/limits.ts"
import { weightedCounts } from "../../../domain/network/ranking/term-counts.ts"
import { NO_RECEIPT } from "../../../domain/network/receipt-form.ts"
import { contentRoot, receiptHash, recordHash } from "../../../domain/network/records.ts"
import { recordsRoot } from "../../../domain/network/record-root.ts"
import { sha256, sha256Bytes } from "../../hashing/sha256.ts"
import { type Connection, openBytes } from "../../sqlite/connection/better-sqlite3-host.ts"
import { cassetteIdentity } from "../cassette-identity.ts"
import { part, stoppedTogether, stopsOf } from "../../sqlite/checks/check-parts.ts"
import { fileFindings, judgeFile } from "../../sqlite/checks/file-check.ts"
import { lookInto } from "../../sqlite/files/wal-leftovers.ts"
import { companionNotes } from "../../sqlite/checks/schema-check.ts"
import { cassetteSchemaFindings, describedHash } from "../cassette-schema.ts"
import { checkChunks, checkStrayChunks, type Find } from "./chunk-verification.ts"
import { checkDescription, checkRecordRules, checkRules } from "./description-verification.ts"
import { fullTextListFault } from "../index/full-text-lists.ts"
import { metaOf } from "../writing/index-writing.ts"
import { checkMemories } from "./memory-verification.ts"
import { checkPostings } from "./postings-verification.ts"
import {
  countMatches,
  type DocumentRow,
  type ReceiptRow,
  selectDocument,
  selectDocumentIds,
  selectLastChunk,
  selectReceipts,
  selectSuccessor,
  selectTermsBetween
} from "./verification-statements.ts"
import { checkVectors } from "./vector-verification.ts"

/**
 * Judges the file, its schema and the types of its cells; false when the schema is not the cassette's, or cells hold other types
 * than their columns', so that nothing else can be judged.
 */
const checkStructure = (connection: Connection, warnings: Array<string>, find: Find): boolean => {
  const schema = part("schema", () => {
    warnings.push(...companionNotes(connection))
    return cassetteSchemaFindings(connection)
  })
  const { cells, pages } = judgeFile(connection, cassetteIdentity)
  for (const { code, message, where } of [...pages, ...schema, ...cells]) {
    find(code as CassetteFinding["code"], where, message)
  }
  return schema.length === 0 && cells.length === 0
}

/** Checks the chain; gives the records that it says are there. */
const checkReceipts = (
  receipts: ReadonlyArray<ReceiptRow>,
  described: string,
  find: Find
): ReadonlySet<string> => {
  const records = new Set<string>()
  const [first] = receipts
  if (first !== undefined && first.parent_hash !== described) {
    find("DESCRIPTION_INVALID", "network_meta", "its first receipt was written for another description")
  }
  let parent = first?.parent_hash ?? described
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
    find("RECORD_HASH_MISMATCH", where, "its path, version, type, content hash or times were changed")
  }
  if (!records.has(document.record_hash)) {
    find("RECORD_WITHOUT_RECEIPT", where, "no receipt says that it was added")
  }
}

/** How many chunks each term stands in. */
const chunksByTerm = (connection: Connection): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (let from = 0, last = lastChunk(connection); from <= last; from += SEGMENT_CHUNKS) {
    for (const row of selectTermsBetween.all(connection, { from, before: from + SEGMENT_CHUNKS })) {
      for (const term of weightedCounts(row).keys()) counts.set(term, (counts.get(term) ?? 0) + 1)
    }
  }
  return counts
}

const lastChunk = (connection: Connection): number => selectLastChunk.first(connection, {})?.last ?? -1

const matches = (connection: Connection, term: string): number =>
  countMatches.first(connection, { term: `"${term}"` })?.chunks ?? 0

/**
 * SQLite's own check of the full-text index writes, so it runs on a private copy. It compares what the index holds and
 * never looks a term up: that is asked here, term by term.
 */
const checkFullText = (connection: Connection, find: Find): void => {
  const bytes = connection.serialize()
  // A database in memory has no write-ahead log, and must not say that it needs one.
  bytes.fill(1, 18, 20)
  const copy = openBytes(bytes)
  try {
    copy.run("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
    const fault = fullTextListFault(copy)
    if (fault !== undefined) return find("FULL_TEXT_DIFFERS", "chunks_fts", fault)
    const terms = chunksByTerm(copy)
    const lost = [...terms].filter(([term, chunks]) => matches(copy, term) !== chunks).length
    if (lost > 0)
      find("FULL_TEXT_DIFFERS", "chunks_fts", `${lost} of ${terms.size} terms are not found where they stand`)
  } catch (error) {
    find("FULL_TEXT_DIFFERS", "chunks_fts", error instanceof Error ? error.message : "SQLite's check fails")
  } finally {
    copy.close()
  }
}

/** Does one part of the judging; what cannot be read for it is kept in `stops`. */
const judged = (stops: Array<DatabaseFinding>, where: string, judge: () => void): void => {
  appendTo(stops, stopsOf(where, judge))
}

/** Checks every document and its chunks; gives how many there are, their chunks and their record hashes. */
const checkDocuments = (connection: Connection, records: ReadonlySet<string>, find: Find) => {
  const stored: Array<string> = []
  let chunks = 0
  for (const { document_id } of selectDocumentIds.all(connection, {})) {
    const document = selectDocument.first(connection, { document_id })
    if (document === undefined) {
      find("INTEGRITY", `documents ${document_id}`, "an index names it, and it is not found")
      continue
    }
    stored.push(document.record_hash)
    checkDocument(document, records, find)
    if (isIndexed(connection, document)) chunks += checkChunks(connection, document, find)
  }
  return { chunks, records: stored }
}

/** Findings and facts of one open cassette. */
export const verifyCassetteFile = (
  connection: Connection,
  id: string
): {
  readonly findings: ReadonlyArray<CassetteFinding>
  readonly warnings: ReadonlyArray<string>
  readonly facts: CassetteReport["cassettes"][number]
} => {
  const findings: Array<CassetteFinding> = []
  const warnings: Array<string> = []
  const find: Find = (code, where, message) => findings.push({ code, where: `${id} ${where}`, message })
  let receipts: ReadonlyArray<ReceiptRow> = []
  let documents: ReadonlyArray<string> = []
  let remembered = { memories: 0, chunks: 0, records: [] as ReadonlyArray<string> }
  let chunks = 0
  const stops: Array<DatabaseFinding> = []
  if (checkStructure(connection, warnings, find)) {
    let records: ReadonlySet<string> = new Set()
    judged(stops, "write_receipts", () => {
      receipts = selectReceipts.all(connection, {})
      records = checkReceipts(receipts, describedHash(metaOf(connection)), find)
    })
    judged(stops, "network_meta", () => {
      checkDescription(connection, id, receipts, find)
      checkRules(connection, receipts, find)
      checkRecordRules(connection, find)
    })
    judged(stops, "documents", () => {
      const checked = checkDocuments(connection, records, find)
      documents = checked.records
      chunks = checked.chunks
    })
    judged(stops, "memories", () => (remembered = checkMemories(connection, records, find)))
    judged(stops, "chunks", () => (chunks = checkStrayChunks(connection, chunks + remembered.chunks, find)))
    const present = new Set([...documents, ...remembered.records])
    for (const record of records) {
      if (!present.has(record))
        find("RECORD_MISSING", `record ${record}`, "what it was is gone without a receipt")
    }
    judged(stops, "postings", () => checkPostings(connection, find))
    judged(stops, "vectors", () => checkVectors(connection, find))
    for (const { code, message, where } of stoppedTogether(stops)) {
      find(code as CassetteFinding["code"], where, message)
    }
    checkFullText(connection, find)
  }
  const stored = [...documents, ...remembered.records]
  return {
    findings,
    warnings: warnings.map((warning) => `${id}: ${warning}`),
    facts: {
      cassette_id: id,
      db_hash: contentRoot(sha256, recordsRoot(sha256Bytes, stored)),
      documents: documents.length,
      memories: remembered.memories,
      chunks,
      receipts: receipts.length,
      receipt_head: receipts.at(-1)?.receipt_hash ?? NO_RECEIPT
    }
  }
}

/** False for a document whose newer version took its place in the index. */
const isIndexed = (connection: Connection, { path, version }: DocumentRow): boolean =>
  selectSuccessor.first(connection, { path, version }) === undefined

/** What is wrong with the pages of a cassette's file that cannot be opened; nothing where that is not for its pages. */
export const pageFindings = (file: string, id: string): ReadonlyArray<CassetteFinding> =>
  part("file", () => lookInto(file, fileFindings)).map(({ code, message, where }) => ({
    code: code as CassetteFinding["code"],
    where: `${id} ${where}`,
    message
  }))
