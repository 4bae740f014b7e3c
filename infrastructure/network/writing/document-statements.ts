// The statements that write documents and the receipts of every write, and that read what a write must know of them.
import type { Receipt } from "../../../domain/network/receipt-form.ts"
import type { DocumentRecord } from "../../../domain/network/records.ts"
import { command, query } from "../../sqlite/connection/statement.ts"

/** A receipt with its hash. */
export type StoredReceipt = Receipt & { readonly receipt_hash: string }

export const selectNewestReceipt = query<StoredReceipt>()(
  "SELECT * FROM write_receipts ORDER BY receipt_index DESC LIMIT 1"
)
export const insertReceipt = command(
  "INSERT INTO write_receipts (receipt_index, parent_hash, operation, record_hash, rule, receipt_hash) VALUES (:receipt_index, :parent_hash, :operation, :record_hash, :rule, :receipt_hash)"
)

/** A document without its text. */
export interface StoredDocument extends Omit<DocumentRecord, "added_at"> {
  readonly document_id: number
  readonly record_hash: string
}

export const selectNewestDocument = query<StoredDocument>()(
  "SELECT document_id, path, version, type, content_hash, record_hash, expires_at FROM documents WHERE path = CAST(:path AS TEXT) ORDER BY version DESC LIMIT 1"
)
export const selectExpiredDocuments = query<StoredDocument>()(
  "SELECT document_id, path, version, type, content_hash, record_hash, expires_at FROM documents WHERE expires_at <= :now ORDER BY path"
)
export const insertDocument = query<{ readonly document_id: number }>()(
  "INSERT INTO documents (path, version, type, text, content_hash, record_hash, added_at, expires_at) VALUES (:path, :version, :type, :text, :content_hash, :record_hash, :added_at, :expires_at) RETURNING document_id"
)
export const deleteDocument = command("DELETE FROM documents WHERE document_id = :document_id")

export const selectPaths = query<{ readonly path: string }>()(
  "SELECT DISTINCT path FROM documents ORDER BY path"
)

interface DocumentId {
  readonly document_id: number
  readonly path: string
}

/** The documents that are searched: every version, or the newest of each path. */
export const selectSearched = {
  all: query<DocumentId>()("SELECT document_id, path FROM documents ORDER BY path, version"),
  newest: query<DocumentId>()(
    "SELECT document_id, path FROM documents AS d WHERE version = (SELECT max(version) FROM documents WHERE path = d.path) ORDER BY path"
  )
}
export const selectText = query<{ readonly text: string }>()(
  "SELECT text FROM documents WHERE document_id = :document_id"
)
