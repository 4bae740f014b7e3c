/**
 * The triggers that apply an event. Inserting one deletes it from `pending_event`; that view's trigger for the
 * event's type checks `data`, writes the tables and moves `head` last, which empties the view again. It is a
 * DELETE because an OR clause of the outer INSERT would override the conflict handling of every INSERT and
 * UPDATE below it, and does not pass through a DELETE. A projection must never take a value from anywhere but
 * the event and the rows it made.
 */
import { sql } from "kysely"
import { refuse, trigger, type Fragment, type Statement } from "../statements.ts"
import { db } from "./tables.ts"

/** The pending event's own columns, and a key of its `data`. */
export const position = sql<number>`OLD."position"`
export const recordedAt = sql<string>`OLD."recorded_at"`
const runId = sql<string>`substr(OLD."stream_id", 5)`

// The brackets matter: -> and ->> bind no tighter than ||.
export const text = (key: string) => sql<string>`(OLD."data" ->> ${sql.lit(`$.${key}`)})`
const integer = (key: string) => sql<number>`(OLD."data" ->> ${sql.lit(`$.${key}`)})`
const json = (key: string) => sql<string>`(OLD."data" -> ${sql.lit(`$.${key}`)})`

// Number, names, order and types of all keys in one text. The number stands in front so that no key with a
// space in it can pass for two.
const shape = (of: Fragment) =>
  sql`(SELECT count(*) || ' ' || group_concat("key" || ':' || "type", ' ') FROM json_each(${of}))`

const shapeOf = (keys: ReadonlyArray<string>): Fragment => sql.lit(`${keys.length} ${keys.join(" ")}`)

/** Refuses data that has other keys, or keys of other types, than these. */
export const hasShape = (type: string, keys: ReadonlyArray<string>): Statement =>
  refuse(
    `${type} must have exactly the keys ${keys.join(", ")}`,
    sql`${shape(sql`OLD."data"`)} IS NOT ${shapeOf(keys)}`
  )

const TRACE_KEY = "traceparent:text"

const trace = text("traceparent")

// Two digits, 32, 16 and two, which are not ff, all zeros, all zeros. A text without other characters and with three dashes
// at their places has digits everywhere else.
const isNoTrace = sql`(length(${trace}) = 55 AND ${trace} NOT GLOB '*[^0-9a-f-]*' AND ${trace} GLOB '??-*-????????????????-??' AND length(replace(${trace}, '-', '')) = 52 AND substr(${trace}, 1, 2) <> 'ff' AND substr(${trace}, 4, 32) GLOB '*[1-9a-f]*' AND substr(${trace}, 37, 16) GLOB '*[1-9a-f]*') IS NOT 1`

/**
 * Refuses data that has other keys, or keys of other types, than one of the lists, to which a traceparent may be added. One
 * CASE looks at the keys once, and at a traceparent only where there is one.
 */
const hasShapeWithTrace = (type: string, ...shapes: ReadonlyArray<ReadonlyArray<string>>): Statement => {
  const plain = shapes.map((keys) => sql`WHEN ${shapeOf(keys)} THEN 0`)
  const traced = shapes.map((keys) => sql`WHEN ${shapeOf([...keys, TRACE_KEY].sort())} THEN ${isNoTrace}`)
  return refuse(
    `${type} must have exactly the keys ${shapes.map((keys) => keys.join(", ")).join(", or ")}, and may have a traceparent of W3C Trace Context`,
    sql`CASE ${shape(sql`OLD."data"`)} ${sql.join([...plain, ...traced], sql` `)} ELSE 1 END`
  )
}

// Older versions of SQLite cut a name or a text at the escape of U+0000 when they read it. With every escaped
// backslash taken out, what is left of that escape is a real one.
const hasNul = (of: Fragment) => sql`instr(replace(${of}, '\\\\', ''), '\\u0000') > 0`

// The first term looks at the text as it is, and spares nearly every event the others.
const refuseNul = (rule: string, where: Fragment): Statement =>
  refuse(rule, sql`instr(OLD."data", '\\u0000') > 0 AND (${where})`)

