// What other processes do, as the log tells it: wakes to take, values that a body here awaits, results that callers here wait for,
// clocks to set, leases that may end. Other processes are heard in real time, whichever clock this program has.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { millisFromTimestamp } from "../../domain/canonical/timestamp.ts"
import { type EventEnvelope, runOfStream } from "../../domain/ledger/event-envelope.ts"
import type { LedgerEvent } from "../../domain/ledger/events.ts"
import { jobIdOf, jobIdOfStep, stepIdOf } from "../../domain/ledger/ids.ts"
import type { LeasedStep, PendingStep } from "../../domain/ledger/lists.ts"
import { ownerOfRun, type RunKind, runOf, type RunOwner } from "../../domain/workflow/names.ts"
import { type ExecutionName, readClock, readWake } from "../../domain/workflow/wakes.ts"
import { isClockReceipt, readTurnReceipt } from "../../domain/workflow/receipts.ts"
import type { JsonObject } from "../../domain/canonical/json.ts"
import { nextTurn } from "../../domain/workflow/turn-decision.ts"
import { decoded } from "../ledger/reading/decoded-event.ts"
import { using } from "./executions.ts"
import { type Execution, executionOfRun, type Host } from "./host.ts"
import { catchUp, read } from "./ledger-calls.ts"
import { requeueExpired } from "./leases.ts"
import { sweepIfComplete } from "./settling.ts"
import { awaitClock, ring, type WaitingClock } from "./timers.ts"
import { look } from "./turns.ts"
import { cutOff } from "./waking.ts"

/** How long an engine waits before it reads again what could not be read. */
const PAUSE = "1 second"

/** The beginning of the streams of all runs that an engine keeps. */
const isOfEngine = /^run:(?:workflow|activity|timer)\//

/** The name of a run's execution: one that was cut stands whole in its first message. Undefined for a workflow of others. */
const nameOfRun = Effect.fnUntraced(function* (
  host: Host,
  owner: RunOwner,
  run_id: string
): Effect.fn.Return<ExecutionName | undefined> {
  if (!owner.isCut) return host.entries.has(owner.workflow) ? owner : undefined
  const run = `workflow${run_id.slice(owner.kind.length)}`
  let after = 0
  while (true) {
    const page = yield* read(host.ledger.eventsAfter({ run_id: run, after, limit: 100 }))
    for (const envelope of page) {
      const event = yield* read(decoded(envelope))
      const wake = event.type === "MessagePosted" ? readWake(event.data.payload) : undefined
      after = event.position
      if (wake?.kind !== "execute") continue
      const isOurs =
        host.entries.has(wake.workflow) &&
        runOf(host.sha256, "workflow", wake.workflow, wake.execution) === run
      return isOurs ? wake : undefined
    }
    if (page.length === 0) return undefined
  }
})

/** Uses the execution that a run belongs to, if its workflow is registered here. */
const ofRun = Effect.fnUntraced(function* (
  host: Host,
  run_id: string,
  use: (execution: Execution) => Effect.Effect<void>
) {
  const owner = ownerOfRun(run_id)
  const name = owner && (yield* nameOfRun(host, owner, run_id))
  if (name !== undefined) yield* using(host, name, use)
})

/** Looks for turns in a run. */
const lookAt = (host: Host, run_id: string): Effect.Effect<void> =>
  ofRun(host, run_id, (execution) => look(host, execution))

/** Ends what is left over in a run whose execution is complete. */
const sweepRun = (host: Host, run_id: string): Effect.Effect<void> =>
  ofRun(host, run_id, (execution) =>
    Effect.andThen(
      catchUp(host, execution),
      Effect.suspend(() => sweepIfComplete(host, execution))
    )
  )

/** Takes up the step of a run that waits again. */
const takeUp = (host: Host, run_id: string): Effect.Effect<void> => {
  if (run_id.startsWith("workflow/")) return lookAt(host, run_id)
  if (run_id.startsWith("timer/")) return findClocks(host, run_id)
  return sweepRun(host, run_id)
}

/** Requeues a lease when it has ended, unless it was renewed. */
const watchLease = (host: Host, run_id: string, step_id: string, ends: number): void => {
  const reap = Effect.gen(function* () {
    const requeued = yield* requeueExpired(host, run_id, step_id)
    if (Result.isFailure(requeued) && requeued.failure._tag === "LeaseNotExpired") {
      watchLease(host, run_id, step_id, millisFromTimestamp(requeued.failure.lease_expires_at))
    }
    if (Result.isSuccess(requeued)) yield* takeUp(host, run_id)
  })
  host.agenda.add(`lease:${step_id}`, ends, reap)
}

