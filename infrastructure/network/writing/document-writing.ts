// Writes documents into a cassette: one or many are a unit of work, each with its receipt, its record and its index, and
// each follows the cassette's mutability. What the mutability forbids is refused here with a reason, and by the database's
// own guards for everybody else.
import { recordHash } from "../../../domain/network/records.ts"
import { decideDocument, decideRemoval, type WriteRules } from "../../../domain/network/decide-write.ts"
import { MAX_RUN_TAIL_CHUNKS } from "../../../domain/network/limits.ts"
import { sha256 } from "../../hashing/sha256.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { addReceipt, ReceiptChain } from "../cassette-schema.ts"
import type { IndexedRecord } from "../index/chunk-rows.ts"
import { type SearchedChunk, searchedChunks } from "../index/chunk-terms.ts"
import {
  deleteDocument,
  insertDocument,
  selectExpiredDocuments,
  selectNewestDocument,
  selectPaths,
  selectSearched,
  selectText,
  type StoredDocument
} from "./document-statements.ts"
import {
  foldLongTail,
  foldTail,
  indexRecord,
  indexUnit,
  type IndexUnit,
  metaOf,
  setMeta,
  withdrawRecord
} from "./index-writing.ts"
import { INDEX_COMPLETE, INDEX_UNDER_WAY, isUnfinished } from "./index-state.ts"
import { memoriesToIndex, removeExpiredMemories } from "./memory-writing.ts"
import { rulesOf } from "../../../domain/network/mutability.ts"
import type { WriteTime } from "./write-time.ts"

/** A document as it is given; its text is stored byte for byte. */
export interface GivenDocument {
  readonly path: string
  readonly type: string
  readonly text: string
}

/** A document with all that can be made of it before the file is locked. */
export interface PreparedDocument extends HashedDocument {
  readonly chunks: ReadonlyArray<SearchedChunk>
}

/** A document with the hash of its text. */
export interface HashedDocument extends GivenDocument {
  readonly content_hash: string
}

export const hashDocument = (document: GivenDocument): HashedDocument => ({
  ...document,
  content_hash: sha256(document.text)
})

export const withChunks = (
  document: HashedDocument,
  chunks: ReadonlyArray<SearchedChunk>
): PreparedDocument => ({ ...document, chunks })

export const prepareDocument = (document: GivenDocument): PreparedDocument =>
  withChunks(hashDocument(document), searchedChunks(document))

/** What writing a document came to; `refused` by the cassette's mutability, `expired` where it was held as it is for its time. */
export type WriteOutcome = "added" | "replaced" | "unchanged" | "expired" | "removed" | "refused"

const newestOf = (host: SqlHost, path: string): StoredDocument | undefined =>
  selectNewestDocument.first(host, { path })

/** A unit of work on documents, and what the cassette says of itself. */
interface Writing {
  readonly host: SqlHost
  readonly index: IndexUnit
  readonly receipts: ReceiptChain
  readonly rules: WriteRules
}

const writeRulesOf = (host: SqlHost): WriteRules => {
  const meta = metaOf(host)
  return { mutability: meta.get("mutability") ?? "mutable", isSealed: meta.get("sealed") === "1" }
}

const writing = <A>(connection: Connection, work: (writing: Writing) => A): A =>
  connection.transaction(() => {
    const rules = writeRulesOf(connection)
    const receipts = new ReceiptChain(connection)
    const result = indexUnit(connection, (index) => work({ host: connection, index, receipts, rules }))
    foldLongTail(connection, MAX_RUN_TAIL_CHUNKS)
    return result
  })

const insert = (
  { host, index, receipts, rules: { mutability } }: Writing,
  { chunks, content_hash, path, text, type }: PreparedDocument,
  version: number,
  time: WriteTime
): void => {
  const added_at = time.now
  const expires_at = rulesOf(mutability).expires ? time.expires : null
  const record_hash = recordHash(sha256, { path, version, type, content_hash, added_at, expires_at })
  receipts.add("add", record_hash, mutability)
  const row = { path, version, type, text, content_hash, record_hash, added_at, expires_at }
  const stored = insertDocument.first(host, row)
  indexRecord(index, { document_id: stored?.document_id ?? 0, path, text }, chunks)
}