/** Refuses data with U+0000 in any string. */
export const hasNoNul = (type: string): Statement =>
  refuseNul(`${type} may not have U+0000 anywhere`, hasNul(sql`OLD."data"`))

/** The last statement of every projection: it empties the view again. */
export const moveHead: Statement = db
  .updateTable("head")
  .set({ size: position, hash: sql<string>`OLD."hash"` })

/** True for an event of this type in its first version. */
export const isType = (type: string): Fragment =>
  sql`OLD."type" IS ${sql.lit(type)} AND OLD."schema_version" IS 1`

const jobsType = sql`json_type(OLD."data", '$.jobs')`

const apply = trigger({
  name: "tr_events_apply",
  timing: "AFTER",
  event: "INSERT",
  on: "events",
  body: [
    db.deleteFrom("pending_event"),
    refuse(
      "There is no projection for this type and schema_version",
      sql`(SELECT "size" FROM "head") IS NOT NEW."position"`
    )
  ]
})

const messageShapes = (jobs: ReadonlyArray<string>, steps: ReadonlyArray<string>) =>
  ["idempotency_key:text", "idempotency_key:null"].map((idempotencyKey) =>
    [idempotencyKey].concat(jobs, ["message_id:text", "payload:object", "source:text"], steps)
  )

const isOfRun = (type: string): Statement =>
  refuse(
    `${type} must stand in a stream run:<run_id>, without U+0000`,
    sql`OLD."stream_id" NOT GLOB 'run:?*' OR instr(OLD."stream_id", char(0)) > 0`
  )

const messageChecks = [
  isOfRun("MessagePosted"),
  // On the JSON text, quotes included, where no escape can hide.
  refuse(
    "message_id must be msg_<the event's position, 13 digits>_<16 lower-case hex digits>",
    sql`length(${json("message_id")}) IS NOT 36 OR substr(${json("message_id")}, 1, 19) IS NOT printf('"msg_%013d_', OLD."position") OR substr(${json("message_id")}, 20, 16) GLOB '*[^0-9a-f]*'`
  )
]

const insertMessage = db.insertInto("cassette_messages").values({
  message_id: text("message_id"),
  run_id: runId,
  source: text("source"),
  idempotency_key: text("idempotency_key"),
  payload_json: json("payload"),
  created_at: recordedAt,
  event_position: position
})

const intentType = sql`json_type(OLD."data", '$.payload.intent')`

const onlyJobId = sql<string>`'job_' || substr(${text("message_id")}, 5) || '.0001'`
const onlyStepId = sql<string>`'step_' || substr(${text("message_id")}, 5) || '.0001.00001'`

// The common message: one job with the payload's intent, one step with the payload.
const messagePosted = trigger({
  name: "tr_pending_event_message_posted",
  timing: "INSTEAD OF",
  event: "DELETE",
  on: "pending_event",
  when: sql`${isType("MessagePosted")} AND ${jobsType} IS NULL`,
  body: [
    hasShapeWithTrace("MessagePosted without jobs", ...messageShapes([], [])),
    ...messageChecks,
    refuseNul(
      "MessagePosted without jobs may have U+0000 in its payload alone, and not in the payload's intent",
      sql`${hasNul(sql`json_remove(OLD."data", '$.payload')`)} OR ${intentType} IS 'text' AND ${hasNul(json("payload.intent"))}`
    ),
    insertMessage,
    db.insertInto("cassette_jobs").values({
      job_id: onlyJobId,
      message_id: text("message_id"),
      intent: sql<string>`CASE ${intentType} WHEN 'text' THEN ${text("payload.intent")} ELSE '' END`,
      ordinal: sql.lit(1),
      created_at: recordedAt,
      event_position: position
    }),
    db.insertInto("cassette_steps").values({
      step_id: onlyStepId,
      job_id: onlyJobId,
      ordinal: sql.lit(1),
      status: sql.lit("PENDING"),
      lease_owner: sql.lit(null),
      lease_expires_at: sql.lit(null),
      fencing_token: sql.lit(0),
      payload_json: json("payload"),
      created_at: recordedAt,
      run_id: runId,
      event_position: position
    }),
    moveHead
  ]
})

