/**
 * Version 1 of a cassette: documents, memories and the receipts of their writes, which are its content; and chunks,
 * postings and full-text index, which can be made again from them. Guards hold what the cassette's mutability promises
 * against every program that opens the file. The statements of a released version must never change.
 */
import { sql } from "kysely"
import { builders, refuse, statement, trigger, type Migration } from "../statements.ts"
import {
  admitsOne,
  isHash,
  isPrivate,
  keepsAll,
  memoryGuards,
  metaValue,
  newestReceipt,
  recordTimes,
  refuseSealed,
  saveGuards
} from "./memory-guards.ts"
import { receiptGuards } from "./receipt-guards.ts"
import { vectorGuards } from "./vector-guards.ts"

const db = builders<unknown>()

/** "CXN1" as a big-endian number: tells a cassette from a ledger, a corpus database and everything else. */
const applicationId = sql`PRAGMA application_id = 1129860657`

const migrations = db.schema
  .createTable("cassette_migrations")
  .addColumn("version", "integer", (column) => column.primaryKey())
  .addColumn("name", "text", (column) => column.notNull())
  .addColumn("checksum", "text", (column) => column.notNull())
  .modifyEnd(sql`strict`)

const meta = db.schema
  .createTable("network_meta")
  .addColumn("key", "text", (column) => column.notNull().primaryKey())
  .addColumn("value", "text", (column) => column.notNull())
  .modifyEnd(sql`strict, without rowid`)

const receipts = db.schema
  .createTable("write_receipts")
  .addColumn("receipt_index", "integer", (column) => column.primaryKey())
  .addColumn("parent_hash", "text", (column) => column.notNull())
  .addColumn("operation", "text", (column) => column.notNull())
  .addColumn("record_hash", "text", (column) => column.notNull())
  .addColumn("rule", "text", (column) => column.notNull())
  .addColumn("receipt_hash", "text", (column) => column.notNull())
  .modifyEnd(sql`strict`)

const documents = db.schema
  .createTable("documents")
  .addColumn("document_id", "integer", (column) => column.primaryKey())
  .addColumn("path", "text", (column) => column.notNull())
  .addColumn("version", "integer", (column) => column.notNull())
  .addColumn("type", "text", (column) => column.notNull())
  .addColumn("text", "text", (column) => column.notNull())
  .addColumn("content_hash", "text", (column) => column.notNull())
  .addColumn("record_hash", "text", (column) => column.notNull())
  .addColumn("added_at", "text", (column) => column.notNull())
  .addColumn("expires_at", "text")
  .addUniqueConstraint("documents_key", ["path", "version"])
  .modifyEnd(sql`strict`)

// `owner` is the only agent that may see a memory, or empty when everybody may.
const memories = db.schema
  .createTable("memories")
  .addColumn("memory_id", "integer", (column) => column.primaryKey())
  .addColumn("owner", "text", (column) => column.notNull())
  .addColumn("text", "text", (column) => column.notNull())
  .addColumn("content_hash", "text", (column) => column.notNull())
  .addColumn("record_hash", "text", (column) => column.notNull())
  .addUniqueConstraint("memories_key", ["owner", "content_hash"])
  .modifyEnd(sql`strict`)

// Who saved a memory, when and with what: one row for each time. The newest that has not expired keeps the memory.
const saves = db.schema
  .createTable("saves")
  .addColumn("save_id", "integer", (column) => column.primaryKey())
  .addColumn("memory_id", "integer", (column) => column.notNull().references("memories.memory_id"))
  .addColumn("save_number", "integer", (column) => column.notNull())
  .addColumn("agent_id", "text")
  .addColumn("saved_at", "text", (column) => column.notNull())
  .addColumn("expires_at", "text")
  .addColumn("metadata", "text", (column) => column.notNull())
  .addColumn("record_hash", "text", (column) => column.notNull())
  .addUniqueConstraint("saves_key", ["memory_id", "save_number"])
  .modifyEnd(sql`strict`)

// Chunk numbers only grow and are never given twice: postings name chunks by them. A chunk is of a document or a memory.
const chunks = db.schema
  .createTable("chunks")
  .addColumn("chunk_number", "integer", (column) => column.primaryKey())
  .addColumn("chunk_id", "text", (column) => column.notNull())
  .addColumn("document_id", "integer", (column) => column.references("documents.document_id"))
  .addColumn("memory_id", "integer", (column) => column.references("memories.memory_id"))
  .addColumn("ordinal", "integer", (column) => column.notNull())
  .addColumn("hash", "text", (column) => column.notNull())
  .addColumn("kind", "text", (column) => column.notNull())
  .addColumn("heading_path", "text", (column) => column.notNull())
  .addColumn("parent_ordinal", "integer")
  .addColumn("byte_start", "integer", (column) => column.notNull())
  .addColumn("byte_end", "integer", (column) => column.notNull())
  .addCheckConstraint("chunks_source", sql`("document_id" IS NULL) <> ("memory_id" IS NULL)`)
  .modifyEnd(sql`strict`)

