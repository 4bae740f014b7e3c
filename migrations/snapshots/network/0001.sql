PRAGMA application_id = 1129860657;

create table "cassette_migrations" ("version" integer primary key, "name" text not null, "checksum" text not null) strict;

create table "network_meta" ("key" text not null primary key, "value" text not null) strict, without rowid;

create table "write_receipts" ("receipt_index" integer primary key, "parent_hash" text not null, "operation" text not null, "record_hash" text not null, "rule" text not null, "receipt_hash" text not null) strict;

create table "documents" ("document_id" integer primary key, "path" text not null, "version" integer not null, "type" text not null, "text" text not null, "content_hash" text not null, "record_hash" text not null, "added_at" text not null, "expires_at" text, constraint "documents_key" unique ("path", "version")) strict;

create table "chunks" ("chunk_number" integer primary key, "chunk_id" text not null, "document_id" integer not null references "documents" ("document_id"), "ordinal" integer not null, "hash" text not null, "kind" text not null, "heading_path" text not null, "parent_ordinal" integer, "byte_start" integer not null, "byte_end" integer not null) strict;

create index "ix_chunks_hash" on "chunks" ("hash");

create index "ix_chunks_id" on "chunks" ("chunk_id");

create unique index "ix_chunks_document" on "chunks" ("document_id", "ordinal");

create index "ix_documents_record" on "documents" ("record_hash");

create index "ix_documents_content" on "documents" ("content_hash");

create table "chunk_terms" ("chunk_number" integer primary key, "path" text not null, "heading" text not null, "body" text not null, "identifiers" text not null) strict;

CREATE VIRTUAL TABLE "chunks_fts" USING fts5(path, heading, body, identifiers, content='chunk_terms', content_rowid='chunk_number', tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_{|}~'");

create table "segments" ("segment" integer primary key, "chunks" integer not null, "words" integer not null, "lengths" blob not null) strict;

create table "postings" ("term" text not null, "segment" integer not null, "chunks" integer not null, "last" integer not null, "data" blob not null) strict;

create unique index "ix_postings_term" on "postings" ("term", "segment", "chunks");

create table "tail" ("chunk_number" integer primary key, "words" integer not null) strict;

create table "vectors" ("vector_id" integer primary key, "hash" text not null unique, "model" text not null, "revision" text not null, "dimensions" integer not null, "normalizer" text not null, "data" blob not null) strict;

create table "vector_signs" ("segment" integer primary key, "present" blob not null, "signs" blob not null) strict;

create table "vector_tail" ("vector_id" integer primary key) strict;

CREATE TRIGGER "tr_network_meta_update" BEFORE UPDATE ON "network_meta"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
  SELECT RAISE(ABORT, 'A cassette keeps its id, its mutability and its time to live') WHERE OLD."key" IN ('cassette_id', 'mutability', 'ttl_ms', 'schema_version') OR NEW."key" IS NOT OLD."key";
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
END;

CREATE TRIGGER "tr_write_receipts_chain_insert" BEFORE INSERT ON "write_receipts"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
  SELECT RAISE(ABORT, 'write_receipts is a chain: receipt_index must be the next, parent_hash the newest receipt''s hash') WHERE NEW."receipt_index" IS NOT (SELECT coalesce(max("receipt_index"), 0) + 1 FROM "write_receipts") OR NEW."parent_hash" IS NOT coalesce((SELECT "receipt_hash" FROM "write_receipts" WHERE "receipt_index" = NEW."receipt_index" - 1), '0000000000000000000000000000000000000000000000000000000000000000');
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
  SELECT RAISE(ABORT, 'A document needs the receipt of its write') WHERE NOT EXISTS (SELECT 1 FROM "write_receipts" WHERE "receipt_index" = (SELECT max("receipt_index") FROM "write_receipts") AND "operation" IS 'add' AND "record_hash" IS "NEW"."record_hash");
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

CREATE TRIGGER "tr_chunks_insert" BEFORE INSERT ON "chunks"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
  SELECT RAISE(ABORT, 'A chunk is stored already under this number or in this place') WHERE EXISTS (SELECT 1 FROM "chunks" WHERE "chunk_number" = NEW."chunk_number") OR EXISTS (SELECT 1 FROM "chunks" WHERE "document_id" = NEW."document_id" AND "ordinal" = NEW."ordinal");
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

CREATE TRIGGER "tr_vectors_sealed_insert" BEFORE INSERT ON "vectors"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_vectors_sealed_update" BEFORE UPDATE ON "vectors"
BEGIN
  SELECT RAISE(ABORT, 'immutable: the cassette is sealed, nothing is written to it any more') WHERE (SELECT "value" FROM "network_meta" WHERE "key" = 'sealed') IS '1';
END;

CREATE TRIGGER "tr_vectors_sealed_delete" BEFORE DELETE ON "vectors"
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

