/**
 * Version 1 of the corpus database: what the index knows of files, their sections and headings, the symbols that
 * name them, and the expansions that were made of them. All but symbols and expansions can be made again from the
 * files. The statements of a released version must never change.
 */
import { sql } from "kysely"
import { builders, refuse, statement, trigger, type Migration } from "../statements.ts"

interface Tables {
  readonly expansions: {
    readonly run_id: string
    readonly symbol_id: string
    readonly slice: string
    readonly section_content_hash: string
  }
}

const db = builders<Tables>()

/** "CXS1" as a big-endian number: tells this database from a ledger and from everything else. */
const applicationId = sql`PRAGMA application_id = 1129861937`

const migrations = db.schema
  .createTable("corpus_migrations")
  .addColumn("version", "integer", (column) => column.primaryKey())
  .addColumn("name", "text", (column) => column.notNull())
  .addColumn("checksum", "text", (column) => column.notNull())
  .modifyEnd(sql`strict`)

// Nanoseconds and inodes do not fit into the numbers of JavaScript, so they stand here as decimal digits.
const files = db.schema
  .createTable("files")
  .addColumn("path", "text", (column) => column.notNull().primaryKey())
  .addColumn("size", "integer", (column) => column.notNull())
  .addColumn("mtime_ns", "text", (column) => column.notNull())
  .addColumn("ctime_ns", "text", (column) => column.notNull())
  .addColumn("inode", "text", (column) => column.notNull())
  .addColumn("hashed_at_ms", "integer", (column) => column.notNull())
  .addColumn("content_hash", "text", (column) => column.notNull())
  .addColumn("line_count", "integer", (column) => column.notNull())
  // Of this row and everything below it, so that a change of any of them shows.
  .addColumn("index_hash", "text", (column) => column.notNull())
  .modifyEnd(sql`strict, without rowid`)

const sections = db.schema
  .createTable("sections")
  .addColumn("section_id", "text", (column) => column.notNull().primaryKey())
  .addColumn("path", "text", (column) => column.notNull().references("files.path").onDelete("cascade"))
  .addColumn("line_start", "integer", (column) => column.notNull())
  .addColumn("line_end", "integer", (column) => column.notNull())
  .addColumn("content_hash", "text", (column) => column.notNull())
  .modifyEnd(sql`strict, without rowid`)

const sectionsOfPath = db.schema
  .createIndex("ix_sections_path")
  .on("sections")
  .columns(["path", "line_start", "line_end"])

// Two headings of one file may have one path: then that path names nothing, and the error lists their lines.
const headings = db.schema
  .createTable("headings")
  .addColumn("path", "text", (column) => column.notNull())
  .addColumn("line", "integer", (column) => column.notNull())
  .addColumn("level", "integer", (column) => column.notNull())
  .addColumn("heading", "text", (column) => column.notNull())
  .addColumn("section_id", "text", (column) =>
    column.notNull().references("sections.section_id").onDelete("cascade")
  )
  .addPrimaryKeyConstraint("headings_key", ["path", "line"])
  .modifyEnd(sql`strict, without rowid`)

const headingsOfPath = db.schema.createIndex("ix_headings_path").on("headings").columns(["path", "heading"])

const headingsOfSection = db.schema.createIndex("ix_headings_section").on("headings").column("section_id")

const symbols = db.schema
  .createTable("symbols")
  .addColumn("symbol_id", "text", (column) => column.notNull().primaryKey())
  .addColumn("path", "text", (column) => column.notNull())
  .addColumn("heading", "text")
  .addColumn("slice", "text")
  .addColumn("symbol_hash", "text", (column) => column.notNull())
  .modifyEnd(sql`strict, without rowid`)

const expansions = db.schema
  .createTable("expansions")
  .addColumn("run_id", "text", (column) => column.notNull())
  .addColumn("symbol_id", "text", (column) => column.notNull())
  .addColumn("slice", "text", (column) => column.notNull())
  .addColumn("section_id", "text", (column) => column.notNull())
  .addColumn("section_content_hash", "text", (column) => column.notNull())
  .addColumn("payload", "text", (column) => column.notNull())
  .addColumn("payload_hash", "text", (column) => column.notNull())
  .addColumn("bytes_expanded", "integer", (column) => column.notNull())
  .addColumn("created_at", "text", (column) => column.notNull())
  .addColumn("expansion_hash", "text", (column) => column.notNull())
  .addPrimaryKeyConstraint("expansions_key", ["run_id", "symbol_id", "slice", "section_content_hash"])
  .modifyEnd(sql`strict`)

