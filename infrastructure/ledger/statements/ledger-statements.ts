// The statements of the write path and of reading the log, as they are built; `compiled` has what runs. A parameter that is compared
// on a table with a partial index is written `= (SELECT ?)`: a bare one makes SQLite prepare the statement again at every call
// (measured: 4.1 against 0.8 microseconds).
import { type RawBuilder, sql } from "kysely"
import type { ExistingMessage, StepStanding, WaitingStep } from "../../../domain/ledger/decide.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import type { ReceiptRow } from "../../../domain/ledger/rows.ts"
import { compileQuery } from "../../sqlite/connection/query-compiler.ts"
import type { SqlValue } from "../../sqlite/connection/sql-host.ts"
import { boundedSelection, ledger } from "./ledger-builder.ts"
import { storedEvents } from "./ledger-tables.ts"

const once = <A>(parameter: RawBuilder<A>): RawBuilder<A> => sql<A>`(SELECT ${parameter})`

/** True when a column, or an expression, is in a range of texts. */
export const isWithin = (column: string, from: RawBuilder<string>, before: RawBuilder<SqlValue>) =>
  sql<boolean>`${sql.raw(column)} >= ${from} AND ${sql.raw(column)} < ${before}`

/** Rows of events as all readers take them. */
const eventRows = () => ledger.selectFrom("events").select(boundedSelection(storedEvents))

/** The newest event's position, hash and time; one row, also for an empty log. */
export const selectHead = compileQuery<
  Record<never, never>,
  { position: number; hash: string; recorded_at: string | null }
>(() =>
  ledger
    .selectFrom("head")
    .leftJoin("events", "events.position", "head.size")
    .select(["head.size as position", "head.hash as hash", "events.recorded_at as recorded_at"])
)

/** The newest event's position and hash alone. */
export const selectHeadPlace = compileQuery<Record<never, never>, { position: number; hash: string }>(() =>
  ledger.selectFrom("head").select(["size as position", "hash"])
)

export const insertEvent = compileQuery<{ [K in keyof EventEnvelope]: EventEnvelope[K] }>((parameter) =>
  ledger.insertInto("events").values({
    position: parameter("position"),
    type: parameter("type"),
    stream_id: parameter("stream_id"),
    schema_version: parameter("schema_version"),
    data: parameter("data"),
    recorded_at: parameter("recorded_at"),
    prev_hash: parameter("prev_hash"),
    hash: parameter("hash")
  })
)

export const selectEventsAfter = compileQuery<{ after: number; limit: number }, EventEnvelope>((parameter) =>
  eventRows().where("position", ">", parameter("after")).orderBy("events.position").limit(parameter("limit"))
)

export const selectStreamAfter = compileQuery<
  { stream_id: string; after: number; limit: number },
  EventEnvelope
>((parameter) =>
  eventRows()
    .where("stream_id", "=", parameter("stream_id"))
    .where("position", ">", parameter("after"))
    .orderBy("events.position")
    .limit(parameter("limit"))
)

/** Against the order of the log. */
export const selectEventsBefore = compileQuery<{ before: number; limit: number }, EventEnvelope>(
  (parameter) =>
    eventRows()
      .where("position", "<", parameter("before"))
      .orderBy("events.position", "desc")
      .limit(parameter("limit"))
)

export const selectStreamBefore = compileQuery<
  { stream_id: string; before: number; limit: number },
  EventEnvelope
>((parameter) =>
  eventRows()
    .where("stream_id", "=", parameter("stream_id"))
    .where("position", "<", parameter("before"))
    .orderBy("events.position", "desc")
    .limit(parameter("limit"))
)

/** The newest events of a stream between two positions whose data holds a text. */
export const selectStreamMentioning = compileQuery<
  { stream_id: string; after: number; before: number; text: string; limit: number },
  EventEnvelope
>((parameter) =>
  eventRows()
    .where("stream_id", "=", parameter("stream_id"))
    .where("position", ">", parameter("after"))
    .where("position", "<", parameter("before"))
    .where(sql<boolean>`instr("events"."data", ${parameter("text")}) > 0`)
    .orderBy("events.position", "desc")
    .limit(parameter("limit"))
)

/** The first stream behind a text and before another, straight from the index of streams. */
export const selectStreamBehind = compileQuery<{ after: string; before: string }, { stream_id: string }>(
  (parameter) =>
    ledger
      .selectFrom("events")
      .select("stream_id")
      .where("stream_id", ">", parameter("after"))
      .where("stream_id", "<", parameter("before"))
      .orderBy("stream_id")
      .limit(sql.lit(1))
)

