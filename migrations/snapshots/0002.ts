// Written by migrations/snapshots.test.ts from the builders (UPDATE_SNAPSHOT=1), and never edited by hand.
export const schema = `create table "events" ("position" integer primary key, "type" text not null, "stream_id" text not null, "schema_version" integer not null, "data" text not null, "recorded_at" text not null, "prev_hash" text not null, "hash" text not null, constraint "events_hash_is_hex" check (length("hash") = 64 AND length(CAST("hash" AS BLOB)) = 64 AND "hash" NOT GLOB '*[^0-9a-f]*')) strict;

create table "head" ("one" integer primary key check ("one" = 1), "size" integer not null, "hash" text not null) strict;

create view "pending_event" as select "position", "type", "stream_id", "schema_version", "data", "recorded_at", "prev_hash", "hash" from "events" where "position" = (select "size" + 1 as "next" from "head");

create view "pending_rare_event" as select "position", "type", "stream_id", "schema_version", "data", "recorded_at", "prev_hash", "hash" from "events" where "position" = (select "size" + 1 as "next" from "head");

create table "cassette_messages" ("message_id" text not null primary key, "run_id" text not null, "source" text not null, "idempotency_key" text, "payload_json" text not null, "created_at" text not null, "event_position" integer not null, constraint "messages_run_key" unique ("run_id", "idempotency_key"), constraint "messages_source" check (("source" IS 'USER' OR "source" IS 'PLANNER' OR "source" IS 'SYSTEM' OR "source" IS 'WORKER')), constraint "messages_id" check (length("message_id") = 34 AND substr("message_id", 1, 18) = printf('msg_%013d_', "event_position") AND substr("message_id", 19) NOT GLOB '*[^0-9a-f]*'), constraint "messages_created_at_is_time" check (strftime('%Y-%m-%dT%H:%M:%fZ', "created_at", '+0 days') IS "created_at")) strict;

create table "cassette_jobs" ("job_id" text not null primary key, "message_id" text not null references "cassette_messages" ("message_id"), "intent" text not null, "ordinal" integer not null, "created_at" text not null, "event_position" integer not null, constraint "jobs_ordinal" check ("ordinal" >= 1 AND "ordinal" <= 9999), constraint "jobs_id" check ("job_id" = 'job_' || substr("message_id", 5) || printf('.%04d', "ordinal")), constraint "jobs_created_at_is_time" check (strftime('%Y-%m-%dT%H:%M:%fZ', "created_at", '+0 days') IS "created_at")) strict, without rowid;

create table "cassette_steps" ("step_id" text not null primary key, "job_id" text not null references "cassette_jobs" ("job_id"), "ordinal" integer not null, "status" text not null, "lease_owner" text, "lease_expires_at" text, "fencing_token" integer default 0 not null, "payload_json" text not null, "created_at" text not null, "run_id" text not null, "event_position" integer not null, constraint "steps_ordinal" check ("ordinal" >= 1 AND "ordinal" <= 99999), constraint "steps_id" check ("step_id" = 'step_' || substr("job_id", 5) || printf('.%05d', "ordinal")), constraint "steps_status" check (("status" IS 'PENDING' OR "status" IS 'LEASED' OR "status" IS 'COMMITTED')), constraint "steps_lease_expires_at_is_time" check (strftime('%Y-%m-%dT%H:%M:%fZ', "lease_expires_at", '+0 days') IS "lease_expires_at"), constraint "steps_fencing_token" check ("fencing_token" >= 0), constraint "steps_created_at_is_time" check (strftime('%Y-%m-%dT%H:%M:%fZ', "created_at", '+0 days') IS "created_at")) strict;

create table "cassette_receipts" ("receipt_id" text not null primary key, "step_id" text not null references "cassette_steps" ("step_id"), "job_id" text not null references "cassette_jobs" ("job_id"), "worker_id" text not null, "fencing_token" integer not null, "outcome" text not null, "receipt_json" text not null, "created_at" text not null, "event_position" integer not null, constraint "receipts_id" check ("receipt_id" = 'rcpt_' || substr("step_id", 6)), constraint "receipts_job_id" check ("job_id" = 'job_' || substr("step_id", 6, 35)), constraint "receipts_outcome" check (("outcome" IS 'SUCCESS' OR "outcome" IS 'FAILURE' OR "outcome" IS 'ABORTED')), constraint "receipts_created_at_is_time" check (strftime('%Y-%m-%dT%H:%M:%fZ', "created_at", '+0 days') IS "created_at")) strict;

create table "cassette_meta" ("key" text not null primary key, "value" text not null, "event_position" integer not null) strict;

create table "ledger_migrations" ("version" integer primary key, "name" text not null, "checksum" text not null) strict;

create index "ix_events_stream" on "events" ("stream_id");

create index "ix_steps_claim" on "cassette_steps" ("run_id", "step_id") where "status" = 'PENDING';

create index "ix_steps_leases" on "cassette_steps" ("lease_expires_at", "step_id") where "status" = 'LEASED';

create index "ix_receipts_failures" on "cassette_receipts" ("event_position") where "outcome" <> 'SUCCESS';

insert into "head" ("one", "size", "hash") values (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');

create table "thought_records" ("id" text not null primary key, "type" text not null, "task_id" text not null, "agent_id" text not null, "content" text not null, "timestamp" text not null, "prev_hash" text not null, "hash" text not null unique, "created_at" text not null, "event_position" integer not null, constraint "thoughts_task_prev" unique ("task_id", "prev_hash"), constraint "thoughts_type" check (("type" IS 'plan' OR "type" IS 'analysis' OR "type" IS 'decision' OR "type" IS 'reflection')), constraint "thoughts_created_at_is_time" check (strftime('%Y-%m-%dT%H:%M:%fZ', "created_at", '+0 days') IS "created_at")) strict;

create index "idx_trail_task" on "thought_records" ("task_id", "created_at");

create index "idx_trail_prev" on "thought_records" ("prev_hash");

create index "ix_trail_position" on "thought_records" ("task_id", "event_position");

CREATE TRIGGER "tr_events_chain_insert" BEFORE INSERT ON "events"
BEGIN
  SELECT RAISE(ABORT, 'events is append-only: position must be one more than the head''s size') WHERE NEW."position" IS NOT (SELECT "size" + 1 FROM "head");
  SELECT RAISE(ABORT, 'events is a chain: prev_hash must be the head''s hash') WHERE NEW."prev_hash" IS NOT (SELECT "hash" FROM "head");
  SELECT RAISE(ABORT, 'events is in order of time: recorded_at must be a time, and not before the last event''s') WHERE NOT (strftime('%Y-%m-%dT%H:%M:%fZ', "NEW"."recorded_at", '+0 days') IS "NEW"."recorded_at") OR NEW."recorded_at" < coalesce((SELECT "recorded_at" FROM "events" WHERE "position" = NEW."position" - 1), '0000');
  SELECT RAISE(ABORT, 'LedgerCreated must be the first event, and no other') WHERE (NEW."type" IS 'LedgerCreated') IS NOT (NEW."position" IS 1);
  SELECT RAISE(ABORT, 'data must be JSON without U+0000') WHERE json_valid(NEW."data") IS NOT 1 OR instr(NEW."data", char(0)) > 0;
END;

CREATE TRIGGER "tr_events_append_only_update" BEFORE UPDATE ON "events"
BEGIN
  SELECT RAISE(ABORT, 'events is append-only: no row is ever changed');
END;

CREATE TRIGGER "tr_events_append_only_delete" BEFORE DELETE ON "events"
BEGIN
  SELECT RAISE(ABORT, 'events is append-only: no row is ever deleted');
END;

CREATE TRIGGER "tr_head_update" BEFORE UPDATE ON "head"
BEGIN
  SELECT RAISE(ABORT, 'head moves only to the event that is pending') WHERE NOT EXISTS (SELECT 1 FROM "pending_event" WHERE "position" IS NEW."size" AND "hash" IS NEW."hash");
END;

CREATE TRIGGER "tr_head_insert" BEFORE INSERT ON "head"
BEGIN
  SELECT RAISE(ABORT, 'head has one row: none is ever added');
END;

CREATE TRIGGER "tr_head_delete" BEFORE DELETE ON "head"
BEGIN
  SELECT RAISE(ABORT, 'head has one row: it is never deleted');
END;

CREATE TRIGGER "tr_messages_append_only_insert" BEFORE INSERT ON "cassette_messages"
BEGIN
  SELECT RAISE(ABORT, 'cassette_messages is append-only: a row is written only by the event that is pending') WHERE NEW."event_position" IS NOT (SELECT "position" FROM "pending_event");
  SELECT RAISE(ABORT, 'Invalid source: it must be USER, PLANNER, SYSTEM or WORKER') WHERE NOT ("NEW"."source" IS 'USER' OR "NEW"."source" IS 'PLANNER' OR "NEW"."source" IS 'SYSTEM' OR "NEW"."source" IS 'WORKER');
  SELECT RAISE(ABORT, 'An idempotency_key may be absent but not empty') WHERE NEW."idempotency_key" IS '';
END;

CREATE TRIGGER "tr_messages_append_only_update" BEFORE UPDATE ON "cassette_messages"
BEGIN
  SELECT RAISE(ABORT, 'cassette_messages is append-only: no row is ever changed');
END;

CREATE TRIGGER "tr_messages_append_only_delete" BEFORE DELETE ON "cassette_messages"
BEGIN
  SELECT RAISE(ABORT, 'cassette_messages is append-only: no row is ever deleted');
END;

CREATE TRIGGER "tr_jobs_append_only_insert" BEFORE INSERT ON "cassette_jobs"
BEGIN
  SELECT RAISE(ABORT, 'cassette_jobs is append-only: a row is written only by the event that is pending') WHERE NEW."event_position" IS NOT (SELECT "position" FROM "pending_event");
  SELECT RAISE(ABORT, 'FOREIGN KEY: a job needs the message of its own event') WHERE NOT EXISTS (select 1 as "found" from "cassette_messages" where "message_id" = "NEW"."message_id" and "event_position" = "NEW"."event_position");
  SELECT RAISE(ABORT, 'A message has 1 to 9999 jobs: more have no place in the order of ids') WHERE NEW."ordinal" NOT BETWEEN 1 AND 9999;
END;

CREATE TRIGGER "tr_jobs_append_only_update" BEFORE UPDATE ON "cassette_jobs"
BEGIN
  SELECT RAISE(ABORT, 'cassette_jobs is append-only: no row is ever changed');
END;

CREATE TRIGGER "tr_jobs_append_only_delete" BEFORE DELETE ON "cassette_jobs"
BEGIN
  SELECT RAISE(ABORT, 'cassette_jobs is append-only: no row is ever deleted');
END;

CREATE TRIGGER "tr_steps_append_only_insert" BEFORE INSERT ON "cassette_steps"
BEGIN
  SELECT RAISE(ABORT, 'cassette_steps is append-only: a row is written only by the event that is pending') WHERE NEW."event_position" IS NOT (SELECT "position" FROM "pending_event");
  SELECT RAISE(ABORT, 'A step is born PENDING, with fencing_token 0 and no lease') WHERE NEW."status" IS NOT 'PENDING' OR NEW."fencing_token" IS NOT 0 OR NEW."lease_owner" IS NOT NULL OR NEW."lease_expires_at" IS NOT NULL;
  SELECT RAISE(ABORT, 'FOREIGN KEY: a step needs a job of its own event and run') WHERE (select "message"."run_id" from "cassette_jobs" as "job" inner join "cassette_messages" as "message" on "message"."message_id" = "job"."message_id" where "job"."job_id" = "NEW"."job_id" and "job"."event_position" = "NEW"."event_position") IS NOT NEW."run_id";
  SELECT RAISE(ABORT, 'A job has 1 to 99999 steps: more have no place in the order of ids') WHERE NEW."ordinal" NOT BETWEEN 1 AND 99999;
END;

CREATE TRIGGER "tr_steps_append_only_delete" BEFORE DELETE ON "cassette_steps"
BEGIN
  SELECT RAISE(ABORT, 'cassette_steps is append-only: no row is ever deleted');
END;

CREATE TRIGGER "tr_steps_fsm_illegal_1" BEFORE UPDATE OF "status" ON "cassette_steps"
WHEN OLD."status" IS 'PENDING' AND NEW."status" IS 'COMMITTED'
BEGIN
  SELECT RAISE(ABORT, 'Illegal transition PENDING -> COMMITTED: a step is leased before it is committed');
END;

CREATE TRIGGER "tr_steps_fsm_illegal_2" BEFORE UPDATE OF "status" ON "cassette_steps"
WHEN OLD."status" IS 'LEASED' AND NEW."status" IS 'PENDING' AND (SELECT "data" ->> '$.step_id' FROM "pending_event" WHERE "type" IS 'StepRequeued' OR "type" IS 'LeaseRenewed') IS NOT OLD."step_id"
BEGIN
  SELECT RAISE(ABORT, 'Illegal transition LEASED -> PENDING: only a StepRequeued or LeaseRenewed event of this step allows it');
END;

CREATE TRIGGER "tr_steps_fsm_illegal_3" BEFORE UPDATE OF "status" ON "cassette_steps"
WHEN OLD."status" IS 'COMMITTED' AND NEW."status" IS 'LEASED'
BEGIN
  SELECT RAISE(ABORT, 'Illegal transition COMMITTED -> LEASED: a committed step is final');
END;

CREATE TRIGGER "tr_steps_lease_prevent_direct_set" BEFORE UPDATE OF "lease_owner", "lease_expires_at", "fencing_token" ON "cassette_steps"
WHEN NEW."status" IS OLD."status" AND ("NEW"."lease_owner" IS NOT "OLD"."lease_owner" OR "NEW"."lease_expires_at" IS NOT "OLD"."lease_expires_at" OR "NEW"."fencing_token" IS NOT "OLD"."fencing_token")
BEGIN
  SELECT RAISE(ABORT, 'Lease fields can only be set by the transition PENDING -> LEASED');
END;

CREATE TRIGGER "tr_steps_transition" AFTER UPDATE ON "cassette_steps"
BEGIN
  SELECT CASE
    WHEN OLD."status" IS 'COMMITTED' AND NEW."status" IS 'PENDING' THEN RAISE(ABORT, 'Illegal transition COMMITTED -> PENDING: a committed step is final')
    WHEN OLD."status" IS 'LEASED' AND NEW."status" IS 'LEASED' THEN RAISE(ABORT, 'Illegal transition LEASED -> LEASED: a lease is renewed by a LeaseRenewed event alone, and never taken over')
    WHEN NOT (OLD."status" IS 'PENDING' AND NEW."status" IS 'LEASED' OR OLD."status" IS 'LEASED' AND NEW."status" IS 'COMMITTED' OR OLD."status" IS 'LEASED' AND NEW."status" IS 'PENDING') THEN RAISE(ABORT, 'A step changes only by PENDING -> LEASED, LEASED -> COMMITTED or LEASED -> PENDING')
    WHEN ("NEW"."rowid" IS NOT "OLD"."rowid") THEN RAISE(ABORT, 'A step''s hidden rowid is frozen')
    WHEN NEW."event_position" IS NOT "pending"."position" THEN RAISE(ABORT, 'cassette_steps is changed only by the event that is pending')
    WHEN NEW."status" IS 'LEASED' AND NEW."fencing_token" IS NOT OLD."fencing_token" + 1 THEN RAISE(ABORT, 'PENDING -> LEASED must raise fencing_token by exactly 1')
    WHEN NEW."status" IS 'LEASED' AND (NEW."lease_owner" IS NULL OR NEW."lease_owner" IS '' OR NOT (strftime('%Y-%m-%dT%H:%M:%fZ', "NEW"."lease_expires_at", '+0 days') IS "NEW"."lease_expires_at") OR (NEW."lease_expires_at" > "pending"."recorded_at") IS NOT 1) THEN RAISE(ABORT, 'PENDING -> LEASED must name a worker and an expiry later than the claim')
    WHEN NEW."status" IS 'COMMITTED' AND ("NEW"."lease_owner" IS NOT "OLD"."lease_owner" OR "NEW"."lease_expires_at" IS NOT "OLD"."lease_expires_at" OR "NEW"."fencing_token" IS NOT "OLD"."fencing_token") THEN RAISE(ABORT, 'LEASED -> COMMITTED must leave the lease as it was: it is evidence')
    WHEN NEW."status" IS 'COMMITTED' AND (SELECT "event_position" FROM "cassette_receipts" WHERE "receipt_id" = 'rcpt_' || substr(NEW."step_id", 6)) IS NOT NEW."event_position" THEN RAISE(ABORT, 'LEASED -> COMMITTED needs the receipt of the same event')
    WHEN NEW."status" IS 'PENDING' AND (NEW."lease_owner" IS NOT NULL OR NEW."lease_expires_at" IS NOT NULL OR NEW."fencing_token" IS NOT OLD."fencing_token") THEN RAISE(ABORT, 'LEASED -> PENDING must clear the lease and keep fencing_token')
  END FROM (SELECT 1) LEFT JOIN "events" AS "pending" ON "pending"."position" = (SELECT "size" + 1 FROM "head");
END;

CREATE TRIGGER "tr_steps_frozen_update" AFTER UPDATE OF "step_id", "job_id", "ordinal", "payload_json", "created_at", "run_id" ON "cassette_steps"
BEGIN
  SELECT RAISE(ABORT, 'A step''s identity, place and payload are frozen');
END;

CREATE TRIGGER "tr_receipts_append_only_insert" BEFORE INSERT ON "cassette_receipts"
BEGIN
  SELECT CASE
    WHEN NEW."event_position" IS NOT "pending"."position" THEN RAISE(ABORT, 'cassette_receipts is append-only: a row is written only by the event that is pending')
    WHEN "step"."job_id" IS NOT NEW."job_id" THEN RAISE(ABORT, 'FOREIGN KEY: a receipt needs an existing step and that step''s job')
    WHEN "step"."status" IS NOT 'LEASED' OR "step"."lease_owner" IS NOT NEW."worker_id" OR "step"."fencing_token" IS NOT NEW."fencing_token" THEN RAISE(ABORT, 'A receipt needs a step that is LEASED by its worker with its fencing_token')
    WHEN ("step"."lease_expires_at" > "pending"."recorded_at") IS NOT 1 THEN RAISE(ABORT, 'A receipt must come before its lease expires: lease expired')
    WHEN NOT ("NEW"."outcome" IS 'SUCCESS' OR "NEW"."outcome" IS 'FAILURE' OR "NEW"."outcome" IS 'ABORTED') THEN RAISE(ABORT, 'Invalid outcome: it must be SUCCESS, FAILURE or ABORTED')
  END FROM (SELECT 1) LEFT JOIN "events" AS "pending" ON "pending"."position" = (SELECT "size" + 1 FROM "head") LEFT JOIN "cassette_steps" AS "step" ON "step"."step_id" = NEW."step_id";
END;

CREATE TRIGGER "tr_receipts_append_only_update" BEFORE UPDATE ON "cassette_receipts"
BEGIN
  SELECT RAISE(ABORT, 'cassette_receipts is append-only: no row is ever changed');
END;

CREATE TRIGGER "tr_receipts_append_only_delete" BEFORE DELETE ON "cassette_receipts"
BEGIN
  SELECT RAISE(ABORT, 'cassette_receipts is append-only: no row is ever deleted');
END;

CREATE TRIGGER "tr_meta_append_only_insert" BEFORE INSERT ON "cassette_meta"
BEGIN
  SELECT RAISE(ABORT, 'cassette_meta is append-only: a row is written only by the event that is pending') WHERE NEW."event_position" IS NOT (SELECT "position" FROM "pending_event");
END;

CREATE TRIGGER "tr_meta_append_only_update" BEFORE UPDATE ON "cassette_meta"
BEGIN
  SELECT RAISE(ABORT, 'cassette_meta is append-only: no row is ever changed');
END;

CREATE TRIGGER "tr_meta_append_only_delete" BEFORE DELETE ON "cassette_meta"
BEGIN
  SELECT RAISE(ABORT, 'cassette_meta is append-only: no row is ever deleted');
END;

CREATE TRIGGER "tr_migrations_append_only_insert" BEFORE INSERT ON "ledger_migrations"
BEGIN
  SELECT RAISE(ABORT, 'ledger_migrations is append-only: only a migration adds a row');
END;

CREATE TRIGGER "tr_migrations_append_only_update" BEFORE UPDATE ON "ledger_migrations"
BEGIN
  SELECT RAISE(ABORT, 'ledger_migrations is append-only: no row is ever changed');
END;

CREATE TRIGGER "tr_migrations_append_only_delete" BEFORE DELETE ON "ledger_migrations"
BEGIN
  SELECT RAISE(ABORT, 'ledger_migrations is append-only: no row is ever deleted');
END;

CREATE TRIGGER "tr_thoughts_append_only_insert" BEFORE INSERT ON "thought_records"
BEGIN
  SELECT RAISE(ABORT, 'thought_records is append-only: a row is written only by the event that is pending') WHERE NEW."event_position" IS NOT (SELECT "position" FROM "pending_event");
  SELECT RAISE(ABORT, 'A thought needs an id, a task_id and an agent_id that are not empty') WHERE NEW."id" IS '' OR NEW."task_id" IS '' OR NEW."agent_id" IS '';
  SELECT RAISE(ABORT, 'Invalid type: it must be plan, analysis, decision or reflection') WHERE NOT ("NEW"."type" IS 'plan' OR "NEW"."type" IS 'analysis' OR "NEW"."type" IS 'decision' OR "NEW"."type" IS 'reflection');
  SELECT RAISE(ABORT, 'A thought''s timestamp must be a date and time of day with its zone, as in ISO 8601') WHERE (NEW."timestamp" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*' AND substr(NEW."timestamp", 12) GLOB '[0-9][0-9]:[0-9][0-9]:[0-9][0-9]*' AND (substr(NEW."timestamp", 20) GLOB '*Z' OR substr(NEW."timestamp", 20) GLOB '*[+-][0-9][0-9]:[0-9][0-9]')) IS NOT 1;
  SELECT RAISE(ABORT, 'thought_records is a chain in each task: prev_hash must be the hash of the task''s newest record, or 64 zeros') WHERE NEW."prev_hash" IS NOT coalesce((select "hash" from "thought_records" where "task_id" = "NEW"."task_id" order by "event_position" desc limit 1), '0000000000000000000000000000000000000000000000000000000000000000');
  SELECT RAISE(ABORT, 'A thought''s hash must be 64 lower-case hex digits') WHERE length(NEW."hash") IS NOT 64 OR length(CAST(NEW."hash" AS BLOB)) IS NOT 64 OR NEW."hash" GLOB '*[^0-9a-f]*';
END;

CREATE TRIGGER "tr_thoughts_append_only_update" BEFORE UPDATE ON "thought_records"
BEGIN
  SELECT RAISE(ABORT, 'thought_records is append-only: no row is ever changed');
END;

CREATE TRIGGER "tr_thoughts_append_only_delete" BEFORE DELETE ON "thought_records"
BEGIN
  SELECT RAISE(ABORT, 'thought_records is append-only: no row is ever deleted');
END;

CREATE TRIGGER "tr_events_apply" AFTER INSERT ON "events"
BEGIN
  delete from "pending_event";
  SELECT RAISE(ABORT, 'There is no projection for this type and schema_version') WHERE (SELECT "size" FROM "head") IS NOT NEW."position";
END;

CREATE TRIGGER "tr_pending_event_message_posted" INSTEAD OF DELETE ON "pending_event"
WHEN OLD."type" IS 'MessagePosted' AND OLD."schema_version" IS 1 AND json_type(OLD."data", '$.jobs') IS NULL
BEGIN
  SELECT RAISE(ABORT, 'MessagePosted without jobs must have exactly the keys idempotency_key:text, message_id:text, payload:object, source:text, or idempotency_key:null, message_id:text, payload:object, source:text, and may have a traceparent of W3C Trace Context') WHERE CASE (SELECT count(*) || ' ' || group_concat("key" || ':' || "type", ' ') FROM json_each(OLD."data")) WHEN '4 idempotency_key:text message_id:text payload:object source:text' THEN 0 WHEN '4 idempotency_key:null message_id:text payload:object source:text' THEN 0 WHEN '5 idempotency_key:text message_id:text payload:object source:text traceparent:text' THEN (length((OLD."data" ->> '$.traceparent')) = 55 AND (OLD."data" ->> '$.traceparent') NOT GLOB '*[^0-9a-f-]*' AND (OLD."data" ->> '$.traceparent') GLOB '??-*-????????????????-??' AND length(replace((OLD."data" ->> '$.traceparent'), '-', '')) = 52 AND substr((OLD."data" ->> '$.traceparent'), 1, 2) <> 'ff' AND substr((OLD."data" ->> '$.traceparent'), 4, 32) GLOB '*[1-9a-f]*' AND substr((OLD."data" ->> '$.traceparent'), 37, 16) GLOB '*[1-9a-f]*') IS NOT 1 WHEN '5 idempotency_key:null message_id:text payload:object source:text traceparent:text' THEN (length((OLD."data" ->> '$.traceparent')) = 55 AND (OLD."data" ->> '$.traceparent') NOT GLOB '*[^0-9a-f-]*' AND (OLD."data" ->> '$.traceparent') GLOB '??-*-????????????????-??' AND length(replace((OLD."data" ->> '$.traceparent'), '-', '')) = 52 AND substr((OLD."data" ->> '$.traceparent'), 1, 2) <> 'ff' AND substr((OLD."data" ->> '$.traceparent'), 4, 32) GLOB '*[1-9a-f]*' AND substr((OLD."data" ->> '$.traceparent'), 37, 16) GLOB '*[1-9a-f]*') IS NOT 1 ELSE 1 END;
  SELECT RAISE(ABORT, 'MessagePosted must stand in a stream run:<run_id>, without U+0000') WHERE OLD."stream_id" NOT GLOB 'run:?*' OR instr(OLD."stream_id", char(0)) > 0;
  SELECT RAISE(ABORT, 'message_id must be msg_<the event''s position, 13 digits>_<16 lower-case hex digits>') WHERE length((OLD."data" -> '$.message_id')) IS NOT 36 OR substr((OLD."data" -> '$.message_id'), 1, 19) IS NOT printf('"msg_%013d_', OLD."position") OR substr((OLD."data" -> '$.message_id'), 20, 16) GLOB '*[^0-9a-f]*';
  SELECT RAISE(ABORT, 'MessagePosted without jobs may have U+0000 in its payload alone, and not in the payload''s intent') WHERE instr(OLD."data", '\\u0000') > 0 AND (instr(replace(json_remove(OLD."data", '$.payload'), '\\\\', ''), '\\u0000') > 0 OR json_type(OLD."data", '$.payload.intent') IS 'text' AND instr(replace((OLD."data" -> '$.payload.intent'), '\\\\', ''), '\\u0000') > 0);
  insert into "cassette_messages" ("message_id", "run_id", "source", "idempotency_key", "payload_json", "created_at", "event_position") values ((OLD."data" ->> '$.message_id'), substr(OLD."stream_id", 5), (OLD."data" ->> '$.source'), (OLD."data" ->> '$.idempotency_key'), (OLD."data" -> '$.payload'), OLD."recorded_at", OLD."position");
  insert into "cassette_jobs" ("job_id", "message_id", "intent", "ordinal", "created_at", "event_position") values ('job_' || substr((OLD."data" ->> '$.message_id'), 5) || '.0001', (OLD."data" ->> '$.message_id'), CASE json_type(OLD."data", '$.payload.intent') WHEN 'text' THEN (OLD."data" ->> '$.payload.intent') ELSE '' END, 1, OLD."recorded_at", OLD."position");
  insert into "cassette_steps" ("step_id", "job_id", "ordinal", "status", "lease_owner", "lease_expires_at", "fencing_token", "payload_json", "created_at", "run_id", "event_position") values ('step_' || substr((OLD."data" ->> '$.message_id'), 5) || '.0001.00001', 'job_' || substr((OLD."data" ->> '$.message_id'), 5) || '.0001', 1, 'PENDING', null, null, 0, (OLD."data" -> '$.payload'), OLD."recorded_at", substr(OLD."stream_id", 5), OLD."position");
  update "head" set "size" = OLD."position", "hash" = OLD."hash";
END;

CREATE TRIGGER "tr_pending_event_step_claimed" INSTEAD OF DELETE ON "pending_event"
WHEN OLD."type" IS 'StepClaimed' AND OLD."schema_version" IS 1
BEGIN
  SELECT RAISE(ABORT, 'StepClaimed must have exactly the keys fencing_token:integer, lease_expires_at:text, scope:text, step_id:text, worker_id:text, and may have a traceparent of W3C Trace Context') WHERE CASE (SELECT count(*) || ' ' || group_concat("key" || ':' || "type", ' ') FROM json_each(OLD."data")) WHEN '5 fencing_token:integer lease_expires_at:text scope:text step_id:text worker_id:text' THEN 0 WHEN '6 fencing_token:integer lease_expires_at:text scope:text step_id:text traceparent:text worker_id:text' THEN (length((OLD."data" ->> '$.traceparent')) = 55 AND (OLD."data" ->> '$.traceparent') NOT GLOB '*[^0-9a-f-]*' AND (OLD."data" ->> '$.traceparent') GLOB '??-*-????????????????-??' AND length(replace((OLD."data" ->> '$.traceparent'), '-', '')) = 52 AND substr((OLD."data" ->> '$.traceparent'), 1, 2) <> 'ff' AND substr((OLD."data" ->> '$.traceparent'), 4, 32) GLOB '*[1-9a-f]*' AND substr((OLD."data" ->> '$.traceparent'), 37, 16) GLOB '*[1-9a-f]*') IS NOT 1 ELSE 1 END;
  SELECT RAISE(ABORT, 'StepClaimed may not have U+0000 anywhere') WHERE instr(OLD."data", '\\u0000') > 0 AND (instr(replace(OLD."data", '\\\\', ''), '\\u0000') > 0);
  SELECT RAISE(ABORT, 'StepClaimed must stand in a stream run:<run_id>, without U+0000') WHERE OLD."stream_id" NOT GLOB 'run:?*' OR instr(OLD."stream_id", char(0)) > 0;
  SELECT RAISE(ABORT, 'StepClaimed must take the first PENDING step of its scope, its stream''s run or the step''s job, in the order of step ids') WHERE CASE (OLD."data" ->> '$.scope') WHEN 'run' THEN (select "step_id" from "cassette_steps" where "run_id" = substr(OLD."stream_id", 5) and "status" = 'PENDING' order by "step_id" limit 1) WHEN 'job' THEN (select "step_id" from "cassette_steps" where "run_id" = substr(OLD."stream_id", 5) and "status" = 'PENDING' and "step_id" > substr((OLD."data" ->> '$.step_id'), 1, 40) || '.' order by "step_id" limit 1) END IS NOT (OLD."data" ->> '$.step_id');
  update "cassette_steps" set "status" = 'LEASED', "lease_owner" = (OLD."data" ->> '$.worker_id'), "lease_expires_at" = (OLD."data" ->> '$.lease_expires_at'), "fencing_token" = (OLD."data" ->> '$.fencing_token'), "event_position" = OLD."position" where "step_id" = (OLD."data" ->> '$.step_id');
  update "head" set "size" = OLD."position", "hash" = OLD."hash";
END;

CREATE TRIGGER "tr_pending_event_step_completed" INSTEAD OF DELETE ON "pending_event"
WHEN OLD."type" IS 'StepCompleted' AND OLD."schema_version" IS 1
BEGIN
  SELECT RAISE(ABORT, 'StepCompleted must have exactly the keys fencing_token:integer, outcome:text, receipt:object, step_id:text, worker_id:text, and may have a traceparent of W3C Trace Context') WHERE CASE (SELECT count(*) || ' ' || group_concat("key" || ':' || "type", ' ') FROM json_each(OLD."data")) WHEN '5 fencing_token:integer outcome:text receipt:object step_id:text worker_id:text' THEN 0 WHEN '6 fencing_token:integer outcome:text receipt:object step_id:text traceparent:text worker_id:text' THEN (length((OLD."data" ->> '$.traceparent')) = 55 AND (OLD."data" ->> '$.traceparent') NOT GLOB '*[^0-9a-f-]*' AND (OLD."data" ->> '$.traceparent') GLOB '??-*-????????????????-??' AND length(replace((OLD."data" ->> '$.traceparent'), '-', '')) = 52 AND substr((OLD."data" ->> '$.traceparent'), 1, 2) <> 'ff' AND substr((OLD."data" ->> '$.traceparent'), 4, 32) GLOB '*[1-9a-f]*' AND substr((OLD."data" ->> '$.traceparent'), 37, 16) GLOB '*[1-9a-f]*') IS NOT 1 ELSE 1 END;
  SELECT RAISE(ABORT, 'StepCompleted may have U+0000 in its receipt alone') WHERE instr(OLD."data", '\\u0000') > 0 AND (instr(replace(json_remove(OLD."data", '$.receipt'), '\\\\', ''), '\\u0000') > 0);
  SELECT RAISE(ABORT, 'StepCompleted must name an existing step of its stream''s run') WHERE (select 'run:' || "run_id" as "stream_id" from "cassette_steps" where "step_id" = (OLD."data" ->> '$.step_id')) IS NOT OLD."stream_id";
  insert into "cassette_receipts" ("receipt_id", "step_id", "job_id", "worker_id", "fencing_token", "outcome", "receipt_json", "created_at", "event_position") values ('rcpt_' || substr((OLD."data" ->> '$.step_id'), 6), (OLD."data" ->> '$.step_id'), 'job_' || substr((OLD."data" ->> '$.step_id'), 6, 35), (OLD."data" ->> '$.worker_id'), (OLD."data" ->> '$.fencing_token'), (OLD."data" ->> '$.outcome'), (OLD."data" -> '$.receipt'), OLD."recorded_at", OLD."position");
  update "cassette_steps" set "status" = 'COMMITTED', "event_position" = OLD."position" where "step_id" = (OLD."data" ->> '$.step_id');
  update "head" set "size" = OLD."position", "hash" = OLD."hash";
END;

CREATE TRIGGER "tr_pending_event_rare" INSTEAD OF DELETE ON "pending_event"
WHEN OLD."type" IS NOT 'StepClaimed' AND OLD."type" IS NOT 'StepCompleted' AND (OLD."type" IS NOT 'MessagePosted' OR json_type(OLD."data", '$.jobs') IS NOT NULL)
BEGIN
  delete from "pending_rare_event";
END;

CREATE TRIGGER "tr_pending_rare_event_ledger_created" INSTEAD OF DELETE ON "pending_rare_event"
WHEN OLD."type" IS 'LedgerCreated' AND OLD."schema_version" IS 1
BEGIN
  SELECT RAISE(ABORT, 'LedgerCreated must have exactly the keys ledger_id:text') WHERE (SELECT count(*) || ' ' || group_concat("key" || ':' || "type", ' ') FROM json_each(OLD."data")) IS NOT '1 ledger_id:text';
  SELECT RAISE(ABORT, 'LedgerCreated may not have U+0000 anywhere') WHERE instr(OLD."data", '\\u0000') > 0 AND (instr(replace(OLD."data", '\\\\', ''), '\\u0000') > 0);
  SELECT RAISE(ABORT, 'LedgerCreated must name the ledger') WHERE (OLD."data" ->> '$.ledger_id') IS '';
  SELECT RAISE(ABORT, 'LedgerCreated must stand in the stream ledger') WHERE OLD."stream_id" IS NOT 'ledger';
  insert into "cassette_meta" ("key", "value", "event_position") values ('db_version', '2', OLD."position"), ('schema_version', '2', OLD."position");
  update "head" set "size" = OLD."position", "hash" = OLD."hash";
END;

CREATE TRIGGER "tr_pending_rare_event_message_posted" INSTEAD OF DELETE ON "pending_rare_event"
WHEN OLD."type" IS 'MessagePosted' AND OLD."schema_version" IS 1 AND json_type(OLD."data", '$.jobs') IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'MessagePosted with jobs must have exactly the keys idempotency_key:text, jobs:array, message_id:text, payload:object, source:text, steps:array, or idempotency_key:null, jobs:array, message_id:text, payload:object, source:text, steps:array, and may have a traceparent of W3C Trace Context') WHERE CASE (SELECT count(*) || ' ' || group_concat("key" || ':' || "type", ' ') FROM json_each(OLD."data")) WHEN '6 idempotency_key:text jobs:array message_id:text payload:object source:text steps:array' THEN 0 WHEN '6 idempotency_key:null jobs:array message_id:text payload:object source:text steps:array' THEN 0 WHEN '7 idempotency_key:text jobs:array message_id:text payload:object source:text steps:array traceparent:text' THEN (length((OLD."data" ->> '$.traceparent')) = 55 AND (OLD."data" ->> '$.traceparent') NOT GLOB '*[^0-9a-f-]*' AND (OLD."data" ->> '$.traceparent') GLOB '??-*-????????????????-??' AND length(replace((OLD."data" ->> '$.traceparent'), '-', '')) = 52 AND substr((OLD."data" ->> '$.traceparent'), 1, 2) <> 'ff' AND substr((OLD."data" ->> '$.traceparent'), 4, 32) GLOB '*[1-9a-f]*' AND substr((OLD."data" ->> '$.traceparent'), 37, 16) GLOB '*[1-9a-f]*') IS NOT 1 WHEN '7 idempotency_key:null jobs:array message_id:text payload:object source:text steps:array traceparent:text' THEN (length((OLD."data" ->> '$.traceparent')) = 55 AND (OLD."data" ->> '$.traceparent') NOT GLOB '*[^0-9a-f-]*' AND (OLD."data" ->> '$.traceparent') GLOB '??-*-????????????????-??' AND length(replace((OLD."data" ->> '$.traceparent'), '-', '')) = 52 AND substr((OLD."data" ->> '$.traceparent'), 1, 2) <> 'ff' AND substr((OLD."data" ->> '$.traceparent'), 4, 32) GLOB '*[1-9a-f]*' AND substr((OLD."data" ->> '$.traceparent'), 37, 16) GLOB '*[1-9a-f]*') IS NOT 1 ELSE 1 END;
  SELECT RAISE(ABORT, 'MessagePosted must stand in a stream run:<run_id>, without U+0000') WHERE OLD."stream_id" NOT GLOB 'run:?*' OR instr(OLD."stream_id", char(0)) > 0;
  SELECT RAISE(ABORT, 'message_id must be msg_<the event''s position, 13 digits>_<16 lower-case hex digits>') WHERE length((OLD."data" -> '$.message_id')) IS NOT 36 OR substr((OLD."data" -> '$.message_id'), 1, 19) IS NOT printf('"msg_%013d_', OLD."position") OR substr((OLD."data" -> '$.message_id'), 20, 16) GLOB '*[^0-9a-f]*';
  SELECT RAISE(ABORT, 'MessagePosted with jobs may have U+0000 in its payloads alone') WHERE instr(OLD."data", '\\u0000') > 0 AND (instr(replace(json_remove(OLD."data", '$.payload', '$.steps'), '\\\\', ''), '\\u0000') > 0);
  SELECT RAISE(ABORT, 'MessagePosted: jobs must be a list of intents') WHERE EXISTS (SELECT 1 FROM json_each(OLD."data", '$.jobs') WHERE "type" IS NOT 'text');
  SELECT RAISE(ABORT, 'MessagePosted: each of steps must have exactly the keys job:integer, payload:object') WHERE EXISTS (SELECT 1 FROM json_each(OLD."data", '$.steps') AS "step" WHERE "step"."type" IS NOT 'object' OR (SELECT count(*) || ' ' || group_concat("key" || ':' || "type", ' ') FROM json_each("step"."value")) IS NOT '2 job:integer payload:object');
  SELECT RAISE(ABORT, 'MessagePosted: steps must name the jobs in order, from 1 and without a gap, and every job must have a step') WHERE (SELECT min("job") IS 1 AND max("job") IS json_array_length(OLD."data", '$.jobs') AND min("growth") >= 0 AND max("growth") <= 1 FROM (SELECT "value" ->> '$.job' AS "job", ("value" ->> '$.job') - lag("value" ->> '$.job', 1, 0) OVER (ORDER BY "key") AS "growth" FROM json_each(OLD."data", '$.steps'))) IS NOT 1;
  insert into "cassette_messages" ("message_id", "run_id", "source", "idempotency_key", "payload_json", "created_at", "event_position") values ((OLD."data" ->> '$.message_id'), substr(OLD."stream_id", 5), (OLD."data" ->> '$.source'), (OLD."data" ->> '$.idempotency_key'), (OLD."data" -> '$.payload'), OLD."recorded_at", OLD."position");
  insert into "cassette_jobs" ("job_id", "message_id", "intent", "ordinal", "created_at", "event_position") SELECT 'job_' || substr("message"."message_id", 5) || printf('.%04d', "job"."key" + 1), "message"."message_id", "job"."value", "job"."key" + 1, "message"."created_at", "message"."event_position" FROM "cassette_messages" AS "message" CROSS JOIN json_each(OLD."data", '$.jobs') AS "job" WHERE "message"."message_id" = (OLD."data" ->> '$.message_id');
  insert into "cassette_steps" ("step_id", "job_id", "ordinal", "status", "fencing_token", "payload_json", "created_at", "run_id", "event_position") SELECT 'step_' || substr("message"."message_id", 5) || printf('.%04d.%05d', "step"."job", "step"."ordinal"), 'job_' || substr("message"."message_id", 5) || printf('.%04d', "step"."job"), "step"."ordinal", 'PENDING', 0, "step"."payload", "message"."created_at", "message"."run_id", "message"."event_position" FROM "cassette_messages" AS "message" CROSS JOIN (SELECT "value" ->> '$.job' AS "job", row_number() OVER (PARTITION BY "value" ->> '$.job' ORDER BY "key") AS "ordinal", "value" -> '$.payload' AS "payload" FROM json_each(OLD."data", '$.steps')) AS "step" WHERE "message"."message_id" = (OLD."data" ->> '$.message_id') ORDER BY "step"."job", "step"."ordinal";
  update "head" set "size" = OLD."position", "hash" = OLD."hash";
END;

CREATE TRIGGER "tr_pending_rare_event_step_requeued" INSTEAD OF DELETE ON "pending_rare_event"
WHEN OLD."type" IS 'StepRequeued' AND OLD."schema_version" IS 1
BEGIN
  SELECT RAISE(ABORT, 'StepRequeued must have exactly the keys cause:text, fencing_token:integer, reason:text, requested_by:text, step_id:text, worker_id:text') WHERE (SELECT count(*) || ' ' || group_concat("key" || ':' || "type", ' ') FROM json_each(OLD."data")) IS NOT '6 cause:text fencing_token:integer reason:text requested_by:text step_id:text worker_id:text';
  SELECT RAISE(ABORT, 'StepRequeued may not have U+0000 anywhere') WHERE instr(OLD."data", '\\u0000') > 0 AND (instr(replace(OLD."data", '\\\\', ''), '\\u0000') > 0);
  SELECT RAISE(ABORT, 'StepRequeued must name an existing step of its stream''s run') WHERE (select 'run:' || "run_id" as "stream_id" from "cassette_steps" where "step_id" = (OLD."data" ->> '$.step_id')) IS NOT OLD."stream_id";
  SELECT RAISE(ABORT, 'StepRequeued must say who asked') WHERE (OLD."data" ->> '$.requested_by') IS '';
  SELECT RAISE(ABORT, 'StepRequeued must name a lease: a LEASED step with its worker and its fencing_token') WHERE NOT EXISTS (select 1 as "found" from "cassette_steps" where "step_id" = (OLD."data" ->> '$.step_id') and "status" IS 'LEASED' AND "lease_owner" IS (OLD."data" ->> '$.worker_id') AND "fencing_token" IS (OLD."data" ->> '$.fencing_token'));
  SELECT RAISE(ABORT, 'StepRequeued needs a cause: expired after the lease''s end, released with the lease''s worker and token, or forced with a reason') WHERE CASE (OLD."data" ->> '$.cause') WHEN 'expired' THEN (select "lease_expires_at" from "cassette_steps" where "step_id" = (OLD."data" ->> '$.step_id')) <= OLD."recorded_at" WHEN 'released' THEN 1 WHEN 'forced' THEN (OLD."data" ->> '$.reason') IS NOT '' END IS NOT 1;
  update "cassette_steps" set "status" = 'PENDING', "lease_owner" = null, "lease_expires_at" = null, "event_position" = OLD."position" where "step_id" = (OLD."data" ->> '$.step_id');
  update "head" set "size" = OLD."position", "hash" = OLD."hash";
END;

CREATE TRIGGER "tr_pending_rare_event_lease_renewed" INSTEAD OF DELETE ON "pending_rare_event"
WHEN OLD."type" IS 'LeaseRenewed' AND OLD."schema_version" IS 1
BEGIN
  SELECT RAISE(ABORT, 'LeaseRenewed must have exactly the keys fencing_token:integer, lease_expires_at:text, previous_token:integer, step_id:text, worker_id:text') WHERE (SELECT count(*) || ' ' || group_concat("key" || ':' || "type", ' ') FROM json_each(OLD."data")) IS NOT '5 fencing_token:integer lease_expires_at:text previous_token:integer step_id:text worker_id:text';
  SELECT RAISE(ABORT, 'LeaseRenewed may not have U+0000 anywhere') WHERE instr(OLD."data", '\\u0000') > 0 AND (instr(replace(OLD."data", '\\\\', ''), '\\u0000') > 0);
  SELECT RAISE(ABORT, 'LeaseRenewed must name an existing step of its stream''s run') WHERE (select 'run:' || "run_id" as "stream_id" from "cassette_steps" where "step_id" = (OLD."data" ->> '$.step_id')) IS NOT OLD."stream_id";
  SELECT RAISE(ABORT, 'LeaseRenewed must name a lease: a LEASED step with its worker and, as previous_token, its fencing_token') WHERE NOT EXISTS (select 1 as "found" from "cassette_steps" where "step_id" = (OLD."data" ->> '$.step_id') and "status" IS 'LEASED' AND "lease_owner" IS (OLD."data" ->> '$.worker_id') AND "fencing_token" IS (OLD."data" ->> '$.previous_token'));
  SELECT RAISE(ABORT, 'LeaseRenewed must come before its lease expires: lease expired') WHERE ((select "lease_expires_at" from "cassette_steps" where "step_id" = (OLD."data" ->> '$.step_id')) > OLD."recorded_at") IS NOT 1;
  update "cassette_steps" set "status" = 'PENDING', "lease_owner" = null, "lease_expires_at" = null, "event_position" = OLD."position" where "step_id" = (OLD."data" ->> '$.step_id');
  update "cassette_steps" set "status" = 'LEASED', "lease_owner" = (OLD."data" ->> '$.worker_id'), "lease_expires_at" = (OLD."data" ->> '$.lease_expires_at'), "fencing_token" = (OLD."data" ->> '$.fencing_token'), "event_position" = OLD."position" where "step_id" = (OLD."data" ->> '$.step_id');
  update "head" set "size" = OLD."position", "hash" = OLD."hash";
END;

CREATE TRIGGER "tr_pending_rare_event_thought_recorded" INSTEAD OF DELETE ON "pending_rare_event"
WHEN OLD."type" IS 'ThoughtRecorded' AND OLD."schema_version" IS 1
BEGIN
  SELECT RAISE(ABORT, 'ThoughtRecorded must have exactly the keys agent_id:text, content:text, hash:text, id:text, prev_hash:text, timestamp:text, type:text') WHERE (SELECT count(*) || ' ' || group_concat("key" || ':' || "type", ' ') FROM json_each(OLD."data")) IS NOT '7 agent_id:text content:text hash:text id:text prev_hash:text timestamp:text type:text';
  SELECT RAISE(ABORT, 'ThoughtRecorded may not have U+0000 anywhere') WHERE instr(OLD."data", '\\u0000') > 0 AND (instr(replace(OLD."data", '\\\\', ''), '\\u0000') > 0);
  SELECT RAISE(ABORT, 'ThoughtRecorded must stand in a stream task:<task_id>, without U+0000') WHERE OLD."stream_id" NOT GLOB 'task:?*' OR instr(OLD."stream_id", char(0)) > 0;
  insert into "thought_records" ("id", "type", "task_id", "agent_id", "content", "timestamp", "prev_hash", "hash", "created_at", "event_position") values ((OLD."data" ->> '$.id'), (OLD."data" ->> '$.type'), substr(OLD."stream_id", 6), (OLD."data" ->> '$.agent_id'), (OLD."data" ->> '$.content'), (OLD."data" ->> '$.timestamp'), (OLD."data" ->> '$.prev_hash'), (OLD."data" ->> '$.hash'), OLD."recorded_at", OLD."position");
  update "head" set "size" = OLD."position", "hash" = OLD."hash";
END;

`
