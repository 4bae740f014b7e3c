// A worker: claims steps, runs a handler on each while its lease is kept, and commits the receipt together with the next claim.
// It gives back what it holds when it is stopped, and drops a result whose lease was lost. The ledger executes nothing: a
// worker is a caller of it as any other.
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Cause from "effect/Cause"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { Identifier } from "../../../domain/canonical/text.ts"
import type { JsonObject } from "../../../domain/canonical/json.ts"
import {
  errorCode,
  invalidAt,
  type InvalidInput,
  invalidInput,
  type InvariantViolation
} from "../../../domain/foundation/errors.ts"
import { JobId, type Lease, TtlSeconds } from "../../../domain/ledger/commands.ts"
import type { Claimed } from "../../../domain/ledger/decide.ts"
import type { LeasedStep } from "../../../domain/ledger/lists.ts"
import type { LeaseRefusal, StoreWriteError } from "../../../domain/ledger/errors.ts"
import { DEFAULT_TTL_SECONDS } from "../../../domain/ledger/limits.ts"
import { decodeInput } from "../../foundation/input.ts"
import { Ledger, type LedgerShape } from "../ledger.ts"
import type { ReadError } from "../reading/ledger-reader.ts"
import { isLeaseRefusal, keepLease } from "./kept-lease.ts"
import { patiently } from "./patience.ts"
import { describeError, failureOf, type Finished, resultOf } from "./step-result.ts"
import { type StepSpan, type StepSpans, stepSpans } from "./step-spans.ts"
import { traced } from "../../foundation/telemetry.ts"

export { finished, type Finished } from "./step-result.ts"

/** Most steps that one worker has in hand at a time. */
const MAX_CONCURRENCY = 1_000

const fields = {
  worker_id: Identifier,
  run_id: Schema.optional(Identifier),
  job_id: Schema.optional(JobId),
  prefix: Schema.optional(Identifier),
  concurrency: Schema.optional(
    Schema.Int.check(
      Schema.isBetween(
        { minimum: 1, maximum: MAX_CONCURRENCY },
        { expected: `a whole number of steps from 1 to ${MAX_CONCURRENCY}` }
      )
    )
  ),
  ttl_seconds: Schema.optional(TtlSeconds),
  reap: Schema.optional(Schema.Boolean),
  untilEmpty: Schema.optional(Schema.Boolean)
}

/** How a step ended for the worker. */
export type StepEnding =
  /** The receipt stands. */
  | { readonly _tag: "Completed"; readonly step: Claimed; readonly result: Finished }
  /** The step waits again: the worker was stopped. */
  | { readonly _tag: "GivenBack"; readonly step: Claimed; readonly reason: string }
  /** The lease had ended, or had gone to another worker; the result was dropped. */
  | { readonly _tag: "Lost"; readonly step: Claimed; readonly why: LeaseRefusal }

/** Who works which steps, how many at a time, and when it ends. */
export interface WorkerOptions<E = unknown, Stop extends E = never> {
  readonly worker_id: string
  /** The run whose steps are worked; without it every run, or those whose id begins with `prefix`. */
  readonly run_id?: string | undefined
  /** One job of the run. */
  readonly job_id?: string | undefined
  readonly prefix?: string | undefined
  /** How many steps are in hand at a time (default 1). */
  readonly concurrency?: number | undefined
  /** How long a lease lasts, in seconds (default 300); it is renewed when a third of it is over. */
  readonly ttl_seconds?: number | undefined
  /** Requeues leases of its scope that have ended, with the reason `expired` (default false). */
  readonly reap?: boolean | undefined
  /** Ends when no step waits, instead of waiting for one (default false). */
  readonly untilEmpty?: boolean | undefined
  /** Errors that end the worker instead of the step, which is given back: what it needs to work at all is missing. */
  readonly stopOn?: ((error: E) => error is Stop) | undefined
  /** Told when a step has ended for this worker, which waits for it, also when it is stopped. */
  readonly onStep?: ((ending: StepEnding) => Effect.Effect<void>) | undefined
}

/** How many steps of a worker ended in which way. */
export interface WorkerTally {
  readonly completed: number
  readonly given_back: number
  readonly lost: number
}

/** Errors that end a worker. An error of the handler ends its step alone, with a receipt of FAILURE. */
export type WorkerError = InvalidInput | InvariantViolation | ReadError | StoreWriteError

/** Does the work of a step and answers its receipt; `lease` is the newest lease, for systems that check its token. */
export type Handler<E, R> = (
  step: Claimed,
  lease: Effect.Effect<Lease>
) => Effect.Effect<JsonObject | Finished, E, R>