const message = sql`"cassette_messages" AS "message" CROSS JOIN`
const isThisMessage = sql`"message"."message_id" = ${text("message_id")}`

// Only the elements of the lists are read from `data` for each row; the rest comes from the message's row,
// because SQLite would read the whole text again for each step.
const messagePostedWithJobs = trigger({
  name: "tr_pending_rare_event_message_posted",
  timing: "INSTEAD OF",
  event: "DELETE",
  on: "pending_rare_event",
  when: sql`${isType("MessagePosted")} AND ${jobsType} IS NOT NULL`,
  body: [
    hasShapeWithTrace("MessagePosted with jobs", ...messageShapes(["jobs:array"], ["steps:array"])),
    ...messageChecks,
    refuseNul(
      "MessagePosted with jobs may have U+0000 in its payloads alone",
      hasNul(sql`json_remove(OLD."data", '$.payload', '$.steps')`)
    ),
    refuse(
      "MessagePosted: jobs must be a list of intents",
      sql`EXISTS (SELECT 1 FROM json_each(OLD."data", '$.jobs') WHERE "type" IS NOT 'text')`
    ),
    refuse(
      "MessagePosted: each of steps must have exactly the keys job:integer, payload:object",
      sql`EXISTS (SELECT 1 FROM json_each(OLD."data", '$.steps') AS "step" WHERE "step"."type" IS NOT 'object' OR ${shape(sql`"step"."value"`)} IS NOT '2 job:integer payload:object')`
    ),
    refuse(
      "MessagePosted: steps must name the jobs in order, from 1 and without a gap, and every job must have a step",
      sql`(SELECT min("job") IS 1 AND max("job") IS json_array_length(OLD."data", '$.jobs') AND min("growth") >= 0 AND max("growth") <= 1 FROM (SELECT "value" ->> '$.job' AS "job", ("value" ->> '$.job') - lag("value" ->> '$.job', 1, 0) OVER (ORDER BY "key") AS "growth" FROM json_each(OLD."data", '$.steps'))) IS NOT 1`
    ),
    insertMessage,
    db
      .insertInto("cassette_jobs")
      .columns(["job_id", "message_id", "intent", "ordinal", "created_at", "event_position"])
      .expression(
        sql`SELECT 'job_' || substr("message"."message_id", 5) || printf('.%04d', "job"."key" + 1), "message"."message_id", "job"."value", "job"."key" + 1, "message"."created_at", "message"."event_position" FROM ${message} json_each(OLD."data", '$.jobs') AS "job" WHERE ${isThisMessage}`
      ),
    db
      .insertInto("cassette_steps")
      .columns([
        "step_id",
        "job_id",
        "ordinal",
        "status",
        "fencing_token",
        "payload_json",
        "created_at",
        "run_id",
        "event_position"
      ])
      .expression(
        sql`SELECT 'step_' || substr("message"."message_id", 5) || printf('.%04d.%05d', "step"."job", "step"."ordinal"), 'job_' || substr("message"."message_id", 5) || printf('.%04d', "step"."job"), "step"."ordinal", 'PENDING', 0, "step"."payload", "message"."created_at", "message"."run_id", "message"."event_position" FROM ${message} (SELECT "value" ->> '$.job' AS "job", row_number() OVER (PARTITION BY "value" ->> '$.job' ORDER BY "key") AS "ordinal", "value" -> '$.payload' AS "payload" FROM json_each(OLD."data", '$.steps')) AS "step" WHERE ${isThisMessage} ORDER BY "step"."job", "step"."ordinal"`
      ),
    moveHead
  ]
})

const isInRun = (type: string): Statement =>
  refuse(
    `${type} must name an existing step of its stream's run`,
    sql`${db
      .selectFrom("cassette_steps")
      .select(sql`'run:' || "run_id"`.as("stream_id"))
      .where("step_id", "=", text("step_id"))} IS NOT OLD."stream_id"`
  )

