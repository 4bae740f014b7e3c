// Activities: each attempt is a step in the execution's run of activities, and its receipt is the exit. What has a receipt never
// runs again; what was begun and has none is begun again, as every step of the ledger is.
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import type { JsonValue } from "../../domain/canonical/json.ts"
import { millisFromTimestamp } from "../../domain/canonical/timestamp.ts"
import { InvalidInput } from "../../domain/foundation/errors.ts"
import type { Lease } from "../../domain/ledger/commands.ts"
import type { Outcome } from "../../domain/ledger/rows.ts"
import { NotRecordable, RecordUnreadable } from "../../domain/workflow/errors.ts"
import { isName } from "../../domain/foundation/bounded-names.ts"
import { activityKey } from "../../domain/workflow/names.ts"
import { readAttemptReceipt } from "../../domain/workflow/receipts.ts"
import type { JournalStep, RunJournal } from "../../domain/workflow/run-journal.ts"
import { type Attempt, attemptPayload } from "../../domain/workflow/wakes.ts"
import { keepLease, type LeaseInHand } from "../ledger/worker/kept-lease.ts"
import { sleepUntil } from "./agenda.ts"
import { ActivityExit } from "./codecs.ts"
import type { Execution, Host, Instance } from "./host.ts"
import { asked, catchUpOn } from "./ledger-calls.ts"
import { finishLate, giveBack, requeueExpired } from "./leases.ts"

/**
 * The newest lease of the attempt that runs: its fencing token grows with every claim of the step, so that an outside system can
 * refuse what comes late. It is undefined outside activities.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 * import * as Activity from "effect/workflow/Activity"
 * import { ActivityLease } from "cortex-cassette/workflow"
 *
 * const execute = Effect.gen(function* () {
 *   const lease = yield* ActivityLease
 *   return lease === undefined ? 0 : (yield* lease).fencing_token
 * })
 * export const charging = Activity.make({ name: "charge", success: Schema.Number, execute })
 */
export const ActivityLease = Context.Reference<Effect.Effect<Lease> | undefined>(
  "cortex-cassette/workflow/ActivityLease",
  { defaultValue: () => undefined }
)

type Result = Workflow.Result<unknown, unknown>

const encodeExit = Schema.encodeEffect(ActivityExit)
const decodeExit = Schema.decodeUnknownEffect(ActivityExit)

/** How an exit counts: an interruption is no failure. */
export const outcomeOf = (exit: Exit.Exit<unknown, unknown>): Outcome => {
  if (Exit.isSuccess(exit)) return "SUCCESS"
  return Cause.hasInterruptsOnly(exit.cause) ? "ABORTED" : "FAILURE"
}

/** One attempt of an activity, as a body asks for it. */
interface Ask {
  readonly host: Host
  readonly execution: Execution
  readonly instance: Instance
  readonly activity: Activity.Any
  readonly attempt: Attempt
  readonly key: string
}

/** What the receipt of an attempt says; undefined while it has none. A receipt of another program has no answer for the body. */
const recorded = Effect.fnUntraced(function* (
  { name }: Execution,
  activity: Activity.Any,
  step: JournalStep | undefined
) {
  if (step?.standing._tag !== "Committed") return undefined
  const receipt = readAttemptReceipt(step.standing.receipt)
  if (receipt !== undefined && "abandoned" in receipt) return new Workflow.Suspended({})
  const exit = yield* Effect.catch(decodeExit(receipt?.exit), ({ message }) => {
    const what = `The exit of activity ${activity.name} in the receipt of ${step.step_id}`
    return Effect.die(new RecordUnreadable({ ...name, what, reason: message }))
  })
  return new Workflow.Complete({ exit })
})

/** Waits until another process has done with a step, or its lease has ended. */
const awaitOther = Effect.fnUntraced(function* (
  { execution, host }: Ask,
  { standing, step_id }: JournalStep
) {
  if (standing._tag !== "Leased") return
  const change = execution.nextActivityChange()
  yield* catchUpOn(host, execution, "activities", execution)
  const now = yield* Clock.currentTimeMillis
  if (standing.ends > now) {
    yield* Effect.raceFirst(sleepUntil(standing.ends), change)
  } else {
    yield* requeueExpired(host, execution.runs.activity, step_id)
  }
  yield* catchUpOn(host, execution, "activities", execution)
})