/** Where a stream ends. */
export const selectStreamEnd = compileQuery<{ stream_id: string }, { position: number; recorded_at: string }>(
  (parameter) =>
    ledger
      .selectFrom("events")
      .select(["position", "recorded_at"])
      .where("stream_id", "=", parameter("stream_id"))
      .orderBy("events.position", "desc")
      .limit(sql.lit(1))
)

/** The events of a stream, counted in its index. */
export const selectStreamLength = compileQuery<{ stream_id: string }, { length: number }>((parameter) =>
  ledger
    .selectFrom("events")
    .select(sql<number>`count(*)`.as("length"))
    .where("stream_id", "=", parameter("stream_id"))
)

/** The events of several streams: read along the positions, since a follower asks for the newest ones. */
export const selectStreamRangeAfter = compileQuery<
  { from: string; before: SqlValue; after: number; limit: number },
  EventEnvelope
>((parameter) =>
  eventRows()
    .where("position", ">", parameter("after"))
    .where(isWithin("+stream_id", parameter("from"), parameter("before")))
    .orderBy("events.position")
    .limit(parameter("limit"))
)

/** The streams that have an event after a position, read along the positions. */
export const selectStreamsAfter = compileQuery<{ position: number }, { stream_id: string }>((parameter) =>
  ledger
    .selectFrom("events")
    // The plus keeps SQLite from reading the whole index of streams in their order.
    .select(sql<string>`+stream_id`.as("stream_id"))
    .distinct()
    .where("position", ">", parameter("position"))
)

/** The message that an idempotency key names, with the text of its event's data. */
export const selectMessageByKey = compileQuery<{ run_id: string; idempotency_key: string }, ExistingMessage>(
  (parameter) =>
    ledger
      .selectFrom("cassette_messages as message")
      .innerJoin("events as event", "event.position", "message.event_position")
      .select(["message.message_id", "message.source", "message.payload_json", "event.data"])
      .where("message.run_id", "=", parameter("run_id"))
      .where("message.idempotency_key", "=", parameter("idempotency_key"))
)

const waitingStep = ["step_id", "run_id", "job_id", "ordinal", "fencing_token", "payload_json"] as const

/** The claim: the lowest waiting step id of a run, straight from the partial index. */
export const selectNextPendingOfRun = compileQuery<{ run_id: string }, WaitingStep>((parameter) =>
  ledger
    .selectFrom("cassette_steps")
    .select(waitingStep)
    .where("run_id", "=", once(parameter("run_id")))
    .where("status", "=", sql.lit("PENDING"))
    .orderBy("step_id")
    .limit(sql.lit(1))
)

/** The claim by job: ids of a job's steps are a range of the same index, and each row must name the job itself. */
export const selectNextPendingOfJob = compileQuery<
  { run_id: string; job_id: string; from: string; before: string },
  WaitingStep
>((parameter) =>
  ledger
    .selectFrom("cassette_steps")
    .select(waitingStep)
    .where("run_id", "=", once(parameter("run_id")))
    .where("step_id", ">", once(parameter("from")))
    .where("step_id", "<", once(parameter("before")))
    .where("job_id", "=", once(parameter("job_id")))
    .where("status", "=", sql.lit("PENDING"))
    .orderBy("step_id")
    .limit(sql.lit(1))
)

export const selectStep = compileQuery<{ step_id: string }, StepStanding>((parameter) =>
  ledger
    .selectFrom("cassette_steps")
    .select(["step_id", "run_id", "status", "lease_owner", "lease_expires_at", "fencing_token"])
    .where("step_id", "=", once(parameter("step_id")))
)

export const selectReceipt = compileQuery<{ receipt_id: string }, ReceiptRow>((parameter) =>
  ledger.selectFrom("cassette_receipts").selectAll().where("receipt_id", "=", parameter("receipt_id"))
)

/** The next step that waits behind a run: the first entry of the partial index there. */
export const selectNextPendingBehind = compileQuery<{ after_run: string }, WaitingStep>((parameter) =>
  ledger
    .selectFrom("cassette_steps")
    .select(waitingStep)
    .where("run_id", ">", once(parameter("after_run")))
    .where("status", "=", sql.lit("PENDING"))
    .orderBy("run_id")
    .orderBy("step_id")
    .limit(sql.lit(1))
)