// `status = 'PENDING'` as a literal is what lets the partial index answer.
const firstPending = db
  .selectFrom("cassette_steps")
  .select("step_id")
  .where("run_id", "=", runId)
  .where("status", "=", sql.lit("PENDING"))
  .orderBy("step_id")
  .limit(sql.lit(1))

// The first 40 characters of a step id are its job's. From there on, a step that waits is the first to be met unless
// an earlier one of its job waits too; nothing has to say where the job ends.
const beginOfJob = sql<string>`substr(${text("step_id")}, 1, 40) || '.'`

/** PENDING -> LEASED, with the lease that the event states. */
const beginLease = db
  .updateTable("cassette_steps")
  .set({
    status: sql.lit("LEASED"),
    lease_owner: text("worker_id"),
    lease_expires_at: text("lease_expires_at"),
    fencing_token: integer("fencing_token"),
    event_position: position
  })
  .where("step_id", "=", text("step_id"))

/** LEASED -> PENDING, without a lease. */
const endLease = db
  .updateTable("cassette_steps")
  .set({
    status: sql.lit("PENDING"),
    lease_owner: sql.lit(null),
    lease_expires_at: sql.lit(null),
    event_position: position
  })
  .where("step_id", "=", text("step_id"))

const stepClaimed = trigger({
  name: "tr_pending_event_step_claimed",
  timing: "INSTEAD OF",
  event: "DELETE",
  on: "pending_event",
  when: isType("StepClaimed"),
  body: [
    hasShapeWithTrace("StepClaimed", [
      "fencing_token:integer",
      "lease_expires_at:text",
      "scope:text",
      "step_id:text",
      "worker_id:text"
    ]),
    hasNoNul("StepClaimed"),
    isOfRun("StepClaimed"),
    // The first waiting step of the stream's run: so it exists, and belongs to that run.
    refuse(
      "StepClaimed must take the first PENDING step of its scope, its stream's run or the step's job, in the order of step ids",
      sql`CASE ${text("scope")} WHEN 'run' THEN ${firstPending} WHEN 'job' THEN ${firstPending.where("step_id", ">", beginOfJob)} END IS NOT ${text("step_id")}`
    ),
    beginLease,
    moveHead
  ]
})

// The receipt comes first: its guard sees the step still LEASED, and the step's guard asks for the receipt.
const stepCompleted = trigger({
  name: "tr_pending_event_step_completed",
  timing: "INSTEAD OF",
  event: "DELETE",
  on: "pending_event",
  when: isType("StepCompleted"),
  body: [
    hasShapeWithTrace("StepCompleted", [
      "fencing_token:integer",
      "outcome:text",
      "receipt:object",
      "step_id:text",
      "worker_id:text"
    ]),
    refuseNul(
      "StepCompleted may have U+0000 in its receipt alone",
      hasNul(sql`json_remove(OLD."data", '$.receipt')`)
    ),
    isInRun("StepCompleted"),
    db.insertInto("cassette_receipts").values({
      receipt_id: sql<string>`'rcpt_' || substr(${text("step_id")}, 6)`,
      step_id: text("step_id"),
      job_id: sql<string>`'job_' || substr(${text("step_id")}, 6, 35)`,
      worker_id: text("worker_id"),
      fencing_token: integer("fencing_token"),
      outcome: text("outcome"),
      receipt_json: json("receipt"),
      created_at: recordedAt,
      event_position: position
    }),
    db
      .updateTable("cassette_steps")
      .set({ status: sql.lit("COMMITTED"), event_position: position })
      .where("step_id", "=", text("step_id")),
    moveHead
  ]
})

// One trigger for all rare types: a trigger on `pending_event` costs every event, one behind this door does not.
const rare = trigger({
  name: "tr_pending_event_rare",
  timing: "INSTEAD OF",
  event: "DELETE",
  on: "pending_event",
  when: sql`OLD."type" IS NOT 'StepClaimed' AND OLD."type" IS NOT 'StepCompleted' AND (OLD."type" IS NOT 'MessagePosted' OR ${jobsType} IS NOT NULL)`,
  body: [db.deleteFrom("pending_rare_event")]
})

