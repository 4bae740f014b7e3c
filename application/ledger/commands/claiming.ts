// Claims that wait: they answer as soon as a step can be claimed, of commits of this process at once, of others within the
// poll. A claim that finds nothing says how the leases stand where it looked.
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { nearestTimestamp } from "../../../domain/canonical/timestamp.ts"
import {
  ClaimAny,
  type ClaimPlace,
  ClaimStep,
  type PreparedClaim,
  prepareClaim,
  prepareClaimAny
} from "../../../domain/ledger/commands.ts"
import type { Claimed } from "../../../domain/ledger/decide.ts"
import { runStream } from "../../../domain/ledger/event-envelope.ts"
import { NoPendingStep } from "../../../domain/ledger/errors.ts"
import { decodeInput } from "../../foundation/input.ts"
import { Wait, waitMillis } from "../../foundation/wait.ts"
import type { CommitWatch } from "../reading/commit-watch.ts"
import type { LedgerReader, ReadError } from "../reading/ledger-reader.ts"
import { type CommandFailure, claimWork } from "./commands.ts"
import type { Failed } from "./command-group.ts"
import type { CommandWriter } from "./command-writer.ts"

/** How long a claim waits for a step: any duration from 0 on, also without an end. */
export interface ClaimWait {
  readonly wait?: Duration.Input | undefined
}

const NANOS_PER_MILLI = 1_000_000

/** The streams where a claim looks. */
const isOfPlace = (place: ClaimPlace) => {
  if ("run_id" in place) {
    const stream = runStream(place.run_id)
    return (streamId: string) => streamId === stream
  }
  const begin = runStream(place.prefix)
  return (streamId: string) => streamId.startsWith(begin)
}

interface Asked {
  readonly claim: PreparedClaim
  readonly waitMillis: number
}

const withWait = (claim: PreparedClaim, wait: Duration.Input | undefined): Asked => ({
  claim,
  waitMillis: wait === undefined ? 0 : (waitMillis(wait) ?? 0)
})

const decodeClaim = decodeInput(
  Schema.Struct({ ...ClaimStep.fields, wait: Schema.optional(Wait) }),
  ({ wait, ...command }) => Result.map(prepareClaim(command), (claim) => withWait(claim, wait))
)

const decodeClaimAny = decodeInput(
  Schema.Struct({ ...ClaimAny.fields, wait: Schema.optional(Wait) }),
  ({ wait, ...command }) => Result.map(prepareClaimAny(command), (claim) => withWait(claim, wait))
)

type Answer = Effect.Effect<Claimed, CommandFailure<NoPendingStep> | ReadError>

export interface Claiming {
  readonly claimStep: (input: ClaimStep & ClaimWait, trace: string | undefined) => Answer
  readonly claimAny: (input: ClaimAny & ClaimWait, trace: string | undefined) => Answer
}

/** The claims of a ledger. */
export const makeClaiming = (
  writer: CommandWriter,
  reader: LedgerReader["Service"],
  watch: CommitWatch
): Claiming => {
  const { feed } = watch
  /** Says how the leases stand beside a claim that found nothing; looked up outside the lock. */
  const refuse = Effect.fnUntraced(function* (none: NoPendingStep, place: ClaimPlace) {
    const counts = yield* reader.leaseCounts(nearestTimestamp(yield* Clock.currentTimeMillis), place)
    const { job_id, prefix, run_id } = none
    return yield* new NoPendingStep({ run_id, job_id, prefix, ...counts })
  })

  /** Claims again after every commit that may have brought a step, until time is up; waiting alone can be interrupted. */
  const claimUntil = Effect.fnUntraced(function* (
    attempt: Effect.Effect<Claimed, Failed<NoPendingStep>>,
    place: ClaimPlace,
    millis: number
  ) {
    // Measured, and not read off the wall clock, which may be set meanwhile.
    const begun = yield* Clock.monotonicTimeNanos
    const isOf = isOfPlace(place)
    while (true) {
      const seen = feed.arrivals
      const claimed = yield* Effect.result(attempt)
      if (Result.isSuccess(claimed)) return claimed.success
      if (claimed.failure._tag !== "NoPendingStep") return yield* Effect.fail(claimed.failure)
      const left = millis - Number((yield* Clock.monotonicTimeNanos) - begun) / NANOS_PER_MILLI
      const arrival = Effect.interruptible(watch.arrivalAfter(seen, isOf))
      const came =
        left === Number.POSITIVE_INFINITY
          ? Option.some(yield* arrival)
          : yield* Effect.timeoutOption(arrival, Duration.millis(Math.max(0, left)))
      if (Option.isNone(came)) return yield* Effect.fail(claimed.failure)
    }
  })

  const answer = (asked: ReturnType<typeof decodeClaim>, trace: string | undefined): Answer => {
    if (Result.isFailure(asked)) return Effect.fail(asked.failure)
    const { claim, waitMillis: millis } = asked.success
    const attempt = Effect.suspend(() => writer.submit(claimWork(claim, trace)))
    const claimed =
      millis === 0
        ? attempt
        : Effect.catchTag(attempt, "NoPendingStep", () =>
            watch.listening(claimUntil(attempt, claim.place, millis))
          )
    return Effect.catchTag(claimed, "NoPendingStep", (none) => refuse(none, claim.place))
  }
  return {
    claimStep: (input, trace) => answer(decodeClaim(input), trace),
    claimAny: (input, trace) => answer(decodeClaimAny(input), trace)
  }
}
