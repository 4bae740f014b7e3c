// What the contract cannot see: several engines on one file, programs that died, leases, shutdown, a ledger that fails, values that
// cannot be recorded, and what the log says of it all.
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { Activity, DurableClock, DurableDeferred, Workflow, WorkflowEngine } from "effect/workflow"
import { executionStatus } from "../../domain/workflow/turn-decision.ts"
import { ExecutionJournal } from "../../domain/workflow/execution-journal.ts"
import { decodeEvent } from "../../domain/ledger/events.ts"
import * as Result from "effect/Result"
import { StorageFull } from "../../domain/foundation/storage-errors.ts"
import { openLedger, temporaryFile } from "../../infrastructure/testing/ledgers.ts"
import { Ledger, type LedgerShape } from "../../application/ledger/ledger.ts"
import {
  give as giveText,
  register,
  settle,
  textActivity,
  textDeferred,
  textWorkflow
} from "./testing/behaviour.ts"
import { ActivityLease, CassetteWorkflowEngine, type WorkflowEngineOptions } from "./index.ts"

const workflow = <const Tag extends string>(tag: Tag) =>
  Workflow.make(tag, {
    payload: { id: Schema.String, more: Schema.optional(Schema.String) },
    success: Schema.String,
    error: Schema.String,
    idempotencyKey: ({ id }) => id
  })

const Order = workflow("Order")
type Body = (payload: {
  readonly id: string
}) => Effect.Effect<
  string,
  string,
  WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance | Workflow.Execution<"Order"> | Scope.Scope
>

const gate = DurableDeferred.make("gate", { success: Schema.String })

const activity = (name: string, execute: Effect.Effect<string, string>) =>
  Activity.make({ name, success: Schema.String, error: Schema.String, execute })

type Engine = Context.Context<WorkflowEngine.WorkflowEngine | Ledger>

/** An engine on a file that the test closes, with one body registered. */
const openEngine = Effect.fnUntraced(function* (
  filename: string,
  body: Body | undefined,
  options: WorkflowEngineOptions = {}
) {
  const scope = yield* Scope.make()
  const engine = CassetteWorkflowEngine.layer({ filename, durability: "normal", ...options })
  const registered = body === undefined ? engine : Layer.provideMerge(Order.toLayer(body), engine)
  const context: Engine = yield* Effect.orDie(Layer.buildWithScope(registered, scope))
  const close = Scope.close(scope, Exit.void)
  yield* Effect.addFinalizer(() => close)
  return {
    close,
    context,
    run: <A, E>(work: Effect.Effect<A, E, WorkflowEngine.WorkflowEngine | Ledger>) =>
      Effect.provideContext(work, context),
    ledger: Context.get(context, Ledger)
  }
})

const give = (id: string, value: string) =>
  DurableDeferred.succeed(gate, {
    token: DurableDeferred.tokenFromExecutionId(gate, { workflow: Order, executionId: id }),
    value
  })

const turn = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 5)))

const until = <R>(what: string, isSo: Effect.Effect<boolean, never, R>) =>
  Effect.gen(function* () {
    for (let turns = 0; turns < 20_000; turns++) {
      if (yield* isSo) return
      yield* turn
    }
    return assert.fail(`in vain: ${what}`)
  })

const isSuspended = (id: string) =>
  Effect.map(Order.poll(id), (result) => result._tag === "Some" && result.value._tag === "Suspended")

const startSuspended = (id: string) =>
  Effect.gen(function* () {
    const execution = yield* Order.execute({ id }, { discard: true })
    yield* until("it is suspended", isSuspended(execution))
    return execution
  })

/** The data of the events of runs that begin so. */
const dataOf = (ledger: LedgerShape, prefix: string) =>
  Effect.map(Effect.orDie(ledger.eventsAfter({ prefix, limit: 10_000 })), (events) =>
    events.map(({ data, type }) => ({ type, ...(JSON.parse(data) as Record<string, unknown>) }))
  )