/** The projection of the event that begins a ledger, in a database of this version. */
export const ledgerCreated = (version: number): string =>
  trigger({
    name: "tr_pending_rare_event_ledger_created",
    timing: "INSTEAD OF",
    event: "DELETE",
    on: "pending_rare_event",
    when: isType("LedgerCreated"),
    body: [
      hasShape("LedgerCreated", ["ledger_id:text"]),
      hasNoNul("LedgerCreated"),
      refuse("LedgerCreated must name the ledger", sql`${text("ledger_id")} IS ''`),
      refuse("LedgerCreated must stand in the stream ledger", sql`OLD."stream_id" IS NOT 'ledger'`),
      db.insertInto("cassette_meta").values([
        { key: sql.lit("db_version"), value: sql.lit(`${version}`), event_position: position },
        { key: sql.lit("schema_version"), value: sql.lit(`${version}`), event_position: position }
      ]),
      moveHead
    ]
  })

const lease = db.selectFrom("cassette_steps").where("step_id", "=", text("step_id"))

const stepRequeued = trigger({
  name: "tr_pending_rare_event_step_requeued",
  timing: "INSTEAD OF",
  event: "DELETE",
  on: "pending_rare_event",
  when: isType("StepRequeued"),
  body: [
    hasShape("StepRequeued", [
      "cause:text",
      "fencing_token:integer",
      "reason:text",
      "requested_by:text",
      "step_id:text",
      "worker_id:text"
    ]),
    hasNoNul("StepRequeued"),
    isInRun("StepRequeued"),
    refuse("StepRequeued must say who asked", sql`${text("requested_by")} IS ''`),
    refuse(
      "StepRequeued must name a lease: a LEASED step with its worker and its fencing_token",
      sql`NOT EXISTS ${lease
        .select(sql`1`.as("found"))
        .where(
          sql<boolean>`"status" IS 'LEASED' AND "lease_owner" IS ${text("worker_id")} AND "fencing_token" IS ${integer("fencing_token")}`
        )}`
    ),
    refuse(
      "StepRequeued needs a cause: expired after the lease's end, released with the lease's worker and token, or forced with a reason",
      sql`CASE ${text("cause")} WHEN 'expired' THEN ${lease.select("lease_expires_at")} <= OLD."recorded_at" WHEN 'released' THEN 1 WHEN 'forced' THEN ${text("reason")} IS NOT '' END IS NOT 1`
    ),
    endLease,
    moveHead
  ]
})

// A lease begins by PENDING -> LEASED and in no other way: a renewal goes along both edges within one statement.
const leaseRenewed = trigger({
  name: "tr_pending_rare_event_lease_renewed",
  timing: "INSTEAD OF",
  event: "DELETE",
  on: "pending_rare_event",
  when: isType("LeaseRenewed"),
  body: [
    hasShape("LeaseRenewed", [
      "fencing_token:integer",
      "lease_expires_at:text",
      "previous_token:integer",
      "step_id:text",
      "worker_id:text"
    ]),
    hasNoNul("LeaseRenewed"),
    isInRun("LeaseRenewed"),
    refuse(
      "LeaseRenewed must name a lease: a LEASED step with its worker and, as previous_token, its fencing_token",
      sql`NOT EXISTS ${lease
        .select(sql`1`.as("found"))
        .where(
          sql<boolean>`"status" IS 'LEASED' AND "lease_owner" IS ${text("worker_id")} AND "fencing_token" IS ${integer("previous_token")}`
        )}`
    ),
    refuse(
      "LeaseRenewed must come before its lease expires: lease expired",
      sql`(${lease.select("lease_expires_at")} > OLD."recorded_at") IS NOT 1`
    ),
    endLease,
    beginLease,
    moveHead
  ]
})

/** The statements that create the projection of every event type of this version. */
export const projections = (): ReadonlyArray<string> => [
  apply,
  messagePosted,
  stepClaimed,
  stepCompleted,
  rare,
  ledgerCreated(2),
  messagePostedWithJobs,
  stepRequeued,
  leaseRenewed
]
