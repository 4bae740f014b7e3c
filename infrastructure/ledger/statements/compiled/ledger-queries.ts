// Written by infrastructure/sqlite/connection/compiled-statements.test.ts from the builders (UPDATE_SNAPSHOT=1), and never edited by hand.
import type * as built from "../ledger-queries.ts"
import { statementOf } from "../../../sqlite/connection/statement.ts"

export const selectMessage: typeof built.selectMessage = statementOf(
  `select * from "cassette_messages" where "message_id" = ?`,
  ["message_id"]
)

export const selectMessagesOfRun: typeof built.selectMessagesOfRun = statementOf(
  `select * from "cassette_messages" where "run_id" = ? and +message_id > ? order by "message_id" limit ?`,
  ["run_id","after","limit"]
)

export const selectMessageIds: typeof built.selectMessageIds = statementOf(
  `select CASE WHEN octet_length("message_id") > 16777216 THEN 0.5 ELSE "message_id" END as "id" from "cassette_messages" where "cassette_messages"."message_id" >= ? order by "cassette_messages"."message_id" limit ?`,
  ["from","limit"]
)

export const selectJobIds: typeof built.selectJobIds = statementOf(
  `select CASE WHEN octet_length("job_id") > 16777216 THEN 0.5 ELSE "job_id" END as "id" from "cassette_jobs" where "cassette_jobs"."job_id" >= ? order by "cassette_jobs"."job_id" limit ?`,
  ["from","limit"]
)

export const selectStepIds: typeof built.selectStepIds = statementOf(
  `select CASE WHEN octet_length("step_id") > 16777216 THEN 0.5 ELSE "step_id" END as "id" from "cassette_steps" where "cassette_steps"."step_id" >= ? order by "cassette_steps"."step_id" limit ?`,
  ["from","limit"]
)

export const selectReceiptIds: typeof built.selectReceiptIds = statementOf(
  `select CASE WHEN octet_length("receipt_id") > 16777216 THEN 0.5 ELSE "receipt_id" END as "id" from "cassette_receipts" where "cassette_receipts"."receipt_id" >= ? order by "cassette_receipts"."receipt_id" limit ?`,
  ["from","limit"]
)

export const selectThoughtIds: typeof built.selectThoughtIds = statementOf(
  `select CASE WHEN octet_length("id") > 16777216 THEN 0.5 ELSE "id" END as "id" from "thought_records" where "thought_records"."id" >= ? order by "thought_records"."id" limit ?`,
  ["from","limit"]
)

export const selectJob: typeof built.selectJob = statementOf(
  `select * from "cassette_jobs" where "job_id" = ?`,
  ["job_id"]
)

export const selectStepsBetween: typeof built.selectStepsBetween = statementOf(
  `select * from "cassette_steps" where "step_id" > (SELECT max(?, ?)) and "step_id" < (SELECT ?) order by "step_id" limit ?`,
  ["from","after","before","limit"]
)

export const selectReceiptsBetween: typeof built.selectReceiptsBetween = statementOf(
  `select * from "cassette_receipts" where "receipt_id" > (SELECT max(?, ?)) and "receipt_id" < (SELECT ?) order by "receipt_id" limit ?`,
  ["from","after","before","limit"]
)

export const selectStepCounts: typeof built.selectStepCounts = statementOf(
  `select coalesce(sum("status" = 'PENDING'), 0) as "pending", coalesce(sum("status" = 'LEASED'), 0) as "leased", coalesce(sum("status" = 'COMMITTED'), 0) as "committed" from "cassette_steps" where "step_id" > (SELECT ?) and "step_id" < (SELECT ?)`,
  ["from","before"]
)

export const selectOutcomes: typeof built.selectOutcomes = statementOf(
  `select "outcome" from "cassette_receipts" where "receipt_id" > ? and "receipt_id" < ?`,
  ["from","before"]
)

export const selectStepsOfRun: typeof built.selectStepsOfRun = statementOf(
  `select "step".* from "cassette_messages" as "message" inner join "cassette_steps" as "step" on "step"."step_id" > 'step_' || substr("message"."message_id", 5) || '.' AND "step"."step_id" < 'step_' || substr("message"."message_id", 5) || '/' where "message"."run_id" = ? and "step"."step_id" > ? order by "step"."step_id" limit ?`,
  ["run_id","after","limit"]
)

export const selectStepStatesOfRun: typeof built.selectStepStatesOfRun = statementOf(
  `select "step"."step_id", "step"."job_id", "step"."ordinal", "step"."status", "step"."lease_owner", "step"."lease_expires_at", "step"."fencing_token", "step"."created_at", "receipt"."receipt_id", "receipt"."outcome" from "cassette_messages" as "message" inner join "cassette_steps" as "step" on "step"."step_id" > 'step_' || substr("message"."message_id", 5) || '.' AND "step"."step_id" < 'step_' || substr("message"."message_id", 5) || '/' left join "cassette_receipts" as "receipt" on "receipt"."receipt_id" = 'rcpt_' || substr(step.step_id, 6) where "message"."run_id" = ? and "step"."step_id" > ? order by "step"."step_id" limit ?`,
  ["run_id","after","limit"]
)

