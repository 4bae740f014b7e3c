// Compensations and finalizers: which run, when, in which order, and when none does.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { DurableDeferred, Workflow } from "effect/workflow"
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
  untilEnded
} from "../behaviour.ts"

const gate = textDeferred("gate")

/** An activity whose compensation is seen. */
const booked = (seen: Array<string>, name: string) =>
  textActivity(name, Effect.succeed(name)).pipe(
    Workflow.withCompensation((value, cause) =>
      Effect.sync(() => {
        seen.push(`undo ${value}: ${toldCause(cause)}`)
      })
    )
  )

const compensations: ReadonlyArray<Behaviour> = [
  behaviour(
    "Workflow.withCompensation",
    "runs where the workflow fails, with the value and the cause",
    function* () {
      const Fails = textWorkflow("Fails")
      const seen: Array<string> = []
      yield* register(Fails, () => Effect.andThen(booked(seen, "hotel"), Effect.fail("no flight")))
      expect(yield* Effect.flip(Fails.execute({ id: "a" }))).toBe("no flight")
      expect(seen).toStrictEqual(["undo hotel: failure no flight"])
    }
  ),
  behaviour("Workflow.withCompensation", "runs where the workflow dies", function* () {
    const Dies = textWorkflow("Dies")
    const seen: Array<string> = []
    yield* register(Dies, () => Effect.andThen(booked(seen, "hotel"), Effect.die(new Error("broken"))))
    yield* Effect.exit(Dies.execute({ id: "a" }))
    expect(seen).toStrictEqual(["undo hotel: defect broken"])
  }),
  behaviour("Workflow.withCompensation", "does not run where the workflow succeeds", function* () {
    const Succeeds = textWorkflow("Succeeds")
    const seen: Array<string> = []
    yield* register(Succeeds, () => booked(seen, "hotel"))
    expect(yield* Succeeds.execute({ id: "a" })).toBe("hotel")
    expect(seen).toStrictEqual([])
  }),
  behaviour("Workflow.withCompensation", "runs in the reverse order", function* () {
    const Order = textWorkflow("Reverse")
    const seen: Array<string> = []
    const all = ["hotel", "car", "flight"].map((name) => booked(seen, name))
    yield* register(Order, () => Effect.andThen(Effect.all(all), Effect.fail("no")))
    yield* Effect.exit(Order.execute({ id: "a" }))
    expect(seen).toStrictEqual(["flight", "car", "hotel"].map((name) => `undo ${name}: failure no`))
  }),
  behaviour("Workflow.withCompensation", "does not run for what failed itself", function* () {
    const Half = textWorkflow("Half")
    const seen: Array<string> = []
    const bad = Workflow.withCompensation(textActivity("car", Effect.fail("no car")), () =>
      Effect.sync(() => void seen.push("undo car"))
    )
    yield* register(Half, () => Effect.andThen(booked(seen, "hotel"), bad))
    yield* Effect.exit(Half.execute({ id: "a" }))
    expect(seen).toStrictEqual(["undo hotel: failure no car"])
  }),
  behaviour("Workflow.make.withCompensation", "is the same", function* () {
    const Method = textWorkflow("Method")
    const seen: Array<string> = []
    const hotel = Method.withCompensation(textActivity("hotel", Effect.succeed("hotel")), (value) =>
      Effect.sync(() => void seen.push(`undo ${value}`))
    )
    yield* register(Method, () => Effect.andThen(hotel, Effect.fail("no")))
    yield* Effect.exit(Method.execute({ id: "a" }))
    expect(seen).toStrictEqual(["undo hotel"])
  }),
  behaviour(
    "Workflow.withCompensation",
    "does not run where the workflow is suspended, and once at its end",
    function* () {
      const Waits = textWorkflow("WaitsThenFails")
      const seen: Array<string> = []
      yield* register(Waits, () =>
        Effect.gen(function* () {
          yield* booked(seen, "hotel")
          yield* DurableDeferred.await(gate)
          yield* booked(seen, "car")
          yield* DurableDeferred.await(textDeferred("other"))
          return yield* Effect.fail("no")
        })
      )
      const executionId = yield* startSuspended(Waits, "a")
      yield* give(gate, Waits, executionId, "open")
      yield* settle
      expect(seen).toStrictEqual([])
      yield* give(textDeferred("other"), Waits, executionId, "open")
      expect(told(yield* untilEnded(Waits, executionId))).toBe("failure no")
      expect(seen).toStrictEqual(["undo car: failure no", "undo hotel: failure no"])
    }
  ),
  behaviour("Workflow.withCompensation", "may run activities, which are recorded", function* () {
    const Refunds = textWorkflow("Refunds")
    let bodies = 0
    const refund = textActivity(
      "refund",
      Effect.sync(() => `refund ${++bodies}`)
    )
    const charge = Workflow.withCompensation(textActivity("charge", Effect.succeed("charged")), () =>
      Effect.orDie(Effect.asVoid(refund))
    )
    yield* register(Refunds, () => Effect.andThen(charge, Effect.fail("no")))
    yield* Effect.exit(Refunds.execute({ id: "a" }))
    yield* Effect.exit(Refunds.execute({ id: "a" }))
    expect(bodies).toBe(1)
  }),
  behaviour("Workflow.withCompensation", "inside an activity belongs to the activity", function* () {
    const Inner = textWorkflow("Inner")
    const seen: Array<string> = []
    const inner = (name: string, after: Effect.Effect<string, string>) =>
      textActivity(
        name,
        Effect.andThen(
          Workflow.withCompensation(Effect.succeed(name), (value) =>
            Effect.sync(() => void seen.push(`undo ${value}`))
          ),
          after
        )
      )
    yield* register(Inner, () =>
      Effect.gen(function* () {
        yield* Effect.exit(inner("fails", Effect.fail("no")))
        yield* inner("succeeds", Effect.succeed("yes"))
        return yield* Effect.fail("late")
      })
    )
    yield* Effect.exit(Inner.execute({ id: "a" }))
    expect(seen).toStrictEqual(["undo fails"])
  }),
  behaviour("Workflow.withCompensation", "has run when the caller is told the end", function* () {
    const Slow = textWorkflow("SlowUndo")
    let undone = false
    const hotel = Workflow.withCompensation(textActivity("hotel", Effect.succeed("hotel")), () =>
      Effect.andThen(
        settle,
        Effect.sync(() => {
          undone = true
        })
      )
    )
    yield* register(Slow, () => Effect.andThen(hotel, Effect.fail("no")))
    yield* Effect.exit(Slow.execute({ id: "a" }))
    expect(undone).toBe(true)
  })
]

