// Written by migrations/snapshots.test.ts from the builders (UPDATE_SNAPSHOT=1), and never edited by hand.
export const schema = `PRAGMA application_id = 1129860657;

create table "cassette_migrations" ("version" integer primary key, "name" text not null, "checksum" text not null) strict;

create table "network_meta" ("key" text not null primary key, "value" text not null) strict, without rowid;

create table "write_receipts" ("receipt_index" integer primary key, "parent_hash" text not null, "operation" text not null, "record_hash" text not null, "rule" text not null, "receipt_hash" text not null) strict;

create table "documents" ("document_id" integer primary key, "path" text not null, "version" integer not null, "type" text not null, "text" text not null, "content_hash" text not null, "record_hash" text not null, "added_at" text not null, "expires_at" text, constraint "documents_key" unique ("path", "version")) strict;

create table "memories" ("memory_id" integer primary key, "owner" text not null, "text" text not null, "content_hash" text not null, "record_hash" text not null, constraint "memories_key" unique ("owner", "content_hash")) strict;

create table "saves" ("save_id" integer primary key, "memory_id" integer not null references "memories" ("memory_id"), "save_number" integer not null, "agent_id" text, "saved_at" text not null, "expires_at" text, "metadata" text not null, "record_hash" text not null, constraint "saves_key" unique ("memory_id", "save_number")) strict;

create table "chunks" ("chunk_number" integer primary key, "chunk_id" text not null, "document_id" integer references "documents" ("document_id"), "memory_id" integer references "memories" ("memory_id"), "ordinal" integer not null, "hash" text not null, "kind" text not null, "heading_path" text not null, "parent_ordinal" integer, "byte_start" integer not null, "byte_end" integer not null, constraint "chunks_source" check (("document_id" IS NULL) <> ("memory_id" IS NULL))) strict;

create index "ix_chunks_hash" on "chunks" ("hash");

create unique index "ix_chunks_document" on "chunks" ("document_id", "ordinal");

create unique index "ix_chunks_memory" on "chunks" ("memory_id", "ordinal") where "memory_id" is not null;

create index "ix_write_receipts_record" on "write_receipts" ("record_hash");

create index "ix_documents_record" on "documents" ("record_hash");

create index "ix_documents_content" on "documents" ("content_hash");

create index "ix_memories_record" on "memories" ("record_hash");

create index "ix_saves_record" on "saves" ("record_hash");

CREATE VIEW "chunk_places" AS SELECT c."chunk_number", c."chunk_id", c."document_id", c."memory_id", coalesce(d."path", '@A:' || m."content_hash") AS "path", coalesce(d."type", 'memory') AS "type", c."hash", c."ordinal", c."kind", c."heading_path", substr(CAST(coalesce(d."text", m."text") AS BLOB), c."byte_start" + 1, c."byte_end" - c."byte_start") AS "content" FROM "chunks" AS c LEFT JOIN "documents" AS d ON d."document_id" = c."document_id" LEFT JOIN "memories" AS m ON m."memory_id" = c."memory_id";

create table "chunk_terms" ("chunk_number" integer primary key, "path" text not null, "heading" text not null, "body" text not null, "identifiers" text not null) strict;

CREATE VIRTUAL TABLE "chunks_fts" USING fts5(path, heading, body, identifiers, content='chunk_terms', content_rowid='chunk_number', tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_{|}~'");

create table "segments" ("segment" integer primary key, "owner" text not null, "given" integer not null check ("given" BETWEEN 0 AND 4096), "chunks" integer not null, "words" integer not null, "lengths" blob not null) strict;

create unique index "ix_segments_owner" on "segments" ("owner", "segment");

create table "postings" ("term" text not null, "segment" integer not null, "chunks" integer not null, "last" integer not null, "data" blob not null) strict;

create unique index "ix_postings_term" on "postings" ("term", "segment", "chunks");

create table "tail" ("chunk_number" integer primary key, "words" integer not null) strict;

create table "vectors" ("vector_id" integer primary key, "hash" text not null unique, "model" text not null, "revision" text not null, "dimensions" integer not null, "normalizer" text not null, "data" blob not null, "vector_hash" text not null) strict;

create table "vector_signs" ("segment" integer primary key, "present" blob not null, "signs" blob not null) strict;

create table "vector_tail" ("vector_id" integer primary key) strict;

CREATE TRIGGER "tr_network_meta_update" BEFORE UPDATE ON "network_meta"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
  SELECT RAISE(ABORT, 'A cassette keeps its id, its mutability, its time to live and who sees its memories') WHERE OLD."key" IN ('cassette_id', 'mutability', 'memories', 'ttl_ms', 'schema_version') OR NEW."key" IS NOT OLD."key";
END;

CREATE TRIGGER "tr_network_meta_delete" BEFORE DELETE ON "network_meta"
BEGIN
  SELECT RAISE(ABORT, 'network_meta keeps every key');
END;

CREATE TRIGGER "tr_network_meta_insert" BEFORE INSERT ON "network_meta"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
  SELECT RAISE(ABORT, 'network_meta keeps every key') WHERE EXISTS (SELECT 1 FROM "network_meta" WHERE "key" = NEW."key");
  SELECT RAISE(ABORT, 'mutability must be immutable, stable, mutable, append-only, ephemeral or read-write') WHERE NEW."key" IS 'mutability' AND NEW."value" NOT IN ('immutable', 'stable', 'mutable', 'append-only', 'ephemeral', 'read-write');
  SELECT RAISE(ABORT, 'memories must be shared or private') WHERE NEW."key" IS 'memories' AND NEW."value" NOT IN ('shared', 'private');
END;

CREATE TRIGGER "tr_write_receipts_chain_insert" BEFORE INSERT ON "write_receipts"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
  SELECT RAISE(ABORT, 'write_receipts is a chain: receipt_index must be the next, parent_hash the newest receipt''s hash') WHERE NEW."receipt_index" IS NOT (SELECT coalesce(max("receipt_index"), 0) + 1 FROM "write_receipts") OR NEW."parent_hash" IS NOT coalesce((SELECT "receipt_hash" FROM "write_receipts" WHERE "receipt_index" = NEW."receipt_index" - 1), NEW."parent_hash");
  SELECT RAISE(ABORT, 'A receipt''s hashes must be 64 lower-case hex digits') WHERE ((length("NEW"."parent_hash") IS 64 AND length(CAST("NEW"."parent_hash" AS BLOB)) IS 64 AND "NEW"."parent_hash" NOT GLOB '*[^0-9a-f]*') AND (length("NEW"."record_hash") IS 64 AND length(CAST("NEW"."record_hash" AS BLOB)) IS 64 AND "NEW"."record_hash" NOT GLOB '*[^0-9a-f]*') AND (length("NEW"."receipt_hash") IS 64 AND length(CAST("NEW"."receipt_hash" AS BLOB)) IS 64 AND "NEW"."receipt_hash" NOT GLOB '*[^0-9a-f]*')) IS NOT 1;
  SELECT RAISE(ABORT, 'A receipt is that of migrate, add, remove or seal') WHERE NEW."operation" NOT IN ('migrate', 'add', 'remove', 'seal');
  SELECT RAISE(ABORT, 'The first receipt of a cassette is that of its migration') WHERE NEW."receipt_index" IS 1 AND NEW."operation" IS NOT 'migrate';
  SELECT RAISE(ABORT, 'A receipt''s rule is the cassette''s mutability') WHERE NEW."operation" IS NOT 'migrate' AND NEW."rule" IS NOT (SELECT "value" FROM "network_meta" WHERE "key" = 'mutability');
  SELECT RAISE(ABORT, 'Only an immutable cassette is sealed') WHERE NEW."operation" IS 'seal' AND (SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') IS NOT 'immutable';
  SELECT RAISE(ABORT, 'Nothing follows a seal') WHERE (SELECT "operation" FROM "write_receipts" WHERE "receipt_index" = NEW."receipt_index" - 1) IS 'seal';
  SELECT RAISE(ABORT, 'A record that is there already is not added') WHERE NEW."operation" IS 'add' AND (SELECT "operation" FROM "write_receipts" WHERE "record_hash" = NEW."record_hash" AND "operation" IN ('add', 'remove') ORDER BY "receipt_index" DESC LIMIT 1) IS 'add';
  SELECT RAISE(ABORT, 'A record that is not there is not removed') WHERE NEW."operation" IS 'remove' AND (SELECT "operation" FROM "write_receipts" WHERE "record_hash" = NEW."record_hash" AND "operation" IN ('add', 'remove') ORDER BY "receipt_index" DESC LIMIT 1) IS NOT 'add';
  SELECT RAISE(ABORT, 'immutable, stable and append-only cassettes remove nothing') WHERE NEW."operation" IS 'remove' AND (SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') IN ('immutable', 'stable', 'append-only');
  SELECT RAISE(ABORT, 'The newest receipt''s record is missing: it is written before the next receipt') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'reindexing') IS NOT '1' AND EXISTS (SELECT 1 FROM "write_receipts" AS "last" WHERE "last"."receipt_index" = NEW."receipt_index" - 1 AND "last"."operation" IS 'add' AND NOT (EXISTS (SELECT 1 FROM "documents" WHERE "record_hash" = "last"."record_hash") OR EXISTS (SELECT 1 FROM "memories" WHERE "record_hash" = "last"."record_hash") OR EXISTS (SELECT 1 FROM "saves" WHERE "record_hash" = "last"."record_hash")));
  SELECT RAISE(ABORT, 'The record that the newest receipt removed is still there: it goes before the next receipt') WHERE EXISTS (SELECT 1 FROM "write_receipts" AS "last" WHERE "last"."receipt_index" = NEW."receipt_index" - 1 AND "last"."operation" IS 'remove' AND (EXISTS (SELECT 1 FROM "documents" WHERE "record_hash" = "last"."record_hash") OR EXISTS (SELECT 1 FROM "memories" WHERE "record_hash" = "last"."record_hash") OR EXISTS (SELECT 1 FROM "saves" WHERE "record_hash" = "last"."record_hash")));
END;

CREATE TRIGGER "tr_write_receipts_append_only_update" BEFORE UPDATE ON "write_receipts"
BEGIN
  SELECT RAISE(ABORT, 'write_receipts is append-only: no receipt is ever changed or deleted');
END;

CREATE TRIGGER "tr_write_receipts_append_only_delete" BEFORE DELETE ON "write_receipts"
BEGIN
  SELECT RAISE(ABORT, 'write_receipts is append-only: no receipt is ever changed or deleted');
END;

CREATE TRIGGER "tr_documents_insert" BEFORE INSERT ON "documents"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
  SELECT RAISE(ABORT, 'A document is stored already under this number') WHERE EXISTS (SELECT 1 FROM "documents" WHERE "document_id" = NEW."document_id");
  SELECT RAISE(ABORT, 'A document''s version must be one more than the newest of its path') WHERE NEW."version" IS NOT (SELECT coalesce(max("version"), 0) + 1 FROM "documents" WHERE "path" = NEW."path");
  SELECT RAISE(ABORT, 'only stable and append-only cassettes keep another version of a document') WHERE NEW."version" > 1 AND (SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') NOT IN ('stable', 'append-only');
  SELECT RAISE(ABORT, 'A document needs the receipt of its write') WHERE NOT EXISTS (SELECT 1 FROM "write_receipts" WHERE "receipt_index" = (SELECT max("receipt_index") FROM "write_receipts") AND "operation" IS 'add' AND "record_hash" IS "NEW"."record_hash");
  SELECT RAISE(ABORT, 'A document is stored already under the receipt of its write') WHERE (EXISTS (SELECT 1 FROM "documents" WHERE "record_hash" = "NEW"."record_hash") OR EXISTS (SELECT 1 FROM "memories" WHERE "record_hash" = "NEW"."record_hash") OR EXISTS (SELECT 1 FROM "saves" WHERE "record_hash" = "NEW"."record_hash"));
  SELECT RAISE(ABORT, 'A document''s content_hash must be 64 lower-case hex digits') WHERE (length("NEW"."content_hash") IS 64 AND length(CAST("NEW"."content_hash" AS BLOB)) IS 64 AND "NEW"."content_hash" NOT GLOB '*[^0-9a-f]*') IS NOT 1;
  SELECT RAISE(ABORT, 'A document has times of the form YYYY-MM-DDTHH:MM:SS.mmmZ') WHERE strftime('%Y-%m-%dT%H:%M:%fZ', "NEW"."added_at") IS NOT "NEW"."added_at" OR strftime('%Y-%m-%dT%H:%M:%fZ', "NEW"."expires_at") IS NOT "NEW"."expires_at";
  SELECT RAISE(ABORT, 'Records of an ephemeral cassette expire, and no others') WHERE (NEW."expires_at" IS NULL) IS ((SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') IS 'ephemeral');
END;

CREATE TRIGGER "tr_documents_update" BEFORE UPDATE ON "documents"
BEGIN
  SELECT RAISE(ABORT, 'A document is never changed: another text is another record');
END;

CREATE TRIGGER "tr_documents_delete" BEFORE DELETE ON "documents"
BEGIN
  SELECT RAISE(ABORT, 'immutable, stable and append-only cassettes keep every document') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') IN ('immutable', 'stable', 'append-only');
  SELECT RAISE(ABORT, 'A document is removed only with the receipt of its removal') WHERE NOT EXISTS (SELECT 1 FROM "write_receipts" WHERE "receipt_index" = (SELECT max("receipt_index") FROM "write_receipts") AND "operation" IS 'remove' AND "record_hash" IS "OLD"."record_hash");
END;

CREATE TRIGGER "tr_memories_insert" BEFORE INSERT ON "memories"
BEGIN
  SELECT RAISE(ABORT, 'immutable: nothing is remembered in an immutable cassette') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') IS 'immutable';
  SELECT RAISE(ABORT, 'A memory is stored already under this number, or with this text for the same owner') WHERE EXISTS (SELECT 1 FROM "memories" WHERE "memory_id" = NEW."memory_id" OR "owner" = NEW."owner" AND "content_hash" = NEW."content_hash");
  SELECT RAISE(ABORT, 'A memory has an owner in a private cassette, and none in a shared one') WHERE (NEW."owner" <> '') <> ((SELECT "value" FROM "network_meta" WHERE "key" = 'memories') IS 'private');
  SELECT RAISE(ABORT, 'A memory needs the receipt of its write') WHERE NOT EXISTS (SELECT 1 FROM "write_receipts" WHERE "receipt_index" = (SELECT max("receipt_index") FROM "write_receipts") AND "operation" IS 'add' AND "record_hash" IS "NEW"."record_hash");
  SELECT RAISE(ABORT, 'A memory is stored already under the receipt of its write') WHERE (EXISTS (SELECT 1 FROM "documents" WHERE "record_hash" = "NEW"."record_hash") OR EXISTS (SELECT 1 FROM "memories" WHERE "record_hash" = "NEW"."record_hash") OR EXISTS (SELECT 1 FROM "saves" WHERE "record_hash" = "NEW"."record_hash"));
  SELECT RAISE(ABORT, 'A memory''s content_hash must be 64 lower-case hex digits') WHERE (length("NEW"."content_hash") IS 64 AND length(CAST("NEW"."content_hash" AS BLOB)) IS 64 AND "NEW"."content_hash" NOT GLOB '*[^0-9a-f]*') IS NOT 1;
END;

CREATE TRIGGER "tr_memories_update" BEFORE UPDATE ON "memories"
BEGIN
  SELECT RAISE(ABORT, 'A memory is never changed: another text is another memory');
END;

CREATE TRIGGER "tr_memories_delete" BEFORE DELETE ON "memories"
BEGIN
  SELECT RAISE(ABORT, 'immutable, stable and append-only cassettes keep every memory') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') IN ('immutable', 'stable', 'append-only');
  SELECT RAISE(ABORT, 'A memory is removed after all of its saves') WHERE EXISTS (SELECT 1 FROM "saves" WHERE "memory_id" = OLD."memory_id");
  SELECT RAISE(ABORT, 'A memory is removed only with the receipt of its removal') WHERE NOT EXISTS (SELECT 1 FROM "write_receipts" WHERE "receipt_index" = (SELECT max("receipt_index") FROM "write_receipts") AND "operation" IS 'remove' AND "record_hash" IS "OLD"."record_hash");
END;

CREATE TRIGGER "tr_saves_insert" BEFORE INSERT ON "saves"
BEGIN
  SELECT RAISE(ABORT, 'immutable: nothing is remembered in an immutable cassette') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') IS 'immutable';
  SELECT RAISE(ABORT, 'A save is stored already under this number') WHERE EXISTS (SELECT 1 FROM "saves" WHERE "save_id" = NEW."save_id");
  SELECT RAISE(ABORT, 'save_number must be one more than the memory''s newest') WHERE NEW."save_number" IS NOT (SELECT coalesce(max("save_number"), 0) + 1 FROM "saves" WHERE "memory_id" = NEW."memory_id");
  SELECT RAISE(ABORT, 'Only its owner saves a memory of a private cassette') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'memories') IS 'private' AND NEW."agent_id" IS NOT (SELECT "owner" FROM "memories" WHERE "memory_id" = NEW."memory_id");
  SELECT RAISE(ABORT, 'A save needs the receipt of its write') WHERE NOT EXISTS (SELECT 1 FROM "write_receipts" WHERE "receipt_index" = (SELECT max("receipt_index") FROM "write_receipts") AND "operation" IS 'add' AND "record_hash" IS "NEW"."record_hash");
  SELECT RAISE(ABORT, 'A save is stored already under the receipt of its write') WHERE (EXISTS (SELECT 1 FROM "documents" WHERE "record_hash" = "NEW"."record_hash") OR EXISTS (SELECT 1 FROM "memories" WHERE "record_hash" = "NEW"."record_hash") OR EXISTS (SELECT 1 FROM "saves" WHERE "record_hash" = "NEW"."record_hash"));
  SELECT RAISE(ABORT, 'A save has times of the form YYYY-MM-DDTHH:MM:SS.mmmZ') WHERE strftime('%Y-%m-%dT%H:%M:%fZ', "NEW"."saved_at") IS NOT "NEW"."saved_at" OR strftime('%Y-%m-%dT%H:%M:%fZ', "NEW"."expires_at") IS NOT "NEW"."expires_at";
  SELECT RAISE(ABORT, 'Records of an ephemeral cassette expire, and no others') WHERE (NEW."expires_at" IS NULL) IS ((SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') IS 'ephemeral');
END;

CREATE TRIGGER "tr_saves_update" BEFORE UPDATE ON "saves"
BEGIN
  SELECT RAISE(ABORT, 'A save is never changed');
END;

CREATE TRIGGER "tr_saves_delete" BEFORE DELETE ON "saves"
BEGIN
  SELECT RAISE(ABORT, 'immutable, stable and append-only cassettes keep every save') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') IN ('immutable', 'stable', 'append-only');
  SELECT RAISE(ABORT, 'A save is removed only with the receipt of its removal') WHERE NOT EXISTS (SELECT 1 FROM "write_receipts" WHERE "receipt_index" = (SELECT max("receipt_index") FROM "write_receipts") AND "operation" IS 'remove' AND "record_hash" IS "OLD"."record_hash");
END;

CREATE TRIGGER "tr_chunks_insert" BEFORE INSERT ON "chunks"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
  SELECT RAISE(ABORT, 'A chunk is stored already under this number or in this place') WHERE EXISTS (SELECT 1 FROM "chunks" WHERE "chunk_number" = NEW."chunk_number") OR EXISTS (SELECT 1 FROM "chunks" WHERE "document_id" = NEW."document_id" AND "ordinal" = NEW."ordinal") OR EXISTS (SELECT 1 FROM "chunks" WHERE "memory_id" = NEW."memory_id" AND "ordinal" = NEW."ordinal");
  SELECT RAISE(ABORT, 'A chunk stands in a segment of its owner') WHERE (SELECT "owner" FROM "segments" WHERE "segment" = NEW."chunk_number" / 4096) IS NOT CASE WHEN NEW."memory_id" IS NULL THEN '' ELSE (SELECT "owner" FROM "memories" WHERE "memory_id" = NEW."memory_id") END;
END;

CREATE TRIGGER "tr_chunks_update" BEFORE UPDATE ON "chunks"
BEGIN
  SELECT RAISE(ABORT, 'A chunk is never changed');
END;

CREATE TRIGGER "tr_chunks_delete" BEFORE DELETE ON "chunks"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
  SELECT RAISE(ABORT, 'A stable cassette withdraws the chunks of replaced documents alone') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') IS 'stable' AND (SELECT "value" FROM "network_meta" WHERE "key" = 'reindexing') IS NOT '1' AND NOT EXISTS (SELECT 1 FROM "documents" AS "owner" JOIN "documents" AS "later" ON "later"."path" = "owner"."path" AND "later"."version" > "owner"."version" WHERE "owner"."document_id" = OLD."document_id");
  SELECT RAISE(ABORT, 'An append-only cassette keeps every chunk') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'mutability') IS 'append-only' AND (SELECT "value" FROM "network_meta" WHERE "key" = 'reindexing') IS NOT '1';
END;

CREATE TRIGGER "tr_segments_owner_update" BEFORE UPDATE ON "segments"
BEGIN
  SELECT RAISE(ABORT, 'A segment keeps its number and its owner') WHERE NEW."segment" IS NOT OLD."segment" OR NEW."owner" IS NOT OLD."owner";
END;

CREATE TRIGGER "tr_segments_owner_insert" BEFORE INSERT ON "segments"
BEGIN
  SELECT RAISE(ABORT, 'A segment is there already') WHERE EXISTS (SELECT 1 FROM "segments" WHERE "segment" = NEW."segment");
  SELECT RAISE(ABORT, 'Everybody sees a shared cassette') WHERE NEW."owner" <> '' AND NOT ((SELECT "value" FROM "network_meta" WHERE "key" = 'memories') IS 'private');
END;

CREATE TRIGGER "tr_vectors_insert" BEFORE INSERT ON "vectors"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
  SELECT RAISE(ABORT, 'A vector is stored already under this number or for this text') WHERE EXISTS (SELECT 1 FROM "vectors" WHERE "vector_id" = NEW."vector_id" OR "hash" = NEW."hash");
  SELECT RAISE(ABORT, 'A vector is that of a chunk''s text') WHERE NOT EXISTS (SELECT 1 FROM "chunks" WHERE "hash" = NEW."hash");
  SELECT RAISE(ABORT, 'A vector''s vector_hash must be 64 lower-case hex digits') WHERE (length("NEW"."vector_hash") IS 64 AND length(CAST("NEW"."vector_hash" AS BLOB)) IS 64 AND "NEW"."vector_hash" NOT GLOB '*[^0-9a-f]*') IS NOT 1;
  SELECT RAISE(ABORT, 'A vector has four bytes for each of its dimensions') WHERE length(NEW."data") IS NOT 4 * NEW."dimensions";
  SELECT RAISE(ABORT, 'All vectors of a cassette have one maker') WHERE EXISTS (SELECT 1 FROM (SELECT * FROM "vectors" ORDER BY "vector_id" LIMIT 1) AS "first" WHERE "first"."model" IS NOT NEW."model" OR "first"."revision" IS NOT NEW."revision" OR "first"."dimensions" IS NOT NEW."dimensions" OR "first"."normalizer" IS NOT NEW."normalizer");
END;

CREATE TRIGGER "tr_vectors_update" BEFORE UPDATE ON "vectors"
BEGIN
  SELECT RAISE(ABORT, 'A vector is never changed: it is removed, and made again from its text');
END;

CREATE TRIGGER "tr_vectors_delete" BEFORE DELETE ON "vectors"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
  SELECT RAISE(ABORT, 'A vector goes with the last chunk of its text') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'reindexing') IS NOT '1' AND EXISTS (SELECT 1 FROM "chunks" WHERE "hash" = OLD."hash");
END;

CREATE TRIGGER "tr_cassette_migrations_sealed_insert" BEFORE INSERT ON "cassette_migrations"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_cassette_migrations_sealed_update" BEFORE UPDATE ON "cassette_migrations"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_cassette_migrations_sealed_delete" BEFORE DELETE ON "cassette_migrations"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_chunk_terms_sealed_insert" BEFORE INSERT ON "chunk_terms"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_chunk_terms_sealed_update" BEFORE UPDATE ON "chunk_terms"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_chunk_terms_sealed_delete" BEFORE DELETE ON "chunk_terms"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_segments_sealed_insert" BEFORE INSERT ON "segments"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_segments_sealed_update" BEFORE UPDATE ON "segments"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_segments_sealed_delete" BEFORE DELETE ON "segments"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_postings_sealed_insert" BEFORE INSERT ON "postings"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_postings_sealed_update" BEFORE UPDATE ON "postings"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_postings_sealed_delete" BEFORE DELETE ON "postings"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_tail_sealed_insert" BEFORE INSERT ON "tail"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_tail_sealed_update" BEFORE UPDATE ON "tail"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_tail_sealed_delete" BEFORE DELETE ON "tail"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_vector_signs_sealed_insert" BEFORE INSERT ON "vector_signs"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_vector_signs_sealed_update" BEFORE UPDATE ON "vector_signs"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_vector_signs_sealed_delete" BEFORE DELETE ON "vector_signs"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_vector_tail_sealed_insert" BEFORE INSERT ON "vector_tail"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_vector_tail_sealed_update" BEFORE UPDATE ON "vector_tail"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_vector_tail_sealed_delete" BEFORE DELETE ON "vector_tail"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

`