const remove = ({ host, index, receipts, rules }: Writing, stored: StoredDocument): void => {
  withdrawRecord(index, "document_id", stored.document_id)
  receipts.add("remove", stored.record_hash, rules.mutability)
  deleteDocument.run(host, { document_id: stored.document_id })
}

/** What becomes of documents that are stored already as they are given; undefined for those that must be written. */
export const settledOutcomes = (
  connection: Connection,
  documents: ReadonlyArray<HashedDocument>,
  now: string
): ReadonlyArray<WriteOutcome | undefined> =>
  connection.snapshot(() => {
    const rules = writeRulesOf(connection)
    return documents.map((document) => {
      const { decision } = decideDocument(rules, newestOf(connection, document.path), document, now)
      return decision === "unchanged" || decision === "expired" ? decision : undefined
    })
  })

/** Carries out what is decided for a document. */
const store = (unit: Writing, document: PreparedDocument, time: WriteTime): WriteOutcome => {
  const stored = newestOf(unit.host, document.path)
  const decided = decideDocument(unit.rules, stored, document, time.now)
  if (!("version" in decided)) return decided.decision === "refuse" ? "refused" : decided.decision
  if (stored !== undefined && decided.decision === "replace") remove(unit, stored)
  insert(unit, document, decided.version, time)
  // Only now there is a newer version, without which the old one keeps its chunks.
  if (stored !== undefined && decided.decision === "newVersion" && !decided.isOlderSearched) {
    withdrawRecord(unit.index, "document_id", stored.document_id)
  }
  return stored === undefined ? "added" : "replaced"
}

/** What ends a unit of work before all of it is done: asked after every document. */
type IsLate = () => boolean

const never: IsLate = () => false

const untilLate = <A>(
  items: ReadonlyArray<A>,
  isLate: IsLate,
  one: (item: A) => WriteOutcome
): ReadonlyArray<WriteOutcome> => {
  const outcomes: Array<WriteOutcome> = []
  for (const item of items) {
    outcomes.push(one(item))
    if (isLate()) break
  }
  return outcomes
}

/** Stores documents in their order as one unit of work; gives the outcomes of those that were done before it was late. */
export const putDocuments = (
  connection: Connection,
  documents: ReadonlyArray<PreparedDocument>,
  time: WriteTime,
  isLate = never
): ReadonlyArray<WriteOutcome> =>
  writing(connection, (unit) => untilLate(documents, isLate, (document) => store(unit, document, time)))

/** Stores one document. */
export const putDocument = (connection: Connection, document: GivenDocument, time: WriteTime): WriteOutcome =>
  putDocuments(connection, [prepareDocument(document)], time)[0]!

const removeAt = (unit: Writing, path: string): WriteOutcome => {
  const stored = newestOf(unit.host, path)
  const decided = decideRemoval(unit.rules, stored)
  if (decided === "refuse") return "refused"
  if (decided === "unchanged" || stored === undefined) return "unchanged"
  remove(unit, stored)
  return "removed"
}

/** Removes documents as one unit of work, like `putDocuments`; `refused` where the cassette keeps every document. */
export const removeDocuments = (
  connection: Connection,
  paths: ReadonlyArray<string>,
  isLate = never
): ReadonlyArray<WriteOutcome> =>
  writing(connection, (unit) => untilLate(paths, isLate, (path) => removeAt(unit, path)))

/** Removes one document. */
export const removeDocument = (connection: Connection, path: string): WriteOutcome =>
  removeDocuments(connection, [path])[0]!

