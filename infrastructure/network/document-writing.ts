// Writes documents into a cassette: each write is one unit of work with its receipt, its record and its index, and
// follows the cassette's mutability. What the mutability forbids is refused here with a reason, and by the database's
// own guards for everybody else.
import { type DocumentRecord, recordHash } from "../../domain/network/records.ts"
import type { Mutability } from "../../domain/network/cassette.ts"
import { MAX_RUN_TAIL_CHUNKS } from "../../domain/network/limits.ts"
import { sha256 } from "../hashing/sha256.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"
import type { SqlHost } from "../sqlite/sql-host.ts"
import { addReceipt } from "./cassette-schema.ts"
import { foldLongTail, foldTail, indexRecord, metaOf, setMeta, withdrawRecord } from "./index-writing.ts"
import { INDEX_COMPLETE, INDEX_UNDER_WAY, isUnfinished } from "./index-state.ts"
import { memoriesToIndex, removeExpiredMemories } from "./memory-writing.ts"

/** A document as it is given; its text is stored byte for byte. */
export interface GivenDocument {
  readonly path: string
  readonly type: string
  readonly text: string
}

/** What writing a document came to; `refused` by the cassette's mutability, `expired` where it was held as it is for its time. */
export type WriteOutcome = "added" | "replaced" | "unchanged" | "expired" | "removed" | "refused"

interface StoredDocument extends Omit<DocumentRecord, "added_at"> {
  readonly document_id: number
  readonly record_hash: string
}

const newestOf = (host: SqlHost, path: string): StoredDocument | undefined =>
  host.all<StoredDocument>(
    "SELECT document_id, path, version, type, content_hash, record_hash, expires_at FROM documents WHERE path = ? ORDER BY version DESC LIMIT 1",
    [path]
  )[0]

const insert = (
  host: SqlHost,
  { path, text, type }: GivenDocument,
  version: number,
  rule: string,
  added_at: string,
  expires_at: string | null
): void => {
  const content_hash = sha256(text)
  const record_hash = recordHash(sha256, { path, version, type, content_hash, added_at, expires_at })
  addReceipt(host, "add", record_hash, rule)
  host.run(
    "INSERT INTO documents (path, version, type, text, content_hash, record_hash, added_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [path, version, type, text, content_hash, record_hash, added_at, expires_at]
  )
  const [stored] = host.all<{ document_id: number }>("SELECT last_insert_rowid() AS document_id")
  indexRecord(host, { document_id: stored?.document_id ?? 0, path, text })
}

const remove = (host: SqlHost, stored: StoredDocument, rule: string): void => {
  withdrawRecord(host, "document_id", stored.document_id)
  addReceipt(host, "remove", stored.record_hash, rule)
  host.run("DELETE FROM documents WHERE document_id = ?", [stored.document_id])
}

/** When documents are added, and until when an ephemeral cassette keeps them (timestamps). */
export interface WriteTime {
  readonly now: string
  readonly expires: string
}

/** Stores a document: a changed text is another version where the cassette keeps documents, and replaces elsewhere. */
export const putDocument = (connection: Connection, document: GivenDocument, time: WriteTime): WriteOutcome =>
  connection.transaction(() => {
    const meta = metaOf(connection)
    const rule = (meta.get("mutability") ?? "mutable") as Mutability
    const stored = newestOf(connection, document.path)
    const isSame = stored?.content_hash === sha256(document.text) && stored.type === document.type
    // A document lives from its last change on, however often it is given again.
    if (isSame) return stored.expires_at !== null && stored.expires_at <= time.now ? "expired" : "unchanged"
    if (meta.get("sealed") === "1") return "refused"
    if (rule === "immutable" && stored !== undefined) return "refused"
    const keeps = rule === "stable" || rule === "append-only"
    if (stored !== undefined && !keeps) remove(connection, stored, rule)
    const version = keeps ? (stored?.version ?? 0) + 1 : 1
    insert(connection, document, version, rule, time.now, rule === "ephemeral" ? time.expires : null)
    // Only now there is a newer version, without which the old one keeps its chunks.
    if (stored !== undefined && rule === "stable")
      withdrawRecord(connection, "document_id", stored.document_id)
    foldLongTail(connection, MAX_RUN_TAIL_CHUNKS)
    return stored === undefined ? "added" : "replaced"
  })

/** Removes a document; `refused` where the cassette keeps every document. */
export const removeDocument = (connection: Connection, path: string): WriteOutcome =>
  connection.transaction(() => {
    const rule = metaOf(connection).get("mutability") ?? ""
    const stored = newestOf(connection, path)
    if (stored === undefined) return "unchanged"
    if (["immutable", "stable", "append-only"].includes(rule)) return "refused"
    remove(connection, stored, rule)
    return "removed"
  })

/** Removes documents and memories that have expired by `now`; gives the paths of the documents. */
export const sweep = (connection: Connection, now: string): ReadonlyArray<string> =>
  connection.transaction(() => {
    const expired = connection.all<StoredDocument>(
      "SELECT document_id, path, version, type, content_hash, record_hash, expires_at FROM documents WHERE expires_at <= ? ORDER BY path",
      [now]
    )
    for (const document of expired) remove(connection, document, "ephemeral")
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
 * A write of an index run: with the first that changes something the cassette says that a run is under way, and it says
 * so until `finishIndexing`, whatever ends the process.
 */
export const duringIndexing = (connection: Connection, write: () => WriteOutcome): WriteOutcome =>
  connection.transaction(() => {
    const outcome = write()
    if (["added", "replaced", "removed"].includes(outcome) && !isUnfinished(connection)) {
      setMeta(connection, "indexing", INDEX_UNDER_WAY)
    }
    return outcome
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
  host.all<{ path: string }>("SELECT DISTINCT path FROM documents ORDER BY path").map(({ path }) => path)

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

/** Makes chunks and every index again from the stored documents and memories, in one unit of work; vectors are removed. */
export const reindex = (connection: Connection): number =>
  connection.transaction(() => {
    setMeta(connection, "reindexing", "1")
    connection.run("INSERT INTO chunks_fts (chunks_fts) VALUES ('delete-all')")
    for (const table of DERIVED_TABLES) connection.run(`DELETE FROM ${table}`)
    const rule = metaOf(connection).get("mutability") ?? ""
    const ids = connection.all<{ document_id: number; path: string }>(
      rule === "append-only"
        ? "SELECT document_id, path FROM documents ORDER BY path, version"
        : "SELECT document_id, path FROM documents AS d WHERE version = (SELECT max(version) FROM documents WHERE path = d.path) ORDER BY path"
    )
    let chunks = 0
    for (const { document_id, path } of ids) {
      const [row] = connection.all<{ text: string }>("SELECT text FROM documents WHERE document_id = ?", [
        document_id
      ])
      chunks += indexRecord(connection, { document_id, path, text: row?.text ?? "" })
      foldLongTail(connection, MAX_RUN_TAIL_CHUNKS)
    }
    for (const memory of memoriesToIndex(connection)) {
      chunks += indexRecord(connection, memory)
      foldLongTail(connection, MAX_RUN_TAIL_CHUNKS)
    }
    foldTail(connection)
    setMeta(connection, "reindexing", "0")
    return chunks
  })