const receiptsOf = (ledger: LedgerShape, prefix: string) =>
  Effect.map(dataOf(ledger, prefix), (events) =>
    events.flatMap((event) => ("receipt" in event ? [event.receipt as Record<string, unknown>] : []))
  )

const verdictOf = (ledger: LedgerShape) =>
  Effect.map(Effect.orDie(ledger.verifyCassette()), ({ findings, verdict }) => [
    verdict,
    ...findings.map(({ code }) => code)
  ])

/** What a caller is told instead of a result. */
const defectOf = (exit: Exit.Exit<unknown, unknown>): { readonly _tag?: string; readonly message: string } =>
  Exit.isFailure(exit)
    ? (Cause.squash(exit.cause) as { readonly _tag?: string; readonly message: string })
    : assert.fail("it had a result")

describe("two engines on one file", () => {
  it.live("share the work: each activity runs once, and both see each result", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const bodies: Array<string> = []
      const body: Body = ({ id }) =>
        Effect.gen(function* () {
          yield* activity(
            "first",
            Effect.sync(() => String(bodies.push(`first ${id}`)))
          )
          const told = yield* DurableDeferred.await(gate)
          yield* activity(
            "second",
            Effect.sync(() => String(bodies.push(`second ${id}`)))
          )
          return told
        })
      const [a, b] = [yield* openEngine(file, body), yield* openEngine(file, body)]
      const ids = Array.from({ length: 20 }, (_, index) => String(index))
      const callers = yield* Effect.forkChild(
        Effect.forEach(
          ids,
          (id) =>
            Effect.all([a.run(Order.execute({ id })), b.run(Order.execute({ id }))], { concurrency: 2 }),
          {
            concurrency: "unbounded"
          }
        )
      )
      for (const [index, id] of ids.entries()) {
        const execution = yield* Order.executionId({ id })
        yield* (index % 2 === 0 ? a : b).run(until(`${id} is suspended`, isSuspended(execution)))
        yield* (index % 2 === 0 ? b : a).run(give(execution, `open ${id}`))
      }
      assert.deepStrictEqual(
        yield* Fiber.join(callers),
        ids.map((id) => [`open ${id}`, `open ${id}`])
      )
      assert.deepStrictEqual(
        bodies.toSorted(),
        ids.flatMap((id) => [`first ${id}`, `second ${id}`]).toSorted()
      )
      assert.deepStrictEqual(yield* verdictOf(a.ledger), ["PASS"])
    })
  )

  for (const polls of [0, 1]) {
    it.live(
      `a value that another process gives cuts off the body that awaits it; it was polled ${polls} times`,
      () =>
        Effect.gen(function* () {
          const file = yield* temporaryFile
          const a = yield* openEngine(file, () =>
            Effect.map(
              Effect.all(
                [
                  activity(
                    "long",
                    Effect.as(
                      Effect.promise(() => released),
                      "done"
                    )
                  ),
                  DurableDeferred.await(gate)
                ],
                { concurrency: 2 }
              ),
              (all) => all.join(" ")
            )
          )
          let release = (): void => undefined
          const released = new Promise<void>((resolve) => (release = resolve))
          const b = yield* openEngine(file, undefined)
          const caller = yield* Effect.forkChild(a.run(Order.execute({ id: "1" })))
          const execution = yield* Order.executionId({ id: "1" })
          yield* until(
            "the activity runs",
            Effect.map(dataOf(a.ledger, "activity/"), ({ length }) => length === 2)
          )
          yield* b.run(give(execution, "open"))
          // Reads the value before the news tell of it.
          if (polls > 0) yield* a.run(Order.poll(execution))
          yield* until(
            "the turn has heard of it",
            Effect.map(dataOf(a.ledger, "activity/"), (events) =>
              events.some(({ type }) => type === "StepRequeued")
            )
          )
          release()
          assert.strictEqual(yield* Fiber.join(caller), "done open")
        })
    )
  }

  it.live("hear each other also where a name is so long that its runs have it cut", () =>
    Effect.gen(function* () {
      const Long = textWorkflow("Long".repeat(60))
      const opened = textDeferred("gate")
      const file = yield* temporaryFile
      let release = (): void => undefined
      const released = new Promise<void>((resolve) => (release = resolve))
      const execute = Effect.as(
        Effect.promise(() => released),
        "done"
      )
      const registered = register(Long, () =>
        Effect.map(
          Effect.all([textActivity("long", execute), DurableDeferred.await(opened)], { concurrency: 2 }),
          (all) => all.join(" ")
        )
      )
      const [a, b] = [yield* openEngine(file, undefined), yield* openEngine(file, undefined)]
      yield* Effect.provideContext(registered, b.context)
      const execution = yield* b.run(Long.execute({ id: "1" }, { discard: true }))
      const hasActivity = (type: string) =>
        Effect.map(dataOf(b.ledger, "activity/"), (events) => events.some((event) => event.type === type))
      yield* until("the activity runs", hasActivity("StepClaimed"))
      yield* Effect.provideContext(registered, a.context)
      const caller = yield* Effect.forkChild(a.run(Long.execute({ id: "1" })))
      yield* a.run(giveText(opened, Long, execution, "open"))
      yield* until("the turn has heard of it", hasActivity("StepRequeued"))
      release()
      assert.strictEqual(yield* Fiber.join(caller), "done open")
    })
  )

  it.effect("an activity that lasts longer than its lease runs once", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      let bodies = 0
      const body: Body = () =>
        activity(
          "long",
          Effect.andThen(
            Effect.sync(() => (bodies += 1)),
            Effect.as(Effect.sleep("2500 millis"), "done")
          )
        )
      const options = { ttl_seconds: 1 }
      const [a, b] = [yield* openEngine(file, body, options), yield* openEngine(file, body, options)]
      const callers = yield* Effect.forkChild(
        Effect.all([a.run(Order.execute({ id: "1" })), b.run(Order.execute({ id: "1" }))], { concurrency: 2 })
      )
      for (let turns = 0; turns < 100 && callers.pollUnsafe() === undefined; turns++) {
        yield* TestClock.adjust("100 millis")
        yield* settle
      }
      assert.deepStrictEqual(yield* Fiber.join(callers), ["done", "done"])
      assert.strictEqual(bodies, 1)
      assert.deepStrictEqual(yield* verdictOf(a.ledger), ["PASS"])
    })
  )
})

