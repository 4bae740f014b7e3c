// Interruption, suspension and resumption from outside.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Fiber from "effect/Fiber"
import { DurableDeferred, Workflow, WorkflowEngine } from "effect/workflow"
import { expect } from "vitest"
import {
  type Behaviour,
  behaviour,
  give,
  register,
  settle,
  startSuspended,
  textActivity,
  textDeferred,
  textWorkflow,
  told,
  toldCause,
  until,
  untilEnded,
  untilSuspended
} from "../behaviour.ts"

const gate = textDeferred("gate")

const interruptUnsafe = (workflow: Workflow.Any, executionId: string) =>
  Effect.flatMap(WorkflowEngine.WorkflowEngine, (engine) => engine.interruptUnsafe(workflow, executionId))

const interrupts: ReadonlyArray<Behaviour> = [
  behaviour("Workflow.make.interrupt", "ends a suspended execution", function* () {
    const Waits = textWorkflow("Waits")
    yield* register(Waits, () => DurableDeferred.await(gate))
    const executionId = yield* startSuspended(Waits, "a")
    yield* Waits.interrupt(executionId)
    expect(told(yield* untilEnded(Waits, executionId))).toBe("interrupted")
  }),
  behaviour("Workflow.make.interrupt", "tells who waits, and who comes later", function* () {
    const Told = textWorkflow("Told")
    yield* register(Told, () => DurableDeferred.await(gate))
    const caller = yield* Effect.forkChild(Told.execute({ id: "a" }), { startImmediately: true })
    const executionId = yield* Told.executionId({ id: "a" })
    yield* untilSuspended(Told, executionId)
    yield* Told.interrupt(executionId)
    expect(told(yield* Fiber.await(caller))).toBe("interrupted")
    expect(told(yield* Effect.exit(Told.execute({ id: "a" })))).toBe("interrupted")
  }),
  behaviour("Workflow.make.interrupt", "leaves a run that ends without a suspension its end", function* () {
    const Ends = textWorkflow("Ends")
    let begun = false
    let go = false
    const slow = textActivity(
      "slow",
      Effect.gen(function* () {
        begun = true
        yield* until("it may end", () => go)
        return "slow"
      })
    )
    yield* register(Ends, () => slow)
    const executionId = yield* Ends.execute({ id: "a" }, { discard: true })
    yield* until("the activity has begun", () => begun)
    yield* Ends.interrupt(executionId)
    go = true
    expect(told(yield* untilEnded(Ends, executionId))).toBe("success slow")
  }),
  behaviour("Workflow.make.interrupt", "takes effect where the run would suspend", function* () {
    const Later = textWorkflow("Later")
    let begun = false
    let go = false
    const seen: Array<string> = []
    const slow = textActivity(
      "slow",
      Effect.gen(function* () {
        begun = true
        yield* until("it may end", () => go)
        return String(seen.push("slow"))
      })
    )
    yield* register(Later, () => Effect.andThen(slow, DurableDeferred.await(gate)))
    const executionId = yield* Later.execute({ id: "a" }, { discard: true })
    yield* until("the activity has begun", () => begun)
    yield* Later.interrupt(executionId)
    go = true
    expect(told(yield* untilEnded(Later, executionId))).toBe("interrupted")
    expect(seen).toStrictEqual(["slow"])
  }),
  behaviour("Workflow.make.interrupt", "runs the compensations, with an interruption as cause", function* () {
    const Undone = textWorkflow("Undone")
    const seen: Array<string> = []
    const hotel = Workflow.withCompensation(textActivity("hotel", Effect.succeed("hotel")), (value, cause) =>
      Effect.sync(() => void seen.push(`undo ${value}: ${toldCause(cause)}`))
    )
    yield* register(Undone, () => Effect.andThen(hotel, DurableDeferred.await(gate)))
    const executionId = yield* startSuspended(Undone, "a")
    yield* Undone.interrupt(executionId)
    expect(told(yield* untilEnded(Undone, executionId))).toBe("interrupted")
    expect(seen).toStrictEqual(["undo hotel: interrupted"])
  }),
  behaviour("Workflow.make.interrupt", "lets compensations run activities", function* () {
    const Refunds = textWorkflow("Refunds")
    const seen: Array<string> = []
    const refund = textActivity(
      "refund",
      Effect.sync(() => String(seen.push("refund")))
    )
    const charge = Workflow.withCompensation(textActivity("charge", Effect.succeed("charged")), () =>
      Effect.asVoid(Effect.orDie(refund))
    )
    yield* register(Refunds, () => Effect.andThen(charge, DurableDeferred.await(gate)))
    const executionId = yield* startSuspended(Refunds, "a")
    yield* Refunds.interrupt(executionId)
    expect(told(yield* untilEnded(Refunds, executionId))).toBe("interrupted")
    expect(seen).toStrictEqual(["refund"])
  }),
  behaviour(
    "WorkflowEngine.activityExecute",
    "begins no activity that is new when an interruption waits",
    function* () {
      const Stops = textWorkflow("Stops")
      const seen: Array<string> = []
      let bodies = 0
      yield* register(Stops, () =>
        Effect.gen(function* () {
          bodies += 1
          yield* textActivity(
            "old",
            Effect.sync(() => String(seen.push("old")))
          )
          // A replay comes farther than the run before.
          if (bodies === 1) yield* DurableDeferred.await(gate)
          return yield* textActivity(
            "new",
            Effect.sync(() => String(seen.push("new")))
          )
        })
      )
      const executionId = yield* startSuspended(Stops, "a")
      yield* Stops.interrupt(executionId)
      expect(told(yield* untilEnded(Stops, executionId))).toBe("interrupted")
      expect(seen).toStrictEqual(["old"])
    }
  ),
  behaviour("Workflow.make.interrupt", "does nothing before the beginning", function* () {
    const Early = textWorkflow("Early")
    yield* register(Early, () => Effect.succeed("done"))
    yield* Early.interrupt(yield* Early.executionId({ id: "a" }))
    yield* interruptUnsafe(Early, yield* Early.executionId({ id: "a" }))
    expect(yield* Early.execute({ id: "a" })).toBe("done")
  }),
  behaviour("Workflow.make.interrupt", "does nothing after the end", function* () {
    const Late = textWorkflow("Late")
    let bodies = 0
    yield* register(Late, () => Effect.sync(() => `body ${++bodies}`))
    yield* Late.execute({ id: "a" })
    yield* Late.interrupt(yield* Late.executionId({ id: "a" }))
    yield* settle
    expect(yield* Late.execute({ id: "a" })).toBe("body 1")
    expect(bodies).toBe(1)
  }),
  behaviour("Workflow.make.interrupt", "twice is once", function* () {
    const Twice = textWorkflow("Twice")
    const seen: Array<string> = []
    const hotel = Workflow.withCompensation(textActivity("hotel", Effect.succeed("hotel")), () =>
      Effect.sync(() => void seen.push("undo"))
    )
    yield* register(Twice, () => Effect.andThen(hotel, DurableDeferred.await(gate)))
    const executionId = yield* startSuspended(Twice, "a")
    yield* Effect.all([Twice.interrupt(executionId), Twice.interrupt(executionId)], {
      concurrency: "unbounded"
    })
    expect(told(yield* untilEnded(Twice, executionId))).toBe("interrupted")
    expect(seen).toStrictEqual(["undo"])
  }),
  behaviour(
    "Workflow.make.interrupt",
    "tells finalizers, and the body's own handlers of the end do not see it",
    function* () {
      const Handlers = textWorkflow("Handlers")
      const seen: Array<string> = []
      yield* register(Handlers, () =>
        Effect.andThen(
          Workflow.addFinalizer((exit) => Effect.sync(() => void seen.push(`finalizer: ${told(exit)}`))),
          DurableDeferred.await(gate)
        )
      )
      const executionId = yield* startSuspended(Handlers, "a")
      yield* Handlers.interrupt(executionId)
      yield* untilEnded(Handlers, executionId)
      expect(seen[0]).toBe("finalizer: interrupted")
    }
  ),
  behaviour("WorkflowEngine.interruptUnsafe", "cuts off an activity that would not end", function* () {
    const Stuck = textWorkflow("Stuck")
    let begun = 0
    let stopped = 0
    const stuck = textActivity(
      "stuck",
      Effect.andThen(
        Effect.sync(() => void ++begun),
        Effect.never
      ).pipe(Effect.onInterrupt(() => Effect.sync(() => void ++stopped)))
    )
    yield* register(Stuck, () => stuck)
    const executionId = yield* Stuck.execute({ id: "a" }, { discard: true })
    yield* until("the activity has begun", () => begun === 1)
    yield* interruptUnsafe(Stuck, executionId)
    expect(told(yield* untilEnded(Stuck, executionId))).toBe("interrupted")
    expect([begun, stopped]).toStrictEqual([1, 1])
  }),
  behaviour("WorkflowEngine.interruptUnsafe", "holds where the replay would end well", function* () {
    const Well = textWorkflow("Well")
    let bodies = 0
    yield* register(Well, () =>
      Effect.suspend(() => (++bodies === 1 ? Effect.never : Effect.succeed("well")))
    )
    const executionId = yield* Well.execute({ id: "a" }, { discard: true })
    yield* until("the body has begun", () => bodies === 1)
    yield* interruptUnsafe(Well, executionId)
    expect(told(yield* untilEnded(Well, executionId))).toBe("interrupted")
    expect(told(yield* Effect.exit(Well.execute({ id: "a" })))).toBe("interrupted")
  }),
  behaviour("WorkflowEngine.interruptUnsafe", "ends a suspended execution", function* () {
    const Waits = textWorkflow("WaitsUnsafe")
    yield* register(Waits, () => DurableDeferred.await(gate))
    const executionId = yield* startSuspended(Waits, "a")
    yield* interruptUnsafe(Waits, executionId)
    expect(told(yield* untilEnded(Waits, executionId))).toBe("interrupted")
  }),
  behaviour("WorkflowEngine.interruptUnsafe", "counts after an interruption that was not", function* () {
    const Both = textWorkflow("Both")
    let begun = 0
    const stuck = textActivity(
      "stuck",
      Effect.andThen(
        Effect.sync(() => void ++begun),
        Effect.never
      )
    )
    yield* register(Both, () => stuck)
    const executionId = yield* Both.execute({ id: "a" }, { discard: true })
    yield* until("the activity has begun", () => begun === 1)
    yield* Both.interrupt(executionId)
    yield* settle
    expect(yield* Both.poll(executionId)).toStrictEqual(Option.none())
    yield* interruptUnsafe(Both, executionId)
    expect(told(yield* untilEnded(Both, executionId))).toBe("interrupted")
  })
]

