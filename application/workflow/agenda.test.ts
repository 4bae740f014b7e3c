// What is to be done at a time is done then, once, and the fiber that waits for it wakes for nothing else.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Agenda } from "./agenda.ts"

const start = Effect.gen(function* () {
  const agenda = new Agenda()
  const done: Array<string> = []
  const running = yield* Effect.forkChild(agenda.run((action) => void Effect.runFork(action)))
  yield* Effect.yieldNow
  const add = (key: string, due: number) =>
    Effect.andThen(
      Effect.sync(() =>
        agenda.add(
          key,
          due,
          Effect.sync(() => void done.push(`${key} ${due}`))
        )
      ),
      Effect.yieldNow
    )
  return { agenda, done, add, stop: Fiber.interrupt(running) }
})

describe("an agenda", () => {
  it.effect("does each thing at its time, the earlier one first", () =>
    Effect.gen(function* () {
      const { add, done, stop } = yield* start
      yield* add("late", 5_000)
      yield* add("early", 1_000)
      yield* TestClock.adjust(999)
      assert.deepStrictEqual(done, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(done, ["early 1000"])
      yield* TestClock.adjust("60 days")
      assert.deepStrictEqual(done, ["early 1000", "late 5000"])
      yield* stop
    })
  )

  it.effect("moves what is added again, and forgets what is removed", () =>
    Effect.gen(function* () {
      const { add, agenda, done, stop } = yield* start
      yield* add("a", 1_000)
      yield* add("b", 1_000)
      yield* add("a", 2_000)
      agenda.remove("b")
      yield* TestClock.adjust(1_999)
      assert.deepStrictEqual(done, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(done, ["a 2000"])
      yield* stop
    })
  )

  it.effect("does at once what is due already", () =>
    Effect.gen(function* () {
      const { add, done, stop } = yield* start
      yield* TestClock.adjust(5_000)
      yield* add("past", 1_000)
      yield* Effect.yieldNow
      assert.deepStrictEqual(done, ["past 1000"])
      yield* stop
    })
  )
})