const decode = decodeInput(
  Schema.Struct(fields),
  ({ concurrency = 1, ttl_seconds = DEFAULT_TTL_SECONDS, ...of }) => {
    const invalid = (path: string, message: string) => Result.fail(invalidAt(path, message))
    if (of.run_id !== undefined && of.prefix !== undefined)
      return invalid("/prefix", "use either run_id or prefix")
    if (of.job_id !== undefined && of.run_id === undefined)
      return invalid("/job_id", "name the run of the job, too")
    return Result.succeed({ ...of, concurrency, ttl_seconds })
  }
)

type Settings = Extract<ReturnType<typeof decode>, { readonly _tag: "Success" }>["success"]

/** The next claim, as a command of a batch. */
const claimCommand = (
  { job_id, prefix, run_id, ttl_seconds, worker_id }: Settings,
  after_run: string | undefined
) =>
  run_id === undefined
    ? ({ _tag: "ClaimAny", worker_id, ttl_seconds, prefix, after_run } as const)
    : ({ _tag: "ClaimStep", worker_id, ttl_seconds, run_id, job_id } as const)

/** One of the steps that a worker has in hand at a time. */
interface Slot<E, R, Stop extends E> {
  readonly ledger: LedgerShape
  readonly settings: Settings
  readonly handler: Handler<E, R>
  readonly stopOn: (error: E) => error is Stop
  readonly tell: (ending: StepEnding) => Effect.Effect<void>
  /** The right to wait for a step: one slot of a worker waits, and not each for the same step. */
  readonly turn: Semaphore.Semaphore
  readonly spans: StepSpans
}

/** Waits for the next step; undefined when none waits and the worker is to end then. A stop ends the waiting. */
const firstStep = (
  { ledger, settings, turn }: Pick<Slot<never, never, never>, "ledger" | "settings" | "turn">,
  after_run: string | undefined
): Effect.Effect<Claimed | undefined, WorkerError> => {
  const { job_id, prefix, run_id, ttl_seconds, untilEmpty, worker_id } = settings
  const claim = (wait: Duration.Duration) =>
    patiently(
      run_id === undefined
        ? ledger.claimAny({ worker_id, ttl_seconds, wait, prefix, after_run })
        : ledger.claimStep({ worker_id, ttl_seconds, wait, run_id, job_id }),
      Effect.interruptible(Effect.yieldNow)
    )
  const claimed = (wait: Duration.Duration) =>
    Effect.catchTag(claim(wait), "NoPendingStep", () => Effect.undefined)
  const waited = Effect.andThen(
    Effect.interruptible(turn.take(1)),
    Effect.ensuring(claimed(Duration.infinity), turn.release(1))
  )
  if (untilEmpty === true) return claimed(Duration.zero)
  // At the beginning all slots claim together; later on, a slot that has no next step was told that none waits.
  return after_run === undefined
    ? Effect.flatMap(claimed(Duration.zero), (step) => (step === undefined ? waited : Effect.succeed(step)))
    : waited
}

/** Gives a step back. A lease that cannot be given back ends by itself; what went wrong before is what must be told. */
const release = (ledger: LedgerShape, lease: Lease, reason: string): Effect.Effect<void> =>
  Effect.ignore(ledger.requeueStep({ ...lease, reason }))

type Completion = {
  readonly refused: LeaseRefusal | undefined
  readonly receipt_id?: string
  readonly next: Claimed | undefined
}

const CANNOT_WRITE = "the worker cannot write its receipt"

/** Commits a receipt, and in the same transaction claims the next step unless the worker is being stopped. */
const complete = Effect.fnUntraced(function* (
  { ledger, settings }: Pick<Slot<never, never, never>, "ledger" | "settings">,
  lease: Lease,
  { outcome, receipt }: Finished,
  isStopped: boolean,
  traceparent: string | undefined
): Effect.fn.Return<Completion, WorkerError> {
  const completion = {
    _tag: "CompleteStep",
    ...lease,
    outcome,
    receipt_payload: receipt,
    traceparent
  } as const
  const [completed, next] = isStopped
    ? [...(yield* patiently(ledger.commands([completion]))), undefined]
    : yield* patiently(ledger.commands([completion, claimCommand(settings, lease.run_id)]))
  if (next !== undefined && Result.isFailure(next) && next.failure._tag !== "NoPendingStep") {
    return yield* Effect.fail(next.failure)
  }
  const claimed = next !== undefined && Result.isSuccess(next) ? next.success : undefined
  if (Result.isSuccess(completed)) {
    return { refused: undefined, receipt_id: completed.success.receipt_id, next: claimed }
  }
  if (isLeaseRefusal(completed.failure)) return { refused: completed.failure, next: claimed }
  if (claimed !== undefined) yield* release(ledger, claimed.lease, CANNOT_WRITE)
  return yield* Effect.fail(completed.failure)
})

