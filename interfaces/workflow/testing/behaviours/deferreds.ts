// Values that are decided outside of a workflow, and the runs that they wake.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Activity, DurableDeferred, WorkflowEngine } from "effect/workflow"
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
  until,
  untilEnded,
  untilSuspended
} from "../behaviour.ts"

const gate = textDeferred("gate")
const other = textDeferred("other")

const values: ReadonlyArray<Behaviour> = [
  behaviour("DurableDeferred.await", "suspends until there is a value, and gives it", function* () {
    const Asks = textWorkflow("Asks")
    yield* register(Asks, () => DurableDeferred.await(gate))
    const executionId = yield* startSuspended(Asks, "a")
    yield* give(gate, Asks, executionId, "open")
    expect(told(yield* untilEnded(Asks, executionId))).toBe("success open")
  }),
  behaviour("DurableDeferred.fail", "fails who waits, as typed", function* () {
    const Fails = textWorkflow("Fails")
    yield* register(Fails, () => DurableDeferred.await(gate))
    const executionId = yield* startSuspended(Fails, "a")
    const token = DurableDeferred.tokenFromExecutionId(gate, { workflow: Fails, executionId })
    yield* DurableDeferred.fail(gate, { token, error: "closed" })
    expect(told(yield* untilEnded(Fails, executionId))).toBe("failure closed")
  }),
  behaviour("DurableDeferred.failCause", "gives a whole cause, defects too", function* () {
    const Dies = textWorkflow("Dies")
    yield* register(Dies, () => DurableDeferred.await(gate))
    const executionId = yield* startSuspended(Dies, "a")
    const token = DurableDeferred.tokenFromExecutionId(gate, { workflow: Dies, executionId })
    yield* DurableDeferred.failCause(gate, { token, cause: Cause.die(new Error("broken")) })
    expect(told(yield* untilEnded(Dies, executionId))).toBe("defect broken")
  }),
  behaviour("DurableDeferred.done", "takes an exit", function* () {
    const Done = textWorkflow("Done")
    yield* register(Done, () => DurableDeferred.await(gate))
    const executionId = yield* startSuspended(Done, "a")
    const token = DurableDeferred.tokenFromExecutionId(gate, { workflow: Done, executionId })
    yield* DurableDeferred.done(gate, { token, exit: Exit.succeed("exit") })
    expect(told(yield* untilEnded(Done, executionId))).toBe("success exit")
  }),
  behaviour("DurableDeferred.done", "is kept where the execution has not begun", function* () {
    const Early = textWorkflow("Early")
    let bodies = 0
    yield* register(Early, () => Effect.suspend(() => (bodies++, DurableDeferred.await(gate))))
    const executionId = yield* Early.executionId({ id: "a" })
    yield* give(gate, Early, executionId, "early")
    expect(yield* Early.execute({ id: "a" })).toBe("early")
    expect(bodies).toBe(1)
  }),
  behaviour("DurableDeferred.done", "counts once: the first value stays", function* () {
    const Twice = textWorkflow("TwiceDone")
    const Both = textDeferred("both")
    yield* register(Twice, () =>
      Effect.map(Effect.all([DurableDeferred.await(gate), DurableDeferred.await(Both)]), (all) => all.join())
    )
    const executionId = yield* startSuspended(Twice, "a")
    yield* give(gate, Twice, executionId, "first")
    yield* give(gate, Twice, executionId, "second")
    yield* untilSuspended(Twice, executionId)
    yield* give(Both, Twice, executionId, "both")
    expect(told(yield* untilEnded(Twice, executionId))).toBe("success first,both")
  }),
  behaviour("DurableDeferred.done", "does nothing after the end", function* () {
    const Over = textWorkflow("Over")
    let bodies = 0
    yield* register(Over, () => Effect.sync(() => `body ${++bodies}`))
    yield* Over.execute({ id: "a" })
    const executionId = yield* Over.executionId({ id: "a" })
    yield* give(gate, Over, executionId, "late")
    yield* settle
    expect(told(yield* untilEnded(Over, executionId))).toBe("success body 1")
    expect(bodies).toBe(1)
  }),
  behaviour("DurableDeferred.make", "gives a value as its schema decodes it", function* () {
    const Typed = textWorkflow("TypedDeferred")
    const when = DurableDeferred.make("when", { success: Schema.Struct({ day: Schema.Date }) })
    const day = new Date("2026-11-29T00:00:00Z")
    yield* register(Typed, () =>
      Effect.map(DurableDeferred.await(when), (value) => String(value.day.getTime()))
    )
    const executionId = yield* startSuspended(Typed, "a")
    const token = DurableDeferred.tokenFromExecutionId(when, { workflow: Typed, executionId })
    yield* DurableDeferred.succeed(when, { token, value: { day } })
    expect(told(yield* untilEnded(Typed, executionId))).toBe(`success ${day.getTime()}`)
  }),
  behaviour("DurableDeferred.make", "needs no value", function* () {
    const Bare = textWorkflow("BareDeferred")
    const signal = DurableDeferred.make("signal")
    yield* register(Bare, () => Effect.as(DurableDeferred.await(signal), "signalled"))
    const executionId = yield* startSuspended(Bare, "a")
    const token = DurableDeferred.tokenFromExecutionId(signal, { workflow: Bare, executionId })
    yield* DurableDeferred.succeed(signal, { token, value: undefined })
    expect(told(yield* untilEnded(Bare, executionId))).toBe("success signalled")
  }),
  behaviour("DurableDeferred.await", "one after the other takes values that came in any order", function* () {
    const Order = textWorkflow("Order")
    yield* register(Order, () =>
      Effect.gen(function* () {
        return `${yield* DurableDeferred.await(gate)}, ${yield* DurableDeferred.await(other)}`
      })
    )
    const executionId = yield* startSuspended(Order, "a")
    yield* give(other, Order, executionId, "other")
    yield* untilSuspended(Order, executionId)
    yield* give(gate, Order, executionId, "gate")
    expect(told(yield* untilEnded(Order, executionId))).toBe("success gate, other")
  }),
  behaviour("DurableDeferred.await", "several at once waits for all of them", function* () {
    const All = textWorkflow("AllDeferreds")
    const deferreds = Array.from({ length: 5 }, (_, n) => textDeferred(`d${n}`))
    yield* register(All, () =>
      Effect.map(Effect.all(deferreds.map(DurableDeferred.await), { concurrency: "unbounded" }), (all) =>
        all.join("")
      )
    )
    const executionId = yield* startSuspended(All, "a")
    const gives = deferreds.map((deferred, n) => give(deferred, All, executionId, String(n)))
    yield* Effect.all(gives, { concurrency: "unbounded" })
    expect(told(yield* untilEnded(All, executionId))).toBe("success 01234")
  }),
  behaviour("DurableDeferred.make", "makes another deferred for each attempt of an activity", function* () {
    const Attempts = textWorkflow("DeferredAttempts")
    const asks = textActivity("asks", Effect.flatMap(gate.withActivityAttempt, DurableDeferred.await))
    yield* register(Attempts, () => Activity.retry(asks, { times: 1 }))
    const executionId = yield* startSuspended(Attempts, "a")
    const first = textDeferred("gate/1")
    const token = DurableDeferred.tokenFromExecutionId(first, { workflow: Attempts, executionId })
    yield* DurableDeferred.fail(first, { token, error: "once more" })
    yield* untilSuspended(Attempts, executionId)
    yield* give(textDeferred("gate/2"), Attempts, executionId, "second")
    expect(told(yield* untilEnded(Attempts, executionId))).toBe("success second")
  })
]