export const selectReceiptsOfRun: typeof built.selectReceiptsOfRun = statementOf(
  `select "receipt".* from "cassette_messages" as "message" inner join "cassette_receipts" as "receipt" on "receipt"."receipt_id" > 'rcpt_' || substr("message"."message_id", 5) || '.' AND "receipt"."receipt_id" < 'rcpt_' || substr("message"."message_id", 5) || '/' where "message"."run_id" = ? and "receipt"."receipt_id" > ? order by "receipt"."receipt_id" limit ?`,
  ["run_id","after","limit"]
)

export const selectLeases: typeof built.selectLeases = statementOf(
  `select "run_id", "step_id", "job_id", "lease_owner", "fencing_token", "lease_expires_at" from "cassette_steps" where "status" = 'LEASED' and ("lease_expires_at", "step_id") > (?, ?) and lease_expires_at < ? and +run_id >= ? AND +run_id < ? order by "lease_expires_at", "step_id" limit ?`,
  ["after_end","after_step","ends_before","from","before","limit"]
)

export const selectLeaseCounts: typeof built.selectLeaseCounts = statementOf(
  `select count(*) as "leased", coalesce(sum(lease_expires_at <= ?), 0) as "expired", min(lease_expires_at) as "earliest_expiry" from "cassette_steps" where "status" = 'LEASED' and +run_id >= ? AND +run_id < ? and +step_id >= ? AND +step_id < ?`,
  ["now","from","before","from_step","before_step"]
)

export const selectFailures: typeof built.selectFailures = statementOf(
  `select "receipt".*, "step"."run_id" from "cassette_receipts" as "receipt" inner join "cassette_steps" as "step" on "step"."step_id" = "receipt"."step_id" where "receipt"."outcome" <> 'SUCCESS' and "receipt"."event_position" < ? and +step.run_id >= ? AND +step.run_id < ? order by "receipt"."event_position" desc limit ?`,
  ["before_position","from","before","limit"]
)

export const selectWaiting: typeof built.selectWaiting = statementOf(
  `select * from "cassette_steps" where "status" = 'PENDING' and ("run_id", "step_id") > (?, ?) and run_id < ? order by "run_id", "step_id" limit ?`,
  ["after_run","after_step","before","limit"]
)

export const selectRuns: typeof built.selectRuns = statementOf(
  `select "message"."run_id" as "run_id", coalesce(sum(substr(step.step_id, -11) = '.0001.00001'), 0) as "messages", coalesce(sum(step.ordinal = 1), 0) as "jobs", coalesce(sum(step.status = 'PENDING'), 0) as "pending", coalesce(sum(step.status = 'LEASED'), 0) as "leased", coalesce(sum(step.status = 'COMMITTED'), 0) as "committed", min(CASE WHEN step.status = 'PENDING' THEN step.step_id END) as "oldest_pending_step", min(CASE WHEN step.status = 'PENDING' THEN step.created_at END) as "oldest_pending_at", coalesce(sum(step.status = 'LEASED' AND step.lease_expires_at <= ?), 0) as "expired_leases" from "cassette_messages" as "message" inner join "cassette_steps" as "step" on "step"."step_id" > 'step_' || substr("message"."message_id", 5) || '.' AND "step"."step_id" < 'step_' || substr("message"."message_id", 5) || '/' where "message"."run_id" > ? group by "message"."run_id" order by "message"."run_id" limit ?`,
  ["now","after","limit"]
)

export const selectRun: typeof built.selectRun = statementOf(
  `select "message"."run_id" as "run_id", coalesce(sum(substr(step.step_id, -11) = '.0001.00001'), 0) as "messages", coalesce(sum(step.ordinal = 1), 0) as "jobs", coalesce(sum(step.status = 'PENDING'), 0) as "pending", coalesce(sum(step.status = 'LEASED'), 0) as "leased", coalesce(sum(step.status = 'COMMITTED'), 0) as "committed", min(CASE WHEN step.status = 'PENDING' THEN step.step_id END) as "oldest_pending_step", min(CASE WHEN step.status = 'PENDING' THEN step.created_at END) as "oldest_pending_at", coalesce(sum(step.status = 'LEASED' AND step.lease_expires_at <= ?), 0) as "expired_leases" from "cassette_messages" as "message" inner join "cassette_steps" as "step" on "step"."step_id" > 'step_' || substr("message"."message_id", 5) || '.' AND "step"."step_id" < 'step_' || substr("message"."message_id", 5) || '/' where "message"."run_id" = ? group by "message"."run_id"`,
  ["now","run_id"]
)
