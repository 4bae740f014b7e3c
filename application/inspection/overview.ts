// What a page about a ledger shows first: what is stuck, what failed, which runs had the newest events. Each list is bounded, and
// read along an index: none grows with the ledger.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { MAX_POSITION } from "../../domain/inspection/positions.ts"
import type {
  EndedLease,
  FailedStep,
  RunItem,
  Stuck,
  StepName,
  WaitingRun
} from "../../domain/inspection/answers.ts"
import { gistOfPayload, lineOf } from "../../domain/history/gist.ts"
import { reasonOf } from "../../domain/inspection/describing.ts"
import { runOfStream, runStream } from "../../domain/ledger/event-envelope.ts"
import { decodeEvent } from "../../domain/ledger/events.ts"
import { prepareFailures, prepareLeases } from "../../domain/ledger/lists.ts"
import { ALL_TEXTS } from "../../domain/ledger/run-range.ts"
import { LedgerReader } from "../ledger/reading/ledger-reader.ts"
import { nameOf, stepOf } from "./step-rows.ts"

/** Most rows of a section of the overview. */
const SHOWN = 10

/** How many runs with waiting steps are looked at for the oldest. */
const MOST_WAITING_RUNS = 200

/** How many of the newest events runs are looked for in. */
const NEWEST_EVENTS = 2_000

/** Behind all ids of steps. */
const LAST_STEP = "\u{10ffff}"

const nameOfStep = Effect.fnUntraced(function* (run_id: string, step_id: string) {
  const step = yield* stepOf(step_id)
  const unknown: StepName = { run_id, step_id, ordinal: 0, what: "" }
  return step === undefined ? unknown : nameOf(step)
})

const endedLeases = Effect.fnUntraced(function* (now: string) {
  const reader = yield* LedgerReader
  const of = yield* Effect.fromResult(prepareLeases({ expired: true, limit: SHOWN + 1 }))
  const leases = yield* reader.leases(now, of)
  return yield* Effect.forEach(
    leases,
    Effect.fnUntraced(function* ({ fencing_token, lease_expires_at, run_id, step_id, worker_id }) {
      const name = yield* nameOfStep(run_id, step_id)
      const lease: EndedLease = { ...name, worker_id, fencing_token, lease_expires_at }
      return lease
    })
  )
})

/** The newest event of a run. */
const newestOf = Effect.fnUntraced(function* (runId: string) {
  const [newest] = yield* (yield* LedgerReader).eventsBefore(MAX_POSITION, 1, runStream(runId))
  return newest
})

const waitingRuns = Effect.gen(function* () {
  const reader = yield* LedgerReader
  const found: Array<Omit<WaitingRun, "last_at">> = []
  let after = { run_id: "", step_id: "" }
  while (found.length < MOST_WAITING_RUNS) {
    const [step] = yield* reader.waiting({ runs: ALL_TEXTS, limit: 1, after })
    if (step === undefined) break
    found.push({ ...nameOf(step), created_at: step.created_at })
    after = { run_id: step.run_id, step_id: LAST_STEP }
  }
  const isCut = found.length === MOST_WAITING_RUNS
  const oldest = found.sort((left, right) => (left.created_at < right.created_at ? -1 : 1)).slice(0, SHOWN)
  const waiting = yield* Effect.forEach(oldest, (run) =>
    Effect.map(newestOf(run.run_id), (newest): WaitingRun =>
      Object.assign(run, { last_at: newest?.recorded_at ?? run.created_at })
    )
  )
  return { waiting, hasMore: isCut || found.length > SHOWN }
})

/** Leases that have ended and steps that wait, the oldest in front. */
export const stuckAt = Effect.fnUntraced(function* (now: string) {
  const leases = yield* endedLeases(now)
  const { hasMore, waiting } = yield* waitingRuns
  const stuck: Stuck = {
    leases: leases.slice(0, SHOWN),
    waiting,
    has_more: hasMore || leases.length > SHOWN
  }
  return stuck
})

/** Steps that ended without success, the newest in front, before a position. */
export const failedBefore = Effect.fnUntraced(function* (
  before: number | undefined,
  limit: number,
  runId?: string
) {
  const reader = yield* LedgerReader
  const of = yield* Effect.fromResult(prepareFailures({ before, limit, run_id: runId }))
  return yield* Effect.forEach(
    yield* reader.failures(of),
    Effect.fnUntraced(function* (receipt) {
      const { created_at, event_position, fencing_token, outcome, receipt_json, run_id, worker_id } = receipt
      const failed: FailedStep = {
        ...(yield* nameOfStep(run_id, receipt.step_id)),
        outcome,
        reason: reasonOf(receipt_json),
        worker_id,
        fencing_token,
        at: created_at,
        position: event_position
      }
      return failed
    })
  )
})

/** A run by its first and its newest event. */
export const runItemOf = Effect.fnUntraced(function* (
  runId: string,
  newest: { readonly position: number; readonly recorded_at: string }
) {
  const [first] = yield* (yield* LedgerReader).events(0, 1, runStream(runId))
  const decoded = first === undefined ? undefined : Result.getOrUndefined(decodeEvent(first))
  const message = decoded?.type === "MessagePosted" ? decoded.data : undefined
  const given = message?.payload["intent"]
  const intent =
    typeof given === "string"
      ? lineOf(given)
      : (message?.jobs?.[0] ?? (message === undefined ? "" : gistOfPayload(message.payload)))
  const item: RunItem = {
    run_id: runId,
    intent,
    first_at: first?.recorded_at ?? newest.recorded_at,
    last_at: newest.recorded_at,
    last_position: newest.position
  }
  return item
})

/** Runs whose newest event stands before a position, the newest in front; `next` is where to look further. */
export const runsBefore = Effect.fnUntraced(function* (before: number, limit: number) {
  const reader = yield* LedgerReader
  const seen = new Set<string>()
  const items: Array<RunItem> = []
  let place = before
  for (let read = 0; read < NEWEST_EVENTS && items.length < limit;) {
    const events = yield* reader.eventsBefore(place, 200)
    if (events.length === 0) return { items, next: null }
    for (const { position, recorded_at, stream_id } of events) {
      if (items.length === limit) break
      place = position
      const runId = runOfStream(stream_id)
      if (runId === undefined || seen.has(runId)) continue
      seen.add(runId)
      const later = yield* reader.events(position, 1, stream_id)
      if (later.length === 0) items.push(yield* runItemOf(runId, { position, recorded_at }))
    }
    read += events.length
  }
  return { items, next: place <= 1 ? null : place }
})