const tokens: ReadonlyArray<Behaviour> = [
  behaviour(
    "DurableDeferred.token",
    "is the same from inside, from the payload and from the id",
    function* () {
      const Tokens = textWorkflow("Tokens")
      yield* register(Tokens, () => DurableDeferred.token(gate))
      const inside = yield* Tokens.execute({ id: "a" })
      const executionId = yield* Tokens.executionId({ id: "a" })
      expect(DurableDeferred.tokenFromExecutionId(gate, { workflow: Tokens, executionId })).toBe(inside)
      expect(yield* DurableDeferred.tokenFromPayload(gate, { workflow: Tokens, payload: { id: "a" } })).toBe(
        inside
      )
      const parsed = DurableDeferred.TokenParsed.fromString(inside)
      expect({ ...parsed }).toStrictEqual({ workflowName: "Tokens", executionId, deferredName: "gate" })
      expect(parsed.asToken).toBe(inside)
      expect(DurableDeferred.TokenParsed.encode(parsed)).toBe(inside)
    }
  ),
  behaviour("DurableDeferred.token", "that an activity hands out opens the deferred later", function* () {
    const Hands = textWorkflow("Hands")
    let mailed: DurableDeferred.Token | undefined
    yield* register(Hands, () =>
      Effect.gen(function* () {
        const token = yield* DurableDeferred.token(gate)
        yield* textActivity(
          "mail",
          Effect.sync(() => (mailed = token))
        )
        return yield* DurableDeferred.await(gate)
      })
    )
    const executionId = yield* startSuspended(Hands, "a")
    yield* DurableDeferred.succeed(gate, { token: DurableDeferred.Token.make(mailed ?? ""), value: "mailed" })
    expect(told(yield* untilEnded(Hands, executionId))).toBe("success mailed")
  }),
  behaviour("WorkflowEngine.deferredResult", "is none before and some after", function* () {
    const Looks = textWorkflow("Looks")
    const engine = yield* WorkflowEngine.WorkflowEngine
    yield* register(Looks, (_, executionId) =>
      Effect.gen(function* () {
        const before = yield* engine.deferredResult(gate)
        yield* give(gate, Looks, executionId, "open")
        const after = yield* engine.deferredResult(gate)
        return `${Option.isNone(before)}, ${told(Option.getOrThrow(after))}`
      })
    )
    expect(yield* Looks.execute({ id: "a" })).toBe("true, success open")
  }),
  behaviour("WorkflowEngine.deferredDone", "in the body itself needs no suspension to be seen", function* () {
    const Own = textWorkflow("Own")
    let bodies = 0
    yield* register(Own, (_, executionId) =>
      Effect.gen(function* () {
        bodies += 1
        yield* give(gate, Own, executionId, "own")
        return yield* DurableDeferred.await(gate)
      })
    )
    expect(yield* Own.execute({ id: "a" })).toBe("own")
    expect(bodies).toBe(1)
  }),
  behaviour("WorkflowEngine.deferredDone", "of another execution wakes that one", function* () {
    const Waits = textWorkflow("WaitsForOther")
    const Gives = textWorkflow("Gives")
    yield* register(Waits, () => DurableDeferred.await(gate))
    yield* register(Gives, ({ id }) => Effect.as(give(gate, Waits, id, "from afar"), "given"))
    const executionId = yield* startSuspended(Waits, "a")
    expect(yield* Gives.execute({ id: executionId })).toBe("given")
    expect(told(yield* untilEnded(Waits, executionId))).toBe("success from afar")
  })
]

