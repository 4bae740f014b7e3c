// The statements of the queries, as they are built; `compiled` has what runs. What belongs to a message or job is a range of ids,
// because ids are spelled from their parent's, so no query needs an index of its own.
import { type Expression, sql } from "kysely"
import type { StepCounts, StepState } from "../../../application/ledger/reading/ledger-reader.ts"
import type { Page } from "../../../domain/foundation/page.ts"
import type { JobRow, LedgerTable, MessageRow, ReceiptRow, StepRow } from "../../../domain/ledger/rows.ts"
import type { FailedReceipt, LeaseCounts } from "../../../domain/ledger/lists.ts"
import { isWithin } from "./ledger-statements.ts"
import { boundedValue } from "../../sqlite/checks/stored-cells.ts"
import { compileQuery } from "../../sqlite/connection/query-compiler.ts"
import type { SqlValue } from "../../sqlite/connection/sql-host.ts"
import { ledger } from "./ledger-builder.ts"

/** True when an id in `column` is spelled from the id of the joined message: a range of the key's index. */
const isBelowMessage = (column: "step.step_id" | "receipt.receipt_id", prefix: "step" | "rcpt") => {
  const from = sql`${sql.lit(`${prefix}_`)} || substr(${sql.ref("message.message_id")}, 5)`
  return sql<boolean>`${sql.ref(column)} > ${from} || '.' AND ${sql.ref(column)} < ${from} || '/'`
}

/** The steps of the messages; where no condition is added, of all of them. */
const messagesWithSteps = ledger
  .selectFrom("cassette_messages as message")
  .innerJoin("cassette_steps as step", (join) => join.on(isBelowMessage("step.step_id", "step")))

export const selectMessage = compileQuery<{ message_id: string }, MessageRow>((parameter) =>
  ledger.selectFrom("cassette_messages").selectAll().where("message_id", "=", parameter("message_id"))
)

/** Rows of a run, or between two ids, behind an id. */
interface OfRun extends Page {
  readonly [name: string]: SqlValue
  readonly run_id: string
}

interface Between extends Page {
  readonly [name: string]: SqlValue
  readonly from: string
  readonly before: string
}

export const selectMessagesOfRun = compileQuery<OfRun, MessageRow>((parameter) =>
  ledger
    .selectFrom("cassette_messages")
    .selectAll()
    .where("run_id", "=", parameter("run_id"))
    .where(sql<boolean>`+message_id > ${parameter("after")}`)
    .orderBy("message_id")
    .limit(parameter("limit"))
)

const idColumns = {
  cassette_messages: "message_id",
  cassette_jobs: "job_id",
  cassette_steps: "step_id",
  cassette_receipts: "receipt_id",
  thought_records: "id"
} as const

const idsOf = <Table extends keyof typeof idColumns>(table: Table) =>
  compileQuery<{ from: string; limit: number }, { id: string }>((parameter) => {
    const column = sql.ref(`${table}.${idColumns[table]}`)
    return ledger
      .selectFrom(table as LedgerTable)
      .select(sql<string>`${sql.raw(boundedValue(idColumns[table]))}`.as("id"))
      .where(sql<boolean>`${column} >= ${parameter("from")}`)
      .orderBy(column)
      .limit(parameter("limit"))
  })

/** Ids of a table in order, from one on. */
export const selectMessageIds = idsOf("cassette_messages")
export const selectJobIds = idsOf("cassette_jobs")
export const selectStepIds = idsOf("cassette_steps")
export const selectReceiptIds = idsOf("cassette_receipts")
export const selectThoughtIds = idsOf("thought_records")

export const selectJob = compileQuery<{ job_id: string }, JobRow>((parameter) =>
  ledger.selectFrom("cassette_jobs").selectAll().where("job_id", "=", parameter("job_id"))
)

export const selectStepsBetween = compileQuery<Between, StepRow>((parameter) =>
  ledger
    .selectFrom("cassette_steps")
    .selectAll()
    .where("step_id", ">", sql<string>`(SELECT max(${parameter("from")}, ${parameter("after")}))`)
    .where("step_id", "<", sql<string>`(SELECT ${parameter("before")})`)
    .orderBy("step_id")
    .limit(parameter("limit"))
)

