// What a cassette gives a cartridge: its receipts in order, each with the record that it wrote and that is still there,
// all of one moment. Of a cassette in which each agent has its own memories only the caller's part is given, as if
// nothing else had ever been written. Every line is judged as anyone who reads the cartridge will judge it. It reads one
// record at a time and changes nothing.
import {
  CARTRIDGE_VERSION,
  type CartridgeDocument,
  type CartridgeManifest,
  type CartridgeReceipt,
  type CartridgeRecord,
  entryHash,
  manifestHash
} from "../../../domain/network/cartridges/cartridge.ts"
import { CARRIED_RULE } from "../../../domain/network/cartridges/carrying.ts"
import {
  CartridgeCheck,
  type CartridgeScope,
  type Fault
} from "../../../domain/network/cartridges/cartridge-check.ts"
import type { MemoryScope, Mutability } from "../../../domain/network/cassette.ts"
import { CassetteDamaged } from "../../../domain/network/errors.ts"
import { CASSETTE_SCHEMA_VERSION } from "../../../domain/network/limits.ts"
import { receiptHash } from "../../../domain/network/records.ts"
import { sha256, sha256Bytes } from "../../hashing/sha256.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { OpenCassette } from "../cassette-file.ts"
import {
  countVisibleRecords,
  selectReceiptsAfter,
  selectReceiptsOf,
  selectRecord
} from "./cartridge-statements.ts"
import type { CartridgeWrite } from "./cartridge-reading.ts"

/** How many receipts are read at a time. */
const PAGE_RECEIPTS = 1_000

/** A record's place in the cassette. */
interface Source {
  readonly kind: CartridgeRecord["kind"]
  readonly id: number
}

/** The record that each receipt wrote, that is still there, and that `owner` may see. */
const recordsByReceipt = (connection: Connection, owner: string): ReadonlyMap<number, Source> => {
  const rows = (["document", "memory", "save"] as const).flatMap((kind) =>
    selectReceiptsOf[kind]
      .all(connection, { owner })
      .map(({ id, receipt_index }) => [receipt_index, { kind, id }] as const)
  )
  return new Map(rows)
}

/** How many records there are that `owner` may see. */
const visibleRecords = (connection: Connection, owner: string): number =>
  countVisibleRecords.first(connection, { owner })?.count ?? 0

function* receiptsOf(connection: Connection): Generator<CartridgeReceipt> {
  for (let after = 0; ;) {
    const page = selectReceiptsAfter.all(connection, { after, limit: PAGE_RECEIPTS })
    yield* page
    if (page.length < PAGE_RECEIPTS) return
    after = page.at(-1)!.receipt_index
  }
}

const recordOf = (
  connection: Connection,
  { id, kind }: Source,
  receipt_index: number
): CartridgeRecord | undefined => {
  const stored = selectRecord[kind].first(connection, { id })
  if (stored === undefined) return undefined
  const fields = { ...stored, kind, receipt_index } as Omit<CartridgeDocument, "entry_hash">
  return { ...fields, entry_hash: entryHash(sha256, fields) }
}

const placeOf = (record: CartridgeRecord): string =>
  record.kind === "document" ? `documents ${record.path}` : `${record.kind} ${record.record_hash}`

/** A receipt with the record that it wrote, if that is still there. */
interface Written {
  readonly receipt: CartridgeReceipt
  readonly source: Source | undefined
}

function* writtenOf(connection: Connection, owner: string): Generator<Written> {
  const records = recordsByReceipt(connection, owner)
  for (const receipt of receiptsOf(connection)) {
    yield { receipt, source: records.get(receipt.receipt_index) }
  }
}

/** A chain of its own over what may be seen and is still there. */
function* chainedAnew(written: Iterable<Written>, firstParent: string): Generator<Written> {
  let receipt_index = 0
  let parent_hash = firstParent
  for (const { receipt, source } of written) {
    const { operation } = receipt
    // Where it was carried from is a chain of everybody's writes.
    if (operation === "migrate" && receipt.rule === CARRIED_RULE) continue
    if (source === undefined && operation !== "migrate" && operation !== "seal") continue
    receipt_index += 1
    const fields = { ...receipt, receipt_index, parent_hash }
    parent_hash = receiptHash(sha256, fields)
    yield { receipt: { ...fields, receipt_hash: parent_hash }, source }
  }
}

/**
 * Every write of a cassette as far as `agent` may see it, then its manifest. Belongs into one snapshot of the database;
 * throws `CassetteDamaged` where content, hashes and receipts do not agree.
 */
export function* cartridgeContent(
  { connection, meta }: OpenCassette,
  { file, id }: { readonly file: string; readonly id: string },
  agent: string | null
): Generator<CartridgeWrite, CartridgeManifest> {
  const memories = (meta.get("memories") ?? "shared") as MemoryScope
  const scope: CartridgeScope = {
    agent_id: memories === "private" ? agent : null,
    memories,
    mutability: (meta.get("mutability") ?? "mutable") as Mutability,
    cassette_id: id,
    schema_version: meta.get("schema_version") ?? CASSETTE_SCHEMA_VERSION,
    ttl_ms: Number(meta.get("ttl_ms"))
  }
  const owner = scope.agent_id ?? ""
  const check = new CartridgeCheck({ sha256, sha256Bytes }, scope)
  const damaged = (where: string, reason: string) => new CassetteDamaged({ file, where, reason })
  const judge = (fault: Fault | undefined, where: string): void => {
    if (fault !== undefined) throw damaged(where, fault.reason)
  }
  const written = writtenOf(connection, owner)
  for (const { receipt, source } of memories === "private"
    ? chainedAnew(written, check.firstParent)
    : written) {
    judge(check.receipt(receipt), `write_receipts ${receipt.receipt_index}`)
    const record = source === undefined ? undefined : recordOf(connection, source, receipt.receipt_index)
    if (record !== undefined) judge(check.record(record), placeOf(record))
    yield { receipt, record }
  }
  const missing = check.missing()
  judge(missing?.fault, `write_receipts ${missing?.receipt_index}`)
  const facts = check.facts()
  if (visibleRecords(connection, owner) !== facts.counts.records) {
    throw damaged("records", "one of them has no receipt of its write")
  }
  const fields = {
    ...facts,
    ...scope,
    cartridge_version: CARTRIDGE_VERSION,
    encoding: "utf-8" as const,
    export_format: "cartridge" as const,
    id_scheme: "content-hash" as const,
    normalization: "NFC" as const,
    receipt_chain: "merkle" as const
  }
  return { ...fields, manifest_hash: manifestHash(sha256, fields) }
}
