// The contract of a workflow engine: each behaviour that Effect states of its own engine, or that its sources show, as a test. It
// is run on Effect's engine in memory, which says that a behaviour is Effect's, and on ours, which must have it too. The list of
// all of them is docs/guarantees/workflow-behaviours.md.
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { WorkflowEngine } from "effect/workflow"
import { describe, it } from "vitest"
import type { Behaviour } from "./behaviour.ts"
import { activities } from "./behaviours/activities.ts"
import { clocks } from "./behaviours/clocks.ts"
import { endings } from "./behaviours/endings.ts"
import { interruptions } from "./behaviours/interrupts.ts"
import { children } from "./behaviours/children.ts"
import { proxies } from "./behaviours/proxies.ts"
import { schemas } from "./behaviours/schemas.ts"
import { deferreds } from "./behaviours/deferreds.ts"
import { executions } from "./behaviours/executions.ts"

/** A layer for a new engine of this name. */
export type MakeEngine = (name: string) => Layer.Layer<WorkflowEngine.WorkflowEngine, unknown>

/** All behaviours, by what they are about. */
export const BEHAVIOURS: Readonly<Record<string, ReadonlyArray<Behaviour>>> = {
  executions,
  activities,
  deferreds,
  clocks,
  endings,
  interruptions,
  children,
  schemas,
  proxies
}

/** Registers a test for each behaviour of these chapters (default: all). */
export const engineContract = (
  name: string,
  makeEngine: MakeEngine,
  chapters: Readonly<Record<string, ReadonlyArray<Behaviour>>> = BEHAVIOURS
): void => {
  describe(`the contract of a workflow engine: ${name}`, () => {
    for (const [about, behaviours] of Object.entries(chapters)) {
      describe(about, () => {
        for (const [index, { of, ownTime, run, says }] of behaviours.entries()) {
          it(`${of} ${says}`, () => {
            const program = Effect.provide(Effect.scoped(run), makeEngine(`${about}-${index}`))
            return Effect.runPromise(ownTime ? Effect.provide(program, TestClock.layer()) : program)
          })
        }
      })
    }
  })
}