/** The lease of the attempt's step; undefined where its state must be looked at again. */
const obtain = Effect.fnUntraced(function* (
  ask: Ask,
  journal: RunJournal,
  restore: <A>(work: Effect.Effect<A>) => Effect.Effect<A>
) {
  const { attempt, execution, host, key } = ask
  const { ledger, ttl_seconds, worker_id } = host
  const step = journal.withKey(key)
  const run_id = execution.runs.activity
  if (step === undefined) {
    const payload = attemptPayload(attempt)
    const posted = yield* Effect.orDie(
      asked(
        ledger.postMessage({
          run_id,
          source: "SYSTEM",
          payload,
          idempotency_key: key,
          claim: { worker_id, ttl_seconds }
        }),
        execution
      ).pipe(
        // Another program has posted it, with another payload: the attempt is its step.
        Effect.catchTag("IdempotencyConflict", () =>
          Effect.succeed({ lease: null, lease_expires_at: null, job_id: "" })
        )
      )
    )
    const { lease, lease_expires_at } = posted
    if (lease === null || lease_expires_at === null) {
      yield* catchUpOn(host, execution, "activities", execution)
      return undefined
    }
    const known = journal.post({ job_id: posted.job_id, key, payload, posted: undefined })
    return leaseInHand(journal, known, lease, lease_expires_at)
  }
  if (step.standing._tag === "Leased") {
    yield* restore(awaitOther(ask, step))
    return undefined
  }
  const claimed = yield* asked(
    ledger.claimStep({ run_id, job_id: step.job_id, worker_id, ttl_seconds }),
    execution
  ).pipe(
    Effect.catchTag("NoPendingStep", () => Effect.undefined),
    Effect.orDie
  )
  if (claimed === undefined) {
    yield* catchUpOn(host, execution, "activities", execution)
    return undefined
  }
  return leaseInHand(journal, step, claimed.lease, claimed.lease_expires_at)
})

const leaseInHand = (
  journal: RunJournal,
  step: JournalStep,
  lease: Lease,
  lease_expires_at: string
): LeaseInHand => {
  journal.lease(step, lease.fencing_token, lease.worker_id, millisFromTimestamp(lease_expires_at))
  return { lease, lease_expires_at }
}

/** Commits the exit of an attempt; false where another process has the step, or had it. */
const commit = Effect.fnUntraced(function* (
  { execution, host }: Ask,
  lease: Lease,
  exit: Exit.Exit<unknown, unknown>,
  encoded: JsonValue
) {
  const completion = { ...lease, receipt_payload: { exit: encoded }, outcome: outcomeOf(exit) }
  const completed = yield* asked(host.ledger.completeStep(completion), execution).pipe(
    Effect.as(true),
    Effect.catch((error) =>
      error._tag === "InvalidInput"
        ? Effect.fail(error)
        : error._tag === "LeaseExpired" || error._tag === "NotLeased"
          ? finishLate(host, completion, execution)
          : Effect.succeed(false)
    )
  )
  const step = execution.activities?.steps.get(lease.step_id)
  if (completed && step !== undefined) {
    execution.activities?.complete(step, completion.outcome, completion.receipt_payload)
  }
  return completed
})

/** The exit of an attempt whose value cannot be recorded: it says so, and replays say the same. */
const refusedExit = ({ attempt, execution }: Ask, reason: string) =>
  Exit.die(new NotRecordable({ ...execution.name, what: `The exit of activity ${attempt.name}`, reason }))

const reasonOf = (error: unknown): string =>
  error instanceof InvalidInput
    ? error.issues.map(({ message }) => message).join("; ")
    : error instanceof Error
      ? error.message
      : String(error)

