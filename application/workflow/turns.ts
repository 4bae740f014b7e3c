// Turns: one pass of a workflow's body each, under the lease of the step that woke it. A turn always ends with a receipt, unless the
// process ends or the ledger fails; then the step waits again. One fiber at a time of this process drives an execution.
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Workflow from "effect/workflow/Workflow"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { dismissalOf, isHeldElsewhere, isWokenAgain, nextTurn } from "../../domain/workflow/turn-decision.ts"
import { dismissed } from "../../domain/workflow/receipts.ts"
import { wakePayload } from "../../domain/workflow/wakes.ts"
import { keepLease, type KeptLease, type LeaseInHand } from "../ledger/worker/kept-lease.ts"
import { codecsOf } from "./codecs.ts"
import { abandonBodies, forget, touch, using } from "./executions.ts"
import type { Entry, Execution, Host, Turn } from "./host.ts"
import { asked, catchUp } from "./ledger-calls.ts"
import { dismiss, giveBack, requeueExpired } from "./leases.ts"
import * as Schema from "effect/Schema"
import { died, type Ending, settle } from "./settling.ts"

type Restore = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
type BodyExit = Exit.Exit<Workflow.Result<unknown, unknown>>

/** Looks for turns of an execution, unless a fiber does already: then that one looks again. */
export const look = (host: Host, execution: Execution): Effect.Effect<void> =>
  Effect.sync(() => {
    const entry = host.entries.get(execution.name.workflow)
    if (entry === undefined || execution.isStopping) return
    execution.lookAgain = true
    if (execution.isDriven) return
    execution.isDriven = true
    // The fiber may have ended before it is known here.
    execution.driver = host.fork(
      drive(host, execution, entry).pipe(
        Effect.catchCause((cause) => failed(host, execution, cause)),
        Effect.ensuring(
          Effect.suspend(() => {
            execution.isDriven = false
            execution.turn = undefined
            execution.signal()
            const again = execution.lookAgain && !execution.isStopping
            return Effect.andThen(touch(host, execution), again ? look(host, execution) : Effect.void)
          })
        )
      )
    )
  })

/** The ledger failed: those who wait are told, and what was leased waits again when its lease ends. */
const failed = (host: Host, execution: Execution, cause: Cause.Cause<never>): Effect.Effect<void> =>
  Effect.gen(function* () {
    execution.lookAgain = false
    yield* abandonBodies(execution)
    if (Cause.hasInterruptsOnly(cause)) return
    execution.fault = Cause.squash(cause)
    execution.faults += 1
    yield* Effect.logError(
      `A turn of workflow ${execution.name.workflow} (execution ${execution.name.execution}) has no end: it is tried again when its lease has ended`,
      cause
    )
    lookLater(host, execution, (yield* Clock.currentTimeMillis) + host.ttl_seconds * 1_000)
  })

/** Looks again when a lease has ended. */
const lookLater = (host: Host, execution: Execution, at: number): void => {
  // The execution may have left memory by then, and another one come.
  const looking = using(host, execution.name, (execution) => look(host, execution))
  host.agenda.add(`turn:${execution.runs.workflow}`, at, looking)
}

/** Takes turns until none is to be taken here. */
const drive = (host: Host, execution: Execution, entry: Entry): Effect.Effect<void> =>
  Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      let isRead = false
      while (!execution.isStopping) {
        const claimed: LeaseInHand | undefined =
          execution.claimed.shift() ?? (yield* claimNext(host, execution, isRead))
        if (claimed === undefined) return
        isRead = yield* takeTurn(host, execution, entry, claimed, restore)
        execution.turn = undefined
        execution.signal()
      }
      for (const { lease } of execution.claimed.splice(0)) yield* giveBack(host, lease, STOPPED)
    })
  )

const STOPPED = "the workflow's layer was closed"

