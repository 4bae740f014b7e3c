// The network as a program opens it: from a configuration file, and without one, with stores of its own that know
// nothing of our schema.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { sha256 } from "../../infrastructure/hashing/sha256.ts"
import { cassetteWith, local } from "../../infrastructure/network/testing/cassettes.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { type Cassette, CassetteOffline, Network } from "./network.ts"

/** A store that finds texts by a word that they hold. */
const storeOf = (id: string, texts: Readonly<Record<string, string>>): Cassette => {
  const getStats = Effect.succeed({
    total_chunks: Object.keys(texts).length,
    with_vectors: 0,
    files: Object.keys(texts).length,
    content_types: []
  })
  return {
    cassetteId: id,
    inProcess: true,
    getStats,
    handshake: Effect.map(getStats, (stats) => ({
      cassette_id: id,
      db_path: "elsewhere",
      db_hash: "0".repeat(16),
      capabilities: ["fts"],
      schema_version: "1.0",
      protocol: "SNP",
      protocol_version: "1.0",
      embedding_model: null,
      mutability: "read-write",
      stats
    })),
    query: (text, topK) =>
      Effect.succeed(
        Object.entries(texts)
          .filter(([, content]) => text.split(" ").some((word) => content.includes(word)))
          .slice(0, topK)
          .map(([path, content]) => ({ chunk_id: `id-${path}`, path, hash: sha256(content), content }))
      ),
    close: Effect.void
  }
}

describe("the network in a program", () => {
  it("is opened from a configuration file", async () => {
    const folder = temporaryFolder()
    cassetteWith(folder, "docs", { "a/b.md": "text of the hub" })
    const file = join(folder, "network.yaml")
    writeFileSync(
      file,
      'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: docs, path: docs.db, type: local}\n'
    )
    const answer = await Effect.runPromise(
      Effect.provide(
        Network.use((network) => network.query("hub")),
        Network.layer({ file })
      )
    )
    expect(answer.hits.map(({ path, source }) => [path, source])).toEqual([["a/b.md", "docs"]])
  })

  it("ranks a store of another kind by its texts, among the others and alone", async () => {
    const ours = local(
      "ours",
      cassetteWith(temporaryFolder(), "ours", { "a/b.md": "the hub and its agents", "a/c.md": "x" })
    )
    const theirs = storeOf("theirs", { "far.txt": "hub hub hub", "near.txt": "agents of somebody" })
    const ask = (cassettes: ReadonlyArray<Cassette>) =>
      Effect.runPromise(
        Effect.provide(
          Network.use((network) =>
            Effect.andThen(
              Effect.forEach(cassettes, (cassette) => network.register(cassette)),
              network.query("hub agents")
            )
          ),
          Network.layerEmpty
        )
      )
    const both = await ask([ours, theirs])
    expect(both.hits.map(({ path }) => path)).toContain("far.txt")
    expect(both.hits.map(({ path }) => path)).toContain("a/b.md")
    expect(both.hits.every(({ score }) => score > 0)).toBe(true)
    expect((await ask([theirs])).hits.map(({ path, source }) => [path, source])).toEqual([
      ["far.txt", "theirs"],
      ["near.txt", "theirs"]
    ])
  })

  it("shows an equal text of a store once, with its places", async () => {
    const store = storeOf("theirs", { "b.txt": "the hub", "a.txt": "the hub" })
    const answer = await Effect.runPromise(
      Effect.provide(
        Network.use((network) => Effect.andThen(network.register(store), network.query("hub"))),
        Network.layerEmpty
      )
    )
    expect(answer.hits).toMatchObject([
      {
        path: "b.txt",
        line_start: null,
        line_end: null,
        places: [{ path: "b.txt" }, { path: "a.txt" }],
        place_count: 2
      }
    ])
  })

  it("goes on without a store that fails", async () => {
    const failing: Cassette = {
      ...storeOf("failing", {}),
      query: () =>
        Effect.fail(new CassetteOffline({ cassette_id: "failing", status: "error", reason: "it is out" }))
    }
    const answer = await Effect.runPromise(
      Effect.provide(
        Network.use((network) =>
          Effect.andThen(
            Effect.forEach([storeOf("good", { "a.txt": "hub" }), failing], (each) => network.register(each)),
            network.query("hub")
          )
        ),
        Network.layerEmpty
      )
    )
    expect(answer).toMatchObject({
      partial: true,
      hits: [{ path: "a.txt" }],
      answers: { failing: { status: "error", reason: "it is out" } }
    })
  })
})

