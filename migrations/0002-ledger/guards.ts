/**
 * The triggers that refuse: rows are only added, only while the event they come from is pending, and a step
 * changes only along its three edges. They say again what foreign keys and CHECKs say, because a plain
 * connection can switch both off. A guard must never repair a row or write one; it refuses or does nothing.
 */
import { sql } from "kysely"
import { refuse, refuseFirst, trigger, type Fragment, type Statement, type Trigger } from "../statements.ts"
import { db, isOneOf, isTime, outcomes, sources } from "./tables.ts"

// Between statements no event is pending, so a row or a change that does not come from an event has no position
// to name. A missing one (NULL) passes this line and fails at the column's NOT NULL.
const isNotPending = sql`NEW."event_position" IS NOT (SELECT "position" FROM "pending_event")`

// One row with the pending event, or with NULLs when there is none: what several rules of one guard ask of it is
// looked up once.
const withPendingEvent = sql`(SELECT 1) LEFT JOIN "events" AS "pending" ON "pending"."position" = (SELECT "size" + 1 FROM "head")`
const isNotThePendingEvent = sql`NEW."event_position" IS NOT "pending"."position"`

/** Refuses a row that does not come from the event that is pending. */
export const written = (table: string): Statement =>
  refuse(`${table} is append-only: a row is written only by the event that is pending`, isNotPending)

const never = (name: string, table: string, event: Trigger["event"], message: string): string =>
  trigger({ name, timing: "BEFORE", event, on: table, body: [refuse(message)] })

/** The guards of a table whose rows never change. */
export const appendOnly = (table: string, short: string): ReadonlyArray<string> => [
  never(`tr_${short}_append_only_update`, table, "UPDATE", `${table} is append-only: no row is ever changed`),
  never(`tr_${short}_append_only_delete`, table, "DELETE", `${table} is append-only: no row is ever deleted`)
]

const chain = trigger({
  name: "tr_events_chain_insert",
  timing: "BEFORE",
  event: "INSERT",
  on: "events",
  body: [
    refuse(
      "events is append-only: position must be one more than the head's size",
      sql`NEW."position" IS NOT (SELECT "size" + 1 FROM "head")`
    ),
    refuse(
      "events is a chain: prev_hash must be the head's hash",
      sql`NEW."prev_hash" IS NOT (SELECT "hash" FROM "head")`
    ),
    refuse(
      "events is in order of time: recorded_at must be a time, and not before the last event's",
      sql`NOT (${isTime("NEW.recorded_at")}) OR NEW."recorded_at" < coalesce((SELECT "recorded_at" FROM "events" WHERE "position" = NEW."position" - 1), '0000')`
    ),
    refuse(
      "LedgerCreated must be the first event, and no other",
      sql`(NEW."type" IS 'LedgerCreated') IS NOT (NEW."position" IS 1)`
    ),
    // Older versions of SQLite read JSON no further than U+0000.
    refuse(
      "data must be JSON without U+0000",
      sql`json_valid(NEW."data") IS NOT 1 OR instr(NEW."data", char(0)) > 0`
    )
  ]
})

const head = [
  trigger({
    name: "tr_head_update",
    timing: "BEFORE",
    event: "UPDATE",
    on: "head",
    body: [
      refuse(
        "head moves only to the event that is pending",
        sql`NOT EXISTS (SELECT 1 FROM "pending_event" WHERE "position" IS NEW."size" AND "hash" IS NEW."hash")`
      )
    ]
  }),
  never("tr_head_insert", "head", "INSERT", "head has one row: none is ever added"),
  never("tr_head_delete", "head", "DELETE", "head has one row: it is never deleted")
]

const messages = trigger({
  name: "tr_messages_append_only_insert",
  timing: "BEFORE",
  event: "INSERT",
  on: "cassette_messages",
  body: [
    written("cassette_messages"),
    refuse(
      "Invalid source: it must be USER, PLANNER, SYSTEM or WORKER",
      sql`NOT ${isOneOf("NEW.source", sources)}`
    ),
    refuse("An idempotency_key may be absent but not empty", sql`NEW."idempotency_key" IS ''`)
  ]
})

const jobs = trigger({
  name: "tr_jobs_append_only_insert",
  timing: "BEFORE",
  event: "INSERT",
  on: "cassette_jobs",
  body: [
    written("cassette_jobs"),
    refuse(
      "FOREIGN KEY: a job needs the message of its own event",
      sql`NOT EXISTS ${db
        .selectFrom("cassette_messages")
        .select(sql`1`.as("found"))
        .where("message_id", "=", sql.ref<string>("NEW.message_id"))
        .where("event_position", "=", sql.ref<number>("NEW.event_position"))}`
    ),
    refuse(
      "A message has 1 to 9999 jobs: more have no place in the order of ids",
      sql`NEW."ordinal" NOT BETWEEN 1 AND 9999`
    )
  ]
})

