/** Searching as tools: the same hits, answers and refusals as on the command line, from a network that may change meanwhile. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { runCli, runJson } from "../../cli/testing/in-process.ts"
import { sessionsOfTests } from "../testing/sessions.ts"

const { place, start } = sessionsOfTests()

const cortex = (...args: ReadonlyArray<string>) => runJson(args, { cwd: place.folder })

const indexed = async () => {
  await runCli(["network", "init"], { cwd: place.folder })
  await runCli(["network", "index"], { cwd: place.folder })
}

beforeEach(() => {
  mkdirSync(join(place.folder, "research"))
  writeFileSync(join(place.folder, "guide.md"), "# Guide\n\nClaim a step before you work on it.\n")
  writeFileSync(join(place.folder, "research", "lease.md"), "# Leases\n\nA step is claimed under a lease.\n")
})

/** What an answer says beside how long it took. */
const timeless = (data: unknown) =>
  JSON.parse(JSON.stringify(data, (key, value) => (key === "took_ms" ? 0 : value)))

describe("semantic_search", () => {
  it("finds what the command line finds, in the cassettes that are named", async () => {
    await indexed()
    const session = await start()
    const found = await session.data("semantic_search", { query: "claim a step", cassettes: ["documents"] })
    expect(found).toMatchObject({
      hits: [{ path: "guide.md" }, { path: "research/lease.md" }],
      mode: "lexical",
      notices: ["no embedder is configured", "searched by words alone"]
    })
    const { document } = await cortex(
      "network",
      "query",
      "claim a step",
      "--cassette",
      "documents",
      "--mode",
      "hybrid"
    )
    expect(timeless(found)).toEqual(timeless(document.data))
    const limited = await session.data("semantic_search", { query: "claim a step", limit: 1 })
    expect(limited["hits"]).toHaveLength(1)
    expect(await session.data("semantic_search", { query: "claim", limit: 0 })).toMatchObject({ hits: [] })
  })

  it("refuses limits, lists and ids that mean nothing, and what it does not know", async () => {
    await indexed()
    const session = await start()
    for (const limit of [-1, 1_001, 1.5, "10", null]) {
      expect(await session.code("semantic_search", { query: "x", limit }), String(limit)).toBe(
        "INVALID_PARAMS"
      )
    }
    expect(await session.code("semantic_search", { query: "x", cassettes: [] })).toBe("INVALID_PARAMS")
    expect(await session.code("semantic_search", { query: "x", cassettes: ["none"] })).toBe(
      "UNKNOWN_CASSETTE"
    )
    expect(await session.code("semantic_search", { query: "x", agent_id: "bob" })).toBe("INVALID_PARAMS")
    expect(await session.code("semantic_search", {})).toBe("INVALID_PARAMS")
  })

  it("works as soon as there is a configuration, without a new start", async () => {
    const session = await start()
    expect(await session.code("semantic_search", { query: "claim" })).toBe("CONFIGURATION_MISSING")
    await indexed()
    expect(await session.data("semantic_search", { query: "claim" })).toMatchObject({ partial: false })
  })

  it("says who did not answer, and is an error only when no cassette does", async () => {
    await indexed()
    writeFileSync(join(place.folder, "CORTEX/cassettes/memory.db"), "no database at all")
    const session = await start()
    const found = await session.data("semantic_search", { query: "claim" })
    expect(found).toMatchObject({ partial: true, answers: { documents: { status: "ok" } } })
    expect(found["hits"]).not.toHaveLength(0)
    expect(await session.code("semantic_search", { query: "claim", cassettes: ["memory"] })).toBe(
      "NETWORK_UNAVAILABLE"
    )
  })
})

describe("cassette_network_query", () => {
  it("asks all, or those that can do something", async () => {
    await indexed()
    const session = await start()
    expect(await session.data("cassette_network_query", { query: "lease" })).toMatchObject({
      hits: [{ path: "research/lease.md", type: "research", source: "documents" }]
    })
    const research = { query: "lease", capability: "research" }
    expect(
      Object.keys((await session.data("cassette_network_query", research))["answers"] as object)
    ).toEqual(["documents"])
    expect(await session.code("cassette_network_query", { query: "x", capability: "fixtures" })).toBe(
      "NO_CASSETTE_WITH_CAPABILITY"
    )
    expect(await session.code("cassette_network_query", { query: "x", capability: "magic" })).toBe(
      "INVALID_PARAMS"
    )
  })
})

