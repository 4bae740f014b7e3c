// Written by infrastructure/sqlite/connection/compiled-statements.test.ts from the builders (UPDATE_SNAPSHOT=1), and never edited by hand.
import type * as built from "../ledger-statements.ts"
import { statementOf } from "../../../sqlite/connection/statement.ts"

export const selectHead: typeof built.selectHead = statementOf(
  `select "head"."size" as "position", "head"."hash" as "hash", "events"."recorded_at" as "recorded_at" from "head" left join "events" on "events"."position" = "head"."size"`,
  []
)

export const selectHeadPlace: typeof built.selectHeadPlace = statementOf(
  `select "size" as "position", "hash" from "head"`,
  []
)

export const insertEvent: typeof built.insertEvent = statementOf(
  `insert into "events" ("position", "type", "stream_id", "schema_version", "data", "recorded_at", "prev_hash", "hash") values (?, ?, ?, ?, ?, ?, ?, ?)`,
  ["position","type","stream_id","schema_version","data","recorded_at","prev_hash","hash"]
)

export const selectEventsAfter: typeof built.selectEventsAfter = statementOf(
  `select CASE WHEN octet_length("position") > 16777216 THEN 0.5 ELSE "position" END as "position", CASE WHEN octet_length("type") > 16777216 THEN 0.5 ELSE "type" END as "type", CASE WHEN octet_length("stream_id") > 16777216 THEN 0.5 ELSE "stream_id" END as "stream_id", CASE WHEN octet_length("schema_version") > 16777216 THEN 0.5 ELSE "schema_version" END as "schema_version", CASE WHEN octet_length("data") > 16777216 THEN 0.5 ELSE "data" END as "data", CASE WHEN octet_length("recorded_at") > 16777216 THEN 0.5 ELSE "recorded_at" END as "recorded_at", CASE WHEN octet_length("prev_hash") > 16777216 THEN 0.5 ELSE "prev_hash" END as "prev_hash", CASE WHEN octet_length("hash") > 16777216 THEN 0.5 ELSE "hash" END as "hash" from "events" where "position" > ? order by "events"."position" limit ?`,
  ["after","limit"]
)

export const selectStreamAfter: typeof built.selectStreamAfter = statementOf(
  `select CASE WHEN octet_length("position") > 16777216 THEN 0.5 ELSE "position" END as "position", CASE WHEN octet_length("type") > 16777216 THEN 0.5 ELSE "type" END as "type", CASE WHEN octet_length("stream_id") > 16777216 THEN 0.5 ELSE "stream_id" END as "stream_id", CASE WHEN octet_length("schema_version") > 16777216 THEN 0.5 ELSE "schema_version" END as "schema_version", CASE WHEN octet_length("data") > 16777216 THEN 0.5 ELSE "data" END as "data", CASE WHEN octet_length("recorded_at") > 16777216 THEN 0.5 ELSE "recorded_at" END as "recorded_at", CASE WHEN octet_length("prev_hash") > 16777216 THEN 0.5 ELSE "prev_hash" END as "prev_hash", CASE WHEN octet_length("hash") > 16777216 THEN 0.5 ELSE "hash" END as "hash" from "events" where "stream_id" = ? and "position" > ? order by "events"."position" limit ?`,
  ["stream_id","after","limit"]
)

export const selectEventsBefore: typeof built.selectEventsBefore = statementOf(
  `select CASE WHEN octet_length("position") > 16777216 THEN 0.5 ELSE "position" END as "position", CASE WHEN octet_length("type") > 16777216 THEN 0.5 ELSE "type" END as "type", CASE WHEN octet_length("stream_id") > 16777216 THEN 0.5 ELSE "stream_id" END as "stream_id", CASE WHEN octet_length("schema_version") > 16777216 THEN 0.5 ELSE "schema_version" END as "schema_version", CASE WHEN octet_length("data") > 16777216 THEN 0.5 ELSE "data" END as "data", CASE WHEN octet_length("recorded_at") > 16777216 THEN 0.5 ELSE "recorded_at" END as "recorded_at", CASE WHEN octet_length("prev_hash") > 16777216 THEN 0.5 ELSE "prev_hash" END as "prev_hash", CASE WHEN octet_length("hash") > 16777216 THEN 0.5 ELSE "hash" END as "hash" from "events" where "position" < ? order by "events"."position" desc limit ?`,
  ["before","limit"]
)

export const selectStreamBefore: typeof built.selectStreamBefore = statementOf(
  `select CASE WHEN octet_length("position") > 16777216 THEN 0.5 ELSE "position" END as "position", CASE WHEN octet_length("type") > 16777216 THEN 0.5 ELSE "type" END as "type", CASE WHEN octet_length("stream_id") > 16777216 THEN 0.5 ELSE "stream_id" END as "stream_id", CASE WHEN octet_length("schema_version") > 16777216 THEN 0.5 ELSE "schema_version" END as "schema_version", CASE WHEN octet_length("data") > 16777216 THEN 0.5 ELSE "data" END as "data", CASE WHEN octet_length("recorded_at") > 16777216 THEN 0.5 ELSE "recorded_at" END as "recorded_at", CASE WHEN octet_length("prev_hash") > 16777216 THEN 0.5 ELSE "prev_hash" END as "prev_hash", CASE WHEN octet_length("hash") > 16777216 THEN 0.5 ELSE "hash" END as "hash" from "events" where "stream_id" = ? and "position" < ? order by "events"."position" desc limit ?`,
  ["stream_id","before","limit"]
)