describe("a program that died", () => {
  it.live("has its turn and its activity taken over when their leases have ended", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const dead = yield* openEngine(file, undefined)
      const execution = yield* Order.executionId({ id: "1" })
      const claim = { worker_id: "dead", ttl_seconds: 1 }
      const of = { source: "USER", claim } as const
      const payload = { intent: "execute", workflow: "Order", execution, payload: { id: "1" } }
      yield* dead.ledger.postMessage({
        ...of,
        run_id: `workflow/Order/${execution}`,
        idempotency_key: "execute",
        payload
      })
      const attempt = { intent: "work", attempt: 1 }
      yield* dead.ledger.postMessage({
        ...of,
        source: "SYSTEM",
        run_id: `activity/Order/${execution}`,
        idempotency_key: "work/1",
        payload: attempt
      })
      let token = 0
      const b = yield* openEngine(file, () =>
        Activity.make({
          name: "work",
          success: Schema.String,
          execute: Effect.gen(function* () {
            const lease = yield* ActivityLease
            token = (yield* lease ?? assert.fail("no lease")).fencing_token
            return "done"
          })
        })
      )
      assert.strictEqual(yield* b.run(Order.execute({ id: "1" })), "done")
      assert.strictEqual(token, 2)
      assert.deepStrictEqual(yield* verdictOf(b.ledger), ["PASS"])
    })
  )

  it.live("leaves an execution that another process finishes, with its clock and its deferred", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const bodies: Array<string> = []
      const body: Body = () =>
        Effect.gen(function* () {
          yield* activity(
            "before",
            Effect.sync(() => String(bodies.push("before")))
          )
          yield* DurableClock.sleep({ name: "nap", duration: "300 millis", inMemoryThreshold: 0 })
          const told = yield* DurableDeferred.await(gate)
          return `${told} ${bodies.length}`
        })
      const a = yield* openEngine(file, body)
      const execution = yield* a.run(startSuspended("1"))
      yield* a.close
      const b = yield* openEngine(file, body)
      yield* b.run(give(execution, "open"))
      assert.strictEqual(yield* b.run(Order.execute({ id: "1" })), "open 1")
      assert.deepStrictEqual(yield* verdictOf(b.ledger), ["PASS"])
    })
  )
})

