// Effect's workflow engine on a ledger. Every wake of an execution, every attempt of an activity and every clock is a step with its
// receipt, so that any process that opens the ledger goes on where another one stopped, and `verify` proves what was done.
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Workflow from "effect/workflow/Workflow"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { jcs, jcsText } from "../../domain/canonical/jcs.ts"
import type { JsonValue } from "../../domain/canonical/json.ts"
import {
  ExecutionConflict,
  NotRecordable,
  RecordUnreadable,
  WorkflowNotRegistered
} from "../../domain/workflow/errors.ts"
import { runPrefix } from "../../domain/workflow/names.ts"
import { nextTurn } from "../../domain/workflow/turn-decision.ts"
import { Hashing } from "../foundation/hashing.ts"
import { Ledger } from "../ledger/ledger.ts"
import { executeActivity } from "./activities.ts"
import { Agenda } from "./agenda.ts"
import { BodyCause, codecsOf, DeferredExit } from "./codecs.ts"
import { nameOf, using, usingOwn } from "./executions.ts"
import { type Execution, executionKey, type Host, type Instance } from "./host.ts"
import { catchUp, read } from "./ledger-calls.ts"
import { findWork, listen } from "./news.ts"
import { schedule } from "./timers.ts"
import { look, stopAll } from "./turns.ts"
import { cutOff, postWake } from "./waking.ts"

export interface EngineOptions {
  /** The name of this engine as a worker: no other engine on the same file may have it. */
  readonly worker_id: string
  /** How long a lease lasts, in seconds; it is renewed when a third of it is over. */
  readonly ttl_seconds: number
}

type ExecuteOptions<Discard extends boolean> = Omit<
  Parameters<WorkflowEngine.Encoded["execute"]>[1],
  "discard"
> & { readonly discard: Discard }

type Encoded = Required<WorkflowEngine.Encoded>
type WorkflowResult = Workflow.Result<unknown, unknown>

const encodeDeferred = Schema.encodeEffect(DeferredExit)
const decodeDeferred = Schema.decodeUnknownEffect(DeferredExit)
const decodeCause = Schema.decodeUnknownEffect(BodyCause)

/** A codec's work with the services of the caller and of the registration. */
const withServices = <A, E>(host: Host, { _tag }: Workflow.Any, work: Effect.Effect<A, E, unknown>) => {
  const context = host.entries.get(_tag)?.context
  return (context === undefined ? work : Effect.provideContext(work, context)) as Effect.Effect<A, E>
}

/** What the ledger has and cannot be read is told by name. */
const readable = <A>(work: Effect.Effect<A, Schema.SchemaError>, { name }: Execution, what: string) =>
  Effect.catch(work, ({ message: reason }) => Effect.die(new RecordUnreadable({ ...name, what, reason })))

/** The result of an execution that is complete. */
const resultOf = (host: Host, workflow: Workflow.Any, execution: Execution, encoded: JsonValue) => {
  const decode = Schema.decodeUnknownEffect(codecsOf(workflow).result)(encoded)
  return readable(
    withServices(host, workflow, decode),
    execution,
    "The result"
  ) as Effect.Effect<WorkflowResult>
}

/** How an execution stands that nothing runs and nothing wakes. */
const restingResult = Effect.fnUntraced(function* (host: Host, workflow: Workflow.Any, execution: Execution) {
  const { last } = execution.journal
  switch (last?.turn) {
    case "complete":
    case "suspended":
      return yield* resultOf(host, workflow, execution, last.result)
    case "died":
      return yield* Effect.failCause(yield* Effect.orDie(decodeCause(last.cause)))
    default:
      return undefined
  }
})

/** True while a turn runs or waits, here or elsewhere. */
const isMoving = (execution: Execution, now: number): boolean =>
  execution.isDriven ||
  execution.claimed.length > 0 ||
  ["Running", "Expired", "Turn", "Unanswered"].includes(nextTurn(execution.journal, now)._tag)

/** The result of an execution once no turn of it runs or waits. */
const awaitRest = Effect.fnUntraced(function* (host: Host, workflow: Workflow.Any, execution: Execution) {
  const { faults } = execution
  while (true) {
    const change = execution.nextChange()
    if (execution.isStopping) return yield* Effect.interrupt
    if (execution.faults > faults) return yield* Effect.die(execution.fault)
    const isComplete = execution.journal.result !== undefined
    if (isComplete || !isMoving(execution, yield* Clock.currentTimeMillis)) {
      const result = yield* restingResult(host, workflow, execution)
      if (result !== undefined) return result
    }
    yield* change
  }
})

