// Written by migrations/snapshots.test.ts from the builders (UPDATE_SNAPSHOT=1), and never edited by hand.
export const schema = `PRAGMA application_id = 1129861937;

create table "corpus_migrations" ("version" integer primary key, "name" text not null, "checksum" text not null) strict;

create table "files" ("path" text not null primary key, "size" integer not null, "mtime_ns" text not null, "ctime_ns" text not null, "inode" text not null, "hashed_at_ms" integer not null, "content_hash" text not null, "line_count" integer not null, "index_hash" text not null) strict, without rowid;

create table "sections" ("section_id" text not null primary key, "path" text not null references "files" ("path") on delete cascade, "line_start" integer not null, "line_end" integer not null, "content_hash" text not null) strict, without rowid;

create index "ix_sections_path" on "sections" ("path", "line_start", "line_end");

create table "headings" ("path" text not null, "line" integer not null, "level" integer not null, "heading" text not null, "section_id" text not null references "sections" ("section_id") on delete cascade, constraint "headings_key" primary key ("path", "line")) strict, without rowid;

create index "ix_headings_path" on "headings" ("path", "heading");

create index "ix_headings_section" on "headings" ("section_id");

create table "symbols" ("symbol_id" text not null primary key, "path" text not null, "heading" text, "slice" text, "symbol_hash" text not null) strict, without rowid;

create table "expansions" ("run_id" text not null, "symbol_id" text not null, "slice" text not null, "section_id" text not null, "section_content_hash" text not null, "payload" text not null, "payload_hash" text not null, "bytes_expanded" integer not null, "created_at" text not null, "expansion_hash" text not null, constraint "expansions_key" primary key ("run_id", "symbol_id", "slice", "section_content_hash")) strict;

create index "idx_expansions_symbol" on "expansions" ("symbol_id");

create index "idx_expansions_section" on "expansions" ("section_id");

CREATE TRIGGER "tr_expansions_append_only_insert" BEFORE INSERT ON "expansions"
BEGIN
  SELECT RAISE(ABORT, 'expansions is append-only: this key is stored already') WHERE EXISTS (select 1 as "found" from "expansions" where "run_id" = "NEW"."run_id" and "symbol_id" = "NEW"."symbol_id" and "slice" = "NEW"."slice" and "section_content_hash" = "NEW"."section_content_hash");
  SELECT RAISE(ABORT, 'expansions is append-only: a row cannot choose its rowid') WHERE NEW."rowid" > -1;
  SELECT RAISE(ABORT, 'An expansion needs a run_id, a symbol_id, a slice and a section_id that are not empty') WHERE NEW."run_id" IS '' OR NEW."symbol_id" IS '' OR NEW."slice" IS '' OR NEW."section_id" IS '';
  SELECT RAISE(ABORT, 'An expansion''s hashes must be 64 lower-case hex digits') WHERE (length(NEW."section_content_hash") IS 64 AND length(CAST(NEW."section_content_hash" AS BLOB)) IS 64 AND NEW."section_content_hash" NOT GLOB '*[^0-9a-f]*' AND length(NEW."payload_hash") IS 64 AND length(CAST(NEW."payload_hash" AS BLOB)) IS 64 AND NEW."payload_hash" NOT GLOB '*[^0-9a-f]*' AND length(NEW."expansion_hash") IS 64 AND length(CAST(NEW."expansion_hash" AS BLOB)) IS 64 AND NEW."expansion_hash" NOT GLOB '*[^0-9a-f]*') IS NOT 1;
  SELECT RAISE(ABORT, 'An expansion''s bytes_expanded must be the number of UTF-8 bytes of its payload') WHERE NEW."bytes_expanded" IS NOT length(CAST(NEW."payload" AS BLOB));
  SELECT RAISE(ABORT, 'An expansion''s created_at must be a time') WHERE strftime('%Y-%m-%dT%H:%M:%fZ', NEW."created_at") IS NOT NEW."created_at";
END;

CREATE TRIGGER "tr_expansions_append_only_rowid" AFTER INSERT ON "expansions"
BEGIN
  SELECT RAISE(ABORT, 'expansions is append-only: a row cannot choose its rowid') WHERE NEW."rowid" < 1;
END;

CREATE TRIGGER "tr_expansions_append_only_update" BEFORE UPDATE ON "expansions"
BEGIN
  SELECT RAISE(ABORT, 'expansions is append-only: no row is ever changed');
END;

CREATE TRIGGER "tr_expansions_append_only_delete" BEFORE DELETE ON "expansions"
BEGIN
  SELECT RAISE(ABORT, 'expansions is append-only: no row is ever deleted');
END;

`