describe("the end of an engine", () => {
  it.live("gives back what runs, and compensates nothing", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const did: Array<string> = []
      let isHeld = true
      const body: Body = () =>
        Effect.gen(function* () {
          yield* activity("first", Effect.succeed("x")).pipe(
            Order.withCompensation(() => Effect.sync(() => void did.push("compensated")))
          )
          yield* Workflow.addFinalizer(() => Effect.sync(() => void did.push("finalizer")))
          return yield* activity(
            "held",
            Effect.suspend(() => (isHeld ? Effect.never : Effect.succeed("done")))
          )
        })
      const a = yield* openEngine(file, body)
      const caller = yield* Effect.forkChild(a.run(Order.execute({ id: "1" })))
      yield* until(
        "the activity runs",
        Effect.map(dataOf(a.ledger, "activity/"), ({ length }) => length === 5)
      )
      yield* a.close
      const exit = yield* Fiber.await(caller)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepStrictEqual(did, [])
      isHeld = false
      const b = yield* openEngine(file, body)
      const open = yield* Effect.orDie(b.ledger.leases({}))
      assert.deepStrictEqual(
        open.filter(({ worker_id }) => worker_id === "x"),
        []
      )
      assert.strictEqual(yield* b.run(Order.execute({ id: "1" })), "done")
      assert.deepStrictEqual(did, ["finalizer"])
      assert.deepStrictEqual(yield* verdictOf(b.ledger), ["PASS"])
    })
  )
})

describe("an execution that waits", () => {
  it.effect("leaves memory after a while: its scopes are released, and nothing is compensated", () =>
    Effect.gen(function* () {
      const did: Array<string> = []
      const a = yield* openEngine(":memory:", () =>
        Effect.gen(function* () {
          yield* Workflow.provideScope(
            Effect.addFinalizer(() => Effect.sync(() => void did.push("released")))
          )
          yield* Workflow.addFinalizer(() => Effect.sync(() => void did.push("finalizer")))
          return yield* DurableDeferred.await(gate)
        })
      )
      const execution = yield* a.run(startSuspended("1"))
      const { position } = yield* a.ledger.head
      yield* TestClock.adjust("9 seconds")
      yield* turn
      assert.deepStrictEqual(did, [])
      yield* TestClock.adjust("2 seconds")
      yield* until(
        "it is released",
        Effect.sync(() => did.length > 0)
      )
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(did, ["released"])
      assert.strictEqual((yield* a.ledger.head).position, position)
      assert.deepStrictEqual(yield* a.ledger.leases(), [])
      yield* a.run(give(execution, "open"))
      assert.strictEqual(yield* a.run(Order.execute({ id: "1" })), "open")
      assert.includeMembers(did, ["finalizer"])
    })
  )

  it.effect("of an activity that outlasts its lease on a clock that jumps is finished late, once", () =>
    Effect.gen(function* () {
      let bodies = 0
      const a = yield* openEngine(":memory:", () =>
        activity(
          "long",
          Effect.andThen(
            Effect.sync(() => (bodies += 1)),
            Effect.as(Effect.sleep("2 hours"), "done")
          )
        )
      )
      const caller = yield* Effect.forkChild(a.run(Order.execute({ id: "1" })))
      yield* until(
        "it runs",
        Effect.sync(() => bodies === 1)
      )
      yield* turn
      yield* TestClock.adjust("3 hours")
      assert.strictEqual(yield* Fiber.join(caller), "done")
      assert.strictEqual(bodies, 1)
      assert.deepStrictEqual(yield* verdictOf(a.ledger), ["PASS"])
    })
  )
})

