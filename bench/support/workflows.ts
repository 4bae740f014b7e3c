// The workflows that are measured, and engines to measure them on: ours on a file as its users run it, and Effect's own in memory.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Activity, DurableDeferred, Workflow, WorkflowEngine } from "effect/workflow"
import type { Ledger } from "../../interfaces/embedding/index.ts"
import { CassetteWorkflowEngine } from "../../interfaces/workflow/index.ts"

/** A workflow that does nothing. */
export const Empty = Workflow.make("Empty", {
  payload: { id: Schema.String },
  idempotencyKey: ({ id }) => id
})

/** So many activities that do nothing, one after the other, then a wait where it is asked for. */
export const Steps = Workflow.make("Steps", {
  payload: { id: Schema.String, steps: Schema.Finite, waits: Schema.Boolean },
  idempotencyKey: ({ id }) => id
})

/** A workflow that waits. */
export const Waiting = Workflow.make("Waiting", {
  payload: { id: Schema.String },
  idempotencyKey: ({ id }) => id
})

const gate = DurableDeferred.make("gate")

/** Ends the wait of an execution. */
export const openGate = (workflow: Workflow.Any, executionId: string) =>
  DurableDeferred.succeed(gate, {
    token: DurableDeferred.tokenFromExecutionId(gate, { workflow, executionId }),
    value: undefined
  })

/** Bodies of activities that ran in this process. */
export const ran = { bodies: 0 }

const step = (number: number) =>
  Activity.make({
    name: `step ${number}`,
    execute: Effect.sync(() => {
      ran.bodies += 1
    })
  })

const bodies = Layer.mergeAll(
  Empty.toLayer(() => Effect.void),
  Waiting.toLayer(() => DurableDeferred.await(gate)),
  Steps.toLayer(({ steps, waits }) =>
    Effect.gen(function* () {
      for (let number = 0; number < steps; number++) yield* step(number)
      if (waits) yield* DurableDeferred.await(gate)
    })
  )
)

/** An engine that has the workflows. */
export interface OpenedEngine<Services> {
  readonly run: <A, E>(work: Effect.Effect<A, E, Services | WorkflowEngine.WorkflowEngine>) => Promise<A>
  readonly close: () => Promise<void>
}

const opened = <Services, E>(
  engine: Layer.Layer<Services | WorkflowEngine.WorkflowEngine, E>
): OpenedEngine<Services> => {
  const runtime = ManagedRuntime.make(Layer.provideMerge(bodies, engine))
  return { run: (work) => runtime.runPromise(work), close: () => runtime.dispose() }
}

/** Ours on a file, with its ledger. */
export const openOurs = (filename: string, durability: "full" | "normal"): OpenedEngine<Ledger> =>
  opened(CassetteWorkflowEngine.layer({ filename, durability }))

/** Effect's own in memory. */
export const openMemory = (): OpenedEngine<never> => opened(WorkflowEngine.layerMemory)

/** Waits until so many of the executions are as they are asked for. */
export const untilAll = (
  workflow: typeof Steps | typeof Waiting,
  ids: ReadonlyArray<string>,
  tag: "Complete" | "Suspended"
) =>
  Effect.forEach(
    ids,
    (id) =>
      Effect.gen(function* () {
        while (true) {
          const result = yield* workflow.poll(id)
          if (Option.isSome(result) && result.value._tag === tag) return
          yield* Effect.sleep(1)
        }
      }),
    { discard: true, concurrency: 32 }
  )

/** Starts so many executions that wait, and waits until they do; gives their ids. */
export const startWaiting = (executions: number) =>
  Effect.gen(function* () {
    const numbers = Array.from({ length: executions }, (_, number) => number)
    const ids = yield* Effect.forEach(
      numbers,
      (number) => Waiting.execute({ id: `${number}` }, { discard: true }),
      {
        concurrency: 32
      }
    )
    yield* untilAll(Waiting, ids, "Suspended")
    return ids
  })

/** Opens the gates of all, and waits until they are complete. */
export const resumeWaiting = (ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* Effect.forEach(ids, (id) => openGate(Waiting, id), { concurrency: 32, discard: true })
    yield* untilAll(Waiting, ids, "Complete")
  })
