// Engines that are wrong in one way each: Effect's own in memory with one function replaced, for callers and for bodies. A behaviour
// that none of them breaks may prove nothing.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Workflow, WorkflowEngine } from "effect/workflow"

type Engine = WorkflowEngine.WorkflowEngine["Service"]

export interface WrongEngine {
  readonly name: string
  /** The sentence of the behaviour that it must break. */
  readonly breaks: string
  readonly wrong: (engine: Engine) => Partial<Engine>
}

/** Effect's engine with functions replaced. */
export const wrongLayer = ({ wrong }: WrongEngine): Layer.Layer<WorkflowEngine.WorkflowEngine> =>
  Layer.effect(
    WorkflowEngine.WorkflowEngine,
    Effect.map(WorkflowEngine.WorkflowEngine, (engine) => {
      const whole: Engine = { ...engine, ...wrong(engine) }
      // Bodies are given the engine that they run on, which must be the wrong one.
      const register: Engine["register"] = (workflow, body) =>
        engine.register(workflow, (payload, executionId) =>
          Effect.provideService(body(payload, executionId), WorkflowEngine.WorkflowEngine, whole)
        )
      return Object.assign(whole, { register })
    })
  ).pipe(Layer.provide(WorkflowEngine.layerMemory))

const nothing = () => Effect.void

let others = 0

export const WRONG_ENGINES: ReadonlyArray<WrongEngine> = [
  {
    name: "records no activity",
    breaks: "runs once: a replay has its value",
    wrong: (engine) => ({
      activityExecute: (activity, attempt) =>
        engine.activityExecute(activity, attempt + 1_000 * (others += 1))
    })
  },
  {
    name: "takes each attempt for the first",
    breaks: "counts attempts, records each, and runs none again",
    wrong: (engine) => ({ activityExecute: (activity) => engine.activityExecute(activity, 1) })
  },
  {
    name: "shares no execution",
    breaks: "runs the body once for one key, and tells each caller its end",
    wrong: (engine) => ({
      execute: (workflow, options) =>
        engine.execute(workflow, { ...options, executionId: `${options.executionId}-${(others += 1)}` })
    })
  },
  {
    name: "waits where the end is discarded",
    breaks: "answers the id before the body ends, where its end is discarded",
    wrong: (engine) => ({
      execute: (workflow, options) => {
        const waited = engine.execute(workflow, { ...options, discard: false, detached: false })
        const answer = options.executionId as never
        return options.discard === true
          ? Effect.as(Effect.orDie(waited), answer)
          : (waited as Effect.Effect<never>)
      }
    })
  },
  {
    name: "takes detached children for others",
    breaks: "leaves a detached child alone when its parent is interrupted",
    wrong: (engine) => ({
      execute: (workflow, options) => engine.execute(workflow, { ...options, detached: false })
    })
  },
  {
    name: "loses values that come early",
    breaks: "is kept where the execution has not begun",
    wrong: (engine) => {
      const begun = new Set<string>()
      return {
        execute: (workflow, options) => {
          begun.add(options.executionId)
          return engine.execute(workflow, options)
        },
        deferredDone: (deferred, options) =>
          begun.has(options.executionId) ? engine.deferredDone(deferred, options) : Effect.void
      }
    }
  },
  {
    name: "knows no deferred",
    breaks: "suspends until there is a value, and gives it",
    wrong: () => ({ deferredResult: () => Effect.succeed(Option.none()) })
  },
  {
    name: "resumes nothing",
    breaks: "suspends a run; a resumption runs the body again",
    wrong: () => ({ resume: nothing })
  },
  {
    name: "interrupts nothing",
    breaks: "ends a suspended execution",
    wrong: () => ({ interrupt: nothing, interruptUnsafe: nothing })
  },
  {
    name: "cuts off where it should wait",
    breaks: "leaves a run that ends without a suspension its end",
    wrong: (engine) => ({ interrupt: engine.interruptUnsafe })
  },
  {
    name: "waits where it should cut off",
    breaks: "cuts off an activity that would not end",
    wrong: (engine) => ({ interruptUnsafe: engine.interrupt })
  },
  {
    name: "never rings",
    breaks: "of more than a minute suspends, and ends when it is due and not before",
    wrong: () => ({ scheduleClock: nothing })
  },
  {
    name: "rings at once",
    breaks: "of more than a minute suspends, and ends when it is due and not before",
    wrong: (engine) => ({
      scheduleClock: (workflow, { clock, executionId }) =>
        engine.deferredDone(clock.deferred, {
          workflowName: workflow._tag,
          executionId,
          deferredName: clock.deferred.name,
          exit: Exit.void
        })
    })
  },
  {
    name: "says too early that an execution is suspended",
    breaks: "knows no result while the body runs",
    wrong: (engine) => ({
      poll: (workflow, executionId) =>
        Effect.map(
          engine.poll(workflow, executionId),
          Option.orElse(() => Option.some(new Workflow.Suspended({})))
        )
    })
  },
  {
    name: "knows no end",
    breaks: "tells failures and defects as the body had them",
    wrong: () => ({ poll: () => Effect.succeed(Option.none()) })
  }
]
