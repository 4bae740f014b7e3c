// After the end of a layer's scope every operation of every service that the layer gives fails with one typed error.
// The members are walked, so that a new one has to stand here with its arguments, and to fail as the others do.
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { describe, expect, expectTypeOf, it } from "vitest"
import type { ExpansionCache } from "../../application/corpus/expansion-cache.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import {
  type CheckpointsShape,
  type CorpusClosed,
  type CorpusShape,
  Ledger,
  type LedgerClosed,
  type LedgerShape,
  type ThoughtsShape
} from "./index.ts"
import type { NetworkClosed, NetworkShape } from "./network.ts"
import { operationsOf } from "./testing/operations.ts"

/** The errors of what a member of a service is or gives; of a plain value, anything. */
type ErrorOf<Member> =
  Member extends Effect.Effect<unknown, infer E, unknown>
    ? E
    : Member extends Stream.Stream<unknown, infer E, unknown>
      ? E
      : Member extends (...args: never) => infer Given
        ? ErrorOf<Given>
        : unknown

/** The members of a service that do not say that they may fail with `E`. */
type Silent<Shape, E> = {
  readonly [Name in keyof Shape]: [E] extends [ErrorOf<Shape[Name]>] ? never : Name
}[keyof Shape]

it("every operation says so in its type", () => {
  expectTypeOf<Silent<LedgerShape | ThoughtsShape | CheckpointsShape, LedgerClosed>>().toEqualTypeOf<never>()
  expectTypeOf<Silent<CorpusShape, CorpusClosed>>().toEqualTypeOf<never>()
  expectTypeOf<Silent<ExpansionCache["Service"], CorpusClosed>>().toEqualTypeOf<never>()
  expectTypeOf<Silent<NetworkShape, NetworkClosed>>().toEqualTypeOf<never>()
})

const isOperation = (value: unknown): boolean =>
  Effect.isEffect(value) || Stream.isStream(value) || typeof value === "function"

/** What an operation fails with; a defect, an interruption and a success are none. */
const failureOf = (operation: unknown): Promise<unknown> =>
  Effect.runPromise(
    Effect.flip(
      Stream.isStream(operation)
        ? Stream.runDrain(operation as Stream.Stream<unknown, unknown>)
        : (operation as Effect.Effect<unknown, unknown>)
    )
  )

/** The services of a layer whose scope has ended. */
const closed = (layer: Layer.Layer<never, unknown>) => Effect.runPromise(Effect.scoped(Layer.build(layer)))

describe.each(Object.entries(operationsOf))("after the end of %s", (_, { layer, services, tag }) => {
  it("every operation fails with the same error", async () => {
    const context = await closed(layer(temporaryFolder()))
    for (const { calls, service, values = [] } of services) {
      const members = Object.entries(context.mapUnsafe.get(service.key) as object)
      const functions = members.filter(([, value]) => typeof value === "function").map(([name]) => name)
      expect(functions.sort()).toEqual(Object.keys(calls).sort())
      for (const [name, value] of members) {
        if (values.includes(name)) continue
        expect(isOperation(value), name).toBe(true)
        const operation = typeof value === "function" ? value(...(calls[name] ?? [])) : value
        expect(await failureOf(operation), name).toMatchObject({ _tag: tag })
      }
    }
  })
})

describe("what runs while the scope of a ledger ends", () => {
  const opened = async () => {
    const scope = Scope.makeUnsafe()
    const layer = Ledger.layer({ filename: join(temporaryFolder(), "l.db") })
    const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
    const ledger = Context.get(context, Ledger)
    const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
    return { ledger, end }
  }
  const post = { run_id: "r", source: "USER", payload: {} } as const

  it("is finished first: commands, verification, a copy", async () => {
    const { end, ledger } = await opened()
    const copy = join(temporaryFolder(), "copy.db")
    const running = Effect.runPromise(
      Effect.all([ledger.postMessage(post), ledger.verifyCassette(), ledger.backup(copy)], {
        concurrency: "unbounded"
      })
    )
    await Promise.resolve()
    const [[posted, report]] = await Promise.all([running, end()])
    expect(posted).toMatchObject({ created: true })
    expect(report.verdict).toBe("PASS")
  })

  it("is ended where it waits for events", async () => {
    const { end, ledger } = await opened()
    const seen: Array<number> = []
    const live = Effect.runFork(
      Effect.flip(
        Stream.runForEach(ledger.events(), ({ position }) => Effect.sync(() => seen.push(position)))
      )
    )
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await end()
    expect(await Effect.runPromise(Fiber.join(live))).toMatchObject({ _tag: "LedgerClosed" })
    expect(seen).toEqual([1])
  })

  it("is ended where a claim or a follower waits, however long it would", async () => {
    const { end, ledger } = await opened()
    const waiting = [
      Effect.asVoid(ledger.claimStep({ run_id: "r", worker_id: "w", wait: Infinity })),
      Effect.asVoid(ledger.claimAny({ worker_id: "w", wait: "1 day" })),
      Effect.asVoid(ledger.changed(99))
    ].map((work) => Effect.runFork(Effect.flip(work)))
    // Each must have begun to wait.
    await Effect.runPromise(ledger.head)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await end()
    for (const fiber of waiting) {
      expect(await Effect.runPromise(Fiber.join(fiber))).toMatchObject({ _tag: "LedgerClosed" })
    }
  })

  it("is ended at its next step where it was half consumed", async () => {
    const { end, ledger } = await opened()
    await Effect.runPromise(ledger.postMessage(post))
    const seen: Array<number> = []
    const failure = await Effect.runPromise(
      Effect.flip(
        Stream.runForEach(ledger.events({ live: false }), ({ position }) =>
          Effect.andThen(
            Effect.sync(() => seen.push(position)),
            Effect.promise(end)
          )
        )
      )
    )
    expect(failure).toMatchObject({ _tag: "LedgerClosed" })
    expect(seen).toEqual([1, 2])
  })
})
