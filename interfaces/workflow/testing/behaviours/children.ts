// Workflows that execute workflows: what ends, waits and is interrupted together.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
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
const other = textDeferred("other")

const waiting: ReadonlyArray<Behaviour> = [
  behaviour("Workflow.make.execute", "in a workflow gives it the child's value", function* () {
    const Parent = textWorkflow("Parent")
    const Child = textWorkflow("Child")
    let bodies = 0
    yield* register(Child, ({ id }) => Effect.sync(() => `child ${id} ${++bodies}`))
    yield* register(Parent, ({ id }) => Child.execute({ id }))
    expect(yield* Parent.execute({ id: "a" })).toBe("child a 1")
    expect(yield* Child.execute({ id: "a" })).toBe("child a 1")
  }),
  behaviour("Workflow.make.execute", "in a workflow fails it as the child fails", function* () {
    const Parent = textWorkflow("ParentOfFailure")
    const Child = textWorkflow("FailingChild")
    yield* register(Child, () => Effect.fail("no"))
    yield* register(Parent, () =>
      Effect.catch(Child.execute({ id: "a" }), (error) => Effect.succeed(`child: ${error}`))
    )
    expect(yield* Parent.execute({ id: "a" })).toBe("child: no")
  }),
  behaviour("Workflow.make.execute", "in a workflow kills it as the child dies", function* () {
    const Parent = textWorkflow("ParentOfDefect")
    const Child = textWorkflow("DyingChild")
    yield* register(Child, () => Effect.die(new Error("broken")))
    yield* register(Parent, () => Child.execute({ id: "a" }))
    expect(told(yield* Effect.exit(Parent.execute({ id: "a" })))).toBe("defect broken")
  }),
  behaviour(
    "Workflow.make.execute",
    "suspends the parent with the child, and wakes it at the child's end",
    function* () {
      const Parent = textWorkflow("WaitingParent")
      const Child = textWorkflow("WaitingChild")
      let bodies = 0
      const before = textActivity(
        "before",
        Effect.sync(() => `before ${++bodies}`)
      )
      yield* register(Child, () => DurableDeferred.await(gate))
      yield* register(Parent, () =>
        Effect.gen(function* () {
          return `${yield* before}, ${yield* Child.execute({ id: "a" })}`
        })
      )
      const parent = yield* startSuspended(Parent, "a")
      const child = yield* Child.executionId({ id: "a" })
      yield* untilSuspended(Child, child)
      yield* give(gate, Child, child, "open")
      expect(told(yield* untilEnded(Parent, parent))).toBe("success before 1, open")
      expect(told(yield* untilEnded(Child, child))).toBe("success open")
      expect(bodies).toBe(1)
    }
  ),
  behaviour("Workflow.make.execute", "wakes a whole line of parents", function* () {
    const First = textWorkflow("First")
    const Second = textWorkflow("Second")
    const Third = textWorkflow("Third")
    yield* register(Third, () => DurableDeferred.await(gate))
    yield* register(Second, () => Effect.map(Third.execute({ id: "a" }), (value) => `second ${value}`))
    yield* register(First, () => Effect.map(Second.execute({ id: "a" }), (value) => `first ${value}`))
    const first = yield* startSuspended(First, "a")
    const third = yield* Third.executionId({ id: "a" })
    yield* untilSuspended(Third, third)
    yield* give(gate, Third, third, "open")
    expect(told(yield* untilEnded(First, first))).toBe("success first second open")
  }),
  behaviour("Workflow.make.execute", "of several children at once waits for all", function* () {
    const Parent = textWorkflow("ParentOfMany")
    const Child = textWorkflow("OneOfMany")
    const ids = ["a", "b", "c"]
    let bodies = 0
    yield* register(Child, ({ id }) =>
      Effect.gen(function* () {
        yield* textActivity(
          "begin",
          Effect.sync(() => String(++bodies))
        )
        return `${id} ${yield* DurableDeferred.await(gate)}`
      })
    )
    yield* register(Parent, () =>
      Effect.map(
        Effect.all(
          ids.map((id) => Child.execute({ id })),
          { concurrency: "unbounded" }
        ),
        (all) => all.join()
      )
    )
    const parent = yield* startSuspended(Parent, "a")
    for (const id of ids) {
      const child = yield* Child.executionId({ id })
      yield* untilSuspended(Child, child)
      yield* give(gate, Child, child, `open ${id}`)
      yield* untilEnded(Child, child)
    }
    expect(told(yield* untilEnded(Parent, parent))).toBe("success a open a,b open b,c open c")
    expect(bodies).toBe(3)
  }),
  behaviour("Workflow.make.execute", "of a child that was executed before joins it", function* () {
    const Parent = textWorkflow("JoiningParent")
    const Child = textWorkflow("JoinedChild")
    let bodies = 0
    yield* register(Child, () => Effect.sync(() => `child ${++bodies}`))
    yield* register(Parent, () =>
      Effect.map(Effect.all([Child.execute({ id: "a" }), Child.execute({ id: "a" })]), (all) => all.join())
    )
    expect(yield* Child.execute({ id: "a" })).toBe("child 1")
    expect(yield* Parent.execute({ id: "a" })).toBe("child 1,child 1")
  }),
  behaviour(
    "Workflow.make.execute",
    "inside an activity suspends that activity with the child",
    function* () {
      const Parent = textWorkflow("ParentByActivity")
      const Child = textWorkflow("ChildOfActivity")
      let bodies = 0
      yield* register(Child, () => DurableDeferred.await(gate))
      const asks = textActivity(
        "asks",
        Effect.suspend(() => (bodies++, Child.execute({ id: "a" })))
      )
      yield* register(Parent, () => asks)
      const parent = yield* startSuspended(Parent, "a")
      const child = yield* Child.executionId({ id: "a" })
      yield* untilSuspended(Child, child)
      yield* give(gate, Child, child, "open")
      expect(told(yield* untilEnded(Parent, parent))).toBe("success open")
      expect(bodies).toBe(2)
    }
  )
]

