/** Memories as tools: each server speaks for one agent, and what an agent keeps to itself is not there for another. */
import { beforeEach, describe, expect, it } from "vitest"
import { runCli } from "../../cli/testing/in-process.ts"
import { sessionsOfTests } from "../testing/sessions.ts"

const { place, start } = sessionsOfTests()

beforeEach(async () => {
  await runCli(["network", "init"], { cwd: place.folder })
  await runCli(["network", "index"], { cwd: place.folder })
})

const secret = { text: "Ada prefers short answers", cassette: "resident" }

describe("memory_save", () => {
  it("keeps one memory and notes every save, and is found at once by every server", async () => {
    const ada = await start("--agent", "ada")
    const given = { text: "The tests need Node 24", cassette: "memory", metadata: { topic: "node" } }
    const saved = await ada.data("memory_save", given)
    expect(saved).toMatchObject({ cassette_id: "memory", is_new: true, save_count: 1 })
    expect(await ada.data("memory_save", given)).toMatchObject({ is_new: false, save_count: 2 })
    const bob = await start("--agent", "bob")
    const { hits } = await bob.data("memory_query", { query: "which Node" })
    expect(hits).toMatchObject([
      { source: "memory", memory: { agent_id: "ada", metadata: { topic: "node" } } }
    ])
    expect(await bob.data("memory_recall", { hash: saved["symbol"] })).toMatchObject({
      text: given.text,
      sources: [{ save_count: 2 }]
    })
  })

  it("is undone by memory_forget, for the agent that saved alone", async () => {
    const ada = await start("--agent", "ada")
    const bob = await start("--agent", "bob")
    const { hash } = await ada.data("memory_save", secret)
    const forget = { hash, cassette: "resident" }
    expect(await bob.code("memory_forget", forget)).toBe("NETWORK_SYMBOL_NOT_FOUND")
    expect(await ada.data("memory_forget", forget)).toMatchObject({ hash, save_count: 1 })
    expect(await ada.code("memory_recall", { hash })).toBe("NETWORK_SYMBOL_NOT_FOUND")
  })

  it("refuses blank texts, cassettes that are none, metadata that is none, and names of others", async () => {
    const ada = await start("--agent", "ada")
    expect(await ada.code("memory_save", { text: "  ", cassette: "memory" })).toBe("INVALID_PARAMS")
    expect(await ada.code("memory_save", { text: "x\u0000", cassette: "memory" })).toBe("INVALID_PARAMS")
    expect(await ada.code("memory_save", { text: "x", cassette: "none" })).toBe("UNKNOWN_CASSETTE")
    expect(await ada.code("memory_save", { text: "x", cassette: "memory", metadata: [] })).toBe(
      "INVALID_PARAMS"
    )
    expect(await ada.code("memory_save", { text: "x", cassette: "memory", agent_id: "bob" })).toBe(
      "INVALID_PARAMS"
    )
    const nobody = await start()
    expect(await nobody.code("memory_save", secret)).toBe("AGENT_MISSING")
  })

  it("takes the agent from the server and never from the metadata", async () => {
    const ada = await start("--agent", "ada")
    const { hash } = await ada.data("memory_save", { ...secret, metadata: { agent_id: "bob" } })
    const bob = await start("--agent", "bob")
    expect(await bob.code("memory_recall", { hash })).toBe("NETWORK_SYMBOL_NOT_FOUND")
    expect(await ada.data("memory_recall", { hash })).toMatchObject({
      sources: [{ saves: [{ agent_id: "ada" }] }]
    })
  })
})

describe("an agent's own memories", () => {
  it("are not there for anybody else, in any tool", async () => {
    const ada = await start("--agent", "ada")
    const { hash, symbol } = await ada.data("memory_save", secret)
    for (const session of [await start("--agent", "bob"), await start()]) {
      for (const tool of ["memory_query", "semantic_search", "cassette_network_query"]) {
        expect(await session.data(tool, { query: secret.text }), tool).toMatchObject({ hits: [] })
      }
      expect(await session.code("memory_recall", { hash })).toBe("NETWORK_SYMBOL_NOT_FOUND")
      expect(await session.code("symbol_resolve", { symbol })).toBe("NETWORK_SYMBOL_NOT_FOUND")
      expect(await session.code("symbol_resolve", { symbol: `@C:${hash}` })).toBe("NETWORK_SYMBOL_NOT_FOUND")
      expect(await session.code("semantic_neighbors", { hash })).toBe("NETWORK_SYMBOL_NOT_FOUND")
      expect(await session.data("cassette_stats")).toMatchObject({ resident: { stats: { total_chunks: 0 } } })
    }
    expect(await ada.data("memory_query", { query: "short answers" })).toMatchObject({
      hits: [{ source: "resident", content: secret.text }]
    })
    expect(await ada.data("symbol_resolve", { symbol })).toMatchObject({
      kind: "memory",
      content: secret.text
    })
    expect(await ada.data("cassette_stats")).toMatchObject({ resident: { stats: { total_chunks: 1 } } })
  })
})
