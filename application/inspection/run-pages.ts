// A run in pages: its steps with every attempt, its events from the newest on, its drawing. What belongs to other runs is never
// read, and a page reads so many events at most.
import * as Effect from "effect/Effect"
import type { RunCounts, StepFilter } from "../../domain/inspection/answers.ts"
import { MAX_POSITION } from "../../domain/inspection/positions.ts"
import type { EventData } from "../../domain/ledger/events.ts"
import { messageIdOfJob } from "../../domain/ledger/ids.ts"
import { prepareFailures, prepareLeases, prepareWaiting } from "../../domain/ledger/lists.ts"
import type { StepRow } from "../../domain/ledger/rows.ts"
import { LedgerReader } from "../ledger/reading/ledger-reader.ts"
import { intentOf, positionOfStep, runEvents, stepItems, stepOf } from "./step-rows.ts"

/** Most steps, events or thoughts of a page. */
export const PAGE_ROWS = 100

/** How many events a page of steps looks through for the next message. */
const MOST_EVENTS = 20_000

/** A run with more events than this is not counted: that would read each of its steps. */
const MOST_COUNTED = 200_000

const MOST_FAILED = 1_000

/** How many of a run's steps stand where, unless there are too many to count. */
export const countsOf = Effect.fnUntraced(function* (runId: string, now: string, events: number) {
  if (events > MOST_COUNTED) return null
  const reader = yield* LedgerReader
  const summary = yield* reader.run(now, runId)
  if (summary === undefined) return null
  const failures = yield* Effect.fromResult(prepareFailures({ run_id: runId, limit: MOST_FAILED }))
  const failed = (yield* reader.failures(failures)).length
  const counts: RunCounts = {
    waiting: summary.pending,
    at_work: summary.leased - summary.expired_leases,
    lease_ended: summary.expired_leases,
    failed,
    done: summary.committed - failed
  }
  return counts
})

/** A message of the run, as its event has it. */
interface PostedMessage {
  readonly position: number
  readonly data: EventData<"MessagePosted">
}

/** The next messages of a run behind a position: those of the next events that have some. */
const nextMessages = Effect.fnUntraced(function* (runId: string, after: number) {
  let place = after
  for (let read = 0; read < MOST_EVENTS;) {
    const { events, last } = yield* runEvents(runId, place)
    if (last === undefined) return { messages: [], end: true }
    const messages = events.flatMap((event): ReadonlyArray<PostedMessage> =>
      event.type === "MessagePosted" ? [{ position: event.position, data: event.data }] : []
    )
    if (messages.length > 0) return { messages, end: false }
    place = last
    read += events.length
  }
  return { messages: [], end: false }
})

/** The next steps of a run behind one, message by message, at most a page. */
const nextSteps = Effect.fnUntraced(function* (runId: string, after: string) {
  const reader = yield* LedgerReader
  const found: Array<StepRow> = []
  const posted = new Map<string, PostedMessage["data"]>()
  let place = after === "" ? 0 : positionOfStep(after) - 1
  let last = after
  while (found.length < PAGE_ROWS) {
    const { messages } = yield* nextMessages(runId, place)
    if (messages.length === 0) break
    for (const { data, position } of messages) {
      const { message_id } = data
      posted.set(message_id, data)
      const limit = PAGE_ROWS - found.length
      if (limit > 0) found.push(...(yield* reader.steps({ message_id }, { after: last, limit })))
      last = found.at(-1)?.step_id ?? last
      place = position
    }
  }
  return { steps: found, messageOf: (jobId: string) => posted.get(messageIdOfJob(jobId)) }
})

/** The ids of the next steps in a state; `next` is what the following page is asked with. */
const filtered = Effect.fnUntraced(function* (runId: string, filter: StepFilter, now: string, after: string) {
  const reader = yield* LedgerReader
  const limit = PAGE_ROWS
  if (filter === "waiting") {
    const place = after === "" ? undefined : { run_id: runId, step_id: after }
    const of = yield* Effect.fromResult(prepareWaiting({ run_id: runId, limit, after: place }))
    const rows = yield* reader.waiting(of)
    return { ids: rows.map(({ step_id }) => step_id), next: rows.at(-1)?.step_id }
  }
  if (filter === "failed") {
    const before = after === "" ? MAX_POSITION : Number(after)
    const of = yield* Effect.fromResult(prepareFailures({ run_id: runId, limit, before }))
    const rows = yield* reader.failures(of)
    return { ids: rows.map(({ step_id }) => step_id), next: rows.at(-1)?.event_position.toString() }
  }
  const [lease_expires_at = "", step_id = ""] = after.split(" ")
  const of = yield* Effect.fromResult(prepareLeases({ run_id: runId, expired: filter === "ended", limit }))
  const rows = yield* reader.leases(now, after === "" ? of : { ...of, after: { lease_expires_at, step_id } })
  const end = rows.at(-1)
  return {
    ids: rows.map(({ step_id }) => step_id),
    next: end === undefined ? undefined : `${end.lease_expires_at} ${end.step_id}`
  }
})

/** A page of a run's steps: all in order behind one, or those in a state. */
export const stepsOfRun = Effect.fnUntraced(function* (
  runId: string,
  now: string,
  after: string,
  filter: StepFilter | undefined
) {
  if (filter === undefined) {
    const { messageOf, steps } = yield* nextSteps(runId, after)
    const items = yield* stepItems(runId, steps, (jobId) => intentOf(messageOf(jobId), jobId))
    return { items, next: steps.length < PAGE_ROWS ? null : (steps.at(-1)?.step_id ?? null) }
  }
  const { ids, next } = yield* filtered(runId, filter, now, after)
  const rows = yield* Effect.forEach(ids, stepOf)
  const items = yield* Effect.forEach(rows, (row) =>
    row === undefined ? Effect.succeed([]) : stepItems(runId, [row], () => "", PAGE_ROWS * 20)
  )
  return { items: items.flat(), next: ids.length < PAGE_ROWS ? null : (next ?? null) }
})
