/**
 * The guards of a cassette's memories and of their saves, with the conditions that all guards of a cassette share. They
 * belong to version 1 and must never change once that is released.
 */
import { sql } from "kysely"
import { refuse, trigger, type Fragment } from "../statements.ts"

/** What a cassette says of itself under a key. */
export const metaValue = (key: string): Fragment =>
  sql`(SELECT "value" FROM "network_meta" WHERE "key" = ${sql.lit(key)})`

/** Nothing is written any more. */
export const refuseSealed = refuse(
  "immutable: the cassette is sealed, nothing is written to it any more",
  sql`${metaValue("sealed")} IS '1'`
)

/** Each agent has its own memories. */
export const isPrivate = sql`${metaValue("memories")} IS 'private'`
/** The mutability keeps every record. */
export const keepsAll = sql`${metaValue("mutability")} IN ('immutable', 'stable', 'append-only')`

/** The newest receipt is not that of this operation on this row. */
export const newestReceipt = (operation: string, row: "NEW" | "OLD"): Fragment =>
  sql`NOT EXISTS (SELECT 1 FROM "write_receipts" WHERE "receipt_index" = (SELECT max("receipt_index") FROM "write_receipts") AND "operation" IS ${sql.lit(operation)} AND "record_hash" IS ${sql.ref(`${row}.record_hash`)})`

/** A text is 64 lower-case hexadecimal digits. Twice a length: that of a text and GLOB stop at U+0000. */
export const isHash = (column: string): Fragment => {
  const value = sql.ref(`NEW.${column}`)
  return sql`(length(${value}) IS 64 AND length(CAST(${value} AS BLOB)) IS 64 AND ${value} NOT GLOB '*[^0-9a-f]*')`
}

/** Some record stands under this hash. */
export const isStored = (hash: Fragment): Fragment =>
  sql`(EXISTS (SELECT 1 FROM "documents" WHERE "record_hash" = ${hash}) OR EXISTS (SELECT 1 FROM "memories" WHERE "record_hash" = ${hash}) OR EXISTS (SELECT 1 FROM "saves" WHERE "record_hash" = ${hash}))`

const isNoTime = (column: string): Fragment => {
  const value = sql.ref(`NEW.${column}`)
  return sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${value}) IS NOT ${value}`
}

/** What a record that is written at a time must be. */
export const recordTimes = (what: string, column: string) => [
  refuse(
    `${what} has times of the form YYYY-MM-DDTHH:MM:SS.mmmZ`,
    sql`${isNoTime(column)} OR ${isNoTime("expires_at")}`
  ),
  refuse(
    "Records of an ephemeral cassette expire, and no others",
    sql`(NEW."expires_at" IS NULL) IS (${metaValue("mutability")} IS 'ephemeral')`
  )
]

/** A receipt that has its record already admits no second one. */
export const admitsOne = (what: string) =>
  refuse(`${what} is stored already under the receipt of its write`, isStored(sql.ref("NEW.record_hash")))

const immutable = refuse(
  "immutable: nothing is remembered in an immutable cassette",
  sql`${metaValue("mutability")} IS 'immutable'`
)

/** A memory is added and removed with a receipt, and never changed. */
export const memoryGuards = [
  trigger({
    name: "tr_memories_insert",
    timing: "BEFORE",
    event: "INSERT",
    on: "memories",
    body: [
      immutable,
      refuse(
        "A memory is stored already under this number, or with this text for the same owner",
        sql`EXISTS (SELECT 1 FROM "memories" WHERE "memory_id" = NEW."memory_id" OR "owner" = NEW."owner" AND "content_hash" = NEW."content_hash")`
      ),
      refuse(
        "A memory has an owner in a private cassette, and none in a shared one",
        sql`(NEW."owner" <> '') <> (${isPrivate})`
      ),
      refuse("A memory needs the receipt of its write", newestReceipt("add", "NEW")),
      admitsOne("A memory"),
      refuse(
        "A memory's content_hash must be 64 lower-case hex digits",
        sql`${isHash("content_hash")} IS NOT 1`
      )
    ]
  }),
  trigger({
    name: "tr_memories_update",
    timing: "BEFORE",
    event: "UPDATE",
    on: "memories",
    body: [refuse("A memory is never changed: another text is another memory")]
  }),
  trigger({
    name: "tr_memories_delete",
    timing: "BEFORE",
    event: "DELETE",
    on: "memories",
    body: [
      refuse("immutable, stable and append-only cassettes keep every memory", keepsAll),
      refuse(
        "A memory is removed after all of its saves",
        sql`EXISTS (SELECT 1 FROM "saves" WHERE "memory_id" = OLD."memory_id")`
      ),
      refuse("A memory is removed only with the receipt of its removal", newestReceipt("remove", "OLD"))
    ]
  })
]

/** So is a save, which only the owner of a private memory makes. */
export const saveGuards = [
  trigger({
    name: "tr_saves_insert",
    timing: "BEFORE",
    event: "INSERT",
    on: "saves",
    body: [
      immutable,
      refuse(
        "A save is stored already under this number",
        sql`EXISTS (SELECT 1 FROM "saves" WHERE "save_id" = NEW."save_id")`
      ),
      refuse(
        "save_number must be one more than the memory's newest",
        sql`NEW."save_number" IS NOT (SELECT coalesce(max("save_number"), 0) + 1 FROM "saves" WHERE "memory_id" = NEW."memory_id")`
      ),
      refuse(
        "Only its owner saves a memory of a private cassette",
        sql`${isPrivate} AND NEW."agent_id" IS NOT (SELECT "owner" FROM "memories" WHERE "memory_id" = NEW."memory_id")`
      ),
      refuse("A save needs the receipt of its write", newestReceipt("add", "NEW")),
      admitsOne("A save"),
      ...recordTimes("A save", "saved_at")
    ]
  }),
  trigger({
    name: "tr_saves_update",
    timing: "BEFORE",
    event: "UPDATE",
    on: "saves",
    body: [refuse("A save is never changed")]
  }),
  trigger({
    name: "tr_saves_delete",
    timing: "BEFORE",
    event: "DELETE",
    on: "saves",
    body: [
      refuse("immutable, stable and append-only cassettes keep every save", keepsAll),
      refuse("A save is removed only with the receipt of its removal", newestReceipt("remove", "OLD"))
    ]
  })
]
