// Effect's `PersistedQueueStore` over a ledger: each queue is a run, each attempt on an element a message whose step is claimed,
// kept and finished with a receipt. Nothing is polled: takers wait for events, for the next element that falls due and for the
// next lease that ends. It executes nothing, and erases nothing.
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Identifier } from "../../domain/canonical/text.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { TtlSeconds } from "../../domain/ledger/commands.ts"
import { elementKey, queueRun } from "../../domain/workflow/names.ts"
import { attemptOf, dueTime, firstAttempt } from "../../domain/workflow/queue-element.ts"
import { Hashing } from "../foundation/hashing.ts"
import { decodeInput } from "../foundation/input.ts"
import { Ledger } from "../ledger/ledger.ts"
import { patiently } from "../ledger/worker/patience.ts"
import { RandomIds } from "../ledger/thoughts/random-ids.ts"
import { failureOf } from "../ledger/worker/step-result.ts"
import { type Ending, keepAttempt, settle, type Taken } from "./queue-attempt.ts"
import { type Queue, queueOf, type QueueStore } from "./queue-store.ts"
import { nextTaken } from "./queue-taking.ts"

/** How long a lease lasts unless it is said, in seconds. */
const DEFAULT_QUEUE_TTL_SECONDS = 60

/** How long a take that failed waits before it says so: a loop that takes again at once must not spin. */
const FAILED_TAKE_MILLIS = 500

/** The name of this process as a worker, and how long its leases last, in seconds. */
export interface PersistedQueueOptions {
  /** Who takes, in every claim and receipt (default: `queue-` and a random id). */
  readonly worker_id?: string | undefined
  /** How long a lease lasts, in seconds (default 60): after a crash the element is offered again once it has ended. */
  readonly ttl_seconds?: number | undefined
}

const decodeOptions = decodeInput(
  Schema.Struct({ worker_id: Schema.optional(Identifier), ttl_seconds: Schema.optional(TtlSeconds) }),
  Result.succeed
)

type OfferOptions = Parameters<PersistedQueue.PersistedQueueStore["Service"]["offer"]>[0]
type TakeOptions = Parameters<PersistedQueue.PersistedQueueStore["Service"]["take"]>[0]

/** What a queue could not do, with the ledger's own words. */
const failed = (what: string) => (error: { readonly message: string }) =>
  new PersistedQueue.PersistedQueueError({ message: `${what}: ${error.message}`, cause: error })

const TOO_LONG = { message: "its id and the queue's name are well-formed texts of at most 65536 bytes" }

const offer = Effect.fnUntraced(function* (store: QueueStore, { delay, element, id, name }: OfferOptions) {
  const now = yield* Clock.currentTimeMillis
  const due = delay === undefined ? undefined : now + Duration.toMillis(delay)
  const payload = firstAttempt({ queue: name, id, element, due })
  const refuse = failed(`Queue ${JSON.stringify(name)} does not take element ${JSON.stringify(id)}`)
  if (attemptOf(payload) === undefined) return yield* Effect.fail(refuse(TOO_LONG))
  const run_id = queueRun(store.sha256, name)
  const posted = yield* patiently(
    store.ledger.postMessage({
      run_id,
      source: "SYSTEM",
      payload,
      idempotency_key: elementKey(store.sha256, id)
    })
  ).pipe(
    // The id was offered before, with another element or delay: the first one stands.
    Effect.catchTag("IdempotencyConflict", () => Effect.undefined),
    Effect.mapError(refuse)
  )
  if (posted?.created === true) store.queues.get(run_id)?.state?.addPosted(posted.message_id, payload, now)
})

/** The string by which a handler's loop says that an element cannot be decoded: the class is not exported. */
const DEAD_LETTER = "~effect/persistence/PersistedQueue/DeadLetter"

/** Why an element cannot ever be worked, if that is how its attempt ended. */
const deadLetterOf = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> | undefined => {
  for (const reason of cause.reasons) {
    if (!Cause.isFailReason(reason)) continue
    const error = reason.error as { readonly _tag?: unknown; readonly cause: Cause.Cause<unknown> } | null
    if (error?._tag === DEAD_LETTER) return error.cause
  }
  return undefined
}