/** Every chunk with its text and the place where people find it: a document's path, or the symbol of a memory. */
const chunkPlaces = sql`CREATE VIEW "chunk_places" AS SELECT c."chunk_number", c."chunk_id", c."document_id", c."memory_id", coalesce(d."path", '@A:' || m."content_hash") AS "path", coalesce(d."type", 'memory') AS "type", c."hash", c."ordinal", c."kind", c."heading_path", substr(CAST(coalesce(d."text", m."text") AS BLOB), c."byte_start" + 1, c."byte_end" - c."byte_start") AS "content" FROM "chunks" AS c LEFT JOIN "documents" AS d ON d."document_id" = c."document_id" LEFT JOIN "memories" AS m ON m."memory_id" = c."memory_id"`

const indexes = [
  db.schema.createIndex("ix_chunks_hash").on("chunks").column("hash"),
  db.schema.createIndex("ix_chunks_document").on("chunks").columns(["document_id", "ordinal"]).unique(),
  db.schema
    .createIndex("ix_chunks_memory")
    .on("chunks")
    .columns(["memory_id", "ordinal"])
    .unique()
    .where(sql.ref("memory_id"), "is not", null),
  db.schema.createIndex("ix_write_receipts_record").on("write_receipts").column("record_hash"),
  db.schema.createIndex("ix_documents_record").on("documents").column("record_hash"),
  db.schema.createIndex("ix_documents_content").on("documents").column("content_hash"),
  db.schema.createIndex("ix_memories_record").on("memories").column("record_hash"),
  db.schema.createIndex("ix_saves_record").on("saves").column("record_hash")
]

const terms = db.schema
  .createTable("chunk_terms")
  .addColumn("chunk_number", "integer", (column) => column.primaryKey())
  .addColumn("path", "text", (column) => column.notNull())
  .addColumn("heading", "text", (column) => column.notNull())
  .addColumn("body", "text", (column) => column.notNull())
  .addColumn("identifiers", "text", (column) => column.notNull())
  .modifyEnd(sql`strict`)

// The terms are folded and taken apart already: here they are separated by blanks alone.
const fullText = sql`CREATE VIRTUAL TABLE "chunks_fts" USING fts5(path, heading, body, identifiers, content='chunk_terms', content_rowid='chunk_number', tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_{|}~'")`

// 4,096 chunk numbers each, `given` of them given out. All chunks of a segment have one owner (empty: everybody), so a
// question reads only the segments whose chunks it may see, and nothing depends on the others.
const segments = db.schema
  .createTable("segments")
  .addColumn("segment", "integer", (column) => column.primaryKey())
  .addColumn("owner", "text", (column) => column.notNull())
  .addColumn("given", "integer", (column) => column.notNull().check(sql`"given" BETWEEN 0 AND 4096`))
  .addColumn("chunks", "integer", (column) => column.notNull())
  .addColumn("words", "integer", (column) => column.notNull())
  .addColumn("lengths", "blob", (column) => column.notNull())
  .modifyEnd(sql`strict`)

const segmentIndex = db.schema
  .createIndex("ix_segments_owner")
  .on("segments")
  .columns(["owner", "segment"])
  .unique()

// A table of its rows' numbers: looking up a key beside lists that fill pages would read the lists.
const postings = db.schema
  .createTable("postings")
  .addColumn("term", "text", (column) => column.notNull())
  .addColumn("segment", "integer", (column) => column.notNull())
  .addColumn("chunks", "integer", (column) => column.notNull())
  .addColumn("last", "integer", (column) => column.notNull())
  .addColumn("data", "blob", (column) => column.notNull())
  .modifyEnd(sql`strict`)

// With `chunks`, so that counting reads the index alone.
const postingsIndex = db.schema
  .createIndex("ix_postings_term")
  .on("postings")
  .columns(["term", "segment", "chunks"])
  .unique()

const tail = db.schema
  .createTable("tail")
  .addColumn("chunk_number", "integer", (column) => column.primaryKey())
  .addColumn("words", "integer", (column) => column.notNull())
  .modifyEnd(sql`strict`)