export const selectStreamMentioning: typeof built.selectStreamMentioning = statementOf(
  `select CASE WHEN octet_length("position") > 16777216 THEN 0.5 ELSE "position" END as "position", CASE WHEN octet_length("type") > 16777216 THEN 0.5 ELSE "type" END as "type", CASE WHEN octet_length("stream_id") > 16777216 THEN 0.5 ELSE "stream_id" END as "stream_id", CASE WHEN octet_length("schema_version") > 16777216 THEN 0.5 ELSE "schema_version" END as "schema_version", CASE WHEN octet_length("data") > 16777216 THEN 0.5 ELSE "data" END as "data", CASE WHEN octet_length("recorded_at") > 16777216 THEN 0.5 ELSE "recorded_at" END as "recorded_at", CASE WHEN octet_length("prev_hash") > 16777216 THEN 0.5 ELSE "prev_hash" END as "prev_hash", CASE WHEN octet_length("hash") > 16777216 THEN 0.5 ELSE "hash" END as "hash" from "events" where "stream_id" = ? and "position" > ? and "position" < ? and instr("events"."data", ?) > 0 order by "events"."position" desc limit ?`,
  ["stream_id","after","before","text","limit"]
)

export const selectStreamBehind: typeof built.selectStreamBehind = statementOf(
  `select "stream_id" from "events" where "stream_id" > ? and "stream_id" < ? order by "stream_id" limit 1`,
  ["after","before"]
)

export const selectStreamEnd: typeof built.selectStreamEnd = statementOf(
  `select "position", "recorded_at" from "events" where "stream_id" = ? order by "events"."position" desc limit 1`,
  ["stream_id"]
)

export const selectStreamLength: typeof built.selectStreamLength = statementOf(
  `select count(*) as "length" from "events" where "stream_id" = ?`,
  ["stream_id"]
)

export const selectStreamRangeAfter: typeof built.selectStreamRangeAfter = statementOf(
  `select CASE WHEN octet_length("position") > 16777216 THEN 0.5 ELSE "position" END as "position", CASE WHEN octet_length("type") > 16777216 THEN 0.5 ELSE "type" END as "type", CASE WHEN octet_length("stream_id") > 16777216 THEN 0.5 ELSE "stream_id" END as "stream_id", CASE WHEN octet_length("schema_version") > 16777216 THEN 0.5 ELSE "schema_version" END as "schema_version", CASE WHEN octet_length("data") > 16777216 THEN 0.5 ELSE "data" END as "data", CASE WHEN octet_length("recorded_at") > 16777216 THEN 0.5 ELSE "recorded_at" END as "recorded_at", CASE WHEN octet_length("prev_hash") > 16777216 THEN 0.5 ELSE "prev_hash" END as "prev_hash", CASE WHEN octet_length("hash") > 16777216 THEN 0.5 ELSE "hash" END as "hash" from "events" where "position" > ? and +stream_id >= ? AND +stream_id < ? order by "events"."position" limit ?`,
  ["after","from","before","limit"]
)

export const selectStreamsAfter: typeof built.selectStreamsAfter = statementOf(
  `select distinct +stream_id as "stream_id" from "events" where "position" > ?`,
  ["position"]
)

export const selectMessageByKey: typeof built.selectMessageByKey = statementOf(
  `select "message"."message_id", "message"."source", "message"."payload_json", "event"."data" from "cassette_messages" as "message" inner join "events" as "event" on "event"."position" = "message"."event_position" where "message"."run_id" = ? and "message"."idempotency_key" = ?`,
  ["run_id","idempotency_key"]
)

export const selectNextPendingOfRun: typeof built.selectNextPendingOfRun = statementOf(
  `select "step_id", "run_id", "job_id", "ordinal", "fencing_token", "payload_json" from "cassette_steps" where "run_id" = (SELECT ?) and "status" = 'PENDING' order by "step_id" limit 1`,
  ["run_id"]
)

export const selectNextPendingOfJob: typeof built.selectNextPendingOfJob = statementOf(
  `select "step_id", "run_id", "job_id", "ordinal", "fencing_token", "payload_json" from "cassette_steps" where "run_id" = (SELECT ?) and "step_id" > (SELECT ?) and "step_id" < (SELECT ?) and "job_id" = (SELECT ?) and "status" = 'PENDING' order by "step_id" limit 1`,
  ["run_id","from","before","job_id"]
)

export const selectStep: typeof built.selectStep = statementOf(
  `select "step_id", "run_id", "status", "lease_owner", "lease_expires_at", "fencing_token" from "cassette_steps" where "step_id" = (SELECT ?)`,
  ["step_id"]
)

export const selectReceipt: typeof built.selectReceipt = statementOf(
  `select * from "cassette_receipts" where "receipt_id" = ?`,
  ["receipt_id"]
)

export const selectNextPendingBehind: typeof built.selectNextPendingBehind = statementOf(
  `select "step_id", "run_id", "job_id", "ordinal", "fencing_token", "payload_json" from "cassette_steps" where "run_id" > (SELECT ?) and "status" = 'PENDING' order by "run_id", "step_id" limit 1`,
  ["after_run"]
)