/** Removes documents and memories that have expired by `now`; gives the paths of the documents. */
export const sweep = (connection: Connection, now: string): ReadonlyArray<string> =>
  writing(connection, (unit) => {
    const expired = selectExpiredDocuments.all(connection, { now })
    for (const document of expired) remove(unit, document)
    removeExpiredMemories(connection, now)
    return expired.map(({ path }) => path)
  })

/** Removes memories alone that have expired by `now`. */
export const sweepMemories = (connection: Connection, now: string): void => {
  connection.transaction(() => removeExpiredMemories(connection, now))
}

/** Ends a run of writes, as every run of `putDocument` must be: nothing waits in the tail, and readers find short lists. */
export const finishWriting = (connection: Connection): void => {
  connection.transaction(() => foldTail(connection))
}

/**
 * Writes of an index run: with the first that changes something the cassette says that a run is under way, and it says
 * so until `finishIndexing`, also when the process ends before.
 */
export const duringIndexing = (
  connection: Connection,
  write: () => ReadonlyArray<WriteOutcome>
): ReadonlyArray<WriteOutcome> =>
  connection.transaction(() => {
    const outcomes = write()
    const changes = outcomes.some((outcome) => ["added", "replaced", "removed"].includes(outcome))
    if (changes && !isUnfinished(connection)) setMeta(connection, "indexing", INDEX_UNDER_WAY)
    return outcomes
  })

/** Ends an index run: nothing waits in the tail, and the cassette holds all that the run was to bring. */
export const finishIndexing = (connection: Connection): void => {
  connection.transaction(() => {
    foldTail(connection)
    if (isUnfinished(connection)) setMeta(connection, "indexing", INDEX_COMPLETE)
  })
}

/** Closes an immutable cassette for good. */
export const seal = (connection: Connection): void => {
  connection.transaction(() => {
    finishIndexing(connection)
    addReceipt(connection, "seal", "0".repeat(64), "immutable")
    setMeta(connection, "sealed", "1")
  })
}

/** Paths of the documents that are stored. */
export const storedPaths = (host: SqlHost): ReadonlyArray<string> =>
  selectPaths.all(host, {}).map(({ path }) => path)

/** What is emptied before it is made again. */
const DERIVED_TABLES = [
  "tail",
  "postings",
  "segments",
  "chunk_terms",
  "vector_tail",
  "vector_signs",
  "vectors",
  "chunks"
] as const

/** Every document that is searched, as its index is made from it. */
function* documentsToIndex(host: SqlHost): Generator<IndexedRecord> {
  const rule = metaOf(host).get("mutability") ?? ""
  const searched = selectSearched[rulesOf(rule).searchesVersions ? "all" : "newest"]
  for (const { document_id, path } of searched.all(host, {})) {
    yield { document_id, path, text: selectText.first(host, { document_id })?.text ?? "" }
  }
}

/** Indexes records, and folds them, so many chunks at once; gives how many chunks there are. */
const indexAll = (connection: Connection, records: Iterator<IndexedRecord>): number => {
  let chunks = 0
  for (let next = records.next(); next.done !== true;) {
    chunks += indexUnit(connection, (unit) => {
      let own = 0
      for (; next.done !== true && own < MAX_RUN_TAIL_CHUNKS; next = records.next()) {
        own += indexRecord(unit, next.value)
      }
      return own
    })
    foldTail(connection)
  }
  return chunks
}

/** Makes chunks and every index again from the stored documents and memories, in one unit of work; vectors are removed. */
export const reindex = (connection: Connection): number =>
  connection.transaction(() => {
    setMeta(connection, "reindexing", "1")
    connection.run("INSERT INTO chunks_fts (chunks_fts) VALUES ('delete-all')")
    for (const table of DERIVED_TABLES) connection.run(`DELETE FROM ${table}`)
    setMeta(connection, "vectors", "0")
    const chunks =
      indexAll(connection, documentsToIndex(connection)) + indexAll(connection, memoriesToIndex(connection))
    setMeta(connection, "reindexing", "0")
    return chunks
  })
