// What an embedder does wrong is a typed failure within a bounded time, and is kept with its time.
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import { EmbedderFailed } from "../../domain/network/errors.ts"
import { EMBEDDING_NORMALIZER } from "../../domain/network/vectors.ts"
import type { EmbedderShape } from "./embedder.ts"
import { watchedEmbedder } from "./watched-embedder.ts"

const identity = { model: "m", revision: "1", dimensions: 3, normalizer: EMBEDDING_NORMALIZER }
const START = Date.parse("2026-01-02T03:04:05.678Z")
const vectors = (texts: ReadonlyArray<string>) => texts.map(() => Float32Array.of(1, 0, 0))

/** Asks once at the given time; the clock goes on by so many milliseconds meanwhile. */
const asked = <A, E>(
  embed: EmbedderShape["embed"],
  ask: (embedder: ReturnType<typeof watchedEmbedder>) => Effect.Effect<A, E>,
  millis = 0
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(START)
    const answer = yield* Effect.forkChild(Effect.result(ask(watchedEmbedder({ identity, embed }))))
    yield* Effect.yieldNow
    yield* TestClock.adjust(millis)
    return yield* Fiber.join(answer)
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

const wrong: ReadonlyArray<readonly [string, EmbedderShape["embed"], string]> = [
  ["fails", () => Effect.fail(new EmbedderFailed({ model: "m", reason: "ended with 3" })), "ended with 3"],
  ["dies", () => Effect.die(new Error("boom")), "its program failed with Error: boom"],
  [
    "throws",
    () => {
      throw new Error("bang")
    },
    "its program failed with Error: bang"
  ],
  [
    "throws what has no text",
    () => {
      throw Object.create(null)
    },
    "its program failed with an error without a text"
  ],
  ["is interrupted", () => Effect.interrupt, "it was interrupted before it answered"],
  ["gives too few vectors", () => Effect.succeed([]), "it must answer 1 vectors of 3 numbers"],
  [
    "gives another dimension",
    () => Effect.succeed([Float32Array.of(1, 0)]),
    "it must answer 1 vectors of 3 numbers"
  ]
]

describe("an embedder", () => {
  it("that answers is ok", async () => {
    const embed: EmbedderShape["embed"] = (texts) => Effect.succeed(vectors(texts))
    expect(await asked(embed, ({ embed }) => embed(["a", "b"]))).toMatchObject({
      success: vectors(["a", "b"])
    })
    expect(await asked(embed, ({ health }) => health())).toMatchObject({
      success: { ...identity, status: "ok", last_failure: null }
    })
  })

  it.each(wrong)("that %s tells the reason, and when", async (_, embed, reason) => {
    expect(await asked(embed, ({ embed }) => embed(["a"]))).toMatchObject({
      failure: { _tag: "EmbedderFailed", model: "m", reason }
    })
    expect(await asked(embed, ({ health }) => health())).toMatchObject({
      success: { status: "failed", reason, last_failure: { at: "2026-01-02T03:04:05.678Z", reason } }
    })
  })

  it("that hangs is given 30 s for a question and 5 s where its state is asked for", async () => {
    const hanging: EmbedderShape["embed"] = () => Effect.uninterruptible(Effect.never)
    expect(await asked(hanging, ({ embed }) => embed(["a"]), 30_000)).toMatchObject({
      failure: { reason: expect.stringContaining("no answer within 30000 ms") }
    })
    const reason = "no answer within 5000 ms: it is loading its model, or it hangs"
    expect(await asked(hanging, ({ health }) => health(), 5_000)).toMatchObject({
      success: {
        status: "late",
        took_ms: 5_000,
        reason,
        last_failure: { at: "2026-01-02T03:04:10.678Z", reason }
      }
    })
  })

  it("that answers again keeps its last failure", async () => {
    let calls = 0
    const embed: EmbedderShape["embed"] = (texts) =>
      calls++ === 0
        ? Effect.fail(new EmbedderFailed({ model: "m", reason: "it was out" }))
        : Effect.succeed(vectors(texts))
    const health = await asked(embed, (embedder) =>
      Effect.andThen(Effect.ignore(embedder.embed(["a"])), embedder.health())
    )
    expect(health).toMatchObject({ success: { status: "ok", last_failure: { reason: "it was out" } } })
  })
})
