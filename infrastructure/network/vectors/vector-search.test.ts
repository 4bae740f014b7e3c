// Searching by vectors over real files: exact over any division, never between two makers, and never instead of an answer.
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { Embedder, type EmbedderShape } from "../../../application/network/embedder.ts"
import { Network } from "../../../application/network/hub.ts"
import type { QueryOptions } from "../../../application/network/answers.ts"
import { EmbedderFailed } from "../../../domain/network/errors.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { finishWriting, reindex } from "../writing/document-writing.ts"
import { hashEmbedder } from "../testing/hash-embedder.ts"
import { localCassette } from "../index/local-cassette.ts"
import { hubPartsLayer } from "../hub-parts.ts"
import { newCassette, put } from "../testing/cassettes.ts"
import { embedderFault, putVectors, unembedded } from "./vector-writing.ts"

const documents: Readonly<Record<string, string>> = {
  "a/one.md": "agents claim steps under a lease",
  "a/two.md": "a lease has an end and a fencing token",
  "b/three.md": "memories of agents are saved",
  "b/four.md": "words about something else entirely"
}

const embedded = async (
  folder: string,
  id: string,
  texts: Readonly<Record<string, string>>,
  embedder: EmbedderShape = hashEmbedder
) => {
  const { connection, file } = newCassette(folder, id)
  for (const [path, text] of Object.entries(texts)) put(connection, path, text)
  finishWriting(connection)
  const waiting = unembedded(connection, 100)
  const vectors = await Effect.runPromise(embedder.embed(waiting.map(({ text }) => text)))
  putVectors(
    connection,
    embedder.identity,
    waiting.map(({ hash }, index) => ({ hash, vector: vectors[index]! }))
  )
  expect(unembedded(connection, 100)).toEqual([])
  connection.close()
  return localCassette({ id, file, shownPath: id, embedder: hashEmbedder.identity })
}

const search = (
  cassettes: ReadonlyArray<ReturnType<typeof localCassette>>,
  text: string,
  options: QueryOptions = {},
  embedder: EmbedderShape | null = hashEmbedder
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const hub = Network.layerNoDeps.pipe(Layer.provide(hubPartsLayer))
        const context = yield* Layer.build(
          embedder === null ? hub : Layer.provide(hub, Layer.succeed(Embedder, embedder))
        )
        const network = Context.get(context, Network)
        for (const cassette of cassettes) yield* network.register(cassette)
        return { found: yield* network.query(text, 10, options), status: yield* network.status }
      })
    )
  )

const other: EmbedderShape = { ...hashEmbedder, identity: { ...hashEmbedder.identity, revision: "2" } }

