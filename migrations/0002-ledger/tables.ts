/**
 * The event log, the ledger tables that are projected from it, and the two views through which an event is
 * applied. Columns and their order are part of the format: digests and verifiers read them by position. This
 * file must never change once version 2 is released; a later version is a new folder.
 */
import { sql, type RawBuilder } from "kysely"
import { builders, statement } from "../statements.ts"

/** The columns of every table and view of this version, as the builders of this folder see them. */
export interface Tables {
  readonly events: EventColumns
  readonly head: { readonly one: number; readonly size: number; readonly hash: string }
  readonly pending_event: EventColumns
  readonly pending_rare_event: EventColumns
  readonly cassette_messages: {
    readonly message_id: string
    readonly run_id: string
    readonly source: string
    readonly idempotency_key: string | null
    readonly payload_json: string
    readonly created_at: string
    readonly event_position: number
  }
  readonly cassette_jobs: {
    readonly job_id: string
    readonly message_id: string
    readonly intent: string
    readonly ordinal: number
    readonly created_at: string
    readonly event_position: number
  }
  readonly cassette_steps: {
    readonly step_id: string
    readonly job_id: string
    readonly ordinal: number
    readonly status: string
    readonly lease_owner: string | null
    readonly lease_expires_at: string | null
    readonly fencing_token: number
    readonly payload_json: string
    readonly created_at: string
    readonly run_id: string
    readonly event_position: number
  }
  readonly cassette_receipts: {
    readonly receipt_id: string
    readonly step_id: string
    readonly job_id: string
    readonly worker_id: string
    readonly fencing_token: number
    readonly outcome: string
    readonly receipt_json: string
    readonly created_at: string
    readonly event_position: number
  }
  readonly thought_records: {
    readonly id: string
    readonly type: string
    readonly task_id: string
    readonly agent_id: string
    readonly content: string
    readonly timestamp: string
    readonly prev_hash: string
    readonly hash: string
    readonly created_at: string
    readonly event_position: number
  }
  readonly cassette_meta: { readonly key: string; readonly value: string; readonly event_position: number }
  readonly ledger_migrations: { readonly version: number; readonly name: string; readonly checksum: string }
}

interface EventColumns {
  readonly position: number
  readonly type: string
  readonly stream_id: string
  readonly schema_version: number
  readonly data: string
  readonly recorded_at: string
  readonly prev_hash: string
  readonly hash: string
}

/** Compiles queries on this version's tables. */
export const db = builders<Tables>()

/**
 * True when `column` is NULL or a time as `YYYY-MM-DDTHH:MM:SS.mmmZ` of a day that exists. Adding nothing to it makes
 * older versions of SQLite compute the date, which otherwise give 30 February back as it came.
 */