/** Sets the clock of a run. */
const setClock = (host: Host, run_id: string, waiting: WaitingClock): void =>
  awaitClock(
    host,
    waiting,
    ofRun(host, run_id, (execution) => ring(host, execution, waiting))
  )

/** What a stretch of the log leaves to be looked at: runs by their steps that wait. */
type Waiting = Map<string, string>

/** Tells an execution in memory what is new of it. */
const tell = (host: Host, execution: Execution, event: LedgerEvent): void => {
  const { journal, turn } = execution
  if (!execution.isRead) return
  if (journal.read(event)) execution.signal()
  // What was read before the body began, it has seen.
  else if (turn === undefined || event.position <= turn.startedAt) return
  const wake = event.type === "MessagePosted" ? readWake(event.data.payload) : undefined
  if (wake?.kind === "deferred") host.fork(execution.preempt(wake.name))
  if (wake?.kind === "interrupt-unsafe" && turn?.instance.interrupted === false) host.fork(cutOff(execution))
}

/** True for a receipt that another program than an engine gave to a wake or to a clock. */
const isForeign = (run_id: string, receipt: JsonObject): boolean =>
  run_id.startsWith("timer/") ? !isClockReceipt(receipt) : readTurnReceipt(receipt) === undefined

/** What an event of a lease asks for. */
const onLease = (
  host: Host,
  run_id: string,
  event: Extract<
    LedgerEvent,
    { readonly type: "StepClaimed" | "LeaseRenewed" | "StepRequeued" | "StepCompleted" }
  >,
  waiting: Waiting
): void => {
  const { step_id, worker_id } = event.data
  const isUnanswered = event.type === "StepCompleted" && isForeign(run_id, event.data.receipt)
  const waitsAgain = event.type === "StepRequeued" || isUnanswered
  if (waitsAgain && !run_id.startsWith("activity/")) waiting.set(step_id, run_id)
  else waiting.delete(step_id)
  if (event.type === "StepRequeued" || event.type === "StepCompleted") {
    host.agenda.remove(`lease:${step_id}`)
    // A clock that another program finished rings all the same.
    if (!isUnanswered) host.agenda.remove(`clock:${step_id}`)
  } else if (worker_id !== host.worker_id) {
    watchLease(host, run_id, step_id, millisFromTimestamp(event.data.lease_expires_at))
  }
}

/** Hears one event of a run that an engine keeps. */
const hear = (host: Host, run_id: string, owner: RunOwner, event: LedgerEvent, waiting: Waiting): void => {
  const execution = executionOfRun(host, owner.kind, run_id)
  if (owner.kind === "activity") execution?.signalActivities()
  if (owner.kind === "workflow" && execution !== undefined) tell(host, execution, event)
  if (!owner.isCut && !host.entries.has(owner.workflow)) return
  if (event.type === "LedgerCreated" || event.type === "ThoughtRecorded") return
  if (event.type !== "MessagePosted") return onLease(host, run_id, event, waiting)
  const step_id = stepIdOf(jobIdOf(event.data.message_id, 1), 1)
  if (owner.kind === "workflow") waiting.set(step_id, run_id)
  const clock = owner.kind === "timer" ? readClock(event.data.payload) : undefined
  if (clock !== undefined) setClock(host, run_id, { step_id, job_id: jobIdOfStep(step_id), token: 0, clock })
}

/** True when an execution here has read the event, and what is to be done is seen without it. */
const hasRead = (host: Host, run_id: string, { data, position, type }: EventEnvelope): boolean => {
  const execution = host.byRun.get(run_id)
  if (type === "StepRequeued" || execution === undefined || position > execution.journal.turns.position)
    return false
  // A body that runs may not have seen it.
  if (type === "MessagePosted" && position > (execution.turn?.startedAt ?? position)) return false
  // The end of another engine's lease is watched.
  return type === "MessagePosted" || data.includes(`"worker_id":"${host.worker_id}"`)
}

/** Looks at an execution here that has something to do and no fiber that does it. */
const lookIfIdle = (host: Host, run_id: string): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const execution = host.byRun.get(run_id)
    if (execution === undefined || execution.isDriven) return Effect.void
    const next = nextTurn(execution.journal, now)._tag
    return next === "Nothing" || next === "Running" ? Effect.void : look(host, execution)
  })

