/**
 * The contract of an embedder, held by every adapter: one vector of length 1 for each text in their order, the same for
 * the same text however it is batched, written or accompanied.
 */
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import type { EmbedderShape } from "../../../application/network/embedder.ts"
import { cosine, EMBEDDING_NORMALIZER } from "../../../domain/network/vectors.ts"
import { commandEmbedder } from "./command-embedder.ts"
import { hashEmbedder } from "../testing/hash-embedder.ts"

const program = fileURLToPath(new URL("../testing/embedding-program.ts", import.meta.url))

const adapters: Readonly<Record<string, Effect.Effect<EmbedderShape, never, Scope.Scope>>> = {
  "of hashes": Effect.succeed(hashEmbedder),
  command: commandEmbedder({
    command: [process.execPath, program],
    cwd: ".",
    identity: { model: "lengths", revision: "1", dimensions: 3, normalizer: EMBEDDING_NORMALIZER }
  })
}

describe.each(Object.entries(adapters))("the embedder %s", (_, adapter) => {
  const embed = (...batches: ReadonlyArray<ReadonlyArray<string>>) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(adapter, (embedder) =>
          Effect.map(Effect.forEach(batches, embedder.embed, { concurrency: "unbounded" }), (vectors) => ({
            identity: embedder.identity,
            vectors
          }))
        )
      )
    )

  it("gives every text a vector of length 1 and of its dimensions", async () => {
    const texts = ["words of a text", "", " ", "漢字 🚀", "\ufeffx\r\n", "a".repeat(100_000), '{"id":1}\n']
    const { identity, vectors } = await embed(texts)
    expect(vectors[0]).toHaveLength(texts.length)
    for (const vector of vectors[0] ?? []) {
      expect(vector).toHaveLength(identity.dimensions)
      expect(cosine(vector, vector)).toBeCloseTo(1, 5)
    }
    expect(identity.normalizer).toBe(EMBEDDING_NORMALIZER)
  })

  it("gives the same text the same vector, in any batch and place", async () => {
    const { vectors } = await embed(["one", "other text"], ["other text"], ["x y", "x y", "one"])
    const [first, second, third] = vectors
    expect(second).toEqual([first?.[1]])
    expect(third?.[0]).toEqual(third?.[1])
    expect(third?.[2]).toEqual(first?.[0])
    expect(first?.[0]).not.toEqual(first?.[1])
  })

  it("gives composed and decomposed texts the same vector, and no text none", async () => {
    const { vectors } = await embed(["caf\u00e9"], ["cafe\u0301"], [])
    expect(vectors[1]).toEqual(vectors[0])
    expect(vectors[2]).toEqual([])
  })
})