const resumptions: ReadonlyArray<Behaviour> = [
  behaviour("Workflow.suspend", "suspends a run; a resumption runs the body again", function* () {
    const Stops = textWorkflow("StopsItself")
    let bodies = 0
    yield* register(Stops, () =>
      Effect.gen(function* () {
        bodies += 1
        if (bodies === 1) yield* Workflow.suspend(yield* WorkflowEngine.WorkflowInstance)
        return `body ${bodies}`
      })
    )
    const executionId = yield* startSuspended(Stops, "a")
    yield* Stops.resume(executionId)
    expect(told(yield* untilEnded(Stops, executionId))).toBe("success body 2")
  }),
  behaviour("Workflow.make.resume", "of what waits for a value runs the body, which waits on", function* () {
    const Waits = textWorkflow("WaitsOn")
    let bodies = 0
    yield* register(Waits, () => Effect.suspend(() => (bodies++, DurableDeferred.await(gate))))
    const executionId = yield* startSuspended(Waits, "a")
    yield* Waits.resume(executionId)
    yield* until("the body ran again", () => bodies === 2)
    yield* untilSuspended(Waits, executionId)
    yield* give(gate, Waits, executionId, "open")
    expect(told(yield* untilEnded(Waits, executionId))).toBe("success open")
    expect(bodies).toBe(3)
  }),
  behaviour("Workflow.make.resume", "does nothing before the beginning and after the end", function* () {
    const Idle = textWorkflow("Idle")
    let bodies = 0
    yield* register(Idle, () => Effect.sync(() => `body ${++bodies}`))
    const executionId = yield* Idle.executionId({ id: "a" })
    yield* Idle.resume(executionId)
    yield* settle
    expect(bodies).toBe(0)
    expect(yield* Idle.execute({ id: "a" })).toBe("body 1")
    yield* Idle.resume(executionId)
    yield* settle
    expect(bodies).toBe(1)
  }),
  behaviour(
    "Workflow.make.resume",
    "while a run goes on counts for the suspension that it comes to",
    function* () {
      const Queued = textWorkflow("Queued")
      let bodies = 0
      let go = false
      yield* register(Queued, () =>
        Effect.gen(function* () {
          bodies += 1
          if (bodies > 1) return `body ${bodies}`
          yield* until("it was resumed", () => go)
          return yield* Workflow.suspend(yield* WorkflowEngine.WorkflowInstance)
        })
      )
      const executionId = yield* Queued.execute({ id: "a" }, { discard: true })
      yield* until("the body has begun", () => bodies === 1)
      yield* Queued.resume(executionId)
      go = true
      expect(told(yield* untilEnded(Queued, executionId))).toBe("success body 2")
    }
  ),
  behaviour("Workflow.make.resume", "while a run goes on that ends is for nothing", function* () {
    const Ends = textWorkflow("EndsAnyway")
    let bodies = 0
    let go = false
    yield* register(Ends, () =>
      Effect.gen(function* () {
        bodies += 1
        yield* until("it was resumed", () => go)
        return `body ${bodies}`
      })
    )
    const executionId = yield* Ends.execute({ id: "a" }, { discard: true })
    yield* until("the body has begun", () => bodies === 1)
    yield* Ends.resume(executionId)
    go = true
    expect(told(yield* untilEnded(Ends, executionId))).toBe("success body 1")
    yield* settle
    expect(bodies).toBe(1)
  })
]

