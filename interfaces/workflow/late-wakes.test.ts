// Wakes that come at the worst moment: the body has suspended, and the receipt that says so is about to be committed. Another engine
// on the file posts them there. None is lost.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DurableDeferred, WorkflowEngine } from "effect/workflow"
import { afterAll, describe, expect, it } from "vitest"
import { Ledger as LedgerService, type LedgerShape } from "../../application/ledger/ledger.ts"
import { Ledger } from "../embedding/ledger.ts"
import { CassetteWorkflowEngine } from "./index.ts"
import { give, register, textDeferred, textWorkflow, told, untilEnded } from "./testing/behaviour.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-late-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const gate = textDeferred("gate")
const Order = textWorkflow("Order")

/** A ledger in which `before` happens before the first receipt of a turn that suspended is written. */
const interposed = (ledger: LedgerShape, before: Effect.Effect<void>): LedgerShape => {
  let first = true
  const watched =
    <Input, A, E>(write: (input: Input) => Effect.Effect<A, E>) =>
    (input: Input): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        if (!first || !JSON.stringify(input).includes('"turn":"suspended"')) return write(input)
        first = false
        return Effect.andThen(before, write(input))
      })
  return Object.assign({}, ledger, {
    commands: watched(ledger.commands),
    completeStep: watched(ledger.completeStep)
  })
}

/** What happens, and how the execution ends for it. */
const WAKES: Readonly<
  Record<string, (executionId: string) => Effect.Effect<void, never, WorkflowEngine.WorkflowEngine>>
> = {
  "a value": (executionId) => give(gate, Order, executionId, "open"),
  "a resumption": (executionId) => Order.resume(executionId),
  "an interruption": (executionId) => Order.interrupt(executionId),
  "an unsafe interruption": (executionId) =>
    Effect.flatMap(WorkflowEngine.WorkflowEngine, (engine) => engine.interruptUnsafe(Order, executionId))
}

const ENDS: Readonly<Record<string, string>> = {
  "a value": "success open",
  "a resumption": "success body 2",
  "an interruption": "interrupted",
  "an unsafe interruption": "interrupted"
}

describe("a turn that is about to be recorded as suspended", () => {
  it.each(Object.entries(WAKES))("is not the last one where %s comes just before", async (name, wake) => {
    const filename = join(folder, `${name.replaceAll(" ", "-")}.db`)
    const options = { filename, durability: "normal" } as const
    let bodies = 0
    let came = 0
    const program = Effect.gen(function* () {
      const other = yield* Layer.build(CassetteWorkflowEngine.layer(options))
      const executionId = yield* Order.executionId({ id: "a" })
      const before = Effect.andThen(
        Effect.sync(() => void ++came),
        Effect.provideContext(wake(executionId), other)
      )
      const ledger = Layer.effect(
        LedgerService,
        Effect.map(LedgerService, (ledger) => interposed(ledger, before))
      ).pipe(Layer.provide(Ledger.layer(options)))
      const engine = yield* Layer.build(Layer.provide(CassetteWorkflowEngine.layerFrom(), ledger))
      const body = Effect.suspend(() =>
        ++bodies > 1 && name === "a resumption"
          ? Effect.succeed(`body ${bodies}`)
          : DurableDeferred.await(gate)
      )
      yield* Effect.gen(function* () {
        yield* register(Order, () => body)
        yield* Order.execute({ id: "a" }, { discard: true })
        expect(told(yield* untilEnded(Order, executionId))).toBe(ENDS[name])
      }).pipe(
        Effect.provideService(
          WorkflowEngine.WorkflowEngine,
          Context.get(engine, WorkflowEngine.WorkflowEngine)
        )
      )
    })
    await Effect.runPromise(Effect.scoped(program))
    expect(came).toBe(1)
  })
})