const failing: ReadonlyArray<Behaviour> = [
  behaviour(
    "Workflow.SuspendOnFailure",
    "of a child suspends the parent with its cause, not as failed",
    function* () {
      const Parent = textWorkflow("ParentOfSuspended")
      const Child = textWorkflow("SuspendedChild").annotate(Workflow.SuspendOnFailure, true)
      let broken = true
      yield* register(Child, () =>
        Effect.suspend(() => (broken ? Effect.fail("refused") : Effect.succeed("mended")))
      )
      yield* register(Parent, () => Child.execute({ id: "a" }))
      const parent = yield* startSuspended(Parent, "a")
      const { cause, failed } = yield* untilSuspended(Parent, parent)
      expect(cause && toldCause(cause)).toBe("defect refused")
      expect(failed).toBeUndefined()
      const child = yield* Child.executionId({ id: "a" })
      expect((yield* untilSuspended(Child, child)).failed).toBe(true)
      broken = false
      yield* Child.resume(child)
      expect(told(yield* untilEnded(Parent, parent))).toBe("success mended")
    }
  )
]

const interrupted: ReadonlyArray<Behaviour> = [
  behaviour("Workflow.make.interrupt", "of a parent interrupts the child that it waits for", function* () {
    const Parent = textWorkflow("InterruptedParent")
    const Child = textWorkflow("InterruptedChild")
    const seen: Array<string> = []
    const hotel = Workflow.withCompensation(textActivity("hotel", Effect.succeed("hotel")), () =>
      Effect.sync(() => void seen.push("undo"))
    )
    yield* register(Child, () => Effect.andThen(hotel, DurableDeferred.await(gate)))
    yield* register(Parent, () => Child.execute({ id: "a" }))
    const parent = yield* startSuspended(Parent, "a")
    const child = yield* Child.executionId({ id: "a" })
    yield* untilSuspended(Child, child)
    yield* Parent.interrupt(parent)
    expect(told(yield* untilEnded(Parent, parent))).toBe("interrupted")
    expect(told(yield* untilEnded(Child, child))).toBe("interrupted")
    expect(seen).toStrictEqual(["undo"])
  }),
  behaviour(
    "Workflow.make.execute",
    "interrupts a child with its parent where its end is discarded",
    function* () {
      const Parent = textWorkflow("DiscardingParent")
      const Child = textWorkflow("DiscardedChild")
      yield* register(Child, () => DurableDeferred.await(gate))
      yield* register(Parent, () =>
        Effect.andThen(Child.execute({ id: "a" }, { discard: true }), DurableDeferred.await(gate))
      )
      const parent = yield* startSuspended(Parent, "a")
      const child = yield* Child.executionId({ id: "a" })
      yield* untilSuspended(Child, child)
      yield* Parent.interrupt(parent)
      expect(told(yield* untilEnded(Parent, parent))).toBe("interrupted")
      expect(told(yield* untilEnded(Child, child))).toBe("interrupted")
    }
  ),
  behaviour(
    "Workflow.make.execute",
    "leaves a detached child alone when its parent is interrupted",
    function* () {
      const Parent = textWorkflow("DetachingParent")
      const Child = textWorkflow("DetachedChild")
      yield* register(Child, () => DurableDeferred.await(gate))
      yield* register(Parent, () =>
        Effect.andThen(
          Child.execute({ id: "a" }, { discard: true, detached: true }),
          DurableDeferred.await(gate)
        )
      )
      const parent = yield* startSuspended(Parent, "a")
      const child = yield* Child.executionId({ id: "a" })
      yield* untilSuspended(Child, child)
      yield* Parent.interrupt(parent)
      expect(told(yield* untilEnded(Parent, parent))).toBe("interrupted")
      yield* settle
      yield* untilSuspended(Child, child)
      yield* give(gate, Child, child, "open")
      expect(told(yield* untilEnded(Child, child))).toBe("success open")
    }
  ),
  behaviour("Workflow.make.execute", "ends a parent before a child whose end it discards", function* () {
    const Parent = textWorkflow("ForgettingParent")
    const Child = textWorkflow("ForgottenChild")
    yield* register(Child, () => DurableDeferred.await(gate))
    yield* register(Parent, () => Child.execute({ id: "a" }, { discard: true }))
    const child = yield* Child.executionId({ id: "a" })
    expect(yield* Parent.execute({ id: "a" })).toBe(child)
    yield* untilSuspended(Child, child)
    yield* give(gate, Child, child, "open")
    expect(told(yield* untilEnded(Child, child))).toBe("success open")
  }),
  behaviour(
    "WorkflowEngine.execute",
    "wakes a parent that discards an end, and not the parent of a detached child",
    function* () {
      const Parent = textWorkflow("WokenParent")
      const Child = textWorkflow("WakingChild")
      let bodies = 0
      yield* register(Child, () => DurableDeferred.await(gate))
      yield* register(Parent, ({ id }) =>
        Effect.gen(function* () {
          bodies += 1
          const options =
            id === "linked" ? { discard: true as const } : { discard: true as const, detached: true }
          yield* Child.execute({ id }, options)
          return yield* DurableDeferred.await(other)
        })
      )
      for (const [id, runs] of [
        ["linked", 2],
        ["detached", 1]
      ] as const) {
        bodies = 0
        const parent = yield* startSuspended(Parent, id)
        const child = yield* Child.executionId({ id })
        yield* untilSuspended(Child, child)
        yield* give(gate, Child, child, "open")
        yield* untilEnded(Child, child)
        yield* until("the parent was woken", () => bodies >= runs)
        yield* settle
        yield* untilSuspended(Parent, parent)
        expect([id, bodies]).toStrictEqual([id, runs])
        yield* give(other, Parent, parent, id)
        expect(told(yield* untilEnded(Parent, parent))).toBe(`success ${id}`)
      }
    }
  ),
  behaviour(
    "Workflow.make.interrupt",
    "of a child that its parent waits for interrupts the parent's run alone",
    function* () {
      const Parent = textWorkflow("ParentOfInterrupted")
      const Child = textWorkflow("ChildInterrupted")
      yield* register(Child, () => DurableDeferred.await(gate))
      yield* register(Parent, () => Child.execute({ id: "a" }))
      const parent = yield* startSuspended(Parent, "a")
      const child = yield* Child.executionId({ id: "a" })
      yield* untilSuspended(Child, child)
      yield* Child.interrupt(child)
      expect(told(yield* untilEnded(Child, child))).toBe("interrupted")
      // The parent is interrupted by what it waits for and not by a person: that is no end of it.
      yield* settle
      const result = yield* Effect.exit(Parent.poll(parent))
      expect(
        result._tag === "Success" && Option.isSome(result.value) && result.value.value._tag === "Complete"
      ).toBe(false)
    }
  ),
  behaviour("WorkflowEngine.WorkflowInstance", "of a child is not its parent's", function* () {
    const Parent = textWorkflow("OuterInstance")
    const Child = textWorkflow("InnerInstance")
    const name = Effect.map(WorkflowEngine.WorkflowInstance, (instance) => instance.workflow._tag)
    yield* register(Child, () => name)
    yield* register(Parent, () =>
      Effect.gen(function* () {
        return `${yield* Child.execute({ id: "a" })} in ${yield* name}`
      })
    )
    expect(yield* Parent.execute({ id: "a" })).toBe("InnerInstance in OuterInstance")
  }),
  behaviour("Workflow.make.interrupt", "of a parent leaves a child alone that has ended", function* () {
    const Parent = textWorkflow("ParentOfEnded")
    const Child = textWorkflow("EndedChild")
    yield* register(Child, () => Effect.succeed("done"))
    yield* register(Parent, () => Effect.andThen(Child.execute({ id: "a" }), DurableDeferred.await(gate)))
    const parent = yield* startSuspended(Parent, "a")
    yield* Parent.interrupt(parent)
    expect(told(yield* untilEnded(Parent, parent))).toBe("interrupted")
    expect(yield* Child.execute({ id: "a" })).toBe("done")
  })
]

export const children: ReadonlyArray<Behaviour> = [...waiting, ...failing, ...interrupted]