export const isTime = (column: string): RawBuilder<boolean> =>
  sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${sql.ref(column)}, '+0 days') IS ${sql.ref(column)}`

/** True when `column` is one of the words. Written with OR: an IN list of three or more builds a b-tree each time. */
export const isOneOf = (column: string, words: ReadonlyArray<string>): RawBuilder<boolean> =>
  sql`(${sql.join(
    words.map((word) => sql`${sql.ref(column)} IS ${sql.lit(word)}`),
    sql` OR `
  )})`

/** Who may post a message. */
export const sources = ["USER", "PLANNER", "SYSTEM", "WORKER"]

/** How a step may end. */
export const outcomes = ["SUCCESS", "FAILURE", "ABORTED"]

// That `data` is JSON and `recorded_at` a time is checked by tr_events_chain_insert alone: a trigger, unlike a
// CHECK, cannot be switched off by a pragma, and both together cost every event twice.
const events = db.schema
  .createTable("events")
  .addColumn("position", "integer", (column) => column.primaryKey())
  .addColumn("type", "text", (column) => column.notNull())
  .addColumn("stream_id", "text", (column) => column.notNull())
  .addColumn("schema_version", "integer", (column) => column.notNull())
  .addColumn("data", "text", (column) => column.notNull())
  .addColumn("recorded_at", "text", (column) => column.notNull())
  .addColumn("prev_hash", "text", (column) => column.notNull())
  .addColumn("hash", "text", (column) => column.notNull())
  // Twice a length: that of a text and GLOB stop at U+0000, that of the bytes does not.
  .addCheckConstraint(
    "events_hash_is_hex",
    sql`length("hash") = 64 AND length(CAST("hash" AS BLOB)) = 64 AND "hash" NOT GLOB '*[^0-9a-f]*'`
  )
  .modifyEnd(sql`strict`)

const head = db.schema
  .createTable("head")
  .addColumn("one", "integer", (column) => column.primaryKey().check(sql`"one" = 1`))
  .addColumn("size", "integer", (column) => column.notNull())
  .addColumn("hash", "text", (column) => column.notNull())
  .modifyEnd(sql`strict`)

// The one row of `head`. It is written before the guards exist, and from then on moves only with an event.
const emptyHead = db
  .insertInto("head")
  .values({ one: sql.lit(1), size: sql.lit(0), hash: sql.lit("0".repeat(64)) })

const messages = db.schema
  .createTable("cassette_messages")
  .addColumn("message_id", "text", (column) => column.notNull().primaryKey())
  .addColumn("run_id", "text", (column) => column.notNull())
  .addColumn("source", "text", (column) => column.notNull())
  .addColumn("idempotency_key", "text")
  .addColumn("payload_json", "text", (column) => column.notNull())
  .addColumn("created_at", "text", (column) => column.notNull())
  .addColumn("event_position", "integer", (column) => column.notNull())
  .addUniqueConstraint("messages_run_key", ["run_id", "idempotency_key"])
  .addCheckConstraint("messages_source", isOneOf("source", sources))
  .addCheckConstraint(
    "messages_id",
    sql`length("message_id") = 34 AND substr("message_id", 1, 18) = printf('msg_%013d_', "event_position") AND substr("message_id", 19) NOT GLOB '*[^0-9a-f]*'`
  )
  .addCheckConstraint("messages_created_at_is_time", isTime("created_at"))
  .modifyEnd(sql`strict`)

const jobs = db.schema
  .createTable("cassette_jobs")
  .addColumn("job_id", "text", (column) => column.notNull().primaryKey())
  .addColumn("message_id", "text", (column) => column.notNull().references("cassette_messages.message_id"))
  .addColumn("intent", "text", (column) => column.notNull())
  .addColumn("ordinal", "integer", (column) => column.notNull())
  .addColumn("created_at", "text", (column) => column.notNull())
  .addColumn("event_position", "integer", (column) => column.notNull())
  .addCheckConstraint("jobs_ordinal", sql`"ordinal" >= 1 AND "ordinal" <= 9999`)
  .addCheckConstraint(
    "jobs_id",
    sql`"job_id" = 'job_' || substr("message_id", 5) || printf('.%04d', "ordinal")`
  )
  .addCheckConstraint("jobs_created_at_is_time", isTime("created_at"))
  .modifyEnd(sql`strict, without rowid`)

const steps = db.schema
  .createTable("cassette_steps")
  .addColumn("step_id", "text", (column) => column.notNull().primaryKey())
  .addColumn("job_id", "text", (column) => column.notNull().references("cassette_jobs.job_id"))
  .addColumn("ordinal", "integer", (column) => column.notNull())
  .addColumn("status", "text", (column) => column.notNull())
  .addColumn("lease_owner", "text")
  .addColumn("lease_expires_at", "text")
  .addColumn("fencing_token", "integer", (column) => column.notNull().defaultTo(sql.lit(0)))
  .addColumn("payload_json", "text", (column) => column.notNull())
  .addColumn("created_at", "text", (column) => column.notNull())
  .addColumn("run_id", "text", (column) => column.notNull())
  .addColumn("event_position", "integer", (column) => column.notNull())
  .addCheckConstraint("steps_ordinal", sql`"ordinal" >= 1 AND "ordinal" <= 99999`)
  .addCheckConstraint(
    "steps_id",
    sql`"step_id" = 'step_' || substr("job_id", 5) || printf('.%05d', "ordinal")`
  )
  .addCheckConstraint("steps_status", isOneOf("status", ["PENDING", "LEASED", "COMMITTED"]))
  .addCheckConstraint("steps_lease_expires_at_is_time", isTime("lease_expires_at"))
  .addCheckConstraint("steps_fencing_token", sql`"fencing_token" >= 0`)
  .addCheckConstraint("steps_created_at_is_time", isTime("created_at"))
  .modifyEnd(sql`strict`)

const receipts = db.schema
  .createTable("cassette_receipts")
  .addColumn("receipt_id", "text", (column) => column.notNull().primaryKey())
  .addColumn("step_id", "text", (column) => column.notNull().references("cassette_steps.step_id"))
  .addColumn("job_id", "text", (column) => column.notNull().references("cassette_jobs.job_id"))
  .addColumn("worker_id", "text", (column) => column.notNull())
  .addColumn("fencing_token", "integer", (column) => column.notNull())
  .addColumn("outcome", "text", (column) => column.notNull())
  .addColumn("receipt_json", "text", (column) => column.notNull())
  .addColumn("created_at", "text", (column) => column.notNull())
  .addColumn("event_position", "integer", (column) => column.notNull())
  .addCheckConstraint("receipts_id", sql`"receipt_id" = 'rcpt_' || substr("step_id", 6)`)
  .addCheckConstraint("receipts_job_id", sql`"job_id" = 'job_' || substr("step_id", 6, 35)`)
  .addCheckConstraint("receipts_outcome", isOneOf("outcome", outcomes))
  .addCheckConstraint("receipts_created_at_is_time", isTime("created_at"))
  .modifyEnd(sql`strict`)

const meta = db.schema
  .createTable("cassette_meta")
  .addColumn("key", "text", (column) => column.notNull().primaryKey())
  .addColumn("value", "text", (column) => column.notNull())
  .addColumn("event_position", "integer", (column) => column.notNull())
  .modifyEnd(sql`strict`)

const ledgerMigrations = db.schema
  .createTable("ledger_migrations")
  .addColumn("version", "integer", (column) => column.primaryKey())
  .addColumn("name", "text", (column) => column.notNull())
  .addColumn("checksum", "text", (column) => column.notNull())
  .modifyEnd(sql`strict`)

const streamIndex = db.schema.createIndex("ix_events_stream").on("events").column("stream_id")

// The order of step ids is the claim order, so this index answers a claim without a sort.
const claimIndex = db.schema
  .createIndex("ix_steps_claim")
  .on("cassette_steps")
  .columns(["run_id", "step_id"])
  .where(sql.ref("status"), "=", "PENDING")

// Leases by their end, so that those that have ended are found without reading any other step.
const leaseIndex = db.schema
  .createIndex("ix_steps_leases")
  .on("cassette_steps")
  .columns(["lease_expires_at", "step_id"])
  .where(sql.ref("status"), "=", "LEASED")

// What did not succeed, newest last. Most work does, so most receipts cost nothing here.
const failureIndex = db.schema
  .createIndex("ix_receipts_failures")
  .on("cassette_receipts")
  .column("event_position")
  .where(sql.ref("outcome"), "<>", "SUCCESS")

// The one event that `head` has not reached: it exists only inside the statement that inserts it.
const pending = (name: "pending_event" | "pending_rare_event") =>
  db.schema.createView(name).as(
    db
      .selectFrom("events")
      .select(["position", "type", "stream_id", "schema_version", "data", "recorded_at", "prev_hash", "hash"])
      .where("position", "=", (eb) => eb.selectFrom("head").select(sql<number>`"size" + 1`.as("next")))
  )

/**
 * The statements that create tables, indexes, the views and the one row of `head`. The views come early: SQLite's own check
 * leaves out the account of pages when a view comes first in its list of tables, where the newest one usually stands.
 */
export const tables = (): ReadonlyArray<string> =>
  [
    events,
    head,
    pending("pending_event"),
    pending("pending_rare_event"),
    messages,
    jobs,
    steps,
    receipts,
    meta,
    ledgerMigrations,
    streamIndex,
    claimIndex,
    leaseIndex,
    failureIndex,
    emptyHead
  ].map(statement)