describe("what cannot be recorded", () => {
  const large = "x".repeat(1_100_000)

  it.live("is told by the name of the activity, and a replay is told the same", () =>
    Effect.gen(function* () {
      let bodies = 0
      const a = yield* openEngine(":memory:", () =>
        Effect.gen(function* () {
          const told = yield* Effect.exit(
            activity(
              "print",
              Effect.sync(() => (bodies++, large))
            )
          )
          yield* DurableDeferred.await(gate)
          return defectOf(told).message
        })
      )
      const execution = yield* a.run(startSuspended("1"))
      yield* a.run(give(execution, "open"))
      const told = yield* a.run(Order.execute({ id: "1" }))
      assert.match(
        told,
        /^The exit of activity print of workflow Order .* cannot be recorded: .* 1048576 bytes$/
      )
      assert.strictEqual(bodies, 1)
    })
  )

  it.live("as a result, a payload or a deferred's exit is told by its name", () =>
    Effect.gen(function* () {
      const a = yield* openEngine(":memory:", ({ id }) => Effect.succeed(id === "nul" ? "\u0000" : large))
      const told = Effect.fnUntraced(function* (
        work: Effect.Effect<unknown, unknown, WorkflowEngine.WorkflowEngine | Ledger>
      ) {
        const { _tag, message } = defectOf(yield* Effect.exit(a.run(work)))
        return `${_tag} ${message}`
      })
      assert.match(yield* told(Order.execute({ id: "1" })), /The result of workflow Order .* 1048576 bytes/)
      assert.match(yield* told(Order.execute({ id: "nul" })), /The result of workflow Order .*U\+0000/)
      assert.match(
        yield* told(Order.execute({ id: "2", more: large })),
        /^NotRecordable The payload of workflow Order .* 1048576 bytes/
      )
      assert.match(
        yield* told(give("3", large)),
        /^NotRecordable The exit of deferred gate of workflow Order .* 1048576 bytes/
      )
      assert.match(
        yield* told(give("\ud800", "x")),
        /^NotRecordable The name of the execution .* half of a character/
      )
    })
  )

  it.live("another payload of an execution that is there, and a workflow that is not, are refused", () =>
    Effect.gen(function* () {
      const a = yield* openEngine(":memory:", () => DurableDeferred.await(gate))
      yield* a.run(startSuspended("1"))
      const conflict = defectOf(yield* Effect.exit(a.run(Order.execute({ id: "1", more: "x" }))))
      assert.match(conflict.message, /^Execution \w+ of workflow Order was started with another payload: /)
      const Other = workflow("Other")
      const refused = defectOf(yield* Effect.exit(a.run(Order.execute({ id: "1", more: "\ud800" }))))
      assert.match(refused.message, /^The payload of workflow Order .* cannot be recorded/u)
      const missing = defectOf(yield* Effect.exit(a.run(Other.execute({ id: "1" }))))
      assert.strictEqual(missing._tag, "WorkflowNotRegistered")
      assert.match(missing.message, /^Workflow Other is not registered: /)
    })
  )
})

describe("a ledger that fails", () => {
  it.live("fails the caller and no workflow: the turn is taken again when its lease has ended", () =>
    Effect.gen(function* () {
      let isFull = false
      const ledger = yield* openLedger({
        wrap: (store) => ({
          transact: (unit) =>
            isFull ? Effect.fail(new StorageFull({ file: "work.db" })) : store.transact(unit)
        })
      })
      const layer = CassetteWorkflowEngine.layerFrom({ ttl_seconds: 1 }).pipe(
        Layer.provide(Layer.succeed(Ledger, ledger))
      )
      const body: Body = () =>
        Effect.gen(function* () {
          yield* Effect.sync(() => (isFull = !hasFailed))
          hasFailed = true
          return yield* activity("work", Effect.succeed("done"))
        })
      let hasFailed = false
      const context = yield* Layer.build(Layer.provideMerge(Order.toLayer(body), layer))
      const exit = yield* Effect.exit(Effect.provideContext(Order.execute({ id: "1" }), context))
      assert.strictEqual(defectOf(exit)._tag, "StorageFull")
      isFull = false
      assert.strictEqual(yield* Effect.provideContext(Order.execute({ id: "1" }), context), "done")
      assert.deepStrictEqual(yield* verdictOf(ledger), ["PASS"])
    })
  )
})