const runOfJob = db
  .selectFrom("cassette_jobs as job")
  .innerJoin("cassette_messages as message", "message.message_id", "job.message_id")
  .select("message.run_id")
  .where("job.job_id", "=", sql.ref<string>("NEW.job_id"))
  .where("job.event_position", "=", sql.ref<number>("NEW.event_position"))

const stepInsert = trigger({
  name: "tr_steps_append_only_insert",
  timing: "BEFORE",
  event: "INSERT",
  on: "cassette_steps",
  body: [
    written("cassette_steps"),
    refuse(
      "A step is born PENDING, with fencing_token 0 and no lease",
      sql`NEW."status" IS NOT 'PENDING' OR NEW."fencing_token" IS NOT 0 OR NEW."lease_owner" IS NOT NULL OR NEW."lease_expires_at" IS NOT NULL`
    ),
    refuse("FOREIGN KEY: a step needs a job of its own event and run", sql`${runOfJob} IS NOT NEW."run_id"`),
    refuse(
      "A job has 1 to 99999 steps: more have no place in the order of ids",
      sql`NEW."ordinal" NOT BETWEEN 1 AND 99999`
    )
  ]
})

const stepDelete = never(
  "tr_steps_append_only_delete",
  "cassette_steps",
  "DELETE",
  "cassette_steps is append-only: no row is ever deleted"
)

const leaseColumns = ["lease_owner", "lease_expires_at", "fencing_token"]

const changed = (columns: ReadonlyArray<string>): Fragment =>
  sql`(${sql.join(
    columns.map((column) => sql`${sql.ref(`NEW.${column}`)} IS NOT ${sql.ref(`OLD.${column}`)}`),
    sql` OR `
  )})`

// Each of these four names one fault, and no two of them can apply to one change.
const stepFaults = [
  trigger({
    name: "tr_steps_fsm_illegal_1",
    timing: "BEFORE",
    event: "UPDATE",
    of: ["status"],
    on: "cassette_steps",
    when: sql`OLD."status" IS 'PENDING' AND NEW."status" IS 'COMMITTED'`,
    body: [refuse("Illegal transition PENDING -> COMMITTED: a step is leased before it is committed")]
  }),
  trigger({
    name: "tr_steps_fsm_illegal_2",
    timing: "BEFORE",
    event: "UPDATE",
    of: ["status"],
    on: "cassette_steps",
    when: sql`OLD."status" IS 'LEASED' AND NEW."status" IS 'PENDING' AND (SELECT "data" ->> '$.step_id' FROM "pending_event" WHERE "type" IS 'StepRequeued' OR "type" IS 'LeaseRenewed') IS NOT OLD."step_id"`,
    body: [
      refuse(
        "Illegal transition LEASED -> PENDING: only a StepRequeued or LeaseRenewed event of this step allows it"
      )
    ]
  }),
  trigger({
    name: "tr_steps_fsm_illegal_3",
    timing: "BEFORE",
    event: "UPDATE",
    of: ["status"],
    on: "cassette_steps",
    when: sql`OLD."status" IS 'COMMITTED' AND NEW."status" IS 'LEASED'`,
    body: [refuse("Illegal transition COMMITTED -> LEASED: a committed step is final")]
  }),
  trigger({
    name: "tr_steps_lease_prevent_direct_set",
    timing: "BEFORE",
    event: "UPDATE",
    of: leaseColumns,
    on: "cassette_steps",
    when: sql`NEW."status" IS OLD."status" AND ${changed(leaseColumns)}`,
    body: [refuse("Lease fields can only be set by the transition PENDING -> LEASED")]
  })
]

const claims = sql`OLD."status" IS 'PENDING' AND NEW."status" IS 'LEASED'`
const commits = sql`OLD."status" IS 'LEASED' AND NEW."status" IS 'COMMITTED'`
const requeues = sql`OLD."status" IS 'LEASED' AND NEW."status" IS 'PENDING'`

// Enough to tell the three apart, once everything else is refused.
const becomesLeased = sql`NEW."status" IS 'LEASED'`
const becomesCommitted = sql`NEW."status" IS 'COMMITTED'`
const becomesPending = sql`NEW."status" IS 'PENDING'`

