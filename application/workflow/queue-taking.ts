// How a taker comes to an element: it claims the first that may be taken, and where there is none it waits for a commit, for the
// next element that falls due or for the next lease that ends. The element of a worker that died counts as an attempt.
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { decodeEvent } from "../../domain/ledger/events.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { DEFAULT_PAGE_ROWS } from "../../domain/foundation/page.ts"
import type { Claimed } from "../../domain/ledger/decide.ts"
import { payloadOf } from "../../domain/ledger/decide.ts"
import { StoreCorrupt } from "../../domain/ledger/errors.ts"
import type { LeasedStep, PendingStep } from "../../domain/ledger/lists.ts"
import { type Attempt, attemptOf } from "../../domain/workflow/queue-element.ts"
import { QueueState } from "../../domain/workflow/queue-state.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import { patiently } from "../ledger/worker/patience.ts"
import { failureOf } from "../ledger/worker/step-result.ts"
import { finish, finishAttempt, type QueueWriteError, type Taken } from "./queue-attempt.ts"
import type { Queue, QueueStore } from "./queue-store.ts"

type QueueError = QueueWriteError | ReadError | InvalidInput

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
const stepOf = Effect.fnUntraced(function* (
  { ledger }: QueueStore,
  of: { readonly job_id: string } | { readonly message_id: string }
): Effect.fn.Return<Pick<PendingStep, "payload" | "created_at"> | undefined, QueueError> {
  const [row] = yield* ledger.steps(of, { limit: 1 })
  if (row === undefined) return undefined
  const payload = yield* Effect.fromResult(payloadOf(row.step_id, row.payload_json))
  return { payload, created_at: row.created_at }
})

/** Reads what happened in the queue's run since it was read. */
const catchUp = Effect.fnUntraced(function* (
  store: QueueStore,
  queue: Queue
): Effect.fn.Return<QueueState, QueueError> {
  queue.readAt = yield* Clock.currentTimeMillis
  const state = queue.state ?? (yield* openState(store, queue))
  queue.state ??= state
  const head = yield* store.ledger.head
  let isMore = head.position > state.position
  while (isMore) {
    const after = state.position
    const page = yield* store.ledger.eventsAfter({ run_id: queue.run_id, after })
    for (const envelope of page) {
      const event = decodeEvent(envelope)
      if (Result.isFailure(event)) {
        const { message, position } = event.failure
        return yield* Effect.fail(
          new StoreCorrupt({ code: "EVENT_INVALID", where: `event ${position}`, finding: message })
        )
      }
      state.follow(event.success)
    }
    isMore = page.length === DEFAULT_PAGE_ROWS
  }
  // What came behind the last event of this run belongs to other runs.
  state.position = Math.max(state.position, head.position)
  for (const job_id of state.jobsToLookUp) {
    const step = yield* stepOf(store, { job_id })
    if (step !== undefined) state.know(job_id, step.payload, step.created_at)
  }
  return state
})

/** True when the attempt that a retry follows ended with the receipt that posted it. */
const followsItsFailure = (store: QueueStore, { after }: Extract<Attempt, { readonly after: object }>) =>
  Effect.map(
    store.ledger.receipts({ job_id: after.job_id }),
    ([receipt]) => receipt?.outcome === "FAILURE" && receipt.fencing_token === after.fencing_token
  )

/** The attempt that a claimed step is; one that cannot be worked is finished, and gives undefined. */
const attemptIn = Effect.fnUntraced(function* (
  store: QueueStore,
  step: Claimed,
  maxAttempts: number
): Effect.fn.Return<Taken | undefined, QueueError> {
  const attempt = attemptOf(step.payload)
  const first = attempt && "after" in attempt ? yield* firstOf(store, attempt) : attempt
  if (attempt === undefined || first === undefined || !("element" in first)) {
    const { receipt } = failureOf({ _tag: "NotAnElement", message: "the message is none that a queue posts" })
    yield* finish(store, step.lease, { outcome: "FAILURE", receipt: { ...receipt, dead_letter: true } })
    return undefined
  }
  if ("after" in attempt && !(yield* followsItsFailure(store, attempt))) {
    const receipt = { attempt: attempt.attempt, superseded: true }
    yield* finish(store, step.lease, { outcome: "ABORTED", receipt })
    return undefined
  }
  if (attempt.attempt > maxAttempts) {
    const { receipt } = failureOf({
      _tag: "AttemptsExhausted",
      message: `${attempt.attempt - 1} attempts failed, and the queue allows ${maxAttempts}`
    })
    const told = { attempt: attempt.attempt, ...receipt, dead_letter: true }
    yield* finish(store, step.lease, { outcome: "FAILURE", receipt: told })
    return undefined
  }
  return { step, attempt, element: first.element }
})