// One vector for each text; who made it stands beside it. Little-endian 32-bit floats of length 1.
const vectors = db.schema
  .createTable("vectors")
  .addColumn("vector_id", "integer", (column) => column.primaryKey())
  .addColumn("hash", "text", (column) => column.notNull().unique())
  .addColumn("model", "text", (column) => column.notNull())
  .addColumn("revision", "text", (column) => column.notNull())
  .addColumn("dimensions", "integer", (column) => column.notNull())
  .addColumn("normalizer", "text", (column) => column.notNull())
  .addColumn("data", "blob", (column) => column.notNull())
  .addColumn("vector_hash", "text", (column) => column.notNull())
  .modifyEnd(sql`strict`)

// One bit for each number of a vector, 1 where it is above 0, in little-endian 32-bit words; 4,096 vectors to a segment.
// `present` has a bit for each place that a vector stands at.
const vectorSigns = db.schema
  .createTable("vector_signs")
  .addColumn("segment", "integer", (column) => column.primaryKey())
  .addColumn("present", "blob", (column) => column.notNull())
  .addColumn("signs", "blob", (column) => column.notNull())
  .modifyEnd(sql`strict`)

// Vectors whose signs are not in a segment yet.
const vectorTail = db.schema
  .createTable("vector_tail")
  .addColumn("vector_id", "integer", (column) => column.primaryKey())
  .modifyEnd(sql`strict`)

const sealed = (table: string, event: "INSERT" | "UPDATE" | "DELETE"): string =>
  trigger({
    name: `tr_${table}_sealed_${event.toLowerCase()}`,
    timing: "BEFORE",
    event,
    on: table,
    body: [refuseSealed]
  })

const metaGuards = [
  trigger({
    name: "tr_network_meta_update",
    timing: "BEFORE",
    event: "UPDATE",
    on: "network_meta",
    body: [
      refuseSealed,
      refuse(
        "A cassette keeps its id, its mutability, its time to live and who sees its memories",
        sql`OLD."key" IN ('cassette_id', 'mutability', 'memories', 'ttl_ms', 'schema_version') OR NEW."key" IS NOT OLD."key"`
      )
    ]
  }),
  trigger({
    name: "tr_network_meta_delete",
    timing: "BEFORE",
    event: "DELETE",
    on: "network_meta",
    body: [refuse("network_meta keeps every key")]
  }),
  trigger({
    name: "tr_network_meta_insert",
    timing: "BEFORE",
    event: "INSERT",
    on: "network_meta",
    body: [
      refuseSealed,
      refuse(
        "network_meta keeps every key",
        sql`EXISTS (SELECT 1 FROM "network_meta" WHERE "key" = NEW."key")`
      ),
      refuse(
        "mutability must be immutable, stable, mutable, append-only, ephemeral or read-write",
        sql`NEW."key" IS 'mutability' AND NEW."value" NOT IN ('immutable', 'stable', 'mutable', 'append-only', 'ephemeral', 'read-write')`
      ),
      refuse(
        "memories must be shared or private",
        sql`NEW."key" IS 'memories' AND NEW."value" NOT IN ('shared', 'private')`
      )
    ]
  })
]

const documentGuards = [
  trigger({
    name: "tr_documents_insert",
    timing: "BEFORE",
    event: "INSERT",
    on: "documents",
    body: [
      refuseSealed,
      refuse(
        "A document is stored already under this number",
        sql`EXISTS (SELECT 1 FROM "documents" WHERE "document_id" = NEW."document_id")`
      ),
      refuse(
        "A document's version must be one more than the newest of its path",
        sql`NEW."version" IS NOT (SELECT coalesce(max("version"), 0) + 1 FROM "documents" WHERE "path" = NEW."path")`
      ),
      refuse(
        "only stable and append-only cassettes keep another version of a document",
        sql`NEW."version" > 1 AND ${metaValue("mutability")} NOT IN ('stable', 'append-only')`
      ),
      refuse("A document needs the receipt of its write", newestReceipt("add", "NEW")),
      admitsOne("A document"),
      refuse(
        "A document's content_hash must be 64 lower-case hex digits",
        sql`${isHash("content_hash")} IS NOT 1`
      ),
      ...recordTimes("A document", "added_at")
    ]
  }),
  trigger({
    name: "tr_documents_update",
    timing: "BEFORE",
    event: "UPDATE",
    on: "documents",
    body: [refuse("A document is never changed: another text is another record")]
  }),
  trigger({
    name: "tr_documents_delete",
    timing: "BEFORE",
    event: "DELETE",
    on: "documents",
    body: [
      refuse("immutable, stable and append-only cassettes keep every document", keepsAll),
      refuse("A document is removed only with the receipt of its removal", newestReceipt("remove", "OLD"))
    ]
  })
]

