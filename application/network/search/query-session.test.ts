// Questions of several steps: a cassette that fails in a later step leaves nothing of itself in the answer.
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { CassetteOffline } from "../../../domain/network/errors.ts"
import { QuerySession } from "./query-session.ts"
import type { Cassette } from "../cassette.ts"

const offline = (id: string) => new CassetteOffline({ cassette_id: id, status: "error", reason: "gone" })

/** A cassette that can be asked for its statistics this many times. */
const lasting = (cassetteId: string, times: number): Cassette => {
  let left = times
  const unused = Effect.fail(offline(cassetteId))
  return {
    cassetteId,
    inProcess: true,
    handshake: unused,
    query: () => unused,
    getStats: Effect.suspend(() =>
      left-- > 0
        ? Effect.succeed({ total_chunks: 1, with_vectors: 0, files: 1, content_types: [] })
        : Effect.fail(offline(cassetteId))
    ),
    close: Effect.void
  }
}

/** Asks three times and says who answered to the first of them. */
const threeSteps = (session: QuerySession) =>
  Effect.gen(function* () {
    const first = yield* session.each(({ getStats }) => getStats)
    yield* session.each(({ getStats }) => getStats)
    yield* session.each(({ getStats }) => getStats)
    return [...first.keys()]
  })

describe("work of several steps", () => {
  it("is done again without those that failed in it", async () => {
    const session = new QuerySession([lasting("a", 1), lasting("b", 99), lasting("c", 5), lasting("d", 0)])
    expect(await Effect.runPromise(session.steadily(threeSteps(session)))).toEqual(["b"])
    expect(Object.entries(session.answers()).map(([id, { status }]) => [id, status])).toEqual([
      ["a", "error"],
      ["b", "ok"],
      ["c", "error"],
      ["d", "error"]
    ])
  })

  it("ends when no cassette is left", async () => {
    const session = new QuerySession([lasting("a", 1), lasting("b", 2)])
    expect(await Effect.runPromise(session.steadily(threeSteps(session)))).toEqual([])
  })
})
