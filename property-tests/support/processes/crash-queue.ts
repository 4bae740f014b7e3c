// The queue that processes share which are killed, and what its history must say of each element.
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { decodeEvent, type EventData } from "../../../domain/ledger/events.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { jobIdOf, jobIdOfStep } from "../../../domain/ledger/ids.ts"
import { type Attempt, attemptOf } from "../../../domain/workflow/queue-element.ts"

export const CRASH_LEASE_SECONDS = 1

/** One thing that a process of the queue was told. */
export interface QueueTold {
  readonly did: "open" | "offer" | "begin" | "done"
  readonly id: string
}

/** No element of it runs out of attempts, however often its workers are killed. */
export const crashQueue = PersistedQueue.make({
  name: "crash",
  schema: Schema.Struct({ n: Schema.Number }),
  maxAttempts: 1_000_000,
  retrySchedule: Schedule.spaced(10)
})

interface Step {
  readonly job_id: string
  readonly attempt: Attempt
  claims: number
  end: EventData<"StepCompleted"> | undefined
}

/** The attempts on each element that count, in their order; and what a history says that it must not. */
export const readHistory = (events: ReadonlyArray<EventEnvelope>) => {
  const steps = new Map<string, Step>()
  const faults: Array<string> = []
  const done = new Set<string>()
  for (const envelope of events) {
    const event = Result.getOrThrow(decodeEvent(envelope))
    if (event.type === "MessagePosted") {
      const job_id = jobIdOf(event.data.message_id, 1)
      const attempt = attemptOf(event.data.payload)
      if (attempt === undefined) faults.push(`event ${event.position} posts no attempt`)
      else steps.set(job_id, { job_id, attempt, claims: 0, end: undefined })
    }
    if (event.type !== "StepClaimed" && event.type !== "StepCompleted") continue
    const step = steps.get(jobIdOfStep(event.data.step_id))
    if (step === undefined) {
      faults.push(`event ${event.position} is of no attempt`)
    } else if (event.type === "StepCompleted") {
      step.end = event.data
      if (event.data.outcome === "SUCCESS") done.add(step.attempt.id)
    } else {
      step.claims += 1
      // A retry whose failure was refused is claimed once, to be ended.
      const isOrphan = step.attempt.attempt > 1
      if (done.has(step.attempt.id) && !isOrphan) {
        faults.push(`event ${event.position} claims what had succeeded`)
      }
    }
  }
  const counted = [...steps.values()].filter(({ end }) => end?.receipt["superseded"] !== true)
  return { faults, done, attempts: Map.groupBy(counted, ({ attempt }) => attempt.id) }
}

/** What is wrong with the attempts on one element that has succeeded: they are numbered, and each follows the failure before it. */
export const faultsOf = (attempts: ReadonlyArray<Step>): ReadonlyArray<string> =>
  attempts.flatMap(({ attempt, end }, index) => {
    const before = attempts[index - 1]
    const isLast = index === attempts.length - 1
    const after = "after" in attempt ? attempt.after : undefined
    return [
      attempt.attempt === index + 1 ? [] : [`attempt ${attempt.attempt} is in place ${index + 1}`],
      end?.outcome === (isLast ? "SUCCESS" : "FAILURE")
        ? []
        : [`attempt ${attempt.attempt} ended ${end?.outcome}`],
      after?.job_id === before?.job_id && after?.fencing_token === before?.end?.fencing_token
        ? []
        : [`attempt ${attempt.attempt} does not follow its failure`]
    ].flat()
  })
