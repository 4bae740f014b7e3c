// The test of the contract: an engine that is wrong in one way breaks the behaviour that says so.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import { BEHAVIOURS } from "./testing/engine-contract.ts"
import { WRONG_ENGINES, wrongLayer } from "./testing/wrong-engines.ts"

/** Where a behaviour waits in vain, the engine is wrong too; each holds within some milliseconds in memory. */
const PATIENCE_MILLIS = 500

const behaviours = Object.values(BEHAVIOURS).flat()

describe("an engine that", () => {
  it.each(WRONG_ENGINES.map((wrong) => [wrong.name, wrong] as const))("%s is found", async (_, wrong) => {
    const found = behaviours.filter(({ says }) => says === wrong.breaks)
    expect(found.length, wrong.breaks).toBeGreaterThan(0)
    const ends = found.map(async ({ ownTime, run }) => {
      const program = Effect.provide(Effect.scoped(run), wrongLayer(wrong))
      const fiber = Effect.runFork(ownTime ? Effect.provide(program, TestClock.layer()) : program)
      const patience = setTimeout(() => fiber.interruptUnsafe(), PATIENCE_MILLIS)
      const exit = await Effect.runPromise(Fiber.await(fiber))
      clearTimeout(patience)
      return Exit.isSuccess(exit) ? "holds" : "broken"
    })
    expect(await Promise.all(ends)).toContain("broken")
  })
})
