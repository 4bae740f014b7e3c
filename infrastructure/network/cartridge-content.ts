// What a cassette gives a cartridge: its receipts in order, each with the record that it wrote and that is still there,
// all of one moment. Every line is judged as whoever reads the cartridge will judge it, so that what can be exported
// can be imported. It reads one record at a time and changes nothing.
import {
  CARTRIDGE_VERSION,
  type CartridgeManifest,
  type CartridgeReceipt,
  type CartridgeRecord,
  entryHash,
  manifestHash
} from "../../domain/network/cartridge.ts"
import { CartridgeCheck, type Fault } from "../../domain/network/cartridge-check.ts"
import type { Mutability } from "../../domain/network/cassette.ts"
import { CassetteDamaged } from "../../domain/network/errors.ts"
import { CASSETTE_SCHEMA_VERSION } from "../../domain/network/limits.ts"
import { sha256, sha256Bytes } from "../hashing/sha256.ts"
import type { Connection } from "../sqlite/better-sqlite3-host.ts"
import type { OpenCassette } from "./cassette-file.ts"
import type { CartridgeWrite } from "./cartridge-reading.ts"

/** How many receipts are read at a time. */
const PAGE_RECEIPTS = 1_000

/** The document that each receipt wrote and that is still there. */
const documentsByReceipt = (connection: Connection): ReadonlyMap<number, number> => {
  const rows = connection.all<{ readonly receipt_index: number; readonly document_id: number }>(
    "SELECT max(r.receipt_index) AS receipt_index, d.document_id FROM write_receipts AS r CROSS JOIN documents AS d ON d.record_hash = r.record_hash WHERE r.operation = 'add' GROUP BY d.document_id"
  )
  return new Map(rows.map(({ document_id, receipt_index }) => [receipt_index, document_id]))
}

function* receiptsOf(connection: Connection): Generator<CartridgeReceipt> {
  for (let after = 0; ;) {
    const page = connection.all<CartridgeReceipt>(
      "SELECT operation, parent_hash, receipt_hash, receipt_index, record_hash, rule FROM write_receipts WHERE receipt_index > ? ORDER BY receipt_index LIMIT ?",
      [after, PAGE_RECEIPTS]
    )
    yield* page
    if (page.length < PAGE_RECEIPTS) return
    after = page.at(-1)!.receipt_index
  }
}

const recordOf = (
  connection: Connection,
  documentId: number,
  receipt_index: number
): CartridgeRecord | undefined => {
  const [stored] = connection.all<Omit<CartridgeRecord, "entry_hash" | "kind" | "receipt_index">>(
    "SELECT added_at, content_hash, expires_at, path, record_hash, text, type, version FROM documents WHERE document_id = ?",
    [documentId]
  )
  if (stored === undefined) return undefined
  const fields = { ...stored, kind: "document" as const, receipt_index }
  return { ...fields, entry_hash: entryHash(sha256, fields) }
}

/**
 * Every write of a cassette, then its manifest. Belongs into one snapshot of the database; throws `CassetteDamaged`
 * where content, hashes and receipts do not agree.
 */
export function* cartridgeContent(
  { connection, meta }: OpenCassette,
  id: string
): Generator<CartridgeWrite, CartridgeManifest> {
  const mutability = (meta.get("mutability") ?? "mutable") as Mutability
  const check = new CartridgeCheck({ sha256, sha256Bytes }, mutability)
  const judge = (fault: Fault | undefined, where: string): void => {
    if (fault !== undefined) throw new CassetteDamaged({ cassette_id: id, where, reason: fault.reason })
  }
  const documents = documentsByReceipt(connection)
  for (const receipt of receiptsOf(connection)) {
    judge(check.receipt(receipt), `write_receipts ${receipt.receipt_index}`)
    const document = documents.get(receipt.receipt_index)
    const record = document === undefined ? undefined : recordOf(connection, document, receipt.receipt_index)
    if (record !== undefined) judge(check.record(record), `documents ${record.path}`)
    yield { receipt, record }
  }
  const missing = check.missing()
  judge(missing?.fault, `write_receipts ${missing?.receipt_index}`)
  const facts = check.facts()
  const [stored] = connection.all<{ readonly count: number }>("SELECT count(*) AS count FROM documents")
  if (stored?.count !== facts.counts.records) {
    const reason = "a document has no receipt of its write"
    throw new CassetteDamaged({ cassette_id: id, where: "documents", reason })
  }
  const fields = {
    ...facts,
    cartridge_version: CARTRIDGE_VERSION,
    cassette_id: id,
    encoding: "utf-8" as const,
    export_format: "cartridge" as const,
    id_scheme: "content-hash" as const,
    mutability,
    normalization: "NFC" as const,
    receipt_chain: "merkle" as const,
    schema_version: meta.get("schema_version") ?? CASSETTE_SCHEMA_VERSION,
    ttl_ms: Number(meta.get("ttl_ms"))
  }
  return { ...fields, manifest_hash: manifestHash(sha256, fields) }
}
