// How executions begin, are found again, and end.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { DurableDeferred, Workflow, WorkflowEngine } from "effect/workflow"
import { expect } from "vitest"
import {
  type Behaviour,
  behaviour,
  give,
  register,
  settle,
  startSuspended,
  textDeferred,
  textWorkflow,
  timed,
  told,
  toldCause,
  until,
  untilEnded,
  untilSuspended
} from "../behaviour.ts"

const gate = textDeferred("gate")

const Greeting = Context.Service<string>("behaviours/Greeting")

export const executions: ReadonlyArray<Behaviour> = [
  behaviour("Workflow.make.execute", "gives what the body ends with", function* () {
    const Greet = textWorkflow("Greet")
    yield* register(Greet, ({ id }) => Effect.succeed(`hello ${id}`))
    expect(yield* Greet.execute({ id: "Ada" })).toBe("hello Ada")
  }),
  behaviour("Workflow.make.execute", "fails as the body fails", function* () {
    const Refuse = textWorkflow("Refuse")
    yield* register(Refuse, ({ id }) => Effect.fail(`not ${id}`))
    expect(yield* Effect.flip(Refuse.execute({ id: "Ada" }))).toBe("not Ada")
  }),
  behaviour(
    "Workflow.make.execute",
    "runs the body once for one key, and tells each caller its end",
    function* () {
      const Once = textWorkflow("Once")
      let bodies = 0
      yield* register(Once, () => Effect.sync(() => `body ${++bodies}`))
      expect(yield* Once.execute({ id: "a" })).toBe("body 1")
      expect(yield* Once.execute({ id: "a" })).toBe("body 1")
      expect(yield* Once.execute({ id: "b" })).toBe("body 2")
    }
  ),
  behaviour("Workflow.make.execute", "is joined by those who call while it runs", function* () {
    const Joined = textWorkflow("Joined")
    let bodies = 0
    const all = Array.from({ length: 5 }, () => Joined.execute({ id: "a" }))
    yield* register(Joined, () =>
      Effect.gen(function* () {
        bodies += 1
        yield* settle
        return "one"
      })
    )
    expect(yield* Effect.all(all, { concurrency: "unbounded" })).toStrictEqual(all.map(() => "one"))
    expect(bodies).toBe(1)
  }),
  behaviour("Workflow.make.execute", "tells a later caller the same failure, without a body", function* () {
    const Failed = textWorkflow("Failed")
    let bodies = 0
    yield* register(Failed, () => Effect.fail(`body ${++bodies}`))
    expect(yield* Effect.flip(Failed.execute({ id: "a" }))).toBe("body 1")
    expect(yield* Effect.flip(Failed.execute({ id: "a" }))).toBe("body 1")
  }),
  behaviour(
    "Workflow.make.execute",
    "answers the id before the body ends, where its end is discarded",
    function* () {
      const Slow = textWorkflow("Slow")
      let done = false
      yield* register(Slow, (_, executionId) =>
        Effect.gen(function* () {
          yield* until("the caller has its answer", () => done)
          return executionId
        })
      )
      const executionId = yield* Slow.execute({ id: "a" }, { discard: true })
      done = true
      expect(told(yield* untilEnded(Slow, executionId))).toBe(`success ${executionId}`)
    }
  ),
  behaviour("Workflow.make.execute", "goes on where its caller is interrupted", function* () {
    const Left = textWorkflow("Left")
    let begun = false
    let left = false
    yield* register(Left, () =>
      Effect.gen(function* () {
        begun = true
        yield* until("the caller is gone", () => left)
        return "alone"
      })
    )
    const caller = yield* Effect.forkChild(Left.execute({ id: "a" }))
    yield* until("the body has begun", () => begun)
    yield* Fiber.interrupt(caller)
    left = true
    expect(yield* Left.execute({ id: "a" })).toBe("alone")
  }),
  behaviour("Workflow.make.execute", "dies where the workflow is not registered", function* () {
    const Unknown = textWorkflow("Unknown")
    const exit = yield* Effect.exit(Unknown.execute({ id: "a" }))
    expect(told(exit)).toMatch(/^defect .*Unknown.* not registered/)
  }),
  behaviour("WorkflowEngine.execute", "dies where it is detached and waits", function* () {
    const Waits = textWorkflow("Waits")
    yield* register(Waits, () => Effect.succeed("done"))
    const engine = yield* WorkflowEngine.WorkflowEngine
    const payload = { id: "a" }
    const exit = yield* Effect.exit(engine.execute(Waits, { executionId: "a", payload, detached: true }))
    expect(told(exit)).toBe("defect Waits.execute: detached requires discard")
  }),
  behaviour("WorkflowEngine.execute", "takes the id that it is given", function* () {
    const Named = textWorkflow("Named")
    yield* register(Named, (_, executionId) => Effect.succeed(executionId))
    const engine = yield* WorkflowEngine.WorkflowEngine
    const executionId = "orders/2026 №1 \u{1F600}"
    expect(yield* engine.execute(Named, { executionId, payload: { id: "a" } })).toBe(executionId)
    expect(told(yield* untilEnded(Named, executionId))).toBe(`success ${executionId}`)
  }),
  behaviour("WorkflowEngine.execute", "takes an id of any length", function* () {
    const Long = textWorkflow("Long")
    yield* register(Long, (_, executionId) => Effect.succeed(String(executionId.length)))
    const engine = yield* WorkflowEngine.WorkflowEngine
    const ids = ["é".repeat(600), `${"é".repeat(600)}!`]
    for (const executionId of ids) {
      const length = String(executionId.length)
      expect(yield* engine.execute(Long, { executionId, payload: { id: length } })).toBe(length)
    }
  }),
  behaviour("Workflow.make.executionId", "follows from tag and key alone", function* () {
    const withKey = <const Tag extends string>(tag: Tag) =>
      Workflow.make(tag, {
        payload: { key: Schema.String, other: Schema.Finite },
        success: Schema.Finite,
        idempotencyKey: ({ key }) => key
      })
    const First = withKey("First")
    const Second = withKey("Second")
    let bodies = 0
    for (const each of [First, Second]) {
      yield* Layer.build(each.toLayer(() => Effect.sync(() => ++bodies)))
    }
    const id = yield* First.executionId({ key: "a", other: 1 })
    expect(yield* First.execute({ key: "a", other: 1 }, { discard: true })).toBe(id)
    expect(yield* First.executionId({ key: "a", other: 2 })).toBe(id)
    expect(yield* First.executionId({ key: "b", other: 1 })).not.toBe(id)
    expect(yield* Second.executionId({ key: "a", other: 1 })).not.toBe(id)
    expect(yield* First.execute({ key: "a", other: 1 })).toBe(1)
    expect(yield* Second.execute({ key: "a", other: 1 })).toBe(2)
  }),
  behaviour("Workflow.make.poll", "knows no result of an execution that never began", function* () {
    const Never = textWorkflow("Never")
    yield* register(Never, () => Effect.succeed("done"))
    expect(yield* Never.poll("no-such-execution")).toStrictEqual(Option.none())
  }),
  behaviour("Workflow.make.poll", "knows no result while the body runs", function* () {
    const Running = textWorkflow("Running")
    let begun = false
    let go = false
    yield* register(Running, () =>
      Effect.gen(function* () {
        begun = true
        yield* until("it was polled", () => go)
        return "done"
      })
    )
    const executionId = yield* Running.execute({ id: "a" }, { discard: true })
    yield* until("the body has begun", () => begun)
    expect(yield* Running.poll(executionId)).toStrictEqual(Option.none())
    go = true
    yield* untilEnded(Running, executionId)
  }),
  behaviour("Workflow.make.poll", "tells that an execution is suspended, and how it ended", function* () {
    const Polled = textWorkflow("Polled")
    yield* register(Polled, () => DurableDeferred.await(gate))
    const executionId = yield* Polled.execute({ id: "a" }, { discard: true })
    expect(yield* untilSuspended(Polled, executionId)).toMatchObject({ _tag: "Suspended" })
    yield* give(gate, Polled, executionId, "open")
    expect(told(yield* untilEnded(Polled, executionId))).toBe("success open")
    const result = Option.getOrThrow(yield* Polled.poll(executionId))
    expect(Workflow.isResult(result)).toBe(true)
    expect(result).toBeInstanceOf(Workflow.Complete)
  }),
  behaviour("Workflow.make.poll", "tells failures and defects as the body had them", function* () {
    const Ends = textWorkflow("Ends")
    yield* register(Ends, ({ id }) => (id === "fail" ? Effect.fail("no") : Effect.die(new Error("broken"))))
    const failed = yield* Ends.execute({ id: "fail" }, { discard: true })
    const died = yield* Ends.execute({ id: "die" }, { discard: true })
    expect(told(yield* untilEnded(Ends, failed))).toBe("failure no")
    expect(told(yield* untilEnded(Ends, died))).toBe("defect broken")
  }),
  behaviour("Workflow.make.toLayer", "gives the body what is there where it is built", function* () {
    const Greets = textWorkflow("Greets")
    const layer = Greets.toLayer(({ id }) => Effect.map(Greeting, (greeting) => `${greeting} ${id}`))
    yield* Layer.build(layer).pipe(Effect.provideService(Greeting, "good day"))
    expect(yield* Greets.execute({ id: "Ada" })).toBe("good day Ada")
  }),
  behaviour("WorkflowEngine.WorkflowInstance", "tells the body which execution it is", function* () {
    const Self = textWorkflow("Self")
    yield* register(Self, (_, executionId) =>
      Effect.map(WorkflowEngine.WorkflowInstance, (instance) => {
        expect(instance.executionId).toBe(executionId)
        expect(instance.interrupted).toBe(false)
        return instance.workflow._tag
      })
    )
    expect(yield* Self.execute({ id: "a" })).toBe("Self")
  }),
  timed(
    "WorkflowEngine.awaitComplete",
    "wakes who waits when the execution ends, not when it is time to look",
    function* () {
      const Told = Workflow.make("Told", {
        payload: { id: Schema.String },
        success: Schema.String,
        error: Schema.String,
        idempotencyKey: ({ id }) => id,
        suspendedRetrySchedule: Schedule.spaced("1 hour")
      })
      yield* register(Told, () => DurableDeferred.await(gate))
      const caller = yield* Effect.forkChild(Told.execute({ id: "a" }), { startImmediately: true })
      const executionId = yield* Told.executionId({ id: "a" })
      yield* untilSuspended(Told, executionId)
      yield* give(gate, Told, executionId, "open")
      // No time passes.
      expect(yield* Fiber.join(caller)).toBe("open")
    }
  ),
  behaviour("WorkflowEngine.execute", "dies where its schedule of looking is exhausted", function* () {
    const Impatient = textWorkflow("Impatient")
    yield* register(Impatient, () => DurableDeferred.await(gate))
    const engine = yield* WorkflowEngine.WorkflowEngine
    const exit = yield* Effect.exit(
      engine.execute(Impatient, {
        executionId: "a",
        payload: { id: "a" },
        suspendedRetrySchedule: Schedule.recurs(0)
      })
    )
    expect(told(exit)).toBe("defect Impatient.execute: suspendedRetrySchedule exhausted")
  }),
  behaviour(
    "Workflow.CaptureDefects",
    "is so by default: a defect is the end of the execution",
    function* () {
      const Captured = textWorkflow("Captured")
      let bodies = 0
      yield* register(Captured, () =>
        Effect.sync(() => {
          throw new Error(`body ${++bodies}`)
        })
      )
      expect(told(yield* Effect.exit(Captured.execute({ id: "a" })))).toBe("defect body 1")
      expect(told(yield* Effect.exit(Captured.execute({ id: "a" })))).toBe("defect body 1")
      const executionId = yield* Captured.executionId({ id: "a" })
      yield* Captured.resume(executionId)
      expect(told(yield* untilEnded(Captured, executionId))).toBe("defect body 1")
      expect(bodies).toBe(1)
    }
  ),
  behaviour(
    "Workflow.CaptureDefects",
    "where it is not so, a defect is no end: the execution can be resumed",
    function* () {
      const Uncaptured = textWorkflow("Uncaptured").annotate(Workflow.CaptureDefects, false)
      let bodies = 0
      yield* register(Uncaptured, () =>
        Effect.suspend(() => (++bodies === 1 ? Effect.die(new Error("broken")) : Effect.succeed("mended")))
      )
      expect(told(yield* Effect.exit(Uncaptured.execute({ id: "a" })))).toBe("defect broken")
      const executionId = yield* Uncaptured.executionId({ id: "a" })
      yield* Uncaptured.resume(executionId)
      expect(yield* Uncaptured.execute({ id: "a" })).toBe("mended")
      expect(bodies).toBe(2)
    }
  ),
  behaviour("Workflow.Suspended", "of an ordinary wait has no cause and did not fail", function* () {
    const Plain = textWorkflow("Plain")
    yield* register(Plain, () => DurableDeferred.await(gate))
    const executionId = yield* startSuspended(Plain, "a")
    const { cause, failed } = yield* untilSuspended(Plain, executionId)
    expect([cause, failed]).toStrictEqual([undefined, undefined])
  }),
  behaviour(
    "Workflow.Complete",
    "holds the exit of a body that is interrupted by itself as no result",
    function* () {
      const Stops = textWorkflow("Stops")
      let bodies = 0
      yield* register(Stops, () =>
        Effect.suspend(() => (++bodies === 1 ? Effect.interrupt : Effect.succeed("again")))
      )
      const exit = yield* Effect.exit(Stops.execute({ id: "a" }))
      expect(Exit.isFailure(exit) ? toldCause(exit.cause) : "").toBe("interrupted")
      yield* Stops.resume(yield* Stops.executionId({ id: "a" }))
      expect(yield* Stops.execute({ id: "a" })).toBe("again")
    }
  )
]
