// How a taker comes to an element: it claims the first that may be taken, and where there is none it waits for news, for the next
// element that falls due or for the next lease that ends. The element of a worker that died counts as an attempt.
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Claimed } from "../../domain/ledger/decide.ts"
import { type Attempt, attemptOf } from "../../domain/workflow/queue-element.ts"
import type { QueueState } from "../../domain/workflow/queue-state.ts"
import { patiently } from "../ledger/worker/patience.ts"
import { failureOf } from "../ledger/worker/step-result.ts"
import { finish, finishAttempt, type Taken } from "./queue-attempt.ts"
import { catchUp, stateOf, stepOf } from "./queue-news.ts"
import type { Queue, QueueError, QueueStore } from "./queue-store.ts"

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
const awaitNews = (queue: Queue, state: QueueState): Effect.Effect<void, QueueError> =>
  queue.turn.withPermit(
    Effect.gen(function* () {
      if (queue.state !== state) return
      const wake = Math.min(state.nextVisible, state.nextLeaseEnd) - (yield* Clock.currentTimeMillis)
      if (wake <= 0) return
      queue.news = Deferred.makeUnsafe()
      const news = Deferred.await(queue.news)
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
        return Deferred.succeed(queue.news, undefined)
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
  while (true) {
    const state = yield* stateOf(store, queue)
    const now = yield* Clock.currentTimeMillis
    if (state.nextLeaseEnd <= now) {
      yield* reap(store, queue, yield* catchUp(store, queue, state), maxAttempts)
    }
    const job_id = state.take(now)
    if (job_id === undefined) {
      yield* restore(awaitNews(queue, state))
      continue
    }
    const step = yield* claim(store, queue, state, job_id)
    const taken = step && (yield* attemptIn(store, step, maxAttempts))
    if (taken !== undefined) return taken
    // Another program was quicker: what it took is known to wait no longer before the next is tried.
    if (step === undefined) yield* catchUp(store, queue, state)
  }
})