/** An activity that fails until it is mended. */
const mendable = (state: { broken: boolean; bodies: number }) =>
  textActivity(
    "charge",
    Effect.suspend(() => {
      state.bodies += 1
      return state.broken ? Effect.fail("refused") : Effect.succeed("charged")
    })
  )

/** A body that waits, and fails the first time. */
const failsFirst = (state: { bodies: number; readonly go: boolean }) =>
  Effect.gen(function* () {
    state.bodies += 1
    yield* until("it may go on", () => state.go)
    return state.bodies === 1 ? yield* Effect.fail("refused") : `body ${state.bodies}`
  })

const failures: ReadonlyArray<Behaviour> = [
  behaviour("Workflow.SuspendOnFailure", "suspends a run that fails, with its cause", function* () {
    const Fails = textWorkflow("Fails").annotate(Workflow.SuspendOnFailure, true)
    yield* register(Fails, () => Effect.fail("refused"))
    const executionId = yield* Fails.execute({ id: "a" }, { discard: true })
    const { cause, failed } = yield* untilSuspended(Fails, executionId)
    expect(failed).toBe(true)
    expect(cause && toldCause(cause)).toBe("defect refused")
  }),
  behaviour(
    "Workflow.SuspendOnFailure",
    "suspends where an activity fails, which runs again when it is resumed",
    function* () {
      const Fails = textWorkflow("FailsInActivity").annotate(Workflow.SuspendOnFailure, true)
      const state = { broken: true, bodies: 0 }
      yield* register(Fails, () => mendable(state))
      const executionId = yield* startSuspended(Fails, "a")
      expect((yield* untilSuspended(Fails, executionId)).failed).toBe(true)
      state.broken = false
      yield* Fails.resume(executionId)
      expect(told(yield* untilEnded(Fails, executionId))).toBe("success charged")
      expect(state.bodies).toBe(2)
    }
  ),
  behaviour("Workflow.SuspendOnFailure", "suspends where the body dies", function* () {
    const Dies = textWorkflow("DiesSuspended").annotate(Workflow.SuspendOnFailure, true)
    let bodies = 0
    yield* register(Dies, () =>
      Effect.suspend(() => (++bodies === 1 ? Effect.die(new Error("broken")) : Effect.succeed("mended")))
    )
    const executionId = yield* startSuspended(Dies, "a")
    const { cause } = yield* untilSuspended(Dies, executionId)
    expect(cause && toldCause(cause)).toBe("defect broken")
    yield* Dies.resume(executionId)
    expect(told(yield* untilEnded(Dies, executionId))).toBe("success mended")
  }),
  behaviour("Workflow.SuspendOnFailure", "keeps the caller waiting until it is mended", function* () {
    const Waits = textWorkflow("WaitsForMending").annotate(Workflow.SuspendOnFailure, true)
    const state = { broken: true, bodies: 0 }
    yield* register(Waits, () => mendable(state))
    const caller = yield* Effect.forkChild(Waits.execute({ id: "a" }), { startImmediately: true })
    const executionId = yield* Waits.executionId({ id: "a" })
    yield* untilSuspended(Waits, executionId)
    state.broken = false
    yield* Waits.resume(executionId)
    expect(yield* Fiber.join(caller)).toBe("charged")
  }),
  behaviour("Workflow.SuspendOnFailure", "is not woken by a value: a person must resume it", function* () {
    const Failed = textWorkflow("FailedWaits").annotate(Workflow.SuspendOnFailure, true)
    const state = { broken: true, bodies: 0 }
    yield* register(Failed, () => mendable(state))
    const executionId = yield* startSuspended(Failed, "a")
    yield* give(gate, Failed, executionId, "open")
    yield* settle
    yield* untilSuspended(Failed, executionId)
    expect(state.bodies).toBe(1)
    state.broken = false
    yield* Failed.resume(executionId)
    expect(told(yield* untilEnded(Failed, executionId))).toBe("success charged")
  }),
  behaviour("Workflow.SuspendOnFailure", "suspends an ordinary wait without a failure", function* () {
    const Plain = textWorkflow("PlainWait").annotate(Workflow.SuspendOnFailure, true)
    yield* register(Plain, () => DurableDeferred.await(gate))
    const executionId = yield* startSuspended(Plain, "a")
    expect((yield* untilSuspended(Plain, executionId)).failed).toBeUndefined()
    yield* give(gate, Plain, executionId, "open")
    expect(told(yield* untilEnded(Plain, executionId))).toBe("success open")
  }),
  behaviour(
    "Workflow.SuspendOnFailure",
    "ends where it is interrupted, with its compensations",
    function* () {
      const Ends = textWorkflow("EndsInterrupted").annotate(Workflow.SuspendOnFailure, true)
      const seen: Array<string> = []
      const hotel = Workflow.withCompensation(textActivity("hotel", Effect.succeed("hotel")), () =>
        Effect.sync(() => void seen.push("undo"))
      )
      yield* register(Ends, () => Effect.andThen(hotel, Effect.fail("no")))
      const executionId = yield* startSuspended(Ends, "a")
      expect(seen).toStrictEqual([])
      yield* Ends.interrupt(executionId)
      expect(told(yield* untilEnded(Ends, executionId))).toMatch(/interrupted|failure no/)
      expect(seen).toStrictEqual(["undo"])
    }
  ),
  behaviour("Workflow.SuspendOnFailure", "is not woken by a value that came while it ran", function* () {
    const Busy = textWorkflow("FailsBusy").annotate(Workflow.SuspendOnFailure, true)
    const state = { bodies: 0, go: false }
    yield* register(Busy, () => failsFirst(state))
    const executionId = yield* Busy.execute({ id: "a" }, { discard: true })
    yield* until("the body has begun", () => state.bodies === 1)
    yield* give(gate, Busy, executionId, "open")
    state.go = true
    expect((yield* untilSuspended(Busy, executionId)).failed).toBe(true)
    yield* settle
    expect(state.bodies).toBe(1)
  }),
  behaviour(
    "Workflow.SuspendOnFailure",
    "is woken by a resumption that came while it ran, beside a value",
    function* () {
      const Busy = textWorkflow("ResumedBusy").annotate(Workflow.SuspendOnFailure, true)
      const state = { bodies: 0, go: false }
      yield* register(Busy, () => failsFirst(state))
      const executionId = yield* Busy.execute({ id: "a" }, { discard: true })
      yield* until("the body has begun", () => state.bodies === 1)
      yield* Busy.resume(executionId)
      yield* give(gate, Busy, executionId, "open")
      state.go = true
      expect(told(yield* untilEnded(Busy, executionId))).toBe("success body 2")
    }
  ),
  behaviour("Workflow.SuspendOnFailure", "ends where an interruption came before the failure", function* () {
    const Busy = textWorkflow("InterruptedBusy").annotate(Workflow.SuspendOnFailure, true)
    const state = { bodies: 0, go: false }
    yield* register(Busy, () => failsFirst(state))
    const executionId = yield* Busy.execute({ id: "a" }, { discard: true })
    yield* until("the body has begun", () => state.bodies === 1)
    yield* Busy.interrupt(executionId)
    state.go = true
    expect(told(yield* untilEnded(Busy, executionId))).toMatch(/interrupted|failure refused/)
    expect(state.bodies).toBe(1)
  })
]

export const interruptions: ReadonlyArray<Behaviour> = [...interrupts, ...resumptions, ...failures]