describe("the log", () => {
  it.live("says what each turn was woken by, waited for and did not ask for any more", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const gated = DurableDeferred.await(gate)
      const a = yield* openEngine(file, () => Effect.andThen(activity("old", Effect.succeed("x")), gated))
      const execution = yield* a.run(startSuspended("1"))
      yield* a.close
      const b = yield* openEngine(file, () => Effect.andThen(activity("new", Effect.succeed("x")), gated))
      yield* b.run(give(execution, "open"))
      assert.strictEqual(yield* b.run(Order.execute({ id: "1" })), "open")
      const told = (yield* receiptsOf(b.ledger, "workflow/")).map(({ turn, unused, waits, wake }) => ({
        turn,
        unused,
        waits,
        wake
      }))
      assert.deepStrictEqual(told, [
        { turn: "suspended", wake: "execute", waits: ["gate"], unused: undefined },
        { turn: "complete", wake: "deferred", waits: undefined, unused: ["old/1"] }
      ])
      const journal = new ExecutionJournal()
      for (const event of yield* Effect.orDie(b.ledger.eventsAfter({ prefix: "workflow/" }))) {
        journal.read(Result.getOrThrow(decodeEvent(event)))
      }
      assert.strictEqual(executionStatus(journal), "complete")
    })
  )

  it.live("has no open step once an execution is complete, also of what lost a race", () =>
    Effect.gen(function* () {
      const a = yield* openEngine(":memory:", () =>
        DurableDeferred.raceAll({
          name: "race",
          success: Schema.String,
          error: Schema.Never,
          effects: [
            Effect.as(DurableClock.sleep({ name: "slow", duration: "1 hour", inMemoryThreshold: 0 }), "slow"),
            DurableDeferred.await(gate)
          ]
        })
      )
      const execution = yield* a.run(startSuspended("1"))
      yield* a.run(give(execution, "open"))
      assert.strictEqual(yield* a.run(Order.execute({ id: "1" })), "open")
      yield* until(
        "all is finished",
        Effect.map(Effect.orDie(a.ledger.waiting()), ({ length }) => length === 0)
      )
      assert.deepStrictEqual(yield* receiptsOf(a.ledger, "timer/"), [{ abandoned: true }])
    })
  )

  it.live("has executions of any name", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const Long = workflow(`${"lång/".repeat(60)}~`)
      const a = yield* openEngine(file, undefined)
      const scope = yield* Effect.scope
      yield* a.run(
        Effect.flatMap(WorkflowEngine.WorkflowEngine, (engine) =>
          engine.register(Long, () => DurableDeferred.await(gate))
        ).pipe(Effect.provideService(Scope.Scope, scope))
      )
      const id = "i".repeat(300)
      const execute = Effect.flatMap(WorkflowEngine.WorkflowEngine, (engine) =>
        engine.execute(Long, { executionId: id, payload: { id }, discard: true })
      )
      yield* a.run(execute)
      yield* until(
        "it is suspended",
        Effect.map(receiptsOf(a.ledger, "workflow/"), ({ length }) => length === 1)
      )
      const b = yield* openEngine(file, undefined)
      yield* b.run(
        DurableDeferred.succeed(gate, {
          token: DurableDeferred.tokenFromExecutionId(gate, { workflow: Long, executionId: id }),
          value: "open"
        })
      )
      yield* until(
        "it is complete",
        Effect.map(receiptsOf(a.ledger, "workflow/"), ({ length }) => length === 2)
      )
    })
  )
})
