/**
 * Thought records: one more table of the ledger, its guards and its projection. The records of one task are a hash
 * chain; the newest is found by event position, never by a time, so that neither equal times nor a clock that was set
 * back can fork it. This file must never change once version 2 is released; a later version is a new folder.
 */
import { sql } from "kysely"
import { refuse, statement, trigger } from "../statements.ts"
import { appendOnly, written } from "./guards.ts"
import { hasNoNul, hasShape, isType, moveHead, position, recordedAt, text } from "./projections.ts"
import { db, isOneOf, isTime } from "./tables.ts"

/** What a thought may be. */
const thoughtTypes = ["plan", "analysis", "decision", "reflection"]

const zeroHash = "0".repeat(64)

const thoughts = db.schema
  .createTable("thought_records")
  .addColumn("id", "text", (column) => column.notNull().primaryKey())
  .addColumn("type", "text", (column) => column.notNull())
  .addColumn("task_id", "text", (column) => column.notNull())
  .addColumn("agent_id", "text", (column) => column.notNull())
  .addColumn("content", "text", (column) => column.notNull())
  .addColumn("timestamp", "text", (column) => column.notNull())
  .addColumn("prev_hash", "text", (column) => column.notNull())
  .addColumn("hash", "text", (column) => column.notNull().unique())
  .addColumn("created_at", "text", (column) => column.notNull())
  .addColumn("event_position", "integer", (column) => column.notNull())
  // Two records that name the same one before them would be a fork.
  .addUniqueConstraint("thoughts_task_prev", ["task_id", "prev_hash"])
  .addCheckConstraint("thoughts_type", isOneOf("type", thoughtTypes))
  .addCheckConstraint("thoughts_created_at_is_time", isTime("created_at"))
  .modifyEnd(sql`strict`)

const taskIndex = db.schema
  .createIndex("idx_trail_task")
  .on("thought_records")
  .columns(["task_id", "created_at"])

const prevIndex = db.schema.createIndex("idx_trail_prev").on("thought_records").column("prev_hash")

// One step into this index is the end of a task's chain, however long it is.
const tailIndex = db.schema
  .createIndex("ix_trail_position")
  .on("thought_records")
  .columns(["task_id", "event_position"])

/** The statements that create the table and its indexes. */
export const thoughtTables = (): ReadonlyArray<string> =>
  [thoughts, taskIndex, prevIndex, tailIndex].map(statement)

const tail = db
  .selectFrom("thought_records")
  .select("hash")
  .where("task_id", "=", sql.ref<string>("NEW.task_id"))
  .orderBy("event_position", "desc")
  .limit(sql.lit(1))

// The form alone, in patterns that are short enough for every host: which days there are, the writer judges.
const isMoment = sql`NEW."timestamp" GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*' AND substr(NEW."timestamp", 12) GLOB '[0-9][0-9]:[0-9][0-9]:[0-9][0-9]*' AND (substr(NEW."timestamp", 20) GLOB '*Z' OR substr(NEW."timestamp", 20) GLOB '*[+-][0-9][0-9]:[0-9][0-9]')`

const insertGuard = trigger({
  name: "tr_thoughts_append_only_insert",
  timing: "BEFORE",
  event: "INSERT",
  on: "thought_records",
  body: [
    written("thought_records"),
    refuse(
      "A thought needs an id, a task_id and an agent_id that are not empty",
      sql`NEW."id" IS '' OR NEW."task_id" IS '' OR NEW."agent_id" IS ''`
    ),
    refuse(
      "Invalid type: it must be plan, analysis, decision or reflection",
      sql`NOT ${isOneOf("NEW.type", thoughtTypes)}`
    ),
    refuse(
      "A thought's timestamp must be a date and time of day with its zone, as in ISO 8601",
      sql`(${isMoment}) IS NOT 1`
    ),
    refuse(
      "thought_records is a chain in each task: prev_hash must be the hash of the task's newest record, or 64 zeros",
      sql`NEW."prev_hash" IS NOT coalesce(${tail}, ${sql.lit(zeroHash)})`
    ),
    // Twice a length: that of a text and GLOB stop at U+0000, that of the bytes does not.
    refuse(
      "A thought's hash must be 64 lower-case hex digits",
      sql`length(NEW."hash") IS NOT 64 OR length(CAST(NEW."hash" AS BLOB)) IS NOT 64 OR NEW."hash" GLOB '*[^0-9a-f]*'`
    )
  ]
})

/** The statements that create the table's guards. */
export const thoughtGuards = (): ReadonlyArray<string> => [
  insertGuard,
  ...appendOnly("thought_records", "thoughts")
]

const thoughtRecorded = trigger({
  name: "tr_pending_rare_event_thought_recorded",
  timing: "INSTEAD OF",
  event: "DELETE",
  on: "pending_rare_event",
  when: isType("ThoughtRecorded"),
  body: [
    hasShape("ThoughtRecorded", [
      "agent_id:text",
      "content:text",
      "hash:text",
      "id:text",
      "prev_hash:text",
      "timestamp:text",
      "type:text"
    ]),
    hasNoNul("ThoughtRecorded"),
    refuse(
      "ThoughtRecorded must stand in a stream task:<task_id>, without U+0000",
      sql`OLD."stream_id" NOT GLOB 'task:?*' OR instr(OLD."stream_id", char(0)) > 0`
    ),
    db.insertInto("thought_records").values({
      id: text("id"),
      type: text("type"),
      task_id: sql<string>`substr(OLD."stream_id", 6)`,
      agent_id: text("agent_id"),
      content: text("content"),
      timestamp: text("timestamp"),
      prev_hash: text("prev_hash"),
      hash: text("hash"),
      created_at: recordedAt,
      event_position: position
    }),
    moveHead
  ]
})

/** The statements that create the projection. */
export const thoughtProjections = (): ReadonlyArray<string> => [thoughtRecorded]
