// Written by infrastructure/sqlite/connection/compiled-statements.test.ts from the builders (UPDATE_SNAPSHOT=1), and never edited by hand.
import type * as built from "../thought-statements.ts"
import { statementOf } from "../../../sqlite/connection/statement.ts"

export const selectThought: typeof built.selectThought = statementOf(
  `select * from "thought_records" where "id" = ?`,
  ["id"]
)

export const selectThoughtTail: typeof built.selectThoughtTail = statementOf(
  `select "hash" from "thought_records" where "task_id" = ? order by "event_position" desc limit 1`,
  ["task_id"]
)

export const selectThoughtsOfTask: typeof built.selectThoughtsOfTask = statementOf(
  `select CASE WHEN octet_length("id") > 16777216 THEN 0.5 ELSE "id" END as "id", CASE WHEN octet_length("type") > 16777216 THEN 0.5 ELSE "type" END as "type", CASE WHEN octet_length("task_id") > 16777216 THEN 0.5 ELSE "task_id" END as "task_id", CASE WHEN octet_length("agent_id") > 16777216 THEN 0.5 ELSE "agent_id" END as "agent_id", CASE WHEN octet_length("content") > 16777216 THEN 0.5 ELSE "content" END as "content", CASE WHEN octet_length("timestamp") > 16777216 THEN 0.5 ELSE "timestamp" END as "timestamp", CASE WHEN octet_length("prev_hash") > 16777216 THEN 0.5 ELSE "prev_hash" END as "prev_hash", CASE WHEN octet_length("hash") > 16777216 THEN 0.5 ELSE "hash" END as "hash", CASE WHEN octet_length("created_at") > 16777216 THEN 0.5 ELSE "created_at" END as "created_at", CASE WHEN octet_length("event_position") > 16777216 THEN 0.5 ELSE "event_position" END as "event_position" from "thought_records" where "task_id" = ? and "event_position" > ? order by "thought_records"."event_position" asc limit ?`,
  ["task_id","after","limit"]
)

export const selectThoughtsOfTaskBackwards: typeof built.selectThoughtsOfTaskBackwards = statementOf(
  `select CASE WHEN octet_length("id") > 16777216 THEN 0.5 ELSE "id" END as "id", CASE WHEN octet_length("type") > 16777216 THEN 0.5 ELSE "type" END as "type", CASE WHEN octet_length("task_id") > 16777216 THEN 0.5 ELSE "task_id" END as "task_id", CASE WHEN octet_length("agent_id") > 16777216 THEN 0.5 ELSE "agent_id" END as "agent_id", CASE WHEN octet_length("content") > 16777216 THEN 0.5 ELSE "content" END as "content", CASE WHEN octet_length("timestamp") > 16777216 THEN 0.5 ELSE "timestamp" END as "timestamp", CASE WHEN octet_length("prev_hash") > 16777216 THEN 0.5 ELSE "prev_hash" END as "prev_hash", CASE WHEN octet_length("hash") > 16777216 THEN 0.5 ELSE "hash" END as "hash", CASE WHEN octet_length("created_at") > 16777216 THEN 0.5 ELSE "created_at" END as "created_at", CASE WHEN octet_length("event_position") > 16777216 THEN 0.5 ELSE "event_position" END as "event_position" from "thought_records" where "task_id" = ? and "event_position" < ? order by "thought_records"."event_position" desc limit ?`,
  ["task_id","after","limit"]
)

export const selectThoughts: typeof built.selectThoughts = statementOf(
  `select * from "thought_records" where rowid in (select rowid as "row" from "thought_records" where "event_position" > ? order by "event_position" asc limit ?) order by "event_position" asc`,
  ["after","limit"]
)

export const selectThoughtsBackwards: typeof built.selectThoughtsBackwards = statementOf(
  `select * from "thought_records" where rowid in (select rowid as "row" from "thought_records" where "event_position" < ? order by "event_position" desc limit ?) order by "event_position" desc`,
  ["after","limit"]
)

export const selectThoughtsBehind: typeof built.selectThoughtsBehind = statementOf(
  `select CASE WHEN octet_length("id") > 16777216 THEN 0.5 ELSE "id" END as "id", CASE WHEN octet_length("type") > 16777216 THEN 0.5 ELSE "type" END as "type", CASE WHEN octet_length("task_id") > 16777216 THEN 0.5 ELSE "task_id" END as "task_id", CASE WHEN octet_length("agent_id") > 16777216 THEN 0.5 ELSE "agent_id" END as "agent_id", CASE WHEN octet_length("content") > 16777216 THEN 0.5 ELSE "content" END as "content", CASE WHEN octet_length("timestamp") > 16777216 THEN 0.5 ELSE "timestamp" END as "timestamp", CASE WHEN octet_length("prev_hash") > 16777216 THEN 0.5 ELSE "prev_hash" END as "prev_hash", CASE WHEN octet_length("hash") > 16777216 THEN 0.5 ELSE "hash" END as "hash", CASE WHEN octet_length("created_at") > 16777216 THEN 0.5 ELSE "created_at" END as "created_at", CASE WHEN octet_length("event_position") > 16777216 THEN 0.5 ELSE "event_position" END as "event_position" from "thought_records" where (task_id, event_position) > (?, ?) order by "thought_records"."task_id", "thought_records"."event_position" limit ?`,
  ["task_id","after","limit"]
)

export const selectTaskEventsBeyond: typeof built.selectTaskEventsBeyond = statementOf(
  `select CASE WHEN octet_length("position") > 16777216 THEN 0.5 ELSE "position" END as "position", CASE WHEN octet_length("type") > 16777216 THEN 0.5 ELSE "type" END as "type", CASE WHEN octet_length("stream_id") > 16777216 THEN 0.5 ELSE "stream_id" END as "stream_id", CASE WHEN octet_length("schema_version") > 16777216 THEN 0.5 ELSE "schema_version" END as "schema_version", CASE WHEN octet_length("data") > 16777216 THEN 0.5 ELSE "data" END as "data", CASE WHEN octet_length("recorded_at") > 16777216 THEN 0.5 ELSE "recorded_at" END as "recorded_at", CASE WHEN octet_length("prev_hash") > 16777216 THEN 0.5 ELSE "prev_hash" END as "prev_hash", CASE WHEN octet_length("hash") > 16777216 THEN 0.5 ELSE "hash" END as "hash" from "events" where "stream_id" > ? and "stream_id" < 'task;' order by "events"."stream_id", "events"."position" limit ?`,
  ["stream_id","limit"]
)