const chunkGuards = [
  trigger({
    name: "tr_chunks_insert",
    timing: "BEFORE",
    event: "INSERT",
    on: "chunks",
    body: [
      refuseSealed,
      // REPLACE deletes what stands in its way without asking the guard of deletions.
      refuse(
        "A chunk is stored already under this number or in this place",
        sql`EXISTS (SELECT 1 FROM "chunks" WHERE "chunk_number" = NEW."chunk_number") OR EXISTS (SELECT 1 FROM "chunks" WHERE "document_id" = NEW."document_id" AND "ordinal" = NEW."ordinal") OR EXISTS (SELECT 1 FROM "chunks" WHERE "memory_id" = NEW."memory_id" AND "ordinal" = NEW."ordinal")`
      ),
      refuse(
        "A chunk stands in a segment of its owner",
        sql`(SELECT "owner" FROM "segments" WHERE "segment" = NEW."chunk_number" / 4096) IS NOT CASE WHEN NEW."memory_id" IS NULL THEN '' ELSE (SELECT "owner" FROM "memories" WHERE "memory_id" = NEW."memory_id") END`
      )
    ]
  }),
  trigger({
    name: "tr_chunks_update",
    timing: "BEFORE",
    event: "UPDATE",
    on: "chunks",
    body: [refuse("A chunk is never changed")]
  }),
  trigger({
    name: "tr_chunks_delete",
    timing: "BEFORE",
    event: "DELETE",
    on: "chunks",
    body: [
      refuseSealed,
      refuse(
        // No table may be called "old" here: it would hide the row that is deleted.
        "A stable cassette withdraws the chunks of replaced documents alone",
        sql`${metaValue("mutability")} IS 'stable' AND ${metaValue("reindexing")} IS NOT '1' AND NOT EXISTS (SELECT 1 FROM "documents" AS "owner" JOIN "documents" AS "later" ON "later"."path" = "owner"."path" AND "later"."version" > "owner"."version" WHERE "owner"."document_id" = OLD."document_id")`
      ),
      refuse(
        "An append-only cassette keeps every chunk",
        sql`${metaValue("mutability")} IS 'append-only' AND ${metaValue("reindexing")} IS NOT '1'`
      )
    ]
  })
]

const segmentGuards = [
  trigger({
    name: "tr_segments_owner_update",
    timing: "BEFORE",
    event: "UPDATE",
    on: "segments",
    body: [
      refuse(
        "A segment keeps its number and its owner",
        sql`NEW."segment" IS NOT OLD."segment" OR NEW."owner" IS NOT OLD."owner"`
      )
    ]
  }),
  trigger({
    name: "tr_segments_owner_insert",
    timing: "BEFORE",
    event: "INSERT",
    on: "segments",
    body: [
      refuse(
        "A segment is there already",
        sql`EXISTS (SELECT 1 FROM "segments" WHERE "segment" = NEW."segment")`
      ),
      refuse("Everybody sees a shared cassette", sql`NEW."owner" <> '' AND NOT (${isPrivate})`)
    ]
  })
]

const derivedGuards = [
  "cassette_migrations",
  "chunk_terms",
  "segments",
  "postings",
  "tail",
  "vector_signs",
  "vector_tail"
].flatMap((table) => (["INSERT", "UPDATE", "DELETE"] as const).map((event) => sealed(table, event)))

/** Creates an empty cassette with every guard in place; its id and mutability are written by who creates it. */
export const cassette: Migration = {
  version: 1,
  name: "0001-cassette",
  statements: () => [
    statement(applicationId),
    ...[migrations, meta, receipts, documents, memories, saves, chunks].map(statement),
    ...[...indexes, chunkPlaces, terms].map(statement),
    statement(fullText),
    ...[segments, segmentIndex, postings, postingsIndex, tail].map(statement),
    ...[vectors, vectorSigns, vectorTail].map(statement),
    ...metaGuards,
    ...receiptGuards,
    ...documentGuards,
    ...memoryGuards,
    ...saveGuards,
    ...chunkGuards,
    ...segmentGuards,
    ...vectorGuards,
    ...derivedGuards
  ]
}
