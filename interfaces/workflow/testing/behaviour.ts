// What the behaviours of a workflow engine are written with: one behaviour is a sentence about one export of Effect's workflow
// modules, and a program that fails where an engine does otherwise. It waits for what it can see, never for a time to pass.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Activity, type DurableClock, DurableDeferred, Workflow, WorkflowEngine } from "effect/workflow"

/** The modules of `effect/workflow` and what each exports, as `Module.export`. */
export type Subject =
  | `Activity.${Extract<keyof typeof Activity, string>}`
  | `DurableClock.${Extract<keyof typeof DurableClock, string>}`
  | `DurableDeferred.${Extract<keyof typeof DurableDeferred, string>}`
  | `Workflow.${Extract<keyof typeof Workflow, string>}`
  | `Workflow.make.${"execute" | "executionId" | "interrupt" | "poll" | "resume" | "toLayer" | "withCompensation"}`
  | `WorkflowEngine.${Extract<keyof WorkflowEngine.Encoded, string>}`
  | `WorkflowEngine.${"WorkflowEngine" | "WorkflowInstance"}`
  | `WorkflowProxyServer.${"layerHttpApi" | "layerRpcHandlers"}`

export interface Behaviour {
  /** The export that it is a behaviour of. */
  readonly of: Subject
  readonly says: string
  /** Whether time is the test's: then nothing that sleeps goes on before the test says so. */
  readonly ownTime: boolean
  readonly run: Effect.Effect<void, unknown, Needs>
}

type Needs = Scope.Scope | WorkflowEngine.WorkflowEngine

const behaviourWith =
  (ownTime: boolean) =>
  <Step extends Effect.Effect<unknown, unknown, Needs>>(
    of: Subject,
    says: string,
    program: () => Generator<Step, void, never>
  ): Behaviour => ({ of, says, ownTime, run: Effect.gen(program) as Behaviour["run"] })

/** A behaviour on the machine's clock. */
export const behaviour = behaviourWith(false)

/** A behaviour on a clock that the test moves. */
export const timed = behaviourWith(true)

/** A workflow that is known by its payload's `id`, and ends with a text. */
export const textWorkflow = <const Tag extends string>(tag: Tag) =>
  Workflow.make(tag, {
    payload: { id: Schema.String },
    success: Schema.String,
    error: Schema.String,
    idempotencyKey: ({ id }) => id
  })

/** Any workflow that ends with a text. */
export type TextWorkflow = ReturnType<typeof textWorkflow>

/** Registers the body of a workflow that ends with a text, until the test's scope ends. */
export const register = <Tag extends string, R = never>(
  workflow: ReturnType<typeof textWorkflow<Tag>>,
  body: (payload: { readonly id: string }, executionId: string) => Effect.Effect<string, string, R>
) => Effect.flatMap(WorkflowEngine.WorkflowEngine, (engine) => engine.register(workflow, body))

/** An activity that ends with a text. */
export const textActivity = <R = never>(name: string, execute: Effect.Effect<string, string, R>) =>
  Activity.make({ name, success: Schema.String, error: Schema.String, execute })

/** Something that is decided outside of a workflow, and is a text. */
export const textDeferred = (name: string) =>
  DurableDeferred.make(name, { success: Schema.String, error: Schema.String })

type TextDeferred = ReturnType<typeof textDeferred>

/** Gives a deferred of an execution its value. */
export const give = (deferred: TextDeferred, workflow: Workflow.Any, executionId: string, value: string) =>
  DurableDeferred.succeed(deferred, {
    token: DurableDeferred.tokenFromExecutionId(deferred, { workflow, executionId }),
    value
  })

/** A turn of the event loop in real time, on each clock. */
const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Longest that something is waited for (milliseconds of real time). */
const LONGEST_WAIT = 100_000

/** Waits until there is something. */
export const untilSome = <A, R>(what: string, look: Effect.Effect<Option.Option<A>, never, R>) =>
  Effect.gen(function* () {
    const end = performance.now() + LONGEST_WAIT
    while (performance.now() < end) {
      const found = yield* look
      if (Option.isSome(found)) return found.value
      yield* turn
    }
    return yield* Effect.die(new Error(`in vain: ${what}`))
  })

/** Waits until it is so. */
export const until = (what: string, isSo: () => boolean) =>
  untilSome(
    what,
    Effect.sync(() => (isSo() ? Option.some(undefined) : Option.none()))
  )

/** Lets all go on that can without time. */
export const settle = Effect.gen(function* () {
  for (let turns = 0; turns < 50; turns++) yield* turn
})

/** Waits until an execution is suspended, and gives how. */
export const untilSuspended = (workflow: TextWorkflow, executionId: string) =>
  untilSome(
    `${workflow._tag} is suspended`,
    Effect.map(
      workflow.poll(executionId),
      Option.filter((result): result is Workflow.Suspended => result._tag === "Suspended")
    )
  )

/** Waits until an execution has ended, and gives how. */
export const untilEnded = (workflow: TextWorkflow, executionId: string) =>
  untilSome(
    `${workflow._tag} has ended`,
    Effect.map(
      workflow.poll(executionId),
      Option.flatMap((result) => (result._tag === "Complete" ? Option.some(result.exit) : Option.none()))
    )
  )

/** Starts an execution, and waits until it is suspended. */
export const startSuspended = (workflow: TextWorkflow, id: string) =>
  Effect.gen(function* () {
    const executionId = yield* workflow.execute({ id }, { discard: true })
    yield* untilSuspended(workflow, executionId)
    return executionId
  })

/** An exit in a few words: its value, its failure, the message of its defect, or that it was interrupted. */
export const told = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.match(exit, {
    onSuccess: (value) => `success ${String(value)}`,
    onFailure: (cause) => toldCause(cause)
  })

/** A cause in a few words. */
export const toldCause = (cause: Cause.Cause<unknown>): string =>
  cause.reasons
    .map((reason) => {
      if (Cause.isFailReason(reason)) return `failure ${String(reason.error)}`
      if (Cause.isInterruptReason(reason)) return "interrupted"
      return `defect ${reason.defect instanceof Error ? reason.defect.message : String(reason.defect)}`
    })
    .toSorted()
    .join(", ")