export const selectReceiptsBetween = compileQuery<Between, ReceiptRow>((parameter) =>
  ledger
    .selectFrom("cassette_receipts")
    .selectAll()
    .where("receipt_id", ">", sql<string>`(SELECT max(${parameter("from")}, ${parameter("after")}))`)
    .where("receipt_id", "<", sql<string>`(SELECT ${parameter("before")})`)
    .orderBy("receipt_id")
    .limit(parameter("limit"))
)

const countOf = (status: StepRow["status"]) => sql<number>`coalesce(sum("status" = ${sql.lit(status)}), 0)`

/** How many of a job's steps stand where. */
export const selectStepCounts = compileQuery<{ from: string; before: string }, StepCounts>((parameter) =>
  ledger
    .selectFrom("cassette_steps")
    .select([
      countOf("PENDING").as("pending"),
      countOf("LEASED").as("leased"),
      countOf("COMMITTED").as("committed")
    ])
    .where("step_id", ">", sql<string>`(SELECT ${parameter("from")})`)
    .where("step_id", "<", sql<string>`(SELECT ${parameter("before")})`)
)

export const selectOutcomes = compileQuery<{ from: string; before: string }, Pick<ReceiptRow, "outcome">>(
  (parameter) =>
    ledger
      .selectFrom("cassette_receipts")
      .select("outcome")
      .where("receipt_id", ">", parameter("from"))
      .where("receipt_id", "<", parameter("before"))
)

export const selectStepsOfRun = compileQuery<OfRun, StepRow>((parameter) =>
  messagesWithSteps
    .selectAll("step")
    .where("message.run_id", "=", parameter("run_id"))
    .where("step.step_id", ">", parameter("after"))
    .orderBy("step.step_id")
    .limit(parameter("limit"))
)

/** A receipt's id is spelled from its step's. */
const receiptOfStep = sql<string>`'rcpt_' || substr(step.step_id, 6)`

export const selectStepStatesOfRun = compileQuery<OfRun, StepState>((parameter) =>
  messagesWithSteps
    .leftJoin("cassette_receipts as receipt", (join) =>
      join.on(sql<boolean>`${sql.ref("receipt.receipt_id")} = ${receiptOfStep}`)
    )
    .select([
      "step.step_id",
      "step.job_id",
      "step.ordinal",
      "step.status",
      "step.lease_owner",
      "step.lease_expires_at",
      "step.fencing_token",
      "step.created_at",
      "receipt.receipt_id",
      "receipt.outcome"
    ])
    .where("message.run_id", "=", parameter("run_id"))
    .where("step.step_id", ">", parameter("after"))
    .orderBy("step.step_id")
    .limit(parameter("limit"))
)

export const selectReceiptsOfRun = compileQuery<OfRun, ReceiptRow>((parameter) =>
  ledger
    .selectFrom("cassette_messages as message")
    .innerJoin("cassette_receipts as receipt", (join) =>
      join.on(isBelowMessage("receipt.receipt_id", "rcpt"))
    )
    .selectAll("receipt")
    .where("message.run_id", "=", parameter("run_id"))
    .where("receipt.receipt_id", ">", parameter("after"))
    .orderBy("receipt.receipt_id")
    .limit(parameter("limit"))
)

/** Counts of one run's or of every run's steps; a run without a message has no row. */
export interface RunRow {
  readonly run_id: string
  readonly messages: number
  readonly jobs: number
  readonly pending: number
  readonly leased: number
  readonly committed: number
  readonly oldest_pending_step: string | null
  readonly oldest_pending_at: string | null
  readonly expired_leases: number
}

/** True for a row that stands behind another in the order of two columns. */
const isBehind = (
  [first, second]: readonly [string, string],
  one: Expression<string>,
  other: Expression<string>
) => sql<boolean>`(${sql.ref(first)}, ${sql.ref(second)}) > (${one}, ${other})`

/** A range of runs, as it is bound. */
interface Runs {
  readonly [name: string]: SqlValue
  readonly from: string
  readonly before: SqlValue
}

/** A row of the list of leases, and the part of `LeasedStep` that is stored. */
export type LeaseRow = Pick<
  StepRow,
  "run_id" | "step_id" | "job_id" | "lease_owner" | "fencing_token" | "lease_expires_at"
>

/** `status = 'LEASED'` as a literal is what lets the partial index answer; the plus keeps the range of runs out of it. */
export const selectLeases = compileQuery<
  Runs & {
    readonly ends_before: SqlValue
    readonly after_end: string
    readonly after_step: string
    readonly limit: number
  },
  LeaseRow