describe("symbol_resolve and semantic_neighbors", () => {
  it("give the text of a hit by its symbol, and texts like it", async () => {
    await indexed()
    const session = await start()
    const { hits } = await session.data("semantic_search", { query: "lease" })
    const [hit] = hits as ReadonlyArray<{ readonly hash: string; readonly content: string }>
    const hash = String(hit?.hash)
    for (const digits of [12, 64]) {
      const symbol = `@C:${hash.slice(0, digits)}`
      expect(await session.data("symbol_resolve", { symbol })).toMatchObject({ hash, content: hit?.content })
    }
    expect(await session.data("semantic_neighbors", { hash: hash.slice(0, 12) })).toMatchObject({
      hash,
      mode: "lexical",
      hits: [{ path: "guide.md" }]
    })
    expect(await session.data("semantic_neighbors", { hash, limit: 0 })).toMatchObject({ hits: [] })
  })

  it("refuse what names nothing", async () => {
    await indexed()
    const session = await start()
    expect(await session.code("symbol_resolve", { symbol: `@C:${"0".repeat(64)}` })).toBe(
      "NETWORK_SYMBOL_NOT_FOUND"
    )
    for (const symbol of ["@C:", "@C:abc", `@C:${"A".repeat(12)}`, `@A:${"0".repeat(65)}`]) {
      expect(await session.code("symbol_resolve", { symbol }), symbol).toBe("INVALID_NETWORK_SYMBOL")
    }
    expect(await session.code("symbol_resolve", { symbol: `@C:${"0".repeat(12)}`, depth: 0 })).toBe(
      "INVALID_PARAMS"
    )
    expect(await session.code("semantic_neighbors", { hash: "0".repeat(12) })).toBe(
      "NETWORK_SYMBOL_NOT_FOUND"
    )
    expect(await session.code("semantic_neighbors", { hash: "no" })).toBe("INVALID_NETWORK_SYMBOL")
  })

  it("give the place of a symbol of the corpus, also when nothing may be written", async () => {
    await runCli(["index"], { cwd: place.folder })
    await cortex("symbol", "add", "@DOCS/guide", "guide.md", "--slice", "lines[0:1]")
    const { document } = await cortex("symbol", "resolve", "@DOCS/guide")
    const { symbol_id, ...meant } = document.data ?? {}
    for (const args of [[], ["--read-only"]]) {
      const session = await start(...args)
      expect(await session.data("symbol_resolve", { symbol: "@DOCS/guide" })).toEqual({
        symbol: symbol_id,
        ...meant
      })
      expect(await session.code("symbol_resolve", { symbol: "@DOCS/none" })).toBe("SYMBOL_NOT_FOUND")
    }
  })
})

describe("cassette_stats and cortex://cassette/{id}", () => {
  it("show each cassette as network status does", async () => {
    await indexed()
    const session = await start()
    const stats = await session.data("cassette_stats")
    const { document } = await cortex("network", "status")
    const status = document.data?.["cassettes"] as ReadonlyArray<{ readonly cassette_id: string }>
    expect(Object.keys(stats)).toEqual(status.map(({ cassette_id }) => cassette_id))
    expect(stats["documents"]).toMatchObject({ status: "ok", stats: { files: 2 } })
    const { result } = await session.request("resources/read", { uri: "cortex://cassette/documents" })
    const [content] = (result as { contents: ReadonlyArray<{ text: string }> }).contents
    expect(timeless(JSON.parse(content?.text ?? ""))).toEqual(timeless(stats["documents"]))
    const { error } = await session.request("resources/read", { uri: "cortex://cassette/none" })
    expect(error?.message).toContain("UNKNOWN_CASSETTE")
    const broken = await session.request("resources/read", { uri: "cortex://cassette/%zz" })
    expect(broken.error?.message).toContain("not found")
  })
})

it("cassette_stats tells how the embedder is, where there is one", async () => {
  await indexed()
  const yaml = join(place.folder, "CORTEX/network.yaml")
  const embedding =
    "indexing: {embedder: command, model: none, dimensions: 3, command: [cortex-has-no-such-program]}"
  const without = readFileSync(yaml, "utf8").replace(/^indexing:\n(?: .*\n?)*/m, "")
  writeFileSync(yaml, `${without}\n${embedding}\n`)
  const stats = await (await start()).data("cassette_stats")
  expect(stats).toMatchObject({
    documents: { status: "ok" },
    _embedder: { model: "none", dimensions: 3, status: "failed", reason: expect.any(String) }
  })
})

describe("cortex://bundle/{path}", () => {
  it("shows a bundle that verifies, and only the report of one that does not", async () => {
    const session = await start()
    const read = async (path: string) => {
      const { error, result } = await session.request("resources/read", { uri: `cortex://bundle/${path}` })
      const [content] = (result as { contents: ReadonlyArray<{ text: string }> } | undefined)?.contents ?? []
      return error === undefined ? JSON.parse(content?.text ?? "") : error.message
    }
    await runCli(["index"], { cwd: place.folder })
    await cortex("symbol", "add", "@DOCS/guide", "guide.md", "--slice", "lines[0:1]")
    const inputs = { symbols: ["@DOCS/guide"] }
    writeFileSync(
      join(place.folder, "request.json"),
      JSON.stringify({ run_id: "r1", request_id: "q1", intent: "read", inputs })
    )
    mkdirSync(join(place.folder, "made"))
    const { document } = await cortex("run", "--request", "request.json", "--out", "made/one")
    expect(document.error).toBe(undefined)
    for (const path of ["made/one", "made%2Fone", "made%2Fone%2Fbundle.json"]) {
      expect(await read(path), path).toMatchObject({
        report: { verdict: "PASS" },
        manifest: { run_id: "r1" }
      })
    }
    const manifest = join(place.folder, "made/one/bundle.json")
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace("r1", "r2"))
    expect(await read("made/one")).toMatchObject({ report: { verdict: "FAIL" }, manifest: null })
    expect(await read("..%2Felsewhere")).toContain("PATH_OUTSIDE_ROOT")
  })
})

describe("--config", () => {
  it("names the configuration of the network", async () => {
    await indexed()
    const yaml = readFileSync(join(place.folder, "CORTEX/network.yaml"), "utf8")
    writeFileSync(
      join(place.folder, "other.yaml"),
      yaml.replaceAll("cassettes/documents", "CORTEX/cassettes/documents")
    )
    const session = await start("--config", "other.yaml")
    expect(await session.data("semantic_search", { query: "lease", cassettes: ["documents"] })).toMatchObject(
      {
        hits: [{ path: "research/lease.md" }]
      }
    )
    const nowhere = await start("--config", "nowhere.yaml")
    expect(await nowhere.code("semantic_search", { query: "lease" })).toBe("CONFIGURATION_MISSING")
  })
})
