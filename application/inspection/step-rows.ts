// Single rows and pages of steps by the keys that ids are spelled from, so that no list reads what belongs to another run.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Attempts } from "../../domain/ledger/attempts.ts"
import { runStream } from "../../domain/ledger/event-envelope.ts"
import { decodeEvent, type EventData, type LedgerEvent } from "../../domain/ledger/events.ts"
import {
  jobIdOfStep,
  messageIdOfJob,
  ordinalOfStep,
  positionOfMessageId,
  receiptIdOf,
  stepIdOf
} from "../../domain/ledger/ids.ts"
import { OUTCOMES, type ReceiptRow, type StepRow } from "../../domain/ledger/rows.ts"
import type { StepItem, StepName } from "../../domain/inspection/answers.ts"
import { whatOf } from "../../domain/inspection/describing.ts"
import { LedgerReader } from "../ledger/reading/ledger-reader.ts"

/** How many events are read at a time. */
const PAGE = 500

/** How many events a list looks through before it says that it did not see all. */
const MOST_EVENTS = 10_000

const STEP_ID = /^step_\d{13}_[0-9a-f]{16}\.\d{4}\.\d{5}$/

/** The id that stands right before a step's in its job. */
const idBefore = (stepId: string): string => stepIdOf(jobIdOfStep(stepId), ordinalOfStep(stepId) - 1)

/** A step by its id. */
export const stepOf = Effect.fnUntraced(function* (stepId: string) {
  if (!STEP_ID.test(stepId)) return undefined
  const reader = yield* LedgerReader
  const page = { after: idBefore(stepId), limit: 1 }
  const [step] = yield* reader.steps({ job_id: jobIdOfStep(stepId) }, page)
  return step?.step_id === stepId ? step : undefined
})

/** The receipt of a step. */
const receiptOf = Effect.fnUntraced(function* (stepId: string) {
  const reader = yield* LedgerReader
  const page = { after: receiptIdOf(idBefore(stepId)), limit: 1 }
  const [receipt] = yield* reader.receipts({ job_id: jobIdOfStep(stepId) }, page)
  return receipt?.step_id === stepId ? receipt : undefined
})

export const nameOf = (step: StepRow): StepName => ({
  run_id: step.run_id,
  step_id: step.step_id,
  ordinal: step.ordinal,
  what: whatOf(step.payload_json)
})

/** Where the message of a step stands in the log. */
export const positionOfStep = (stepId: string): number =>
  positionOfMessageId(messageIdOfJob(jobIdOfStep(stepId))) ?? 0

/** The next events of a run behind a position, as far as they can be read as what they should be. */
export const runEvents = Effect.fnUntraced(function* (runId: string, after: number) {
  const envelopes = yield* (yield* LedgerReader).events(after, PAGE, runStream(runId))
  const events = envelopes.flatMap((envelope): ReadonlyArray<LedgerEvent> => {
    const decoded = decodeEvent(envelope)
    return Result.isSuccess(decoded) ? [decoded.success] : []
  })
  return { events, last: envelopes.at(-1)?.position }
})

/** True when nothing of a step's attempts is behind what was read. */
const isSettled = (attempts: Attempts, { fencing_token, status, step_id }: StepRow): boolean => {
  if (fencing_token === 0) return true
  const last = attempts.of(step_id).at(-1)
  if (last?.fencing_token !== fencing_token) return false
  const isFinished = OUTCOMES.some((outcome) => outcome === last.end?.how)
  return status === "COMMITTED" ? isFinished : status === "LEASED" || last.end !== undefined
}

/** The attempts at some steps of a run, read from the oldest of their messages on. */
const attemptsAt = Effect.fnUntraced(function* (
  runId: string,
  steps: ReadonlyArray<StepRow>,
  mostEvents: number = MOST_EVENTS
) {
  const attempts = new Attempts()
  let after = Math.min(...steps.map(({ step_id }) => positionOfStep(step_id)))
  for (let read = 0; read < mostEvents && steps.some((step) => !isSettled(attempts, step)); read += PAGE) {
    const { events, last } = yield* runEvents(runId, after)
    if (last === undefined) break
    for (const event of events) attempts.add(event)
    after = last
    yield* Effect.yieldNow
  }
  return { attempts, isComplete: (step: StepRow) => isSettled(attempts, step) }
})

/** What a job of a message is for. */
export const intentOf = (message: EventData<"MessagePosted"> | undefined, jobId: string): string => {
  const named = message?.jobs?.[Number(jobId.slice(-4)) - 1]
  const intent = message?.payload["intent"]
  return named ?? (typeof intent === "string" ? intent : "")
}

/** The steps of one run as they are listed. */
export const stepItems = Effect.fnUntraced(function* (
  runId: string,
  steps: ReadonlyArray<StepRow>,
  intents: (jobId: string) => string,
  mostEvents?: number
) {
  if (steps.length === 0) return []
  const { attempts, isComplete } = yield* attemptsAt(runId, steps, mostEvents)
  return yield* Effect.forEach(
    steps,
    Effect.fnUntraced(function* (step) {
      const receipt: ReceiptRow | undefined =
        step.status === "COMMITTED" ? yield* receiptOf(step.step_id) : undefined
      const item: StepItem = {
        ...nameOf(step),
        job_id: step.job_id,
        intent: intents(step.job_id),
        status: step.status,
        outcome: receipt?.outcome ?? null,
        fencing_token: step.fencing_token,
        lease_owner: step.lease_owner,
        lease_expires_at: step.lease_expires_at,
        created_at: step.created_at,
        attempts: attempts.of(step.step_id),
        has_all_attempts: isComplete(step)
      }
      return item
    })
  )
})
