// Judges what a cassette says of itself against what it can be, and its receipts and records against the mutability that
// it names. The hashes of all of them are judged elsewhere; it reads and changes nothing.
import * as Schema from "effect/Schema"
import { Mutability } from "../../../domain/network/cassette.ts"
import { CASSETTE_SCHEMA_VERSION, majorVersion } from "../../../domain/network/limits.ts"
import type { Receipt } from "../../../domain/network/receipt-form.ts"
import { brokenRule } from "../../../domain/network/receipt-rules.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import type { Find } from "./chunk-verification.ts"
import { INDEX_COMPLETE, INDEX_UNDER_WAY } from "../writing/index-state.ts"
import { metaOf } from "../writing/index-writing.ts"
import { rulesOf } from "../../../domain/network/mutability.ts"

const isOneOf =
  (...values: ReadonlyArray<string>) =>
  (value: string): boolean =>
    values.includes(value)

const expectations = (
  id: string,
  isSealed: boolean
): Readonly<Record<string, (value: string) => boolean>> => ({
  cassette_id: isOneOf(id),
  mutability: Schema.is(Mutability),
  memories: isOneOf("shared", "private"),
  schema_version: (value) => majorVersion(value) === majorVersion(CASSETTE_SCHEMA_VERSION),
  ttl_ms: (value) => /^[1-9][0-9]{0,14}$/.test(value),
  indexing: isOneOf(INDEX_COMPLETE, ...(isSealed ? [] : [INDEX_UNDER_WAY])),
  // Guards of chunks stand aside while a cassette is indexed again, and that is over when its write is.
  reindexing: isOneOf("0"),
  sealed: isOneOf(isSealed ? "1" : "0"),
  // How many vectors there are.
  vectors: (value) => /^(?:0|[1-9][0-9]{0,14})$/.test(value)
})

/** Checks each key of `network_meta`. */
export const checkDescription = (
  connection: Connection,
  id: string,
  receipts: ReadonlyArray<Receipt>,
  find: Find
): void => {
  const meta = metaOf(connection)
  const expected = expectations(id, receipts.at(-1)?.operation === "seal")
  for (const key of new Set([...Object.keys(expected), ...meta.keys()])) {
    const value = meta.get(key)
    const where = `network_meta ${key}`
    const isExpected = expected[key]
    if (value === undefined) find("DESCRIPTION_INVALID", where, "it is missing")
    else if (isExpected === undefined) find("DESCRIPTION_INVALID", where, "a cassette has no such key")
    else if (!isExpected(value)) find("DESCRIPTION_INVALID", where, `it cannot be ${value}`)
  }
}

/** Checks each receipt against the ones before it and the mutability. */
export const checkRules = (connection: Connection, receipts: ReadonlyArray<Receipt>, find: Find): void => {
  const mutability = metaOf(connection).get("mutability") ?? ""
  const there = new Set<string>()
  let newest: string | undefined
  for (const receipt of receipts) {
    const { operation, receipt_index, record_hash } = receipt
    const broken = brokenRule(receipt, { newest, mutability, isThere: there.has(record_hash) })
    if (broken !== undefined) find("RULE_BROKEN", `write_receipts ${receipt_index}`, broken)
    if (operation === "add") there.add(record_hash)
    if (operation === "remove") there.delete(record_hash)
    newest = operation
  }
}

const RECORD_RULES = [
  {
    message: "records of an ephemeral cassette expire, and no others",
    sql: `SELECT 'documents ' || path AS place FROM documents WHERE (expires_at IS NOT NULL) <> ?
UNION ALL SELECT 'saves ' || record_hash FROM saves WHERE (expires_at IS NOT NULL) <> ?`,
    applies: (meta: ReadonlyMap<string, string>) => rulesOf(meta.get("mutability") ?? "").expires
  },
  {
    message: "a memory has an owner in a private cassette, and none in a shared one",
    sql: `SELECT 'memories @A:' || content_hash AS place FROM memories WHERE (owner <> '') <> ?
UNION ALL SELECT 'segments ' || segment FROM segments WHERE owner <> '' AND NOT ?`,
    applies: (meta: ReadonlyMap<string, string>) => meta.get("memories") === "private"
  }
] as const

/** Checks when records expire and whose memories are. */
export const checkRecordRules = (connection: Connection, find: Find): void => {
  const meta = metaOf(connection)
  for (const { applies, message, sql } of RECORD_RULES) {
    const value = applies(meta) ? 1 : 0
    for (const { place } of connection.all<{ place: string }>(sql, [value, value])) {
      find("RULE_BROKEN", place, message)
    }
  }
}
