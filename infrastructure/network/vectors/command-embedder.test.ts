// The program that makes vectors: what it answers is judged, and every wrong ends with its death and a
// typed failure.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import type { EmbedderFailed } from "../../../domain/network/errors.ts"
import { isGone } from "../../testing/programs/process-end.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { commandEmbedder } from "./command-embedder.ts"

const program = fileURLToPath(new URL("../testing/embedding-program.ts", import.meta.url))
const identity = { model: "lengths", revision: "1", dimensions: 3, normalizer: "nfc/1" }

const embed = (
  behaviour: string,
  batches: ReadonlyArray<ReadonlyArray<string>>,
  deadlineMillis = 30_000,
  pauseMillis = 0
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const command = [process.execPath, program, behaviour] as const
        const embedder = yield* commandEmbedder({ command, cwd: ".", identity, deadlineMillis, pauseMillis })
        return yield* Effect.forEach(batches, (texts) => Effect.result(embedder.embed(texts)), {
          concurrency: "unbounded"
        })
      })
    )
  )

const reasons = (answers: ReadonlyArray<Result.Result<unknown, EmbedderFailed>>) =>
  answers.map((answer) => (answer._tag === "Failure" ? answer.failure.reason : ""))

describe("the embedder of a command", () => {
  it("gives vectors of length 1 in the order of the texts, batch by batch", async () => {
    const [first, second, none] = await embed("honest", [["a", "abc"], ["cafe\u0301"], []])
    expect(first).toMatchObject({
      success: [
        Float32Array.from([Math.SQRT1_2, Math.SQRT1_2, 0]),
        Float32Array.from([3 / Math.sqrt(10), 1 / Math.sqrt(10), 0])
      ]
    })
    // The text is composed before it is embedded.
    expect(second).toMatchObject({ success: [Float32Array.from([4 / Math.sqrt(17), 1 / Math.sqrt(17), 0])] })
    expect(none).toMatchObject({ success: [] })
  })

  it.each([
    ["ending", "ended with 7"],
    ["nonsense", 'nonsense\\"" is no {'],
    ["progress", 'its line "\\rloading 50 %\\rloading 100 %\\r{\\"id\\":1'],
    ["not-finite", 'its line "{\\"id\\":1,\\"vectors\\":[[NaN,1,1]'],
    ["other-id", '"id\\":2'],
    ["short", "2 vectors of 3"],
    ["other-size", "2 vectors of 3"],
    ["more", "2 vectors of 3"],
    ["no-number", "and finite numbers"],
    ["infinite", "and finite numbers"],
    ["mute", "closed its standard output"],
    ["endless", "longer than 1264 bytes"],
    ["zero", "2 vectors of 3"]
  ])("refuses a program that is %s", async (behaviour, reason) => {
    const [answer] = await embed(behaviour, [["a", "b"]])
    expect(answer).toMatchObject({ failure: { _tag: "EmbedderFailed", model: "lengths" } })
    expect(answer?._tag === "Failure" ? answer.failure.reason : "").toContain(reason)
  })

  it("kills a program that is late, and starts another for the next texts", async () => {
    expect(reasons(await embed("silent", [["a"], ["b"]], 300))).toEqual([
      "no answer within 300 ms",
      "no answer within 300 ms"
    ])
  })

  it("leaves a program alone for a while after it failed, and tells the reason meanwhile", async () => {
    const [first, second] = reasons(await embed("ending", [["a"], ["b"]], 30_000, 60_000))
    expect(first).toContain("ended with 7")
    expect(second).toBe("the program ended with 7 (this happened once; it is started again after a pause)")
  })

  it("starts a program again that ended between two questions", async () => {
    const answers = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const pidFile = join(temporaryFolder(), "pid")
          const command = [process.execPath, program, "ending-after-one", pidFile] as const
          const embedder = yield* commandEmbedder({ command, cwd: ".", identity, pauseMillis: 60_000 })
          const first = yield* Effect.result(embedder.embed(["a"]))
          expect(yield* Effect.promise(() => isGone(Number(readFileSync(pidFile))))).toBe(true)
          return [first, yield* Effect.result(embedder.embed(["a"]))]
        })
      )
    )
    expect(reasons(answers)).toEqual(["", ""])
  })

  it("tells anyone who waits that it was closed", async () => {
    const reason = await Effect.runPromise(
      Effect.gen(function* () {
        const life = yield* Scope.make()
        const command = [process.execPath, program, "silent"] as const
        const embedder = yield* Scope.provide(commandEmbedder({ command, cwd: ".", identity }), life)
        const waiting = yield* Effect.forkChild(Effect.flip(embedder.embed(["a"])))
        yield* Effect.yieldNow
        yield* Scope.close(life, Exit.void)
        return (yield* Fiber.join(waiting)).reason
      })
    )
    expect(reason).toBe("it was closed")
  })

  it("says that there is no such program", async () => {
    const answer = await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(commandEmbedder({ command: ["/no/such/program"], cwd: ".", identity }), (embedder) =>
          Effect.flip(embedder.embed(["a"]))
        )
      )
    )
    expect(answer.message).toContain("ENOENT")
  })
})
