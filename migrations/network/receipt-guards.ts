/**
 * The guards of a cassette's receipts: each follows from the newest one, whose write is done, and says what the cassette's
 * mutability allows. They belong to version 1 and must never change once that is released.
 */
import { sql } from "kysely"
import { refuse, trigger, type Fragment } from "../statements.ts"
import { isHash, isStored, keepsAll, metaValue, refuseSealed } from "./memory-guards.ts"

/** What the newest receipt of a record says of it: it is there after `add` alone. */
const newestOfRecord = sql`(SELECT "operation" FROM "write_receipts" WHERE "record_hash" = NEW."record_hash" AND "operation" IN ('add', 'remove') ORDER BY "receipt_index" DESC LIMIT 1)`

/** The receipt before is that of an operation whose record is there, or is not. */
const isBefore = (operation: string, record: "stored" | "not stored"): Fragment => {
  const stored = isStored(sql.ref("last.record_hash"))
  return sql`EXISTS (SELECT 1 FROM "write_receipts" AS "last" WHERE "last"."receipt_index" = NEW."receipt_index" - 1 AND "last"."operation" IS ${sql.lit(operation)} AND ${record === "stored" ? stored : sql`NOT ${stored}`})`
}

/** A receipt is added at the end of the chain, and never changed. */
export const receiptGuards = [
  trigger({
    name: "tr_write_receipts_chain_insert",
    timing: "BEFORE",
    event: "INSERT",
    on: "write_receipts",
    body: [
      refuseSealed,
      refuse(
        "write_receipts is a chain: receipt_index must be the next, parent_hash the newest receipt's hash",
        // Before the first stands the hash of the description, which SQL cannot compute: verification does.
        sql`NEW."receipt_index" IS NOT (SELECT coalesce(max("receipt_index"), 0) + 1 FROM "write_receipts") OR NEW."parent_hash" IS NOT coalesce((SELECT "receipt_hash" FROM "write_receipts" WHERE "receipt_index" = NEW."receipt_index" - 1), NEW."parent_hash")`
      ),
      refuse(
        "A receipt's hashes must be 64 lower-case hex digits",
        sql`(${isHash("parent_hash")} AND ${isHash("record_hash")} AND ${isHash("receipt_hash")}) IS NOT 1`
      ),
      refuse(
        "A receipt is that of migrate, add, remove or seal",
        sql`NEW."operation" NOT IN ('migrate', 'add', 'remove', 'seal')`
      ),
      refuse(
        "The first receipt of a cassette is that of its migration",
        sql`NEW."receipt_index" IS 1 AND NEW."operation" IS NOT 'migrate'`
      ),
      refuse(
        "A receipt's rule is the cassette's mutability",
        sql`NEW."operation" IS NOT 'migrate' AND NEW."rule" IS NOT ${metaValue("mutability")}`
      ),
      refuse(
        "Only an immutable cassette is sealed",
        sql`NEW."operation" IS 'seal' AND ${metaValue("mutability")} IS NOT 'immutable'`
      ),
      refuse(
        "Nothing follows a seal",
        sql`(SELECT "operation" FROM "write_receipts" WHERE "receipt_index" = NEW."receipt_index" - 1) IS 'seal'`
      ),
      refuse(
        "A record that is there already is not added",
        sql`NEW."operation" IS 'add' AND ${newestOfRecord} IS 'add'`
      ),
      refuse(
        "A record that is not there is not removed",
        sql`NEW."operation" IS 'remove' AND ${newestOfRecord} IS NOT 'add'`
      ),
      refuse(
        "immutable, stable and append-only cassettes remove nothing",
        sql`NEW."operation" IS 'remove' AND ${keepsAll}`
      ),
      refuse(
        "The newest receipt's record is missing: it is written before the next receipt",
        // A cassette that is filled from another's receipts gets only the records that are still there.
        sql`${metaValue("reindexing")} IS NOT '1' AND ${isBefore("add", "not stored")}`
      ),
      refuse(
        "The record that the newest receipt removed is still there: it goes before the next receipt",
        isBefore("remove", "stored")
      )
    ]
  }),
  ...(["UPDATE", "DELETE"] as const).map((event) =>
    trigger({
      name: `tr_write_receipts_append_only_${event.toLowerCase()}`,
      timing: "BEFORE",
      event,
      on: "write_receipts",
      body: [refuse("write_receipts is append-only: no receipt is ever changed or deleted")]
    })
  )
]