const execute =
  (host: Host): Encoded["execute"] =>
  <const Discard extends boolean>(
    workflow: Workflow.Any,
    options: ExecuteOptions<Discard>
  ): Effect.Effect<Discard extends true ? void : WorkflowResult> => {
    const name = { workflow: workflow._tag, execution: options.executionId }
    const parent =
      options.detached === true || options.parent === undefined ? undefined : nameOf(options.parent)
    return using(host, name, (execution) =>
      Effect.gen(function* () {
        if (!host.entries.has(workflow._tag)) {
          return yield* Effect.die(new WorkflowNotRegistered({ workflow: workflow._tag }))
        }
        const inside = options.parent && host.executions.get(executionKey(nameOf(options.parent)))
        const encode = Schema.encodeEffect(codecsOf(workflow).payload)(options.payload)
        const refused = (error: { readonly message: string }) =>
          Effect.die(new NotRecordable({ ...name, what: "The payload", reason: error.message }))
        const payload = (yield* Effect.catch(withServices(host, workflow, encode), refused)) as JsonValue
        if (!execution.isRead) yield* catchUp(host, execution, inside)
        if (execution.journal.start === undefined) {
          yield* postWake(host, execution, { kind: "execute", ...name, payload, parent }, [], inside)
          if (execution.journal.start === undefined) yield* catchUp(host, execution, inside)
        }
        const started = execution.journal.start
        if (started !== undefined) {
          const text = yield* Effect.catch(Effect.fromResult(jcs(payload)), refused)
          if (jcsText(started.payload) !== text) return yield* Effect.die(new ExecutionConflict(name))
        }
        const now = yield* Clock.currentTimeMillis
        if (!execution.isDriven && nextTurn(execution.journal, now)._tag !== "Nothing")
          yield* look(host, execution)
        return options.discard ? undefined : yield* awaitRest(host, workflow, execution)
      })
    ) as Effect.Effect<Discard extends true ? void : WorkflowResult>
  }

const poll =
  (host: Host): Encoded["poll"] =>
  (workflow, executionId) =>
    using(host, { workflow: workflow._tag, execution: executionId }, (execution) =>
      Effect.gen(function* () {
        yield* catchUp(host, execution)
        const now = yield* Clock.currentTimeMillis
        if (execution.journal.result === undefined && isMoving(execution, now)) return Option.none()
        const result = yield* restingResult(host, workflow, execution).pipe(
          Effect.catchCause((cause) => Effect.die(cause))
        )
        return Option.fromNullishOr(result)
      })
    )

/** Wakes an execution that was started and is not complete. */
const wakeStarted = (host: Host, kind: "interrupt" | "interrupt-unsafe" | "resume"): Encoded["resume"] =>
  Effect.fnUntraced(function* (workflow, executionId) {
    yield* using(host, { workflow: workflow._tag, execution: executionId }, (execution) =>
      Effect.gen(function* () {
        yield* catchUp(host, execution)
        const { journal } = execution
        if (journal.start === undefined || journal.result !== undefined) return
        yield* postWake(host, execution, { kind })
        yield* catchUp(host, execution)
        if (kind === "interrupt-unsafe") yield* cutOff(execution)
      })
    )
  })

const awaitComplete =
  (host: Host): Encoded["awaitComplete"] =>
  (workflow, executionId) =>
    using(host, { workflow: workflow._tag, execution: executionId }, (execution) =>
      Effect.gen(function* () {
        yield* catchUp(host, execution)
        while (true) {
          const change = execution.nextChange()
          if (execution.isStopping) return yield* Effect.interrupt
          if (execution.journal.result !== undefined) return
          yield* change
        }
      })
    )

const deferredResult =
  (host: Host): Encoded["deferredResult"] =>
  (deferred) =>
    Effect.flatMap(WorkflowEngine.WorkflowInstance, (instance) =>
      usingOwn(host, instance, (execution) =>
        Effect.gen(function* () {
          const { deferreds } = execution.journal
          if (!deferreds.has(deferred.name)) yield* catchUp(host, execution, execution)
          const exit = deferreds.get(deferred.name)
          if (exit !== undefined) execution.turn?.given.add(deferred.name)
          if (exit === undefined) return Option.none()
          const what = `The exit of deferred ${deferred.name}`
          return Option.some(yield* readable(decodeDeferred(exit), execution, what))
        })
      )
    )