const finalizers: ReadonlyArray<Behaviour> = [
  behaviour("Workflow.addFinalizer", "is told the end: success or failure", function* () {
    const Ends = textWorkflow("Ends")
    const seen: Array<string> = []
    yield* register(Ends, ({ id }) =>
      Effect.gen(function* () {
        yield* Workflow.addFinalizer((exit) => Effect.sync(() => void seen.push(told(exit))))
        return id === "good" ? "fine" : yield* Effect.fail("bad")
      })
    )
    yield* Ends.execute({ id: "good" })
    yield* Effect.exit(Ends.execute({ id: "bad" }))
    expect(seen).toStrictEqual(["success fine", "failure bad"])
  }),
  behaviour("Workflow.addFinalizer", "does not run where the workflow is suspended", function* () {
    const Suspends = textWorkflow("Suspends")
    const seen: Array<string> = []
    yield* register(Suspends, () =>
      Effect.andThen(
        Workflow.addFinalizer((exit) => Effect.sync(() => void seen.push(told(exit)))),
        DurableDeferred.await(gate)
      )
    )
    const executionId = yield* startSuspended(Suspends, "a")
    yield* settle
    expect(seen).toStrictEqual([])
    yield* give(gate, Suspends, executionId, "open")
    yield* untilEnded(Suspends, executionId)
    expect(seen[0]).toBe("success open")
  }),
  behaviour(
    "Workflow.addFinalizer",
    "of the last run is told a failure, those of the runs before see none",
    function* () {
      const Runs = textWorkflow("Runs")
      const seen: Array<boolean> = []
      yield* register(Runs, () =>
        Effect.gen(function* () {
          yield* Workflow.addFinalizer((exit) => Effect.sync(() => void seen.push(Exit.isFailure(exit))))
          yield* DurableDeferred.await(gate)
          return yield* Effect.fail("no")
        })
      )
      const executionId = yield* startSuspended(Runs, "a")
      yield* give(gate, Runs, executionId, "open")
      yield* untilEnded(Runs, executionId)
      expect(seen).toStrictEqual([true, false])
    }
  ),
  behaviour("Workflow.addFinalizer", "has run when the caller is told the end", function* () {
    const Slow = textWorkflow("SlowFinalizer")
    let ended = false
    yield* register(Slow, () =>
      Effect.as(
        Workflow.addFinalizer(() =>
          Effect.andThen(
            settle,
            Effect.sync(() => {
              ended = true
            })
          )
        ),
        "done"
      )
    )
    yield* Slow.execute({ id: "a" })
    expect(ended).toBe(true)
  }),
  behaviour("Workflow.provideScope", "keeps a resource over suspensions, until the end", function* () {
    const Keeps = textWorkflow("Keeps")
    const seen: Array<string> = []
    yield* register(Keeps, () =>
      Effect.gen(function* () {
        yield* Workflow.provideScope(
          Effect.acquireRelease(
            Effect.sync(() => seen.push("opened")),
            () => Effect.sync(() => seen.push("closed"))
          )
        )
        return yield* DurableDeferred.await(gate)
      })
    )
    const executionId = yield* startSuspended(Keeps, "a")
    yield* settle
    expect(seen).toStrictEqual(["opened"])
    yield* give(gate, Keeps, executionId, "open")
    yield* untilEnded(Keeps, executionId)
    expect(seen).toStrictEqual(["opened", "opened", "closed", "closed"])
  }),
  behaviour("Workflow.scope", "is open until the workflow ends", function* () {
    const Scoped = textWorkflow("Scoped")
    const seen: Array<string> = []
    yield* register(Scoped, () =>
      Effect.gen(function* () {
        const scope = yield* Workflow.scope
        yield* Scope.addFinalizer(
          scope,
          Effect.sync(() => void seen.push("closed"))
        )
        yield* settle
        seen.push("body")
        return "done"
      })
    )
    yield* Scoped.execute({ id: "a" })
    expect(seen).toStrictEqual(["body", "closed"])
  }),
  behaviour("Workflow.intoResult", "ends the body's own scope with each run", function* () {
    const Own = textWorkflow("OwnScope")
    const seen: Array<string> = []
    yield* register(Own, () =>
      Effect.gen(function* () {
        yield* Effect.acquireRelease(
          Effect.sync(() => seen.push("opened")),
          () => Effect.sync(() => seen.push("closed"))
        )
        return yield* DurableDeferred.await(gate)
      })
    )
    const executionId = yield* startSuspended(Own, "a")
    expect(seen).toStrictEqual(["opened", "closed"])
    yield* give(gate, Own, executionId, "open")
    yield* untilEnded(Own, executionId)
    expect(seen).toStrictEqual(["opened", "closed", "opened", "closed"])
  }),
  behaviour("Workflow.addFinalizer", "may complete a deferred of its own execution", function* () {
    const Last = textWorkflow("LastWord")
    yield* register(Last, (_, executionId) =>
      Effect.gen(function* () {
        yield* Workflow.addFinalizer(() => give(gate, Last, executionId, "over"))
        return "done"
      })
    )
    expect(yield* Last.execute({ id: "a" })).toBe("done")
  }),
  behaviour("Workflow.addFinalizer", "uses the services of where it was added", function* () {
    const Adds = textWorkflow("Adds")
    const seen: Array<string> = []
    const last = textActivity(
      "last",
      Effect.sync(() => String(seen.push("last")))
    )
    yield* register(Adds, () =>
      Effect.as(
        Workflow.addFinalizer(() => Effect.orDie(last).pipe(Effect.asVoid)),
        "done"
      )
    )
    yield* Adds.execute({ id: "a" })
    yield* until("the finalizer's activity has run", () => seen.length === 1)
  })
]

export const endings: ReadonlyArray<Behaviour> = [...compensations, ...finalizers]
