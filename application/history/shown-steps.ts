// A step with all its attempts, and a receipt.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { jcsTextOfRead } from "../../domain/canonical/jcs.ts"
import { nearestTimestamp } from "../../domain/canonical/timestamp.ts"
import { jsonBody } from "../../domain/history/bodies.ts"
import { IdNotFound } from "../../domain/history/errors.ts"
import { rowDifferences, rowsOfMessage, stepAfter } from "../../domain/history/rows-of-events.ts"
import { shortStep } from "../../domain/history/short-ids.ts"
import {
  MAX_LISTED,
  type ShownReceipt,
  type ShownReceiptBody,
  type ShownStep
} from "../../domain/history/shown.ts"
import { type ThoughtAt, withThoughts } from "../../domain/history/thoughts-during.ts"
import { type Attempt, Attempts } from "../../domain/ledger/attempts.ts"
import { decodeEvent } from "../../domain/ledger/events.ts"
import { jobIdOfStep, messageIdOfJob, receiptIdOf } from "../../domain/ledger/ids.ts"
import type { StepRow } from "../../domain/ledger/rows.ts"
import { placeOf, type ShowWith } from "./show-with.ts"
import { postOf } from "./shown-messages.ts"
import { type StepEvent, stepEvents, storedStep } from "./step-events.ts"

/** A step as it was posted, as it is stored, and its events. */
const stepHistory = Effect.fnUntraced(function* (show: ShowWith, step_id: string) {
  const message_id = messageIdOfJob(jobIdOfStep(step_id))
  const post = yield* postOf(show, message_id)
  const born = rowsOfMessage(post.event)
    .flatMap(({ row, table }) => (table === "cassette_steps" ? [row] : []))
    .find((row) => row.step_id === step_id)
  if (born === undefined) return yield* new IdNotFound({ id: step_id })
  const stored: StepRow | undefined = yield* storedStep(show.ledger, step_id)
  const events = yield* stepEvents(show.ledger, stored ?? born)
  return { message_id, post, born, stored, ...events }
})

const receiptOf = (
  { isFull, sha256 }: ShowWith,
  events: ReadonlyArray<StepEvent>
): ShownReceiptBody | null => {
  for (const { envelope, event } of events) {
    if (event.type !== "StepCompleted") continue
    const { fencing_token, outcome, receipt, step_id, traceparent = null, worker_id } = event.data
    return {
      receipt_id: receiptIdOf(step_id),
      outcome,
      worker_id,
      fencing_token,
      traceparent,
      completed: placeOf(envelope),
      receipt: jsonBody(sha256, jcsTextOfRead(receipt), isFull)
    }
  }
  return null
}

/** How many thoughts beside a step's attempts are looked at. */
const MOST_THOUGHTS = 1_000

/** The thoughts of the task of the run's name, from the first claim to the last end. */
const thoughtsBeside = Effect.fnUntraced(function* (
  { ledger }: ShowWith,
  run_id: string,
  attempts: ReadonlyArray<Attempt>
) {
  const from = attempts[0]?.claimed?.position
  if (from === undefined) return []
  const until = attempts.at(-1)?.end?.position ?? Number.MAX_SAFE_INTEGER
  const events = yield* ledger.eventsAfter({ task_id: run_id, after: from, limit: MOST_THOUGHTS })
  return events.flatMap((envelope): ReadonlyArray<ThoughtAt> => {
    const event = Result.getOrUndefined(decodeEvent(envelope))
    return event?.type === "ThoughtRecorded" && event.position < until ? [event] : []
  })
})

export const showStep = Effect.fnUntraced(function* (show: ShowWith, step_id: string) {
  const { born, events, faults, isWhole, message_id, post, stored } = yield* stepHistory(show, step_id)
  const folded = stepAfter(
    born,
    events.map(({ event }) => event)
  )
  const { fencing_token, job_id, lease_expires_at, lease_owner, ordinal, run_id, status } = isWhole
    ? folded.step
    : (stored ?? folded.step)
  const attempts = new Attempts()
  for (const { event } of events) attempts.add(event)
  const all = attempts.of(step_id)
  const shown = all.slice(-MAX_LISTED)
  const now = nearestTimestamp(yield* Clock.currentTimeMillis)
  return {
    kind: "step",
    step_id,
    short_id: shortStep(step_id),
    ordinal,
    job_id,
    message_id,
    run_id,
    status,
    fencing_token,
    lease_owner,
    lease_expires_at,
    lease_ended: status === "LEASED" && lease_expires_at !== null && lease_expires_at <= now,
    posted: post.posted,
    payload: jsonBody(show.sha256, born.payload_json, show.isFull),
    attempts: withThoughts(shown, yield* thoughtsBeside(show, run_id, shown)),
    earlier_attempts: !isWhole || all.length > shown.length,
    receipt: receiptOf(show, events),
    differs: [
      ...faults,
      ...(isWhole ? [...folded.faults, ...rowDifferences("cassette_steps", folded.step, stored)] : [])
    ]
  } satisfies ShownStep
})

export const showReceipt = Effect.fnUntraced(function* (show: ShowWith, receipt_id: string) {
  const step_id = `step_${receipt_id.slice("rcpt_".length)}`
  const { born, events, message_id } = yield* stepHistory(show, step_id)
  const receipt = receiptOf(show, events)
  if (receipt === null) return yield* new IdNotFound({ id: receipt_id })
  const { job_id, run_id } = born
  return { kind: "receipt", ...receipt, step_id, job_id, message_id, run_id } satisfies ShownReceipt
})
