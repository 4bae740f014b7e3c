// What outlives an engine: executions go on where another one, on the same file, stopped. What was done is not done again, what
// was given is kept, and an engine that closes compensates nothing.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { DurableClock, DurableDeferred, Workflow, type WorkflowEngine } from "effect/workflow"
import { afterAll, describe, expect, it } from "vitest"
import { Ledger } from "../embedding/ledger.ts"
import { CassetteWorkflowEngine } from "./index.ts"
import {
  give,
  register,
  settle,
  startSuspended,
  textActivity,
  textDeferred,
  textWorkflow,
  told,
  until,
  untilEnded,
  untilSuspended
} from "./testing/behaviour.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-reopening-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Life = Effect.Effect<void, unknown, Ledger | Scope.Scope | WorkflowEngine.WorkflowEngine>

let files = 0

/** Lives of engines on one file, one after the other; the last one verifies the file. */
const inLives = (...lives: ReadonlyArray<Life>): Promise<void> => {
  const filename = join(folder, `${(files += 1)}.db`)
  const engine = CassetteWorkflowEngine.layer({ filename, durability: "normal" })
  const verified = Effect.gen(function* () {
    const ledger = yield* Ledger
    expect(yield* ledger.verifyCassette({ pure: true })).toMatchObject({ verdict: "PASS", findings: [] })
  })
  const all = [...lives, verified].map((life) => Effect.provide(Effect.scoped(life), Layer.fresh(engine)))
  return Effect.runPromise(Effect.asVoid(Effect.all(all)).pipe(Effect.provide(TestClock.layer())))
}

const gate = textDeferred("gate")

