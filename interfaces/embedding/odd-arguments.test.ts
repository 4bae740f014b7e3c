// An odd value in the place of an argument: each operation answers or fails with a typed error. A program in plain
// JavaScript, or one that trusted a parsed body, meets no defect and no exception.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { operationsOf } from "./testing/operations.ts"

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error("a trap")
    },
    ownKeys: () => {
      throw new Error("a trap")
    }
  }
)

const odd: Readonly<Record<string, unknown>> = {
  null: null,
  undefined: undefined,
  zero: 0,
  NaN: Number.NaN,
  "a big number": 10n,
  "an empty text": "",
  "a text": "\u0000",
  true: true,
  "an empty list": [],
  "a list": [null],
  "an object": { nothing: "known" },
  "an object without a prototype": Object.create(null),
  "a function": () => undefined,
  "a symbol": Symbol("odd"),
  "a date": new Date(0),
  "an object that throws": hostile
}

/** Ports of a host that stand beside the operations, and what a host gives as code: they are none of a caller's arguments. */
const PORTS = new Set(["lookup", "store"])
const CODE = new Set(["register", "swap", "swapEmbedder"])

/** Operations that wait for what may never come, or read to the end of a ledger that goes on. */
const bounded = <A, E>(effect: Effect.Effect<A, E>) => Effect.timeoutOption(effect, 2_000)

const told = async (call: () => unknown): Promise<string> => {
  let operation: unknown
  try {
    operation = call()
  } catch (error) {
    return `throws ${String(error)}`
  }
  const effect = Stream.isStream(operation)
    ? Stream.runDrain(Stream.take(operation as Stream.Stream<unknown, unknown>, 1))
    : (operation as Effect.Effect<unknown, unknown>)
  const exit = await Effect.runPromiseExit(bounded(Effect.scoped(effect as Effect.Effect<unknown, unknown>)))
  if (Exit.isSuccess(exit)) return "answers"
  const error = Cause.findErrorOption(exit.cause)
  if (error._tag === "None") return `dies ${Cause.pretty(exit.cause).split("\n")[0]}`
  const { _tag } = error.value as { readonly _tag?: unknown }
  return typeof _tag === "string" ? _tag : `fails with ${String(error.value)}`
}

describe.each(Object.entries(operationsOf))("%s", (_, { layer, services }) => {
  it("no operation throws or dies, at any place of its arguments", async () => {
    await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(Layer.build(layer(temporaryFolder())), (context) =>
          Effect.promise(async () => {
            const broken: Array<string> = []
            for (const { calls, service } of services) {
              const members = context.mapUnsafe.get(service.key) as Readonly<Record<string, unknown>>
              for (const [name, given] of Object.entries(calls)) {
                if (PORTS.has(name)) continue
                const operation = members[name] as (...args: ReadonlyArray<unknown>) => unknown
                for (let place = 0; place < Math.max(1, given.length); place++) {
                  for (const [what, value] of Object.entries(odd)) {
                    if (what === "an object that throws" && CODE.has(name)) continue
                    const outcome = await told(() =>
                      operation(...given.slice(0, place), value, ...given.slice(place + 1))
                    )
                    const isRefused = outcome === "InvalidInput" || place > 0 || what !== "null"
                    if (/ /.test(outcome) || !isRefused) broken.push(`${name}(${place}: ${what}) ${outcome}`)
                  }
                }
              }
            }
            expect(broken).toEqual([])
          })
        )
      )
    )
  })
})
