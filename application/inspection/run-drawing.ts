// The drawing of a run, from its events alone: the newest of them, where there are too many to read all.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { gistOfPayload } from "../../domain/history/gist.ts"
import { type DrawnStep, drawingOf } from "../../domain/inspection/drawing.ts"
import { MAX_POSITION } from "../../domain/inspection/positions.ts"
import { Attempts } from "../../domain/ledger/attempts.ts"
import { runStream } from "../../domain/ledger/event-envelope.ts"
import { decodeEvent, type LedgerEvent } from "../../domain/ledger/events.ts"
import { jobIdOf, ordinalOfStep, stepIdOf } from "../../domain/ledger/ids.ts"
import { LedgerReader } from "../ledger/reading/ledger-reader.ts"

/** How many of a run's events are drawn, and how much text is held for that at most (UTF-16 units). */
const MOST_EVENTS = 20_000
const MOST_TEXT = 2 ** 25

const PAGE = 500

/** The newest events of a run, the oldest of them in front. */
const newestEvents = Effect.fnUntraced(function* (runId: string) {
  const reader = yield* LedgerReader
  const events: Array<LedgerEvent> = []
  let before = MAX_POSITION
  let text = 0
  let read = 0
  while (read < MOST_EVENTS && text < MOST_TEXT) {
    const page = yield* reader.eventsBefore(before, PAGE, runStream(runId))
    const oldest = page.at(-1)
    if (oldest === undefined) return { events: events.toReversed(), isWhole: true }
    for (const envelope of page) {
      text += envelope.data.length
      const decoded = decodeEvent(envelope)
      if (Result.isSuccess(decoded)) events.push(decoded.success)
    }
    before = oldest.position
    read += page.length
    yield* Effect.yieldNow
  }
  return { events: events.toReversed(), isWhole: false }
})

type Posted = Extract<LedgerEvent, { readonly type: "MessagePosted" }>

/** The steps that a message brought, by their ids. */
const stepsOf = ({
  data,
  recorded_at
}: Posted): ReadonlyArray<readonly [id: string, created: string, what: string]> => {
  const counts = new Map<number, number>()
  const steps = data.steps ?? [{ job: 1, payload: data.payload }]
  return steps.map(({ job, payload }) => {
    const ordinal = (counts.get(job) ?? 0) + 1
    counts.set(job, ordinal)
    return [stepIdOf(jobIdOf(data.message_id, job), ordinal), recorded_at, gistOfPayload(payload)]
  })
}

/** Every step that the events name, those that were posted before them too. */
const drawnSteps = (runId: string, events: ReadonlyArray<LedgerEvent>): ReadonlyArray<DrawnStep> => {
  const attempts = new Attempts()
  const posted = new Map<string, readonly [created: string, what: string]>()
  for (const event of events) {
    attempts.add(event)
    if (event.type !== "MessagePosted") continue
    for (const [id, created, what] of stepsOf(event)) posted.set(id, [created, what])
  }
  const start = events[0]?.recorded_at ?? ""
  return [...new Set([...posted.keys(), ...attempts.stepIds()])].sort().map((step_id): DrawnStep => {
    const [created_at, what] = posted.get(step_id) ?? [start, step_id]
    const own = attempts.of(step_id)
    const last = own.at(-1)
    const waits = last === undefined || last.end?.requested_by !== undefined
    return { run_id: runId, step_id, ordinal: ordinalOfStep(step_id), what, created_at, attempts: own, waits }
  })
}

/** The run's time as a drawing at a time. */
export const drawingOfRun = Effect.fnUntraced(function* (runId: string, now: string) {
  const { events, isWhole } = yield* newestEvents(runId)
  return drawingOf(drawnSteps(runId, events), now, isWhole) ?? null
})