describe("an engine on the file of another one that was closed", () => {
  it("goes on with what was suspended, and runs no activity again", async () => {
    const Order = textWorkflow("Order")
    let bodies = 0
    const charge = textActivity(
      "charge",
      Effect.sync(() => `charge ${++bodies}`)
    )
    const registered = register(Order, () =>
      Effect.gen(function* () {
        return `${yield* charge}, ${yield* DurableDeferred.await(gate)}`
      })
    )
    await inLives(
      Effect.gen(function* () {
        yield* registered
        yield* startSuspended(Order, "a")
      }),
      Effect.gen(function* () {
        yield* registered
        const executionId = yield* Order.executionId({ id: "a" })
        yield* untilSuspended(Order, executionId)
        yield* give(gate, Order, executionId, "open")
        expect(told(yield* untilEnded(Order, executionId))).toBe("success charge 1, open")
      })
    )
    expect(bodies).toBe(1)
  })

  it("keeps a value that came while no engine had the workflow", async () => {
    const Order = textWorkflow("Order")
    const registered = register(Order, () => DurableDeferred.await(gate))
    await inLives(
      Effect.gen(function* () {
        yield* registered
        yield* startSuspended(Order, "a")
      }),
      Effect.gen(function* () {
        yield* give(gate, Order, yield* Order.executionId({ id: "a" }), "meanwhile")
      }),
      Effect.gen(function* () {
        yield* registered
        expect(yield* Order.execute({ id: "a" })).toBe("meanwhile")
      })
    )
  })

  it("tells how executions ended, and runs no body", async () => {
    const Ends = textWorkflow("Ends")
    let bodies = 0
    const registered = register(Ends, ({ id }) =>
      Effect.suspend(() => {
        bodies += 1
        if (id === "fails") return Effect.fail("no")
        return id === "dies" ? Effect.die(new Error("broken")) : Effect.succeed("yes")
      })
    )
    const ends = Effect.gen(function* () {
      yield* registered
      const exits = yield* Effect.forEach(["succeeds", "fails", "dies"], (id) =>
        Effect.exit(Ends.execute({ id }))
      )
      expect(exits.map(told)).toStrictEqual(["success yes", "failure no", "defect broken"])
    })
    await inLives(ends, ends)
    expect(bodies).toBe(3)
  })

  it("ends a sleep at its time, wherever the time passed", async () => {
    const Sleeps = textWorkflow("Sleeps")
    const registered = register(Sleeps, () =>
      Effect.as(DurableClock.sleep({ name: "nap", duration: "3 hours", inMemoryThreshold: 0 }), "awake")
    )
    await inLives(
      Effect.gen(function* () {
        yield* registered
        yield* startSuspended(Sleeps, "a")
        yield* TestClock.adjust("1 hour")
      }),
      Effect.gen(function* () {
        yield* registered
        const executionId = yield* Sleeps.executionId({ id: "a" })
        yield* settle
        yield* untilSuspended(Sleeps, executionId)
        yield* TestClock.adjust("1 hour")
        yield* settle
        yield* untilSuspended(Sleeps, executionId)
      }),
      TestClock.adjust("10 hours"),
      Effect.gen(function* () {
        yield* registered
        expect(yield* Sleeps.execute({ id: "a" })).toBe("awake")
      })
    )
  })

  it("runs an activity again that was cut off; closing releases and compensates nothing", async () => {
    const Trip = textWorkflow("Trip")
    const seen: Array<string> = []
    let bodies = 0
    const hotel = Workflow.withCompensation(textActivity("hotel", Effect.succeed("hotel")), () =>
      Effect.sync(() => void seen.push("undo hotel"))
    )
    const flight = textActivity(
      "flight",
      Effect.suspend(() => (++bodies === 1 ? Effect.never : Effect.succeed("flight")))
    )
    const registered = register(Trip, () =>
      Effect.gen(function* () {
        yield* Workflow.provideScope(Effect.addFinalizer(() => Effect.sync(() => void seen.push("released"))))
        yield* hotel
        return yield* flight
      })
    )
    await inLives(
      Effect.gen(function* () {
        yield* registered
        yield* Trip.execute({ id: "a" }, { discard: true })
        yield* until("the flight is being booked", () => bodies === 1)
      }),
      Effect.gen(function* () {
        expect(seen).toStrictEqual(["released"])
        yield* registered
        expect(yield* Trip.execute({ id: "a" })).toBe("flight")
      })
    )
    expect(bodies).toBe(2)
    expect(seen).toStrictEqual(["released", "released"])
  })

  it("tells who waits for an end that they are interrupted", async () => {
    const Waits = textWorkflow("Waits")
    let caller: Fiber.Fiber<string, string> | undefined
    await inLives(
      Effect.gen(function* () {
        yield* register(Waits, () => DurableDeferred.await(gate))
        caller = yield* Effect.forkDetach(Waits.execute({ id: "a" }))
        yield* untilSuspended(Waits, yield* Waits.executionId({ id: "a" }))
      }),
      Effect.gen(function* () {
        const exit = yield* Fiber.await(caller!)
        expect(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)).toBe(true)
      })
    )
  })

  it("compensates what another one did, once, where the workflow fails or is interrupted", async () => {
    const Trip = textWorkflow("Trip")
    const seen: Array<string> = []
    const registered = register(Trip, ({ id }) =>
      Effect.gen(function* () {
        yield* Workflow.withCompensation(textActivity("hotel", Effect.succeed("hotel")), () =>
          Effect.sync(() => void seen.push(`undo ${id}`))
        )
        return yield* Effect.flip(DurableDeferred.await(gate))
      }).pipe(Effect.flip)
    )
    await inLives(
      Effect.gen(function* () {
        yield* registered
        yield* startSuspended(Trip, "fails")
        yield* startSuspended(Trip, "stopped")
      }),
      Effect.gen(function* () {
        yield* registered
        const fails = yield* Trip.executionId({ id: "fails" })
        const token = DurableDeferred.tokenFromExecutionId(gate, { workflow: Trip, executionId: fails })
        yield* DurableDeferred.fail(gate, { token, error: "no flight" })
        expect(told(yield* untilEnded(Trip, fails))).toBe("failure no flight")
        const stopped = yield* Trip.executionId({ id: "stopped" })
        yield* Trip.interrupt(stopped)
        expect(told(yield* untilEnded(Trip, stopped))).toBe("interrupted")
      })
    )
    expect(seen).toStrictEqual(["undo fails", "undo stopped"])
  })

  it("leaves what stopped at a failure to a person", async () => {
    const Stops = textWorkflow("Stops").annotate(Workflow.SuspendOnFailure, true)
    const state = { broken: true, bodies: 0 }
    const registered = register(Stops, () =>
      textActivity(
        "charge",
        Effect.suspend(() => {
          state.bodies += 1
          return state.broken ? Effect.fail("refused") : Effect.succeed("charged")
        })
      )
    )
    await inLives(
      Effect.gen(function* () {
        yield* registered
        yield* startSuspended(Stops, "a")
      }),
      Effect.gen(function* () {
        yield* registered
        const executionId = yield* Stops.executionId({ id: "a" })
        yield* give(gate, Stops, executionId, "open")
        yield* settle
        expect((yield* untilSuspended(Stops, executionId)).failed).toBe(true)
        expect(state.bodies).toBe(1)
        state.broken = false
        yield* Stops.resume(executionId)
        expect(told(yield* untilEnded(Stops, executionId))).toBe("success charged")
      })
    )
  })

  it("wakes the parent of a child that it ends", async () => {
    const Parent = textWorkflow("Parent")
    const Child = textWorkflow("Child")
    const registered = Effect.andThen(
      register(Child, () => DurableDeferred.await(gate)),
      register(Parent, () => Child.execute({ id: "a" }))
    )
    await inLives(
      Effect.gen(function* () {
        yield* registered
        yield* startSuspended(Parent, "a")
      }),
      Effect.gen(function* () {
        yield* registered
        yield* give(gate, Child, yield* Child.executionId({ id: "a" }), "open")
        expect(told(yield* untilEnded(Parent, yield* Parent.executionId({ id: "a" })))).toBe("success open")
      })
    )
  })
})