/** The first attempt on the element of a retry. */
const firstOf = (store: QueueStore, { first_message }: Extract<Attempt, { readonly after: object }>) =>
  Effect.map(stepOf(store, { message_id: first_message }), (step) => step && attemptOf(step.payload))

/** Ends the attempt of a worker whose lease has ended, and posts the next one. */
const endCrashed = Effect.fnUntraced(function* (
  store: QueueStore,
  step: Claimed,
  maxAttempts: number
): Effect.fn.Return<void, QueueError> {
  const taken = yield* attemptIn(store, step, maxAttempts)
  if (taken === undefined) return
  const { attempt } = taken.attempt
  const { receipt } = failureOf({ _tag: "LeaseExpired", message: "its worker's lease ended before it did" })
  const isLast = attempt >= maxAttempts
  yield* finishAttempt(store, taken, step.lease, {
    outcome: "FAILURE",
    receipt: { attempt, ...receipt, ...(isLast ? { dead_letter: true } : {}) },
    retry: isLast ? undefined : { due: undefined }
  })
})

/** Ends the attempts whose leases have ended; what refuses says that another worker was quicker. */
const reap = Effect.fnUntraced(function* (
  store: QueueStore,
  { run_id }: Queue,
  state: QueueState,
  maxAttempts: number
): Effect.fn.Return<void, QueueError> {
  const { held, ledger, ttl_seconds, worker_id } = store
  const now = yield* Clock.currentTimeMillis
  for (let ended = state.takeEnded(now); ended !== undefined; ended = state.takeEnded(now)) {
    const { job_id, step_id } = ended
    // Worked here: its end comes late, and is told then.
    if (held.has(step_id)) continue
    const [requeued, claimed] = yield* patiently(
      ledger.commands([
        { _tag: "RequeueStep", run_id, step_id, reason: "expired", requested_by: worker_id },
        { _tag: "ClaimStep", run_id, job_id, worker_id, ttl_seconds }
      ])
    )
    if (Result.isFailure(requeued) && requeued.failure._tag === "LeaseNotExpired") {
      state.addLeased(job_id, requeued.failure.lease_expires_at)
    }
    if (Result.isFailure(claimed)) continue
    if (Result.isSuccess(requeued)) yield* endCrashed(store, claimed.success, maxAttempts)
    // It waited again by then, and was no crash.
    else yield* Effect.ignore(ledger.requeueStep({ ...claimed.success.lease, reason: "it was given back" }))
  }
})

/** Waits until there may be an element to take or a lease to end. */
const awaitNews = (store: QueueStore, queue: Queue): Effect.Effect<void, QueueError> =>
  queue.turn.withPermit(
    Effect.gen(function* () {
      queue.putBack = yield* Deferred.make<void>()
      const state = yield* catchUp(store, queue)
      const wake = Math.min(state.nextVisible, state.nextLeaseEnd) - (yield* Clock.currentTimeMillis)
      if (wake <= 0) return
      const news = Effect.raceFirst(store.ledger.changed(state.position), Deferred.await(queue.putBack))
      yield* wake === Number.POSITIVE_INFINITY
        ? news
        : Effect.raceFirst(news, Effect.sleep(Duration.millis(wake)))
    })
  )

/** Claims the step of a job; undefined when another worker has it. */
const claim = (
  { ledger, ttl_seconds, worker_id }: QueueStore,
  queue: Queue,
  state: QueueState,
  job_id: string
) =>
  patiently(ledger.claimStep({ run_id: queue.run_id, job_id, worker_id, ttl_seconds })).pipe(
    Effect.catchTag("NoPendingStep", () => Effect.undefined),
    Effect.tapError(() =>
      Effect.suspend(() => {
        state.putBack(job_id)
        return Deferred.succeed(queue.putBack, undefined)
      })
    )
  )

/** The next attempt to be worked. It is called where it cannot be interrupted; `restore` marks where it can. */
export const nextTaken = Effect.fnUntraced(function* (
  store: QueueStore,
  queue: Queue,
  maxAttempts: number,
  restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): Effect.fn.Return<Taken, QueueError> {
  const longestUnread = (store.ttl_seconds * 1_000) / 3
  while (true) {
    const now = yield* Clock.currentTimeMillis
    const isStale = queue.state === undefined || now - queue.readAt > longestUnread
    if (isStale || (queue.state?.nextLeaseEnd ?? now) <= now) {
      yield* reap(store, queue, yield* catchUp(store, queue), maxAttempts)
    }
    const { state } = queue
    const job_id = state?.take(now)
    if (state === undefined || job_id === undefined) {
      yield* restore(awaitNews(store, queue))
      continue
    }
    const step = yield* claim(store, queue, state, job_id)
    const taken = step && (yield* attemptIn(store, step, maxAttempts))
    if (taken !== undefined) return taken
    if (step === undefined) yield* catchUp(store, queue)
  }
})