const preemption: ReadonlyArray<Behaviour> = [
  behaviour(
    "WorkflowEngine.deferredDone",
    "cuts off a run that waits for it beside a long activity",
    function* () {
      const Cut = textWorkflow("Cut")
      let bodies = 0
      let stopped = 0
      const long = textActivity(
        "long",
        Effect.suspend(() => (++bodies === 1 ? Effect.never : Effect.succeed("long"))).pipe(
          Effect.onInterrupt(() => Effect.sync(() => void ++stopped))
        )
      )
      yield* register(Cut, () =>
        Effect.map(Effect.all([long, DurableDeferred.await(gate)], { concurrency: "unbounded" }), (all) =>
          all.join()
        )
      )
      const executionId = yield* Cut.execute({ id: "a" }, { discard: true })
      yield* until("the activity has begun", () => bodies === 1)
      yield* settle
      yield* give(gate, Cut, executionId, "open")
      expect(told(yield* untilEnded(Cut, executionId))).toBe("success long,open")
      expect([bodies, stopped]).toStrictEqual([2, 1])
    }
  ),
  behaviour(
    "WorkflowEngine.deferredDone",
    "tells who called when it cut off the run that they wait for",
    function* () {
      const Cut = textWorkflow("CutCaller")
      let bodies = 0
      const long = textActivity(
        "long",
        Effect.suspend(() => (++bodies === 1 ? Effect.never : Effect.succeed("long")))
      )
      yield* register(Cut, () =>
        Effect.map(Effect.all([long, DurableDeferred.await(gate)], { concurrency: "unbounded" }), (all) =>
          all.join()
        )
      )
      const opens = Effect.gen(function* () {
        yield* until("the activity has begun", () => bodies === 1)
        yield* settle
        yield* give(gate, Cut, yield* Cut.executionId({ id: "a" }), "open")
      })
      const [end] = yield* Effect.all([Cut.execute({ id: "a" }), opens], { concurrency: "unbounded" })
      expect(end).toBe("long,open")
    }
  ),
  behaviour("WorkflowEngine.deferredDone", "leaves a run alone that does not wait for it", function* () {
    const Busy = textWorkflow("Busy")
    let bodies = 0
    let go = false
    const long = textActivity(
      "long",
      Effect.gen(function* () {
        bodies += 1
        yield* until("it may end", () => go)
        return "long"
      })
    )
    yield* register(Busy, () =>
      Effect.gen(function* () {
        return `${yield* long}, ${yield* DurableDeferred.await(gate)}`
      })
    )
    const executionId = yield* Busy.execute({ id: "a" }, { discard: true })
    yield* until("the activity has begun", () => bodies === 1)
    yield* give(gate, Busy, executionId, "open")
    yield* settle
    go = true
    expect(told(yield* untilEnded(Busy, executionId))).toBe("success long, open")
    expect(bodies).toBe(1)
  }),
  behaviour("WorkflowEngine.deferredDone", "wakes a run that suspends at this very moment", function* () {
    const Moment = textWorkflow("Moment")
    let go = false
    yield* register(Moment, () =>
      Effect.gen(function* () {
        yield* until("the value comes", () => go)
        return yield* DurableDeferred.await(gate)
      })
    )
    for (let n = 0; n < 20; n++) {
      go = false
      const executionId = yield* Moment.execute({ id: String(n) }, { discard: true })
      const gives = Effect.andThen(
        Effect.sync(() => {
          go = true
        }),
        give(gate, Moment, executionId, `open ${n}`)
      )
      yield* gives
      expect(told(yield* untilEnded(Moment, executionId))).toBe(`success open ${n}`)
    }
  })
]