/** Claims the next turn; undefined where there is none, or where another process has one. */
const claimNext = Effect.fnUntraced(function* (host: Host, execution: Execution, isRead: boolean) {
  const { ledger, ttl_seconds, worker_id } = host
  const run_id = execution.runs.workflow
  let isNew = isRead
  while (true) {
    if (!isNew || execution.lookAgain) {
      execution.lookAgain = false
      yield* catchUp(host, execution)
    }
    isNew = false
    const next = nextTurn(execution.journal, yield* Clock.currentTimeMillis)
    switch (next._tag) {
      case "Nothing":
        if (execution.lookAgain || execution.claimed.length > 0) break
        return undefined
      case "Running":
        lookLater(host, execution, next.until)
        return undefined
      case "Expired":
        yield* requeueExpired(host, run_id, next.step.step_id)
        break
      case "Dismiss":
        yield* dismiss(
          host,
          run_id,
          next.steps.map((step) => [step, dismissed(next.as, execution.journal.wakeOf(step))] as const)
        )
        execution.signal()
        break
      case "Unanswered": {
        const payload = wakePayload({ kind: "resume" })
        yield* Effect.orDie(asked(ledger.postMessage({ run_id, source: "SYSTEM", payload })))
        break
      }
      case "Turn": {
        const { job_id } = next.step
        const claim = asked(ledger.claimStep({ run_id, job_id, worker_id, ttl_seconds }))
        const claimed = yield* Effect.orDie(Effect.catchTag(claim, "NoPendingStep", () => Effect.undefined))
        if (claimed !== undefined) return claimed
      }
    }
    if (execution.claimed.length > 0) return execution.claimed.shift()
  }
})

/** One turn, from its claim to its receipt. True when what its end left was read: what comes later is told by news. */
const takeTurn = Effect.fnUntraced(function* (
  host: Host,
  execution: Execution,
  entry: Entry,
  claimed: LeaseInHand,
  restore: Restore
) {
  const { lease } = claimed
  yield* catchUp(host, execution)
  const { journal } = execution
  const step = journal.turns.steps.get(lease.step_id)
  if (step === undefined || isHeldElsewhere(journal, step, yield* Clock.currentTimeMillis)) {
    yield* giveBack(host, lease, "another turn runs")
    return false
  }
  const dismissal = dismissalOf(journal, step)
  if (dismissal !== undefined) {
    const { outcome, receipt: receipt_payload } = dismissed(dismissal, journal.wakeOf(step))
    yield* Effect.ignore(asked(host.ledger.completeStep({ ...lease, receipt_payload, outcome })))
    return false
  }
  const kept = yield* keepLease(host.ledger, claimed, host.ttl_seconds)
  const turn: Turn = {
    instance: WorkflowEngine.WorkflowInstance.initial(entry.workflow, execution.name.execution),
    body: undefined,
    activityAwaits: new Map(),
    startedAt: 0,
    asked: new Set(),
    given: new Set(),
    isLost: false,
    fault: undefined
  }
  execution.turn = turn
  yield* Effect.forkChild(Effect.interruptible(watchLease(kept, turn)))
  const ending = yield* runToEnd(host, execution, entry, turn, restore)
  yield* kept.stop
  if (turn.fault !== undefined) return yield* Effect.die(turn.fault)
  if (ending === undefined) {
    yield* abandonBodies(execution)
    if (!turn.isLost) yield* giveBack(host, yield* kept.current, STOPPED)
    return false
  }
  yield* settle(host, execution, entry, { turn, step, lease: yield* kept.current, ending }, look)
  return true
})

/** Ends the body when another process has taken the turn; a lease that has only ended is finished late. */
const watchLease = Effect.fnUntraced(function* (kept: KeptLease, turn: Turn) {
  const refusal = yield* kept.lost
  if (refusal._tag === "LeaseExpired") return
  turn.isLost = true
  turn.instance.abandoned = true
  if (turn.body !== undefined) yield* Fiber.interrupt(turn.body)
})

