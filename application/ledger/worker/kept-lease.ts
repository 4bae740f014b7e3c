// A lease that is kept while work goes on: it is renewed when a third of its time is over, and its loss is told. A caller that
// finishes the work asks for the newest lease, since every renewal has another token.
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { millisFromTimestamp, nearestTimestamp } from "../../../domain/canonical/timestamp.ts"
import type { Lease } from "../../../domain/ledger/commands.ts"
import { LeaseExpired, type LeaseRefusal } from "../../../domain/ledger/errors.ts"
import type { LedgerShape } from "../ledger.ts"

/** What of a lease's time is over when it is renewed: one of so many parts. */
const PARTS = 3

/** After a renewal that the store did not carry out, the next is tried so many times sooner. */
const SOONER = 10

/** A lease with its end, as a claim or a post with its claim answers it. */
export interface LeaseInHand {
  readonly lease: Lease
  readonly lease_expires_at: string
}

export interface KeptLease {
  /** The newest lease. */
  readonly current: Effect.Effect<Lease>
  /** Ends when the lease is lost, with why. */
  readonly lost: Effect.Effect<LeaseRefusal>
  /** Ends the renewals; none is under way any more. */
  readonly stop: Effect.Effect<void>
}

const REFUSALS: ReadonlyArray<string> = [
  "LeaseExpired",
  "NotLeased",
  "StaleFencingToken",
  "StepNotFound",
  "WrongRun",
  "WrongWorker"
] satisfies ReadonlyArray<LeaseRefusal["_tag"]>

/** True for an error that says that the lease is not the caller's any more. */
export const isLeaseRefusal = (error: { readonly _tag: string }): error is LeaseRefusal =>
  REFUSALS.includes(error._tag)

/** Keeps the lease of a claimed step until it is stopped. */
export const keepLease = Effect.fnUntraced(function* (
  ledger: LedgerShape,
  claimed: LeaseInHand,
  ttl_seconds: number
): Effect.fn.Return<KeptLease> {
  let { lease } = claimed
  const { step_id } = lease
  let lease_expires_at = claimed.lease_expires_at
  const lost = yield* Deferred.make<LeaseRefusal>()
  // Once a renewal was asked for, its answer is awaited: without it the token would not be known.
  const renew = Effect.uninterruptible(
    Effect.suspend(() =>
      Effect.map(ledger.renewLease({ ...lease, ttl_seconds }), (renewed) => {
        lease = renewed.lease
        lease_expires_at = renewed.lease_expires_at
      })
    )
  )
  const period = (ttl_seconds * 1_000) / PARTS
  const renewals = Effect.gen(function* () {
    let pause = period
    while (true) {
      yield* Effect.sleep(Duration.millis(pause))
      const renewed = yield* Effect.result(renew)
      pause = Result.isSuccess(renewed) ? period : period / SOONER
      if (Result.isSuccess(renewed)) continue
      if (isLeaseRefusal(renewed.failure)) return yield* Deferred.succeed(lost, renewed.failure)
      const now = yield* Clock.currentTimeMillis
      if (now < millisFromTimestamp(lease_expires_at)) continue
      const refusal = new LeaseExpired({ step_id, lease_expires_at, now: nearestTimestamp(now) })
      return yield* Deferred.succeed(lost, refusal)
    }
  })
  const fiber = yield* Effect.forkChild(Effect.interruptible(renewals))
  return {
    current: Effect.sync(() => lease),
    lost: Deferred.await(lost),
    stop: Effect.asVoid(Fiber.interrupt(fiber))
  }
})
