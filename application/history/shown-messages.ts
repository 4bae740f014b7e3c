// A message with its jobs, and a job with its steps.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { jcsTextOfRead } from "../../domain/canonical/jcs.ts"
import { isJsonObject } from "../../domain/canonical/json.ts"
import { parseStoredJson } from "../../domain/canonical/stored-json.ts"
import { jsonBody } from "../../domain/history/bodies.ts"
import { IdNotFound } from "../../domain/history/errors.ts"
import { gistOfPayload } from "../../domain/history/gist.ts"
import { rowsOfMessage } from "../../domain/history/rows-of-events.ts"
import {
  listed,
  MAX_LISTED,
  type ShownJob,
  type ShownJobState,
  type ShownMessage,
  type ShownStepState
} from "../../domain/history/shown.ts"
import { runOfStream } from "../../domain/ledger/event-envelope.ts"
import { messageIdOfJob, positionOfMessageId, receiptIdOf } from "../../domain/ledger/ids.ts"
import type { JobRow, ReceiptRow, StepRow } from "../../domain/ledger/rows.ts"
import { decoded } from "../ledger/reading/decoded-event.ts"
import { eventAt, placeOf, type ShowWith } from "./show-with.ts"

/** The post of a message, read from its event. */
export const postOf = Effect.fnUntraced(function* (show: ShowWith, messageId: string) {
  const envelope = yield* eventAt(show, positionOfMessageId(messageId) ?? 0, messageId)
  const event = yield* decoded(envelope)
  const run_id = runOfStream(envelope.stream_id)
  if (event.type !== "MessagePosted" || event.data.message_id !== messageId || run_id === undefined) {
    return yield* new IdNotFound({ id: messageId })
  }
  return { run_id, event, posted: placeOf(envelope) }
})

const jobState = ({ ledger }: ShowWith, { intent, job_id }: JobRow) =>
  Effect.map(ledger.jobStatus(job_id), (status): ShownJobState => {
    const { committed = 0, leased = 0, outcomes = {}, pending = 0 } = status ?? {}
    return { job_id, intent, pending, leased, committed, outcomes }
  })

const jobsOf = (event: Parameters<typeof rowsOfMessage>[0]): ReadonlyArray<JobRow> =>
  rowsOfMessage(event).flatMap(({ row, table }) => (table === "cassette_jobs" ? [row] : []))

export const showMessage = Effect.fnUntraced(function* (show: ShowWith, message_id: string) {
  const { event, posted, run_id } = yield* postOf(show, message_id)
  const { idempotency_key, payload, source, traceparent = null } = event.data
  const jobs = listed(jobsOf(event))
  return {
    kind: "message",
    message_id,
    run_id,
    source,
    idempotency_key,
    traceparent,
    posted,
    payload: jsonBody(show.sha256, jcsTextOfRead(payload), show.isFull),
    jobs: { ...jobs, items: yield* Effect.forEach(jobs.items, (job) => jobState(show, job)) }
  } satisfies ShownMessage
})

/** How many rows are read at a time: each may hold a mebibyte. */
const ROWS_AT_ONCE = 20

const gistOfText = (text: string): string => {
  const value = Result.getOrUndefined(parseStoredJson(text))
  return isJsonObject(value) ? gistOfPayload(value) : ""
}

const stepStates = Effect.fnUntraced(function* ({ ledger }: ShowWith, job_id: string) {
  const states: Array<ShownStepState> = []
  let after: string | undefined
  while (states.length <= MAX_LISTED) {
    const steps: ReadonlyArray<StepRow> = yield* ledger.steps({ job_id }, { limit: ROWS_AT_ONCE, after })
    const first = steps[0]
    if (first === undefined) break
    const last = steps.at(-1)?.step_id ?? ""
    const receipts: ReadonlyArray<ReceiptRow> = yield* ledger.receipts(
      { job_id },
      { limit: ROWS_AT_ONCE, after: after === undefined ? undefined : receiptIdOf(after) }
    )
    const outcomes = new Map(receipts.map(({ outcome, step_id }) => [step_id, outcome]))
    for (const { fencing_token, payload_json, status, step_id } of steps) {
      const outcome = outcomes.get(step_id) ?? null
      states.push({ step_id, status, gist: gistOfText(payload_json), fencing_token, outcome })
    }
    after = last
  }
  return listed(states)
})

export const showJob = Effect.fnUntraced(function* (show: ShowWith, job_id: string) {
  const message_id = messageIdOfJob(job_id)
  const { event, posted, run_id } = yield* postOf(show, message_id)
  const job = jobsOf(event).find((row) => row.job_id === job_id)
  if (job === undefined) return yield* new IdNotFound({ id: job_id })
  return {
    kind: "job",
    ...(yield* jobState(show, job)),
    ordinal: job.ordinal,
    message_id,
    run_id,
    posted,
    steps: yield* stepStates(show, job_id)
  } satisfies ShownJob
})
