// What a store knows of its queues: it reads what waits and what is leased once, then follows the events of their runs, its own from
// memory and those of other programs as they are found. One fiber listens for all queues of a store.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { DEFAULT_PAGE_ROWS } from "../../domain/foundation/page.ts"
import { payloadOf } from "../../domain/ledger/decide.ts"
import { type EventEnvelope, runOfStream } from "../../domain/ledger/event-envelope.ts"
import type { LeasedStep, PendingStep } from "../../domain/ledger/lists.ts"
import { QueueState } from "../../domain/workflow/queue-state.ts"
import { decoded } from "../ledger/reading/decoded-event.ts"
import type { Queue, QueueError, QueueStore } from "./queue-store.ts"

/** What waits and what is leased in a queue's run by now. */
const openState = Effect.fnUntraced(function* (
  { ledger }: QueueStore,
  { run_id }: Queue
): Effect.fn.Return<QueueState, QueueError> {
  const state = new QueueState((yield* ledger.head).position)
  let lastWaiting: PendingStep | undefined
  do {
    const after = lastWaiting && { run_id, step_id: lastWaiting.step_id }
    const steps: ReadonlyArray<PendingStep> = yield* ledger.waiting({ run_id, after })
    for (const { created_at, job_id, payload } of steps) state.addWaiting(job_id, payload, created_at)
    lastWaiting = steps.length < DEFAULT_PAGE_ROWS ? undefined : steps.at(-1)
  } while (lastWaiting !== undefined)
  let lastLeased: LeasedStep | undefined
  do {
    const after = lastLeased && { lease_expires_at: lastLeased.lease_expires_at, step_id: lastLeased.step_id }
    const leases: ReadonlyArray<LeasedStep> = yield* ledger.leases({ run_id, after })
    for (const { job_id, lease_expires_at } of leases) state.addLeased(job_id, lease_expires_at)
    lastLeased = leases.length < DEFAULT_PAGE_ROWS ? undefined : leases.at(-1)
  } while (lastLeased !== undefined)
  return state
})

/** The first step of a job or message as its message said it. */
export const stepOf = Effect.fnUntraced(function* (
  { ledger }: QueueStore,
  of: { readonly job_id: string } | { readonly message_id: string }
): Effect.fn.Return<Pick<PendingStep, "payload" | "created_at"> | undefined, QueueError> {
  const [row] = yield* ledger.steps(of, { limit: 1 })
  if (row === undefined) return undefined
  const payload = yield* Effect.fromResult(payloadOf(row.step_id, row.payload_json))
  return { payload, created_at: row.created_at }
})

/** Looks up what the state of a queue must know beside the events. */
const lookUp = Effect.fnUntraced(function* (
  store: QueueStore,
  state: QueueState
): Effect.fn.Return<void, QueueError> {
  for (const job_id of state.jobsToLookUp) {
    const step = yield* stepOf(store, { job_id })
    if (step !== undefined) state.know(job_id, step.payload, step.created_at)
  }
})

/** Takes in events of queues, and tells those who wait. */
const hear = Effect.fnUntraced(function* (
  store: QueueStore,
  events: ReadonlyArray<EventEnvelope>
): Effect.fn.Return<void, QueueError> {
  const changed = new Set<Queue>()
  for (const envelope of events) {
    const queue = store.queues.get(runOfStream(envelope.stream_id) ?? "")
    if (queue?.state === undefined) continue
    queue.state.follow(yield* decoded(envelope))
    changed.add(queue)
  }
  for (const queue of changed) {
    if (queue.state !== undefined) yield* lookUp(store, queue.state)
    yield* Deferred.succeed(queue.news, undefined)
  }
})

/** Listens to the log behind a position for as long as the store lives. When that ends, queues are read again before they are used. */
const listen = Effect.fnUntraced(function* (store: QueueStore, after: number): Effect.fn.Return<void> {
  if (store.isListening) return
  store.isListening = true
  const listening = Stream.runForEachArray(store.ledger.events({ after }), (events) => hear(store, events))
  const ended = Effect.onExit(listening, (exit) =>
    Effect.suspend(() => {
      store.isListening = false
      for (const queue of store.queues.values()) queue.state = undefined
      return Effect.forEach(store.queues.values(), ({ news }) => Deferred.done(news, exit), { discard: true })
    })
  )
  yield* Effect.forkIn(Effect.interruptible(Effect.exit(ended)), store.scope)
})

/** The state of a queue, read once. */
export const stateOf = Effect.fnUntraced(function* (
  store: QueueStore,
  queue: Queue
): Effect.fn.Return<QueueState, QueueError> {
  if (queue.state !== undefined) return queue.state
  const opened = yield* openState(store, queue)
  queue.state ??= opened
  yield* listen(store, queue.state.position)
  return yield* catchUp(store, queue, queue.state)
})

/** Reads what happened in a queue's run since it was read, ahead of what is listened to. */
export const catchUp = Effect.fnUntraced(function* (
  store: QueueStore,
  { run_id }: Queue,
  state: QueueState
): Effect.fn.Return<QueueState, QueueError> {
  while (true) {
    const page = yield* store.ledger.eventsAfter({ run_id, after: state.position })
    for (const envelope of page) state.follow(yield* decoded(envelope))
    if (page.length < DEFAULT_PAGE_ROWS) break
  }
  yield* lookUp(store, state)
  return state
})