const deferredDone =
  (host: Host): Encoded["deferredDone"] =>
  ({ deferredName, executionId, exit, workflowName }) =>
    Effect.gen(function* () {
      const name = { workflow: workflowName, execution: executionId }
      const running = Option.getOrUndefined(yield* Effect.serviceOption(WorkflowEngine.WorkflowInstance))
      const isOwn = running !== undefined && executionKey(nameOf(running)) === executionKey(name)
      const inside = running && host.executions.get(executionKey(nameOf(running)))
      const encoded = (yield* encodeDeferred(exit).pipe(
        Effect.catch((error) => {
          const what = `The exit of deferred ${deferredName}`
          return Effect.die(new NotRecordable({ ...name, what, reason: String(error) }))
        })
      )) as JsonValue
      yield* using(host, name, (execution) =>
        Effect.gen(function* () {
          if (!execution.isRead && host.entries.has(workflowName)) yield* catchUp(host, execution, inside)
          if (execution.journal.deferreds.has(deferredName)) return
          if (isOwn) running.completedDeferreds.add(deferredName)
          yield* postWake(
            host,
            execution,
            { kind: "deferred", name: deferredName, exit: encoded },
            [],
            inside
          )
          const preempt = execution.preempt(deferredName)
          // A body cannot wait for its own end.
          yield* isOwn ? Effect.sync(() => host.fork(preempt)) : preempt
        })
      )
    })

/** The engine's functions, as Effect wants them. */
const encodedEngine = (host: Host): Encoded => {
  const within = <A>(use: (execution: Execution, instance: Instance) => Effect.Effect<A>) =>
    Effect.flatMap(WorkflowEngine.WorkflowInstance, (instance) =>
      usingOwn(host, instance, (execution) => use(execution, instance))
    )
  return {
    register: Effect.fnUntraced(function* (workflow, body) {
      const context = yield* Effect.context<never>()
      const entry = { workflow, execute: body, context }
      host.entries.set(workflow._tag, entry)
      const prefixOf = (kind: "workflow" | "activity" | "timer") =>
        runPrefix(host.sha256, kind, workflow._tag)
      const finding = host.fork(
        findWork(host, {
          workflow: prefixOf("workflow"),
          activity: prefixOf("activity"),
          timer: prefixOf("timer")
        })
      )
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          yield* Fiber.interrupt(finding)
          if (host.entries.get(workflow._tag) !== entry) return
          host.entries.delete(workflow._tag)
          yield* stopAll(host, workflow._tag)
        })
      )
    }),
    execute: execute(host),
    poll: poll(host),
    interrupt: wakeStarted(host, "interrupt"),
    interruptUnsafe: wakeStarted(host, "interrupt-unsafe"),
    resume: wakeStarted(host, "resume"),
    awaitComplete: awaitComplete(host),
    activityExecute: (activity, attempt) =>
      within((execution, instance) => executeActivity(host, execution, instance, activity, attempt)),
    deferredResult: deferredResult(host),
    deferredDone: deferredDone(host),
    scheduleClock: (workflow, { clock, executionId }) =>
      using(host, { workflow: workflow._tag, execution: executionId }, (execution) =>
        schedule(host, execution, clock, execution)
      )
  }
}

/** No caller waits for what an engine does by itself: a defect of it is told in the log. */
const tellDefect = (cause: Cause.Cause<never>): Effect.Effect<void> =>
  Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("The workflow engine met a defect", cause)

/** Starts an engine that ends with the scope: what runs is given back before the ledger is closed. */
const makeEngine = Effect.fnUntraced(function* ({ ttl_seconds, worker_id }: EngineOptions) {
  const ledger = yield* Ledger
  const { sha256 } = yield* Hashing
  const context = yield* Effect.context<never>()
  const running = new Set<Fiber.Fiber<void>>()
  const run = Effect.runForkWith(context)
  const fork = (work: Effect.Effect<void>) => {
    const fiber = run(Effect.tapCause(work, tellDefect))
    running.add(fiber)
    fiber.addObserver(() => running.delete(fiber))
    return fiber
  }
  const host: Host = {
    ledger,
    sha256,
    worker_id,
    ttl_seconds,
    agenda: new Agenda(),
    fork,
    entries: new Map(),
    executions: new Map(),
    byRun: new Map(),
    service: () => service
  }
  const service = WorkflowEngine.makeUnsafe(encodedEngine(host))
  const { position } = yield* read(ledger.head)
  fork(listen(host, position))
  fork(host.agenda.run(fork))
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      stopAll(host, undefined),
      Effect.suspend(() => Fiber.interruptAll([...running]))
    )
  )
  return service
})

/** Effect's engine for durable workflows, on a ledger. */
export const layerWith = (
  options: EngineOptions
): Layer.Layer<WorkflowEngine.WorkflowEngine, never, Ledger | Hashing> =>
  Layer.effect(WorkflowEngine.WorkflowEngine, makeEngine(options))