const expansionsOfSymbol = db.schema.createIndex("idx_expansions_symbol").on("expansions").column("symbol_id")

const expansionsOfSection = db.schema
  .createIndex("idx_expansions_section")
  .on("expansions")
  .column("section_id")

// Twice a length: that of a text and GLOB stop at U+0000, that of the bytes does not.
const isHash = (column: string) =>
  sql`length(NEW.${sql.ref(column)}) IS 64 AND length(CAST(NEW.${sql.ref(column)} AS BLOB)) IS 64 AND NEW.${sql.ref(column)} NOT GLOB '*[^0-9a-f]*'`

const sameKey = db
  .selectFrom("expansions")
  .select(sql`1`.as("found"))
  .where("run_id", "=", sql.ref<string>("NEW.run_id"))
  .where("symbol_id", "=", sql.ref<string>("NEW.symbol_id"))
  .where("slice", "=", sql.ref<string>("NEW.slice"))
  .where("section_content_hash", "=", sql.ref<string>("NEW.section_content_hash"))

const noRowid = "expansions is append-only: a row cannot choose its rowid"

// Before the row is written, a chosen -1 looks like none; afterwards it shows.
const rowidGuard = trigger({
  name: "tr_expansions_append_only_rowid",
  timing: "AFTER",
  event: "INSERT",
  on: "expansions",
  body: [refuse(noRowid, sql`NEW."rowid" < 1`)]
})

const insertGuard = trigger({
  name: "tr_expansions_append_only_insert",
  timing: "BEFORE",
  event: "INSERT",
  on: "expansions",
  body: [
    refuse("expansions is append-only: this key is stored already", sql`EXISTS ${sameKey}`),
    // The hidden rowid is one more key that REPLACE can use. A row that names none shows -1 here; what is below 1 can
    // replace nothing, and is refused afterwards.
    refuse(noRowid, sql`NEW."rowid" > -1`),
    refuse(
      "An expansion needs a run_id, a symbol_id, a slice and a section_id that are not empty",
      sql`NEW."run_id" IS '' OR NEW."symbol_id" IS '' OR NEW."slice" IS '' OR NEW."section_id" IS ''`
    ),
    refuse(
      "An expansion's hashes must be 64 lower-case hex digits",
      sql`(${isHash("section_content_hash")} AND ${isHash("payload_hash")} AND ${isHash("expansion_hash")}) IS NOT 1`
    ),
    refuse(
      "An expansion's bytes_expanded must be the number of UTF-8 bytes of its payload",
      sql`NEW."bytes_expanded" IS NOT length(CAST(NEW."payload" AS BLOB))`
    ),
    refuse(
      "An expansion's created_at must be a time",
      sql`strftime('%Y-%m-%dT%H:%M:%fZ', NEW."created_at") IS NOT NEW."created_at"`
    )
  ]
})

const never = (event: "UPDATE" | "DELETE", word: string) =>
  trigger({
    name: `tr_expansions_append_only_${event.toLowerCase()}`,
    timing: "BEFORE",
    event,
    on: "expansions",
    body: [refuse(`expansions is append-only: no row is ever ${word}`)]
  })

/** Creates the tables of the index, empty, and the append-only table of expansions. */
export const corpus: Migration = {
  version: 1,
  name: "0001-corpus",
  statements: () => [
    ...[
      applicationId,
      migrations,
      files,
      sections,
      sectionsOfPath,
      headings,
      headingsOfPath,
      headingsOfSection,
      symbols,
      expansions,
      expansionsOfSymbol,
      expansionsOfSection
    ].map(statement),
    insertGuard,
    rowidGuard,
    never("UPDATE", "changed"),
    never("DELETE", "deleted")
  ]
}