const recording: ReadonlyArray<Behaviour> = [
  behaviour("DurableDeferred.into", "records what an effect ends with, once and for all", function* () {
    const Into = textWorkflow("Into")
    let bodies = 0
    yield* register(Into, () =>
      Effect.gen(function* () {
        const now = yield* DurableDeferred.into(
          Effect.sync(() => `value ${++bodies}`),
          other
        )
        const kept = yield* DurableDeferred.await(other)
        return `${now}, ${kept}, ${yield* DurableDeferred.await(gate)}`
      })
    )
    const executionId = yield* startSuspended(Into, "a")
    yield* give(gate, Into, executionId, "open")
    expect(told(yield* untilEnded(Into, executionId))).toMatch(/^success value \d+, value 1, open$/)
  }),
  behaviour("DurableDeferred.into", "records a failure", function* () {
    const Into = textWorkflow("IntoFailure")
    yield* register(Into, () =>
      Effect.gen(function* () {
        yield* Effect.flip(DurableDeferred.into(Effect.fail("refused"), other))
        return yield* Effect.flip(DurableDeferred.await(other))
      }).pipe(Effect.mapError(String))
    )
    expect(yield* Into.execute({ id: "a" })).toBe("refused")
  }),
  behaviour(
    "DurableDeferred.into",
    "records a failure without the interruptions that came with it",
    function* () {
      const Into = textWorkflow("IntoMixed")
      const mixed = Cause.fromReasons([...Cause.fail("refused").reasons, ...Cause.interrupt(1).reasons])
      yield* register(Into, () =>
        Effect.gen(function* () {
          yield* Effect.exit(DurableDeferred.into(Effect.failCause(mixed), other))
          return told(yield* Effect.exit(DurableDeferred.await(other)))
        })
      )
      expect(yield* Into.execute({ id: "a" })).toBe("failure refused")
    }
  ),
  behaviour("DurableDeferred.into", "records nothing of an effect that is suspended", function* () {
    const Into = textWorkflow("IntoParked")
    yield* register(Into, () => DurableDeferred.into(DurableDeferred.await(gate), other))
    const executionId = yield* startSuspended(Into, "a")
    yield* give(gate, Into, executionId, "open")
    expect(told(yield* untilEnded(Into, executionId))).toBe("success open")
  }),
  behaviour("DurableDeferred.into", "holds a run until the value is recorded, beside a wait", function* () {
    const Held = textWorkflow("Held")
    let bodies = 0
    const slow = Effect.andThen(
      settle,
      Effect.sync(() => `slow ${++bodies}`)
    )
    yield* register(Held, () =>
      Effect.gen(function* () {
        const both = [DurableDeferred.into(slow, other), DurableDeferred.await(gate)]
        yield* Effect.all(both, { concurrency: "unbounded" })
        return yield* DurableDeferred.await(other)
      })
    )
    const executionId = yield* startSuspended(Held, "a")
    expect(bodies).toBeGreaterThan(0)
    yield* give(gate, Held, executionId, "open")
    expect(told(yield* untilEnded(Held, executionId))).toBe("success slow 1")
  }),
  behaviour("DurableDeferred.raceAll", "records its winner: a replay runs none of them", function* () {
    const Race = textWorkflow("DeferredRace")
    let bodies = 0
    yield* register(Race, () =>
      Effect.gen(function* () {
        const winner = yield* DurableDeferred.raceAll({
          name: "race",
          success: Schema.String,
          error: Schema.Never,
          effects: [Effect.never as Effect.Effect<string>, Effect.sync(() => `winner ${++bodies}`)]
        })
        return `${winner}, ${yield* DurableDeferred.await(gate)}`
      })
    )
    const executionId = yield* startSuspended(Race, "a")
    yield* give(gate, Race, executionId, "open")
    expect(told(yield* untilEnded(Race, executionId))).toBe("success winner 1, open")
    expect(bodies).toBe(1)
  }),
  behaviour(
    "DurableDeferred.raceAll",
    "is suspended where all of them wait, and ends with the first",
    function* () {
      const Race = textWorkflow("WaitingRace")
      yield* register(Race, () =>
        DurableDeferred.raceAll({
          name: "race",
          success: Schema.String,
          error: Schema.String,
          effects: [DurableDeferred.await(gate), DurableDeferred.await(other)]
        })
      )
      const executionId = yield* startSuspended(Race, "a")
      yield* give(other, Race, executionId, "other")
      expect(told(yield* untilEnded(Race, executionId))).toBe("success other")
    }
  ),
  behaviour("DurableDeferred.raceAll", "goes on after a loser's value came late", function* () {
    const Race = textWorkflow("LateLoser")
    yield* register(Race, () =>
      Effect.gen(function* () {
        const winner = yield* DurableDeferred.raceAll({
          name: "race",
          success: Schema.String,
          error: Schema.String,
          effects: [DurableDeferred.await(gate), DurableDeferred.await(other)]
        })
        const last = textDeferred("last")
        return `${winner}, ${yield* DurableDeferred.await(last)}`
      })
    )
    const executionId = yield* startSuspended(Race, "a")
    yield* give(other, Race, executionId, "other")
    yield* untilSuspended(Race, executionId)
    yield* give(gate, Race, executionId, "gate")
    yield* untilSuspended(Race, executionId)
    yield* give(textDeferred("last"), Race, executionId, "last")
    expect(told(yield* untilEnded(Race, executionId))).toBe("success other, last")
  })
]

export const deferreds: ReadonlyArray<Behaviour> = [...values, ...tokens, ...preemption, ...recording]
