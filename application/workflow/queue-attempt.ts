// One attempt on an element of a queue: its lease is kept while it is worked, and its end is one receipt. A retry is posted in the
// transaction of that receipt. An end that comes late still counts if no other worker took the step.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { JsonObject } from "../../domain/canonical/json.ts"
import type { Lease } from "../../domain/ledger/commands.ts"
import type { Claimed } from "../../domain/ledger/decide.ts"
import type { LeaseRefusal } from "../../domain/ledger/errors.ts"
import type { Outcome } from "../../domain/ledger/rows.ts"
import { type Attempt, nextAttempt } from "../../domain/workflow/queue-element.ts"
import { type KeptLease, isLeaseRefusal, keepLease } from "../ledger/worker/kept-lease.ts"
import { patiently } from "../ledger/worker/patience.ts"
import type { QueueStore, QueueWriteError } from "./queue-store.ts"

/** An attempt in hand. */
export interface Taken {
  readonly step: Claimed
  readonly attempt: Attempt
  readonly element: unknown
}

/** How a step ends: its receipt, and the payload of the message that goes on. */
export interface Ending {
  readonly outcome: Outcome
  readonly receipt: JsonObject
  /** The attempt that follows waits until `due` (milliseconds since 1970), or not at all. */
  readonly retry?: { readonly due: number | undefined } | undefined
}

/** Finishes a step under a lease; answers the refusal when the lease is not the caller's any more. */
export const finish = Effect.fnUntraced(function* (
  { ledger }: QueueStore,
  lease: Lease,
  { outcome, receipt }: Ending,
  next?: JsonObject
): Effect.fn.Return<LeaseRefusal | undefined, QueueWriteError> {
  const completion = { _tag: "CompleteStep", ...lease, outcome, receipt_payload: receipt } as const
  const post = { _tag: "PostMessage", run_id: lease.run_id, source: "SYSTEM" } as const
  const [completed, posted] = yield* next === undefined
    ? Effect.map(patiently(ledger.commands([completion])), ([only]) => [only, undefined] as const)
    : patiently(ledger.commands([completion, { ...post, payload: next }]))
  // Without a key there is nothing that a post conflicts with.
  if (posted !== undefined && Result.isFailure(posted)) return yield* Effect.die(posted.failure)
  if (Result.isSuccess(completed)) return undefined
  return isLeaseRefusal(completed.failure) ? completed.failure : yield* Effect.fail(completed.failure)
})

/** Finishes an attempt, and posts the one that follows it. */
export const finishAttempt = (
  store: QueueStore,
  { attempt, step: { job_id, message_id } }: Pick<Taken, "attempt" | "step">,
  lease: Lease,
  ending: Ending
) => {
  const { fencing_token } = lease
  const next =
    ending.retry && nextAttempt(attempt, { message_id, job_id, fencing_token, due: ending.retry.due })
  return finish(store, lease, ending, next)
}

/** Keeps the lease of an attempt until the scope ends. */
export const keepAttempt = Effect.fnUntraced(function* (
  { held, ledger, ttl_seconds }: QueueStore,
  { step }: Taken
): Effect.fn.Return<KeptLease, never, Scope.Scope> {
  held.add(step.step_id)
  const kept = yield* Deferred.make<KeptLease>()
  const keeping = Effect.flatMap(keepLease(ledger, step, ttl_seconds), (lease) =>
    Effect.andThen(Deferred.succeed(kept, lease), Effect.interruptible(Effect.never))
  )
  yield* Effect.forkScoped(keeping)
  return yield* Deferred.await(kept)
})

/** Claims a step again whose lease has ended, if no other worker has it. */
const claimAgain = Effect.fnUntraced(function* (
  { ledger, ttl_seconds, worker_id }: QueueStore,
  lease: Lease,
  job_id: string
): Effect.fn.Return<Lease | undefined, QueueWriteError> {
  const { run_id } = lease
  const [, claimed] = yield* patiently(
    ledger.commands([
      { _tag: "RequeueStep", ...lease, reason: "the end of the attempt came late" },
      { _tag: "ClaimStep", run_id, job_id, worker_id, ttl_seconds }
    ])
  )
  return Result.isSuccess(claimed) ? claimed.success.lease : undefined
})

/** Ends an attempt: with its receipt, or given back without one and not counted. */
export const settle = Effect.fnUntraced(function* (
  store: QueueStore,
  taken: Taken,
  kept: KeptLease,
  ending: Ending | undefined
): Effect.fn.Return<void, QueueWriteError> {
  const { attempt, step } = taken
  yield* kept.stop
  const lease = yield* kept.current
  if (ending === undefined) {
    // A step that cannot be given back waits again when its lease has ended.
    return yield* Effect.ignore(store.ledger.requeueStep({ ...lease, reason: "the taker was interrupted" }))
  }
  let refused = yield* finishAttempt(store, taken, lease, ending)
  if (refused?._tag === "LeaseExpired") {
    const again = yield* claimAgain(store, lease, step.job_id)
    if (again !== undefined) refused = yield* finishAttempt(store, taken, again, ending)
  }
  if (refused === undefined) return
  yield* Effect.logWarning(
    `The end of attempt ${attempt.attempt} on ${JSON.stringify(attempt.id)} of queue ${JSON.stringify(attempt.queue)} was dropped: ${refused.message}`
  )
})