/** What is wrong with a receipt, without the place of its command in the batch. */
const withoutPlace = ({ issues }: InvalidInput): InvalidInput =>
  invalidInput(issues.map(({ message, path }) => ({ path: path.replace(/^\/0/, ""), message })))

/** The error of a handler that ends the worker. */
const stopOf = <E, Stop extends E>(
  stopOn: (error: E) => error is Stop,
  exit: Exit.Exit<unknown, E>
): Stop | undefined => {
  const error = Exit.isFailure(exit) ? Cause.findErrorOption(exit.cause) : Option.none<E>()
  return Option.isSome(error) && stopOn(error.value) ? error.value : undefined
}

/** What comes after a step: the next one, if it was claimed on the way, and whether the worker is being stopped. */
interface Worked {
  readonly next: Claimed | undefined
  readonly isStopped: boolean
}

/** Works one step to its end. It is called where it cannot be interrupted; `restore` marks where it can. */
const workStep = Effect.fnUntraced(function* <E, R, Stop extends E>(
  slot: Slot<E, R, Stop>,
  step: Claimed,
  restore: <A, E2, R2>(effect: Effect.Effect<A, E2, R2>) => Effect.Effect<A, E2, R2>,
  span: StepSpan
): Effect.fn.Return<Worked, WorkerError | Stop, R> {
  const { handler, ledger, settings, stopOn, tell } = slot
  const kept = yield* keepLease(ledger, step, settings.ttl_seconds)
  const working = yield* Effect.forkChild(
    span.around(Effect.interruptible(Effect.suspend(() => handler(step, kept.current))))
  )
  const ended = yield* Effect.exit(
    restore(Effect.raceFirst(Effect.as(Fiber.await(working), undefined), kept.lost))
  )
  const isStopped = Exit.isFailure(ended)
  const why = Exit.isSuccess(ended) ? ended.value : undefined
  if (isStopped || why !== undefined) yield* Fiber.interrupt(working)
  const exit = yield* Fiber.await(working)
  yield* kept.stop
  const nothing: Worked = { next: undefined, isStopped }
  if (why !== undefined) return yield* Effect.as(tell({ _tag: "Lost", step, why }), nothing)

  const lease = yield* kept.current
  const giveBack = (reason: string) =>
    Effect.andThen(release(ledger, lease, reason), tell({ _tag: "GivenBack", step, reason }))
  const stop = yield* Effect.sync(() => stopOf(stopOn, exit)).pipe(
    Effect.onError(() => giveBack("the worker's stopOn died"))
  )
  if (stop !== undefined) {
    yield* giveBack(`the worker cannot go on: ${errorCode({ _tag: describeError(stop)._tag })}`)
    return yield* Effect.fail(stop)
  }
  // A handler that ended in the very moment has its result; one that was interrupted has none, also where it did not stop at once.
  if (isStopped && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) {
    return yield* Effect.as(giveBack("the worker was stopped"), nothing)
  }
  let result = resultOf(exit)
  const { next, receipt_id, refused } = yield* complete(
    slot,
    lease,
    result,
    isStopped,
    span.traceparent
  ).pipe(
    Effect.catchTag("InvalidInput", (invalid) => {
      result = failureOf(withoutPlace(invalid))
      return complete(slot, lease, result, isStopped, span.traceparent)
    }),
    Effect.tapError(() => giveBack(CANNOT_WRITE))
  )
  if (receipt_id !== undefined) yield* span.end(receipt_id, result, Exit.isFailure(exit))
  yield* tell(
    refused === undefined ? { _tag: "Completed", step, result } : { _tag: "Lost", step, why: refused }
  ).pipe(
    Effect.onError(() =>
      next === undefined ? Effect.void : release(ledger, next.lease, "the worker's onStep died")
    )
  )
  return { next, isStopped }
})