// Runs after the four above, so their messages win. It lists what is allowed, and refuses everything else.
const stepTransition = trigger({
  name: "tr_steps_transition",
  timing: "AFTER",
  event: "UPDATE",
  on: "cassette_steps",
  body: [
    refuseFirst(
      [
        [
          "Illegal transition COMMITTED -> PENDING: a committed step is final",
          sql`OLD."status" IS 'COMMITTED' AND NEW."status" IS 'PENDING'`
        ],
        [
          "Illegal transition LEASED -> LEASED: a lease is renewed by a LeaseRenewed event alone, and never taken over",
          sql`OLD."status" IS 'LEASED' AND NEW."status" IS 'LEASED'`
        ],
        [
          "A step changes only by PENDING -> LEASED, LEASED -> COMMITTED or LEASED -> PENDING",
          sql`NOT (${claims} OR ${commits} OR ${requeues})`
        ],
        ["A step's hidden rowid is frozen", changed(["rowid"])],
        ["cassette_steps is changed only by the event that is pending", isNotThePendingEvent],
        [
          "PENDING -> LEASED must raise fencing_token by exactly 1",
          sql`${becomesLeased} AND NEW."fencing_token" IS NOT OLD."fencing_token" + 1`
        ],
        [
          "PENDING -> LEASED must name a worker and an expiry later than the claim",
          sql`${becomesLeased} AND (NEW."lease_owner" IS NULL OR NEW."lease_owner" IS '' OR NOT (${isTime("NEW.lease_expires_at")}) OR (NEW."lease_expires_at" > "pending"."recorded_at") IS NOT 1)`
        ],
        [
          "LEASED -> COMMITTED must leave the lease as it was: it is evidence",
          sql`${becomesCommitted} AND ${changed(leaseColumns)}`
        ],
        [
          "LEASED -> COMMITTED needs the receipt of the same event",
          sql`${becomesCommitted} AND (SELECT "event_position" FROM "cassette_receipts" WHERE "receipt_id" = 'rcpt_' || substr(NEW."step_id", 6)) IS NOT NEW."event_position"`
        ],
        [
          "LEASED -> PENDING must clear the lease and keep fencing_token",
          sql`${becomesPending} AND (NEW."lease_owner" IS NOT NULL OR NEW."lease_expires_at" IS NOT NULL OR NEW."fencing_token" IS NOT OLD."fencing_token")`
        ]
      ],
      withPendingEvent
    )
  ]
})

// Apart from the one above, because it costs a change nothing that does not name one of these columns.
const stepFrozen = trigger({
  name: "tr_steps_frozen_update",
  timing: "AFTER",
  event: "UPDATE",
  of: ["step_id", "job_id", "ordinal", "payload_json", "created_at", "run_id"],
  on: "cassette_steps",
  body: [refuse("A step's identity, place and payload are frozen")]
})

const receipts = trigger({
  name: "tr_receipts_append_only_insert",
  timing: "BEFORE",
  event: "INSERT",
  on: "cassette_receipts",
  body: [
    refuseFirst(
      [
        [
          "cassette_receipts is append-only: a row is written only by the event that is pending",
          isNotThePendingEvent
        ],
        [
          "FOREIGN KEY: a receipt needs an existing step and that step's job",
          sql`"step"."job_id" IS NOT NEW."job_id"`
        ],
        [
          "A receipt needs a step that is LEASED by its worker with its fencing_token",
          sql`"step"."status" IS NOT 'LEASED' OR "step"."lease_owner" IS NOT NEW."worker_id" OR "step"."fencing_token" IS NOT NEW."fencing_token"`
        ],
        [
          "A receipt must come before its lease expires: lease expired",
          sql`("step"."lease_expires_at" > "pending"."recorded_at") IS NOT 1`
        ],
        [
          "Invalid outcome: it must be SUCCESS, FAILURE or ABORTED",
          sql`NOT ${isOneOf("NEW.outcome", outcomes)}`
        ]
      ],
      sql`${withPendingEvent} LEFT JOIN "cassette_steps" AS "step" ON "step"."step_id" = NEW."step_id"`
    )
  ]
})

const meta = trigger({
  name: "tr_meta_append_only_insert",
  timing: "BEFORE",
  event: "INSERT",
  on: "cassette_meta",
  body: [written("cassette_meta")]
})

const migrations = never(
  "tr_migrations_append_only_insert",
  "ledger_migrations",
  "INSERT",
  "ledger_migrations is append-only: only a migration adds a row"
)

/** The statements that create every guard of this version. */
export const guards = (): ReadonlyArray<string> => [
  chain,
  ...appendOnly("events", "events"),
  ...head,
  messages,
  ...appendOnly("cassette_messages", "messages"),
  jobs,
  ...appendOnly("cassette_jobs", "jobs"),
  stepInsert,
  stepDelete,
  ...stepFaults,
  stepTransition,
  stepFrozen,
  receipts,
  ...appendOnly("cassette_receipts", "receipts"),
  meta,
  ...appendOnly("cassette_meta", "meta"),
  migrations,
  ...appendOnly("ledger_migrations", "migrations")
]