/** Runs the body until it ends and nothing has woken it meanwhile; undefined where the turn is given up. */
const runToEnd = Effect.fnUntraced(function* (
  host: Host,
  execution: Execution,
  entry: Entry,
  turn: Turn,
  restore: Restore
): Effect.fn.Return<Ending | undefined> {
  const { journal } = execution
  while (true) {
    const startedAt = journal.turns.position
    turn.startedAt = startedAt
    const exit = yield* runBody(host, execution, entry, turn, restore)
    if (exit === undefined || execution.isStopping || turn.isLost || turn.fault !== undefined)
      return undefined
    const { instance } = turn
    const result = Exit.isSuccess(exit) ? exit.value : undefined
    if (result?._tag === "Complete") return { _tag: "Complete", result }
    yield* catchUp(host, execution)
    const { position: seen } = journal.turns
    const isInterrupted = journal.interrupted !== undefined && !instance.interrupted
    if (result !== undefined) {
      const failed = result.failed === true
      const awaited = {
        has: (name: string) => instance.awaitedDeferreds.has(name) || turn.activityAwaits.has(name)
      }
      const woken = isWokenAgain(journal, {
        startedAt,
        failed,
        awaited,
        completed: instance.completedDeferreds
      })
      if (!woken && !isInterrupted) return { _tag: "Suspended", result, seen }
    } else if (Exit.isFailure(exit)) {
      // A value that the body awaited cut it off, or an unsafe interruption: it runs again, and sees it.
      const isCutOff = instance.suspended || (isInterrupted && journal.interrupted === "unsafe")
      if (!Cause.hasInterruptsOnly(exit.cause) || !isCutOff) return died(exit.cause, startedAt)
    }
  }
})

/** Runs the body once; undefined where the turn was stopped. */
const runBody = Effect.fnUntraced(function* (
  host: Host,
  execution: Execution,
  entry: Entry,
  turn: Turn,
  restore: Restore
): Effect.fn.Return<BodyExit | undefined> {
  const { journal, name } = execution
  const instance = WorkflowEngine.WorkflowInstance.initial(entry.workflow, name.execution, {
    scope: Scope.forkUnsafe(execution.scope)
  })
  turn.instance = instance
  turn.asked.clear()
  turn.given.clear()
  execution.instances.add(instance)
  const decode = Schema.decodeUnknownEffect(codecsOf(entry.workflow).payload)(journal.start?.payload)
  const payload = yield* Effect.exit(
    Effect.provideContext(decode as Effect.Effect<object, Schema.SchemaError>, entry.context)
  )
  // A payload that today's code cannot read is no result: the execution stays, and a wake tries it again.
  if (Exit.isFailure(payload)) return Exit.die(Cause.squash(payload.cause))
  const body = entry.execute(payload.value, name.execution).pipe(
    Effect.onExit((exit) => interruptAtEnd(execution, turn, exit)),
    Workflow.intoResult,
    Effect.provideService(WorkflowEngine.WorkflowEngine, host.service()),
    (body) => execution.deferreds.trackRun(instance, body)
  )
  const fiber = yield* Effect.forkChild(Effect.interruptible(body))
  turn.body = fiber
  const ended = yield* Effect.exit(restore(Fiber.await(fiber)))
  if (Exit.isSuccess(ended)) return ended.value
  instance.abandoned = true
  yield* Fiber.interrupt(fiber)
  return undefined
})

/** A safe interruption takes effect where the body would suspend; an unsafe one in any case. */
const interruptAtEnd = (
  execution: Execution,
  { instance, isLost }: Turn,
  exit: Exit.Exit<unknown, unknown>
): Effect.Effect<void> => {
  const { interrupted } = execution.journal
  const stopsAtFailure =
    Context.get(instance.workflow.annotations, Workflow.SuspendOnFailure) && Exit.isFailure(exit)
  const wouldEnd = instance.suspended || instance.abandoned || stopsAtFailure
  if (interrupted === undefined || execution.isStopping || isLost) return Effect.void
  if (interrupted === "safe" && !wouldEnd) return Effect.void
  instance.interrupted = true
  instance.suspended = false
  return Effect.withFiber((fiber) => Effect.interruptible(Fiber.interrupt(fiber)))
}

/** Ends what runs of a workflow here and gives it back; those who wait are interrupted. */
export const stopAll = (host: Host, workflow: string | undefined): Effect.Effect<void> =>
  Effect.forEach(
    [...host.executions.values()].filter(({ name }) => workflow === undefined || name.workflow === workflow),
    (execution) =>
      Effect.gen(function* () {
        execution.isStopping = true
        for (const instance of execution.instances) instance.abandoned = true
        const { driver } = execution
        if (driver !== undefined) yield* Fiber.interrupt(driver)
        yield* abandonBodies(execution)
        forget(host, execution)
        execution.signal()
      }),
    { concurrency: "unbounded", discard: true }
  )
