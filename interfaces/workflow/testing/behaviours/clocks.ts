// Sleeps of workflows. Time is the test's, except where nothing depends on how long something takes.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { DurableClock, DurableDeferred, WorkflowEngine } from "effect/workflow"
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
  timed,
  told,
  until,
  untilEnded,
  untilSuspended
} from "../behaviour.ts"

const gate = textDeferred("gate")

const sleeping = (name: string, duration: `${number} ${"days" | "hours" | "millis" | "minutes"}`) =>
  DurableClock.sleep({ name, duration, inMemoryThreshold: 0 })

export const clocks: ReadonlyArray<Behaviour> = [
  timed("DurableClock.sleep", "of no time is over at once", function* () {
    const Zero = textWorkflow("Zero")
    yield* register(Zero, () => Effect.as(DurableClock.sleep({ name: "zero", duration: 0 }), "awake"))
    expect(yield* Zero.execute({ id: "a" })).toBe("awake")
  }),
  timed("DurableClock.sleep", "of up to a minute keeps the workflow running", function* () {
    const Short = textWorkflow("Short")
    let begun = false
    yield* register(Short, () =>
      Effect.gen(function* () {
        begun = true
        yield* DurableClock.sleep({ name: "short", duration: "60 seconds" })
        return "awake"
      })
    )
    const executionId = yield* Short.execute({ id: "a" }, { discard: true })
    yield* until("the body has begun", () => begun)
    yield* settle
    expect(yield* Short.poll(executionId)).toStrictEqual(Option.none())
    yield* TestClock.adjust("59 seconds")
    yield* settle
    expect(yield* Short.poll(executionId)).toStrictEqual(Option.none())
    yield* TestClock.adjust("1 second")
    expect(told(yield* untilEnded(Short, executionId))).toBe("success awake")
  }),
  behaviour("DurableClock.sleep", "in memory sleeps once: a replay does not", function* () {
    const Replayed = textWorkflow("ReplayedSleep")
    let awake = 0
    yield* register(Replayed, () =>
      Effect.gen(function* () {
        yield* DurableClock.sleep({ name: "short", duration: 5 })
        awake += 1
        return yield* DurableDeferred.await(gate)
      })
    )
    const executionId = yield* startSuspended(Replayed, "a")
    yield* give(gate, Replayed, executionId, "open")
    expect(told(yield* untilEnded(Replayed, executionId))).toBe("success open")
    expect(awake).toBe(2)
  }),
  timed(
    "DurableClock.sleep",
    "of more than a minute suspends, and ends when it is due and not before",
    function* () {
      const Long = textWorkflow("LongSleep")
      yield* register(Long, () =>
        Effect.as(DurableClock.sleep({ name: "long", duration: "61 seconds" }), "awake")
      )
      const executionId = yield* startSuspended(Long, "a")
      yield* TestClock.adjust("60 seconds")
      yield* settle
      expect(yield* untilSuspended(Long, executionId)).toMatchObject({ _tag: "Suspended" })
      yield* TestClock.adjust("1 second")
      expect(told(yield* untilEnded(Long, executionId))).toBe("success awake")
    }
  ),
  timed("DurableClock.sleep", "of forty days ends after forty days", function* () {
    const Weeks = textWorkflow("Weeks")
    yield* register(Weeks, () => Effect.as(sleeping("weeks", "40 days"), "awake"))
    const executionId = yield* startSuspended(Weeks, "a")
    yield* TestClock.adjust("39 days")
    yield* settle
    yield* untilSuspended(Weeks, executionId)
    yield* TestClock.adjust("1 day")
    expect(told(yield* untilEnded(Weeks, executionId))).toBe("success awake")
  }),
  timed("DurableClock.sleep", "suspends for any time where nothing sleeps in memory", function* () {
    const Durable = textWorkflow("DurableSleep")
    yield* register(Durable, () => Effect.as(sleeping("short", "1 millis"), "awake"))
    const executionId = yield* startSuspended(Durable, "a")
    yield* TestClock.adjust(1)
    expect(told(yield* untilEnded(Durable, executionId))).toBe("success awake")
  }),
  timed("WorkflowEngine.scheduleClock", "is not put off by a replay", function* () {
    const Fixed = textWorkflow("Fixed")
    let bodies = 0
    yield* register(Fixed, () =>
      Effect.gen(function* () {
        bodies += 1
        yield* sleeping("nap", "2 hours")
        return "awake"
      })
    )
    const executionId = yield* startSuspended(Fixed, "a")
    yield* TestClock.adjust("1 hour")
    yield* Fixed.resume(executionId)
    yield* until("it was replayed", () => bodies === 2)
    yield* untilSuspended(Fixed, executionId)
    yield* TestClock.adjust("1 hour")
    expect(told(yield* untilEnded(Fixed, executionId))).toBe("success awake")
  }),
  timed("DurableClock.sleep", "one after the other adds up", function* () {
    const Naps = textWorkflow("TwoNaps")
    const seen: Array<string> = []
    yield* register(Naps, () =>
      Effect.gen(function* () {
        yield* sleeping("one", "1 hours")
        yield* textActivity(
          "first",
          Effect.sync(() => String(seen.push("first")))
        )
        yield* sleeping("two", "1 hours")
        return "awake"
      })
    )
    const executionId = yield* startSuspended(Naps, "a")
    yield* TestClock.adjust("1 hour")
    yield* until("the first is over", () => seen.length === 1)
    yield* untilSuspended(Naps, executionId)
    yield* TestClock.adjust("1 hour")
    expect(told(yield* untilEnded(Naps, executionId))).toBe("success awake")
    expect(seen).toStrictEqual(["first"])
  }),
  timed("DurableClock.sleep", "several at once end each at its own time", function* () {
    const Several = textWorkflow("SeveralNaps")
    const seen: Array<string> = []
    const nap = (name: string, duration: "1 hours" | "2 hours" | "3 hours") =>
      Effect.andThen(
        sleeping(name, duration),
        textActivity(
          name,
          Effect.sync(() => String(seen.push(name)))
        )
      )
    yield* register(Several, () =>
      Effect.as(
        Effect.all([nap("c", "3 hours"), nap("a", "1 hours"), nap("b", "2 hours")], {
          concurrency: "unbounded"
        }),
        "awake"
      )
    )
    const executionId = yield* startSuspended(Several, "a")
    // Where all wait, the first alone has been asked for: the others are when it is over.
    for (let hours = 0; hours < 6; hours++) {
      yield* TestClock.adjust("1 hour")
      yield* settle
    }
    expect(told(yield* untilEnded(Several, executionId))).toBe("success awake")
    expect(seen.toSorted()).toStrictEqual(["a", "b", "c"])
  }),
  timed("DurableDeferred.raceAll", "with a sleep is a wait with an end", function* () {
    const Timeout = textWorkflow("Timeout")
    yield* register(Timeout, () =>
      DurableDeferred.raceAll({
        name: "timeout",
        success: Schema.String,
        error: Schema.String,
        effects: [DurableDeferred.await(gate), Effect.as(sleeping("timeout", "1 hours"), "too late")]
      })
    )
    const late = yield* startSuspended(Timeout, "late")
    const early = yield* startSuspended(Timeout, "early")
    yield* give(gate, Timeout, early, "in time")
    expect(told(yield* untilEnded(Timeout, early))).toBe("success in time")
    yield* TestClock.adjust("1 hour")
    expect(told(yield* untilEnded(Timeout, late))).toBe("success too late")
    expect(told(yield* untilEnded(Timeout, early))).toBe("success in time")
  }),
  timed("WorkflowEngine.scheduleClock", "is of one execution", function* () {
    const Each = textWorkflow("EachSleeps")
    yield* register(Each, ({ id }) => Effect.as(sleeping("nap", "1 hours"), id))
    const first = yield* startSuspended(Each, "first")
    yield* TestClock.adjust("30 minutes")
    const second = yield* startSuspended(Each, "second")
    yield* TestClock.adjust("30 minutes")
    expect(told(yield* untilEnded(Each, first))).toBe("success first")
    yield* untilSuspended(Each, second)
    yield* TestClock.adjust("30 minutes")
    expect(told(yield* untilEnded(Each, second))).toBe("success second")
  }),
  timed("DurableClock.make", "names a deferred that ends the sleep", function* () {
    const Woken = textWorkflow("Woken")
    const clock = DurableClock.make({ name: "nap", duration: "1 hour" })
    yield* register(Woken, () =>
      Effect.gen(function* () {
        const engine = yield* WorkflowEngine.WorkflowEngine
        const { executionId } = yield* WorkflowEngine.WorkflowInstance
        yield* engine.scheduleClock(Woken, { executionId, clock })
        yield* DurableDeferred.await(clock.deferred)
        return "awake"
      })
    )
    const executionId = yield* startSuspended(Woken, "a")
    const token = DurableDeferred.tokenFromExecutionId(clock.deferred, { workflow: Woken, executionId })
    yield* DurableDeferred.succeed(clock.deferred, { token, value: undefined })
    expect(told(yield* untilEnded(Woken, executionId))).toBe("success awake")
    yield* TestClock.adjust("1 hour")
    expect(told(yield* untilEnded(Woken, executionId))).toBe("success awake")
  })
]