/** How an attempt ended, by the end of the scope that it was taken for; undefined when it is given back uncounted. */
const endingOf = Effect.fnUntraced(function* (
  { attempt }: Taken,
  { maxAttempts, retryDelay }: TakeOptions,
  exit: Exit.Exit<unknown, unknown>
): Effect.fn.Return<Ending | undefined> {
  if (exit._tag === "Success") return { outcome: "SUCCESS", receipt: { attempt: attempt.attempt } }
  const deadLetter = deadLetterOf(exit.cause)
  const { receipt } = failureOf(Cause.squash(deadLetter ?? exit.cause))
  const told = { attempt: attempt.attempt, ...receipt }
  if (deadLetter === undefined && Cause.hasInterruptsOnly(exit.cause)) return undefined
  if (deadLetter !== undefined || attempt.attempt >= maxAttempts) {
    return { outcome: "FAILURE", receipt: { ...told, dead_letter: true } }
  }
  const delay = Duration.toMillis(yield* retryDelay(attempt.attempt))
  const due = (yield* Clock.currentTimeMillis) + delay
  return {
    outcome: "FAILURE",
    receipt: { ...told, retry_due: dueTime(due) },
    retry: { due: delay > 0 ? due : undefined }
  }
})

const take = (store: QueueStore, queue: Queue, options: TakeOptions) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const taken = yield* nextTaken(store, queue, options.maxAttempts, restore).pipe(
        Effect.mapError(failed(`Queue ${JSON.stringify(queue.name)} cannot be taken from`)),
        Effect.tapError(() => restore(Effect.sleep(Duration.millis(FAILED_TAKE_MILLIS))))
      )
      const kept = yield* keepAttempt(store, taken)
      yield* Effect.addFinalizer((exit) =>
        Effect.flatMap(endingOf(taken, options, exit), (ending) => settle(store, taken, kept, ending)).pipe(
          Effect.ensuring(Effect.sync(() => store.held.delete(taken.step.step_id))),
          Effect.mapError(
            failed(
              `Queue ${JSON.stringify(queue.name)} could not record the end of attempt ${taken.attempt.attempt} on ${JSON.stringify(taken.attempt.id)}, which is tried again once its lease has ended`
            )
          ),
          Effect.orDie,
          Effect.uninterruptible
        )
      )
      return { id: taken.attempt.id, attempts: taken.attempt.attempt, element: taken.element }
    })
  )

/** The store of queues over a ledger. */
const makeStore = Effect.fnUntraced(function* (
  options: PersistedQueueOptions
): Effect.fn.Return<
  PersistedQueue.PersistedQueueStore["Service"],
  InvalidInput,
  Ledger | Hashing | RandomIds | Scope.Scope
> {
  const { ttl_seconds = DEFAULT_QUEUE_TTL_SECONDS, worker_id } = yield* Effect.fromResult(
    decodeOptions(options)
  )
  const { uuid } = yield* RandomIds
  const store: QueueStore = {
    ledger: yield* Ledger,
    sha256: (yield* Hashing).sha256,
    worker_id: worker_id ?? `queue-${uuid()}`,
    ttl_seconds,
    scope: yield* Effect.scope,
    held: new Set(),
    queues: new Map(),
    isListening: false
  }
  return PersistedQueue.PersistedQueueStore.of({
    offer: (offered) => offer(store, offered),
    take: (options) => Effect.suspend(() => take(store, queueOf(store, options.name), options)),
    // The log keeps what was finished: an id that was offered once is known for good.
    cleanup: () => Effect.void
  })
})

/** Effect's queue store over the ledger that is there. */
export const queueStoreLayer = (
  options: PersistedQueueOptions = {}
): Layer.Layer<PersistedQueue.PersistedQueueStore, InvalidInput, Ledger | Hashing | RandomIds> =>
  Layer.effect(PersistedQueue.PersistedQueueStore, makeStore(options))
