/**
 * The guards of a cassette's vectors: each is that of a chunk's text, all have one maker, and one goes with the last chunk
 * of its text. They belong to version 1 and must never change once that is released.
 */
import { sql } from "kysely"
import { refuse, trigger } from "../statements.ts"
import { isHash, metaValue, refuseSealed } from "./memory-guards.ts"

const MAKER = ["model", "revision", "dimensions", "normalizer"] as const

const hasAnotherMaker = sql.join(
  MAKER.map((column) => sql`"first".${sql.ref(column)} IS NOT NEW.${sql.ref(column)}`),
  sql` OR `
)

/** What a vector is of, and whose it is, says the text: another one is another row. */
export const vectorGuards = [
  trigger({
    name: "tr_vectors_insert",
    timing: "BEFORE",
    event: "INSERT",
    on: "vectors",
    body: [
      refuseSealed,
      refuse(
        "A vector is stored already under this number or for this text",
        sql`EXISTS (SELECT 1 FROM "vectors" WHERE "vector_id" = NEW."vector_id" OR "hash" = NEW."hash")`
      ),
      refuse(
        "A vector is that of a chunk's text",
        sql`NOT EXISTS (SELECT 1 FROM "chunks" WHERE "hash" = NEW."hash")`
      ),
      refuse(
        "A vector's vector_hash must be 64 lower-case hex digits",
        sql`${isHash("vector_hash")} IS NOT 1`
      ),
      refuse(
        "A vector has four bytes for each of its dimensions",
        sql`length(NEW."data") IS NOT 4 * NEW."dimensions"`
      ),
      refuse(
        "All vectors of a cassette have one maker",
        sql`EXISTS (SELECT 1 FROM (SELECT * FROM "vectors" ORDER BY "vector_id" LIMIT 1) AS "first" WHERE ${hasAnotherMaker})`
      )
    ]
  }),
  trigger({
    name: "tr_vectors_update",
    timing: "BEFORE",
    event: "UPDATE",
    on: "vectors",
    body: [refuse("A vector is never changed: it is removed, and made again from its text")]
  }),
  trigger({
    name: "tr_vectors_delete",
    timing: "BEFORE",
    event: "DELETE",
    on: "vectors",
    body: [
      refuseSealed,
      refuse(
        "A vector goes with the last chunk of its text",
        sql`${metaValue("reindexing")} IS NOT '1' AND EXISTS (SELECT 1 FROM "chunks" WHERE "hash" = OLD."hash")`
      )
    ]
  })
]