describe("vectors", () => {
  it("are searched exactly, however the corpus is divided", async () => {
    const whole = await embedded(temporaryFolder(), "whole", documents)
    const folder = temporaryFolder()
    const parts = await Promise.all(
      ["a", "b"].map((part) =>
        embedded(
          folder,
          part,
          Object.fromEntries(Object.entries(documents).filter(([path]) => path.startsWith(part)))
        )
      )
    )
    for (const mode of ["vector", "hybrid"] as const) {
      const one = (await search([whole], "leases of agents", { mode })).found
      const two = (await search(parts, "leases of agents", { mode })).found
      expect(one.mode).toBe(mode)
      expect(one.notices).toEqual([])
      expect(two.hits.map(({ path, score }) => [path, score])).toEqual(
        one.hits.map(({ path, score }) => [path, score])
      )
      expect(one.hits.length).toBeGreaterThan(2)
    }
  })

  it("are used by themselves where there are some, and hits name their parts", async () => {
    const { found, status } = await search([await embedded(temporaryFolder(), "one", documents)], "lease")
    expect(found.mode).toBe("hybrid")
    expect(found.hits[0]).toMatchObject({
      score_kind: "hybrid",
      parts: { lexical: { rank: expect.any(Number) }, vector: { rank: expect.any(Number) } }
    })
    expect(status[0]).toMatchObject({
      capabilities: ["vectors", "fts", "semantic_search"],
      embedding_model: "test-hash-384",
      stats: { with_vectors: 4 }
    })
  })

  it("of another maker are not compared: words answer, and a notice names both", async () => {
    const cassette = await embedded(temporaryFolder(), "one", documents, other)
    const { found, status } = await search([cassette], "lease")
    expect(found.mode).toBe("lexical")
    expect(found.hits.length).toBeGreaterThan(0)
    expect(found.notices.join()).toContain("test-hash-384 2 (384 dimensions, nfc/1), not by test-hash-384 1")
    expect(status[0]).toMatchObject({ capabilities: ["fts"] })
  })

  it("that cannot be made leave the words, with a notice", async () => {
    const failing: EmbedderShape = {
      ...hashEmbedder,
      embed: () => Effect.fail(new EmbedderFailed({ model: "m", reason: "it is out" }))
    }
    const cassette = await embedded(temporaryFolder(), "one", documents)
    const { found } = await search([cassette], "lease", { mode: "vector" }, failing)
    expect(found).toMatchObject({ mode: "lexical", partial: false })
    expect(found.notices[0]).toContain("it is out")
    const without = await search([cassette], "lease", { mode: "hybrid" }, null)
    expect(without.found.notices).toEqual(["no embedder is configured", "searched by words alone"])
  })

  it("go on with another embedder: a question that runs ends on the one that it began with", async () => {
    const cassette = await embedded(temporaryFolder(), "one", documents)
    const events: Array<string> = []
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const network = Context.get(
            yield* Layer.build(Network.layerNoDeps.pipe(Layer.provide(hubPartsLayer))),
            Network
          )
          yield* network.register(cassette)
          const [asked, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const slow: EmbedderShape = {
            ...hashEmbedder,
            embed: (texts) =>
              Effect.gen(function* () {
                yield* Deferred.succeed(asked, undefined)
                yield* Deferred.await(released)
                return yield* hashEmbedder.embed(texts)
              })
          }
          const retired = (name: string) => Effect.sync(() => void events.push(`${name} retired`))
          const mode = Effect.map(network.query("lease", 10), (found) => void events.push(found.mode))
          yield* network.swapEmbedder(slow, retired("slow"))
          const running = yield* Effect.forkChild(mode)
          yield* Deferred.await(asked)
          yield* network.swapEmbedder(undefined)
          yield* mode
          events.push("released")
          yield* Deferred.succeed(released, undefined)
          yield* Fiber.join(running)
          yield* network.swapEmbedder(hashEmbedder, retired("hash"))
          yield* mode
          yield* network.swapEmbedder(hashEmbedder, retired("last"))
        })
      )
    )
    expect(events).toEqual([
      "lexical",
      "released",
      "slow retired",
      "hybrid",
      "hybrid",
      "hash retired",
      "last retired"
    ])
  })

  it("say nothing of a phrase, which is looked for by words", async () => {
    const cassette = await embedded(temporaryFolder(), "one", documents)
    const { found } = await search([cassette], '"fencing token"')
    expect(found).toMatchObject({ mode: "lexical", notices: [], hits: [{ path: "a/two.md" }] })
    const wished = await search([cassette], '"fencing token"', { mode: "vector" })
    expect(wished.found.notices).toEqual(["a phrase is looked for by words", "searched by words alone"])
  })

  it("of a document that is gone are not found, and a wrong mode is refused", async () => {
    const folder = temporaryFolder()
    const cassette = await embedded(folder, "one", documents)
    expect((await search([cassette], "lease", { mode: "lexical" })).found.mode).toBe("lexical")
    const wrong = search([cassette], "lease", { mode: "magic" as never })
    await expect(wrong).rejects.toThrow("/mode")
  })

  it("of two makers do not stand in one store, until reindexing removes them", async () => {
    const { connection } = newCassette(temporaryFolder(), "one")
    put(connection, "a/b.md", "text")
    const [waiting] = unembedded(connection, 1)
    const [vector] = await Effect.runPromise(hashEmbedder.embed(["text"]))
    putVectors(connection, hashEmbedder.identity, [{ hash: waiting!.hash, vector: vector! }])
    expect(embedderFault(connection, "one", hashEmbedder.identity)).toBeUndefined()
    expect(embedderFault(connection, "one", other.identity)).toMatchObject({
      _tag: "EmbedderMismatch",
      stored: "test-hash-384 1 (384 dimensions, nfc/1)",
      configured: "test-hash-384 2 (384 dimensions, nfc/1)"
    })
    reindex(connection)
    expect(embedderFault(connection, "one", other.identity)).toBeUndefined()
    connection.close()
  })
})