/** Events of activities say here whose leases may end, and nothing else; what this engine has done, it knows. */
const isKnown = ({ worker_id }: Host, { data, stream_id, type }: EventEnvelope): boolean =>
  type !== "StepRequeued" &&
  ((type === "MessagePosted" && stream_id.startsWith("run:activity/")) ||
    (type !== "MessagePosted" &&
      !stream_id.startsWith("run:workflow/") &&
      data.includes(`"worker_id":"${worker_id}"`)))

const hearAll = Effect.fnUntraced(function* (host: Host, events: ReadonlyArray<EventEnvelope>) {
  const waiting: Waiting = new Map()
  const touched = new Set<string>()
  for (const envelope of events) {
    if (!isOfEngine.test(envelope.stream_id) || isKnown(host, envelope)) continue
    const run_id = runOfStream(envelope.stream_id) ?? ""
    const owner = ownerOfRun(run_id)
    if (owner === undefined) continue
    if (owner.kind === "workflow") touched.add(run_id)
    if (!hasRead(host, run_id, envelope)) hear(host, run_id, owner, yield* decoded(envelope), waiting)
  }
  for (const run_id of touched) yield* lookIfIdle(host, run_id)
  for (const run_id of new Set(waiting.values())) host.fork(takeUp(host, run_id))
})

/** Hears everything that comes behind a position, until the ledger is closed; a reading that failed is tried again. */
export const listen = Effect.fnUntraced(function* (host: Host, start: number) {
  let after = start
  const hearing = Effect.suspend(() =>
    Stream.runForEachArray(host.ledger.events({ after }), (events) =>
      Effect.tap(hearAll(host, events), () =>
        Effect.sync(() => {
          after = events.at(-1)?.position ?? after
        })
      )
    )
  )
  while (true) {
    const ended = yield* Effect.result(hearing)
    if (Result.isFailure(ended) && ended.failure._tag === "LedgerClosed") return
    yield* Effect.logError("The workflow engine cannot read what is new in its ledger; it tries again", ended)
    yield* Effect.sleep(PAUSE)
  }
})

/** Every row of a list that is read page by page. */
const allPages = Effect.fnUntraced(function* <Row>(
  page: (after: Row | undefined) => Effect.Effect<ReadonlyArray<Row>>,
  each: (row: Row) => void
) {
  let last: Row | undefined
  while (true) {
    const rows: ReadonlyArray<Row> = yield* page(last)
    rows.forEach(each)
    if (rows.length === 0) return
    last = rows.at(-1)
  }
})

/** The beginnings of a workflow's runs. */
type Prefixes = { readonly [Kind in RunKind]: string }

/** Each step that waits in runs that begin so. */
const eachWaiting = ({ ledger }: Host, prefix: string, each: (step: PendingStep) => void) =>
  allPages<PendingStep>(
    (last) => read(ledger.waiting({ prefix, after: last && { run_id: last.run_id, step_id: last.step_id } })),
    each
  )

/** Sets the clocks that wait in runs that begin so. */
const findClocks = (host: Host, prefix: string): Effect.Effect<void> =>
  eachWaiting(host, prefix, ({ fencing_token: token, job_id, payload, run_id, step_id }) => {
    const clock = readClock(payload)
    if (clock !== undefined) setClock(host, run_id, { step_id, job_id, token, clock })
  })

/** Finds what there was to be done for a workflow before it was registered here. */
export const findWork = Effect.fnUntraced(function* (host: Host, prefixes: Prefixes) {
  const { ledger } = host
  const leased = (prefix: string, each: (step: LeasedStep) => void) =>
    allPages<LeasedStep>(
      (last) =>
        read(
          ledger.leases({
            prefix,
            after: last && { lease_expires_at: last.lease_expires_at, step_id: last.step_id }
          })
        ),
      each
    )
  const awake = new Set<string>()
  yield* eachWaiting(host, prefixes.workflow, ({ run_id }) => awake.add(run_id))
  for (const run_id of awake) host.fork(lookAt(host, run_id))
  yield* findClocks(host, prefixes.timer)
  const leftOver = new Set<string>()
  yield* eachWaiting(host, prefixes.activity, ({ run_id }) => leftOver.add(run_id))
  for (const run_id of leftOver) host.fork(sweepRun(host, run_id))
  for (const prefix of Object.values(prefixes)) {
    yield* leased(prefix, ({ lease_expires_at, run_id, step_id, worker_id }) => {
      if (worker_id === host.worker_id) return
      watchLease(host, run_id, step_id, millisFromTimestamp(lease_expires_at))
    })
  }
})
