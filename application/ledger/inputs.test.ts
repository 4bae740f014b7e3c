// What callers pass beside commands, and commands that are no plain values: each refusal names its field, and nothing of a
// caller's is run to its harm.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { makeManualClock, withClock } from "../../interfaces/test-kit/manual-clock.ts"
import type { EventStreamOptions } from "./reading/event-stream.ts"
import type { StateAtOptions } from "./reading/state-at.ts"
import { claim, openLedger, post, run } from "../../infrastructure/testing/ledgers.ts"

/** The fields that a refusal names, each once. */
const pathsOf = (error: {
  readonly _tag: string
  readonly issues?: ReadonlyArray<{ readonly path: string }>
}) => [...new Set(error.issues?.map(({ path }) => path) ?? [error._tag])]

describe("options that cannot be met", () => {
  const streams: ReadonlyArray<readonly [unknown, string]> = [
    [{ after: Number.NaN }, "/after"],
    [{ after: -1 }, "/after"],
    [{ after: 1.5 }, "/after"],
    [{ runId: "" }, "/runId"],
    [{ live: "no" }, "/live"],
    [{ afer: 3 }, "/afer"]
  ]
  it.effect.each(streams)("of the event stream: %j", ([options, path]) =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const error = yield* Effect.flip(Stream.runDrain(ledger.events(options as EventStreamOptions)))
      assert.deepStrictEqual(pathsOf(error), [path])
    })
  )

  const moments: ReadonlyArray<readonly [unknown, string]> = [
    [{ position: Number.NaN }, "/position"],
    [{ position: -1 }, "/position"],
    [{ position: 2 }, "/position"],
    [{}, "/position"],
    [{ position: 1, time: "2026-11-27T10:11:12.345Z" }, "/position"],
    [{ time: "now" }, "/time"],
    [{ position: 1, runId: "a\n" }, "/runId"]
  ]
  it.effect.each(moments)("of an earlier state: %j", ([options, path]) =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const error = yield* Effect.flip(ledger.stateAt(options as StateAtOptions))
      assert.deepStrictEqual(pathsOf(error), [path])
    })
  )

  it.effect.each([0, -1, Number.NaN, 1.5])("of the queue: %s", (queueCapacity) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(openLedger({ queueCapacity }))
      assert.deepStrictEqual(pathsOf(error), ["/queueCapacity"])
    })
  )
})

describe("a command that runs code", () => {
  const throwing = () => {
    throw new Error("mine")
  }
  const values: ReadonlyArray<readonly [string, unknown]> = [
    [
      "a getter",
      Object.defineProperty({ source: "USER", payload: {} }, "run_id", { enumerable: true, get: throwing })
    ],
    ["a proxy", new Proxy({}, { ownKeys: throwing, get: throwing, getOwnPropertyDescriptor: throwing })],
    ["a proxy inside", { run_id: run, source: "USER", payload: { a: new Proxy({}, { ownKeys: throwing }) } }]
  ]
  it.effect.each(values)("is refused when it throws: %s", ([, value]) =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const error = yield* Effect.flip(ledger.postMessage(value as Parameters<typeof ledger.postMessage>[0]))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.strictEqual((yield* ledger.head).position, 1)
    })
  )
})

describe("a clock at the end of the calendar", () => {
  const last = Date.UTC(9999, 11, 31, 23, 59, 0)

  it.effect("refuses the claim whose lease it cannot say, and nothing else of the group", () => {
    const clock = makeManualClock(last)
    return Effect.gen(function* () {
      const ledger = yield* openLedger()
      const [posted, refused, short] = yield* Effect.all(
        [
          Effect.exit(post(ledger)),
          Effect.flip(ledger.claimStep({ run_id: run, worker_id: "w", ttl_seconds: 300 })),
          Effect.exit(claim(ledger, "w", 30))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        [posted._tag, refused._tag, short._tag],
        ["Success", "InvariantViolation", "Success"]
      )
      assert.include(refused.message, "year 9999")
      clock.set(last + 60_000)
      const undated = yield* Effect.flip(ledger.postMessage({ run_id: run, source: "USER", payload: {} }))
      assert.strictEqual(undated._tag, "InvariantViolation")
      clock.set(last)
      yield* post(ledger)
    }).pipe(withClock(clock))
  })
})