/** Records an exit: what the body is told; undefined where another process has the step. */
const record = Effect.fnUntraced(function* (ask: Ask, lease: Lease, exit: Exit.Exit<unknown, unknown>) {
  const write = Effect.fnUntraced(function* (exit: Exit.Exit<unknown, unknown>) {
    const encoded = (yield* encodeExit(exit)) as JsonValue
    const isOurs = yield* commit(ask, lease, exit, encoded)
    // A replay is given what was written, so the first run is, too: of an error that is what its codec keeps.
    return isOurs ? (Exit.isSuccess(exit) ? exit : yield* Effect.orDie(decodeExit(encoded))) : undefined
  })
  return yield* write(exit).pipe(
    Effect.catch((error) => write(refusedExit(ask, reasonOf(error)))),
    Effect.orDie
  )
})

/** Runs the attempt while its lease is kept, and records its exit. */
const perform = (ask: Ask, claimed: LeaseInHand): Effect.Effect<Result | undefined> =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const { activity, execution, host, instance } = ask
      const kept = yield* keepLease(host.ledger, claimed, host.ttl_seconds)
      const own = WorkflowEngine.WorkflowInstance.initial(instance.workflow, instance.executionId, {
        awaitedDeferreds: execution.turn?.activityAwaits
      })
      own.interrupted = instance.interrupted
      const exit: Exit.Exit<Result, unknown> = yield* Effect.exit(
        restore(
          (activity.executeEncoded as Effect.Effect<unknown, unknown>).pipe(
            Workflow.intoResult,
            Effect.provideService(WorkflowEngine.WorkflowInstance, own),
            Effect.provideService(ActivityLease, kept.current)
          )
        )
      )
      yield* kept.stop
      const lease = yield* kept.current
      const isPreempted = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      if (isPreempted || (Exit.isSuccess(exit) && exit.value._tag === "Suspended")) {
        yield* giveBack(host, lease, isPreempted ? "the activity was interrupted" : "the activity waits")
        const step = execution.activities?.steps.get(lease.step_id)
        if (step !== undefined) execution.activities?.giveBack(step, lease.fencing_token)
        return yield* exit as Exit.Exit<Result>
      }
      const ended =
        Exit.isSuccess(exit) && exit.value._tag === "Complete"
          ? exit.value.exit
          : (exit as Exit.Exit<never, unknown>)
      const told = yield* record(ask, lease, ended)
      if (told === undefined) {
        yield* catchUpOn(host, execution, "activities", execution)
        return undefined
      }
      // A defect that the workflow does not capture ends the body, also where it is replayed.
      return Exit.isFailure(exit) ? yield* told as Exit.Exit<never> : new Workflow.Complete({ exit: told })
    })
  )

/** The result of an attempt that the ledger has, or that this or another process runs now. */
export const executeActivity = Effect.fnUntraced(function* (
  host: Host,
  execution: Execution,
  instance: Instance,
  activity: Activity.Any,
  attempt: number
): Effect.fn.Return<Result> {
  const { turn } = execution
  const key = activityKey(host.sha256, activity.name, attempt)
  if (!isName(activity.name)) {
    const reason = "its name holds U+0000 or half of a character"
    return yield* Effect.die(new NotRecordable({ ...execution.name, what: "An activity", reason }))
  }
  turn?.asked.add(key)
  const isHeld = turn !== undefined && instance !== turn.instance
  const ask = { host, execution, instance, activity, key, attempt: { name: activity.name, attempt, isHeld } }
  if (execution.activities === undefined) yield* catchUpOn(host, execution, "activities", execution)
  while (true) {
    const journal: RunJournal = execution.activities!
    const known = yield* recorded(execution, activity, journal.withKey(key))
    if (known !== undefined) return known
    // A replay that is to be interrupted only builds its compensations again.
    if (execution.journal.interrupted !== undefined && !instance.interrupted)
      return new Workflow.Suspended({})
    const running = execution.inFlight.get(key)
    if (running !== undefined) {
      yield* Deferred.await(running)
      continue
    }
    const done = Deferred.makeUnsafe<void>()
    execution.inFlight.set(key, done)
    const result = yield* Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(obtain(ask, journal, restore), (claimed) =>
        claimed === undefined ? Effect.undefined : restore(perform(ask, claimed))
      )
    ).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          execution.inFlight.delete(key)
          Deferred.doneUnsafe(done, Effect.void)
        })
      )
    )
    if (result !== undefined) return result
  }
})