>((parameter) =>
  ledger
    .selectFrom("cassette_steps")
    .select(["run_id", "step_id", "job_id", "lease_owner", "fencing_token", "lease_expires_at"])
    .where("status", "=", sql.lit("LEASED"))
    .where(isBehind(["lease_expires_at", "step_id"], parameter("after_end"), parameter("after_step")))
    .where(sql<boolean>`lease_expires_at < ${parameter("ends_before")}`)
    .where(isWithin("+run_id", parameter("from"), parameter("before")))
    .orderBy("lease_expires_at")
    .orderBy("step_id")
    .limit(parameter("limit"))
)

/** How the leases of some runs stand, or of the steps between two ids. */
export const selectLeaseCounts = compileQuery<
  Runs & { readonly now: string; readonly from_step: string; readonly before_step: SqlValue },
  LeaseCounts
>((parameter) =>
  ledger
    .selectFrom("cassette_steps")
    .select([
      sql<number>`count(*)`.as("leased"),
      sql<number>`coalesce(sum(lease_expires_at <= ${parameter("now")}), 0)`.as("expired"),
      sql<string | null>`min(lease_expires_at)`.as("earliest_expiry")
    ])
    .where("status", "=", sql.lit("LEASED"))
    .where(isWithin("+run_id", parameter("from"), parameter("before")))
    .where(isWithin("+step_id", parameter("from_step"), parameter("before_step")))
)

/** `outcome <> 'SUCCESS'` as a literal is what lets the partial index answer, from its end. */
export const selectFailures = compileQuery<
  Runs & { readonly before_position: number; readonly limit: number },
  FailedReceipt
>((parameter) =>
  ledger
    .selectFrom("cassette_receipts as receipt")
    .innerJoin("cassette_steps as step", "step.step_id", "receipt.step_id")
    .selectAll("receipt")
    .select("step.run_id")
    .where("receipt.outcome", "<>", sql.lit("SUCCESS"))
    .where("receipt.event_position", "<", parameter("before_position"))
    .where(isWithin("+step.run_id", parameter("from"), parameter("before")))
    .orderBy("receipt.event_position", "desc")
    .limit(parameter("limit"))
)

/** Waiting steps behind one, straight from the partial index. */
export const selectWaiting = compileQuery<
  {
    readonly before: SqlValue
    readonly after_run: string
    readonly after_step: string
    readonly limit: number
  },
  StepRow
>((parameter) =>
  ledger
    .selectFrom("cassette_steps")
    .selectAll()
    .where("status", "=", sql.lit("PENDING"))
    .where(isBehind(["run_id", "step_id"], parameter("after_run"), parameter("after_step")))
    .where(sql<boolean>`run_id < ${parameter("before")}`)
    .orderBy("run_id")
    .orderBy("step_id")
    .limit(parameter("limit"))
)

const count = (condition: string) => sql<number>`coalesce(sum(${sql.raw(condition)}), 0)`

/** Messages and jobs are counted by their first steps, since every job has one: that needs no set of ids. */
const runs = (now: Expression<string>) =>
  messagesWithSteps
    .select([
      "message.run_id as run_id",
      count("substr(step.step_id, -11) = '.0001.00001'").as("messages"),
      count("step.ordinal = 1").as("jobs"),
      count("step.status = 'PENDING'").as("pending"),
      count("step.status = 'LEASED'").as("leased"),
      count("step.status = 'COMMITTED'").as("committed"),
      sql<string | null>`min(CASE WHEN step.status = 'PENDING' THEN step.step_id END)`.as(
        "oldest_pending_step"
      ),
      sql<string | null>`min(CASE WHEN step.status = 'PENDING' THEN step.created_at END)`.as(
        "oldest_pending_at"
      ),
      sql<number>`coalesce(sum(step.status = 'LEASED' AND step.lease_expires_at <= ${now}), 0)`.as(
        "expired_leases"
      )
    ])
    .groupBy("message.run_id")

export const selectRuns = compileQuery<
  Page & { readonly now: string; readonly [name: string]: SqlValue },
  RunRow
>((parameter) =>
  runs(parameter("now"))
    .where("message.run_id", ">", parameter("after"))
    .orderBy("message.run_id")
    .limit(parameter("limit"))
)

export const selectRun = compileQuery<{ run_id: string; now: string }, RunRow>((parameter) =>
  runs(parameter("now")).where("message.run_id", "=", parameter("run_id"))
)