/** Works steps one after another. */
const workSlot = <E, R, Stop extends E>(slot: Slot<E, R, Stop>): Effect.Effect<void, WorkerError | Stop, R> =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      let next: Claimed | undefined
      let after_run: string | undefined
      while (true) {
        const step: Claimed | undefined = next ?? (yield* firstStep(slot, after_run))
        if (step === undefined) return
        after_run = step.lease.run_id
        const claimed = step
        const worked = yield* slot.spans.during(claimed, (span) => workStep(slot, claimed, restore, span))
        // What stopped the worker takes effect where it can be interrupted again: right behind this loop.
        if (worked.isStopped) return
        next = worked.next
      }
    })
  )

/** How many ended leases are looked at together. */
const REAPED_AT_ONCE = 100

/** Requeues the leases of the worker's scope that have ended. */
const reapOnce = Effect.fnUntraced(function* (
  ledger: LedgerShape,
  { job_id, prefix, run_id, worker_id }: Settings
): Effect.fn.Return<void, WorkerError> {
  let after: LeasedStep | undefined
  while (true) {
    const ended: ReadonlyArray<LeasedStep> = yield* patiently(
      ledger.leases({
        run_id,
        prefix,
        expired: true,
        limit: REAPED_AT_ONCE,
        after: after && { lease_expires_at: after.lease_expires_at, step_id: after.step_id }
      })
    )
    const requeues = ended
      .filter((lease) => job_id === undefined || lease.job_id === job_id)
      .map(
        ({ run_id: run, step_id }) =>
          ({ _tag: "RequeueStep", run_id: run, step_id, reason: "expired", requested_by: worker_id }) as const
      )
    for (const requeued of requeues.length === 0 ? [] : yield* patiently(ledger.commands(requeues))) {
      // What refuses a requeue says that another worker was quicker.
      if (Result.isFailure(requeued) && requeued.failure._tag === "InvariantViolation") {
        return yield* Effect.fail(requeued.failure)
      }
    }
    after = ended.at(-1)
    if (ended.length < REAPED_AT_ONCE) return
  }
})

/** Requeues ended leases again and again, three times in the time of a lease; `reapOnce` has been done. */
const reap = (ledger: LedgerShape, settings: Settings): Effect.Effect<never, WorkerError> =>
  Effect.forever(
    Effect.andThen(Effect.sleep(Duration.seconds(settings.ttl_seconds / 3)), reapOnce(ledger, settings))
  )

const never = (_error: unknown): _error is never => false

/**
 * Works steps until it is interrupted, or until none waits. Each step's lease is renewed while the handler runs. What the handler
 * answers is the receipt of a SUCCESS; an error or a defect makes the receipt `{ error: { _tag, message } }` of a FAILURE. When the
 * worker is interrupted, the handlers are, and steps in hand are given back once their handlers have ended.
 *
 * A handler may run again for the same step: after a crash, and after a lease was lost. What it does outside the ledger should
 * bear that, or check the lease's token.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import { Ledger, Worker } from "cortex-cassette"
 *
 * const options = { worker_id: "mailer-1", run_id: "mails", concurrency: 4, untilEmpty: true }
 * const program = Worker.run(options, (step) => Effect.succeed({ sent_to: step.payload["to"] ?? null }))
 *
 * await Effect.runPromise(Effect.provide(program, Ledger.layer({ filename: "work.db" })))
 */
export const run = traced("cassette.worker.run")(function* <E, R, Stop extends E = never>(
  options: WorkerOptions<E, Stop>,
  handler: Handler<E, R>
): Effect.fn.Return<WorkerTally, WorkerError | Stop, R | Ledger> {
  const { onStep = () => Effect.void, stopOn = never, ...data } = options
  const settings = yield* Effect.fromResult(decode(data))
  const ledger = yield* Ledger
  const tally = { completed: 0, given_back: 0, lost: 0 }
  const tell = (ending: StepEnding) =>
    Effect.suspend(() => {
      if (ending._tag === "Completed") tally.completed += 1
      else if (ending._tag === "GivenBack") tally.given_back += 1
      else tally.lost += 1
      return onStep(ending)
    })
  const turn = yield* Semaphore.make(1)
  const spans = yield* stepSpans(ledger)
  const slot = { ledger, settings, handler, stopOn: stopOn as (error: E) => error is Stop, tell, turn, spans }
  const slots = Effect.forEach(Array.from({ length: settings.concurrency }), () => workSlot(slot), {
    concurrency: "unbounded",
    discard: true
  })
  // What ended before must wait again before a slot finds that nothing does.
  yield* settings.reap === true
    ? Effect.andThen(reapOnce(ledger, settings), Effect.raceFirst(slots, reap(ledger, settings)))
    : slots
  return { ...tally }
})