describe("the budget of an answer", () => {
  const asking = (options?: Parameters<Network["Service"]["query"]>[2]) => {
    const texts = Array.from({ length: 100 }, (_, n) => [`${100 + n}.txt`, `hub ${n} ${"x".repeat(1_000)}`])
    return Network.use((network) =>
      Effect.andThen(
        network.register(storeOf("store", Object.fromEntries(texts))),
        network.query("hub", 100, options)
      )
    ).pipe(Effect.provide(Network.layerEmpty))
  }

  it("is 32,768 bytes of JSON unless the caller says otherwise, and what was left off is told", async () => {
    const whole = await Effect.runPromise(asking({ maxBytes: Infinity }))
    expect([whole.hits.length, whole.left_off]).toEqual([100, undefined])
    for (const [options, bytes] of [
      [undefined, 32_768],
      [{ maxBytes: 65_536 }, 65_536]
    ] as const) {
      const { left_off, ...answer } = await Effect.runPromise(asking(options))
      expect(Buffer.byteLength(JSON.stringify({ ...answer, left_off }))).toBeLessThanOrEqual(bytes)
      expect(answer.hits).toEqual(whole.hits.slice(0, answer.hits.length))
      expect(left_off).toMatchObject({
        cuts: [{ at: "/hits", shown: answer.hits.length, of: 100 }],
        more: expect.stringContaining("maxBytes")
      })
    }
  })

  it("is refused where it is none", async () => {
    expect(await Effect.runPromise(Effect.flip(asking({ maxBytes: 100 })))).toMatchObject({
      _tag: "InvalidInput",
      issues: [{ path: "/maxBytes" }]
    })
  })

  it("bounds memories, neighbours, lists by cassette and texts alike", async () => {
    const folder = temporaryFolder()
    const file = join(folder, "network.yaml")
    writeFileSync(
      file,
      'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: own, path: own.db, type: local}\n'
    )
    const answers = await Effect.runPromise(
      Network.use((network) =>
        Effect.gen(function* () {
          for (let number = 0; number < 12; number++) {
            yield* network.memorySave(`a lighthouse ${number} ${`${number} `.repeat(500)}`, "own")
          }
          const options = { maxBytes: 4_096 }
          const { hits } = yield* network.memoryQuery("lighthouse", 1)
          const hash = hits[0]?.hash ?? ""
          return yield* Effect.all([
            network.memoryQuery("lighthouse", 10, options),
            network.queryAll("lighthouse", 10, options),
            network.neighbours(hash, 10, options),
            network
              .memorySave(`a long one ${"y".repeat(50_000)}`, "own")
              .pipe(
                Effect.flatMap(({ symbol }) =>
                  Effect.all([
                    network.resolveSymbol(symbol, options),
                    network.memoryRecall(symbol, options),
                    network.memoryRecall(symbol)
                  ])
                )
              )
          ])
        })
      ).pipe(Effect.provide(Network.layer({ file })))
    )
    const [inMemory, byCassette, near, [resolved, recalled, whole]] = answers
    for (const answer of [inMemory, byCassette, near, resolved, recalled]) {
      expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(4_096)
      expect(answer.left_off?.cut_count).toBeGreaterThan(0)
    }
    expect([whole.text.length, whole.left_off]).toEqual([50_011, undefined])
  })
})

describe("memories of a program's own agent", () => {
  it("are kept apart by the agent of the layer, and saved by several programs at once", async () => {
    const folder = temporaryFolder()
    const file = join(folder, "network.yaml")
    writeFileSync(
      file,
      'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: own, path: own.db, type: local, capabilities: [agent_id]}\n'
    )
    const as = <A, E>(agent: string | undefined, use: (network: Network["Service"]) => Effect.Effect<A, E>) =>
      Effect.runPromise(Network.use(use).pipe(Effect.provide(Network.layer({ file, agent }))))
    const texts = ["one lighthouse", "another lighthouse", "a third lighthouse"]
    await Promise.all(texts.map((text) => as("a1", (network) => network.memorySave(text, "own"))))
    const found = (agent: string | undefined) =>
      as(agent, (network) =>
        Effect.map(network.memoryQuery("lighthouse"), ({ hits }) => hits.map(({ content }) => content).sort())
      )
    expect(await found("a1")).toEqual(texts.toSorted())
    expect(await found("a2")).toEqual([])
    expect(await found(undefined)).toEqual([])
    expect(await as("a1", (network) => Effect.flip(network.memorySave("", "own")))).toMatchObject({
      _tag: "InvalidInput",
      issues: [{ path: "/text" }]
    })
    expect(await as(undefined, (network) => Effect.flip(network.memorySave("x", "own")))).toMatchObject({
      _tag: "AgentMissing"
    })
    const handshakes = await as("a2", ({ status }) => status)
    expect(handshakes).toMatchObject([{ capabilities: ["fts"], stats: { total_chunks: 0 } }])
  })

  it("have no place in a store that a host plugged in", async () => {
    const store = storeOf("store", { a: "lighthouse" })
    const answers = await Effect.runPromise(
      Network.use((network) =>
        Effect.gen(function* () {
          yield* network.register(store)
          yield* network.register(local("one", cassetteWith(temporaryFolder(), "one", { "a.md": "x" })))
          const { hits } = yield* network.memoryQuery("lighthouse")
          return [hits, yield* Effect.flip(network.memorySave("x", "store"))]
        })
      ).pipe(Effect.provide(Network.layerEmpty))
    )
    expect(answers).toMatchObject([[], { _tag: "WriteRefused", cassette_id: "store" }])
  })
})
