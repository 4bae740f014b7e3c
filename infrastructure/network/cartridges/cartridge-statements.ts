// The statements that read a cassette's receipts and records for a cartridge, and that write records as they were made elsewhere.
// A cartridge holds what one owner may see: everything that has no owner, and its own memories.
import type {
  CartridgeDocument,
  CartridgeMemory,
  CartridgeReceipt,
  CartridgeSave
} from "../../../domain/network/cartridges/cartridge.ts"
import { command, query } from "../../sqlite/connection/statement.ts"

/** A record, and the newest receipt that says that it was added. */
interface ReceiptOfRecord {
  readonly receipt_index: number
  readonly id: number
}

export const selectReceiptsOf = {
  document: query<ReceiptOfRecord>()(
    "SELECT max(r.receipt_index) AS receipt_index, d.document_id AS id FROM write_receipts AS r CROSS JOIN documents AS d ON d.record_hash = r.record_hash WHERE r.operation = 'add' GROUP BY d.document_id"
  ),
  memory: query<ReceiptOfRecord>()(
    "SELECT max(r.receipt_index) AS receipt_index, m.memory_id AS id FROM write_receipts AS r CROSS JOIN memories AS m ON m.record_hash = r.record_hash WHERE r.operation = 'add' AND m.owner IN ('', :owner) GROUP BY m.memory_id"
  ),
  save: query<ReceiptOfRecord>()(
    "SELECT max(r.receipt_index) AS receipt_index, s.save_id AS id FROM write_receipts AS r CROSS JOIN saves AS s ON s.record_hash = r.record_hash WHERE r.operation = 'add' AND s.memory_id IN (SELECT memory_id FROM memories WHERE owner IN ('', :owner)) GROUP BY s.save_id"
  )
}

export const countVisibleRecords = query<{ readonly count: number }>()(
  "SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM memories WHERE owner IN ('', :owner)) + (SELECT count(*) FROM saves AS s JOIN memories AS m ON m.memory_id = s.memory_id WHERE m.owner IN ('', :owner)) AS count"
)

export const selectReceiptsAfter = query<CartridgeReceipt>()(
  "SELECT operation, parent_hash, receipt_hash, receipt_index, record_hash, rule FROM write_receipts WHERE receipt_index > :after ORDER BY receipt_index LIMIT :limit"
)

type Stored<Record> = Omit<Record, "entry_hash" | "kind" | "receipt_index">

export const selectRecord = {
  document: query<Stored<CartridgeDocument>>()(
    "SELECT added_at, content_hash, expires_at, path, record_hash, text, type, version FROM documents WHERE document_id = :id"
  ),
  memory: query<Stored<CartridgeMemory>>()(
    "SELECT content_hash, owner, record_hash, text FROM memories WHERE memory_id = :id"
  ),
  save: query<Stored<CartridgeSave>>()(
    "SELECT agent_id, expires_at, (SELECT record_hash FROM memories WHERE memory_id = s.memory_id) AS memory, metadata, record_hash, save_number, saved_at FROM saves AS s WHERE save_id = :id"
  )
}

/** Adds a save of the memory whose record hash is `memory`. */
export const insertSaveOf = command(
  "INSERT INTO saves (memory_id, save_number, agent_id, saved_at, expires_at, metadata, record_hash) SELECT memory_id, :save_number, :agent_id, :saved_at, :expires_at, :metadata, :record_hash FROM memories WHERE record_hash = :memory"
)
