// `cortex memory` from a fresh configuration on: saving, searching, recalling, and every refusal; what another agent
// remembers answers as what no agent does.
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex")
const run = (...args: ReadonlyArray<string>) => runCli(args, { cwd: folder })
const json = async (...args: ReadonlyArray<string>) => {
  const { code, document } = await runJson(args, { cwd: folder })
  return { code, data: document.data as Record<string, unknown>, document }
}
const save = (text: string, ...args: ReadonlyArray<string>) => json("memory", "save", text, ...args)

const shared = "The tests need Node 24, on every machine."
const own = "a1 keeps lighthouses in mind"

beforeAll(async () => {
  writeFileSync(join(folder, "notes.md"), "# Notes\n\nLighthouses stand on rocks.\n")
  await run("network", "init")
  await run("network", "index")
  await save(shared, "--cassette", "memory")
  await save(own, "--cassette", "resident", "--agent", "a1", "--metadata", '{"task":"t1"}')
})

describe("memory save", () => {
  it("keeps one text and counts its saves", async () => {
    const { code, data } = await save("saved twice", "--cassette", "memory", "--agent", "a2")
    const hash = hashOf("saved twice")
    expect([code, data]).toEqual([
      0,
      { hash, symbol: `@A:${hash}`, cassette_id: "memory", save_count: 1, is_new: true, notices: [] }
    ])
    expect((await save("saved twice", "--cassette", "memory")).data).toMatchObject({
      save_count: 2,
      is_new: false
    })
  })

  it("says once when a memory comes among documents", async () => {
    const saved = () => save("among documents: a cormorant", "--cassette", "documents", "--agent", "a1")
    const first = await saved()
    expect([first.code, first.data["notices"]]).toEqual([
      0,
      [
        "documents holds the documents of its sources, and now this memory among them: cassettes without sources hold memories alone"
      ]
    ])
    expect((await saved()).data).toMatchObject({ save_count: 2, notices: [] })
  })

  it("takes the text from a file as it stands", async () => {
    const text = "\ufeff line\r\nfrom a file \n"
    writeFileSync(join(folder, "memory.txt"), text)
    const { data } = await json("memory", "save", "--file", "memory.txt", "--cassette", "memory")
    expect(data["hash"]).toBe(hashOf(text))
  })

  it("takes the text from standard input as it stands, and only as UTF-8", async () => {
    const save = (stdin: string | Uint8Array) =>
      runJson(["memory", "save", "-", "--cassette", "memory"], { cwd: folder, stdin })
    const text = "\ufeff from standard input\r\n"
    expect((await save(text)).document.data).toMatchObject({ hash: hashOf(text), is_new: true })
    for (const refused of ["", Uint8Array.of(0x61, 0xff)]) {
      const { code, document } = await save(refused)
      expect([code, document.error?.code]).toEqual([2, "INVALID_PARAMS"])
    }
  })

  it.each(["memory", "network"])("reads the question of %s query from standard input", async (group) => {
    await json("memory", "save", "heliotrope is a colour", "--cassette", "memory")
    const { document } = await runJson([group, "query", "-"], { cwd: folder, stdin: "heliotrope\n" })
    expect(document.data).toMatchObject({ hits: [{ hash: hashOf("heliotrope is a colour") }] })
  })

  it.each([
    ["blank text", [" \n\u200b", "--cassette", "memory"], "INVALID_PARAMS", 2],
    ["no text", ["--cassette", "memory"], "INVALID_PARAMS", 2],
    ["metadata that is no object", ["x", "--cassette", "memory", "--metadata", "[]"], "INVALID_PARAMS", 2],
    ["metadata that is no JSON", ["x", "--cassette", "memory", "--metadata", "{a}"], "INVALID_PARAMS", 2],
    [
      "metadata over the limit",
      ["x", "--cassette", "memory", "--metadata", JSON.stringify({ a: "b".repeat(17_000) })],
      "INVALID_PARAMS",
      2
    ],
    ["a text over the limit", ["x".repeat(1_048_577), "--cassette", "memory"], "INVALID_PARAMS", 2],
    ["an empty agent", ["x", "--cassette", "resident", "--agent", ""], "INVALID_PARAMS", 2],
    ["a cassette that there is not", ["x", "--cassette", "nowhere"], "UNKNOWN_CASSETTE", 2],
    ["no agent, where each has its own", ["x", "--cassette", "resident"], "AGENT_MISSING", 2]
  ] as const)("refuses %s", async (_, args, error, exit) => {
    const { code, document } = await json("memory", "save", ...args)
    expect([code, document.error?.code]).toEqual([exit, error])
  })

  it("refuses an external cassette, and an immutable one", async () => {
    writeFileSync(
      join(folder, "other.yaml"),
      `network: {version: "1.0", protocol: SNP}
cassettes:
  - {id: memory, path: CORTEX/cassettes/memory.db, type: external}
  - {id: fixed, path: fixed.db, type: local, mutability: immutable}
`
    )
    for (const cassette of ["memory", "fixed"]) {
      const { code, document } = await save("x", "--cassette", cassette, "--config", "other.yaml")
      expect([cassette, code, document.error?.code]).toEqual([cassette, 1, "WRITE_REFUSED"])
    }
  })
})

describe("what an agent sees", () => {
  const hits = async (...args: ReadonlyArray<string>) => {
    const { data } = await json(...args)
    return (data["hits"] as ReadonlyArray<{ path: string; type: string; memory?: object }>) ?? []
  }

  it("memory query finds memories alone, with the newest save", async () => {
    expect(await hits("memory", "query", "lighthouses", "--agent", "a1")).toMatchObject([
      { path: `@A:${hashOf(own)}`, type: "memory", memory: { agent_id: "a1", metadata: { task: "t1" } } }
    ])
    expect(await hits("memory", "query", "lighthouses", "--agent", "a2")).toEqual([])
    expect(await hits("memory", "query", "lighthouses")).toEqual([])
    expect(await hits("memory", "query", "tests need Node", "--agent", "a2")).toHaveLength(1)
  })

  it("network query finds both, for the agent that the environment names", async () => {
    const ask = async (agent: string | undefined) => {
      const env = agent === undefined ? {} : { CORTEX_AGENT: agent }
      const { document } = await runJson(["network", "query", "lighthouses"], { cwd: folder, host: { env } })
      return (document.data as { hits: ReadonlyArray<{ path: string }> }).hits.map(({ path }) => path)
    }
    expect((await ask("a1")).sort()).toEqual([`@A:${hashOf(own)}`, "notes.md"])
    expect(await ask("a2")).toEqual(["notes.md"])
    expect(await ask(undefined)).toEqual(["notes.md"])
  })

  it("recall by hash, by its first digits and by symbol", async () => {
    const hash = hashOf(own)
    for (const name of [hash, hash.slice(0, 12), `@A:${hash.slice(0, 20)}`]) {
      const { data } = await json("memory", "recall", name, "--agent", "a1")
      expect(data).toMatchObject({
        hash,
        text: own,
        sources: [
          { source: "resident", save_count: 1, saves: [{ agent_id: "a1", metadata: { task: "t1" } }] }
        ]
      })
    }
    const { stdout } = await run("memory", "recall", hash, "--agent", "a1")
    expect(stdout).toContain(`{"task":"t1"}`)
    expect(stdout.endsWith(`\n\n${own}\n`)).toBe(true)
  })

  it("another agent's memory is not found in the words in which nothing is", async () => {
    const theirs = hashOf(own)
    const nothing = hashOf("this was never saved")
    const said = async (hash: string, ...command: ReadonlyArray<string>) => {
      const { code, document } = await json(...command, hash, "--agent", "a2")
      return JSON.stringify([code, document.error]).replaceAll(hash, "HASH")
    }
    for (const command of [
      ["memory", "recall"],
      ["memory", "neighbors"],
      ["symbol", "resolve"]
    ]) {
      const prefix = command[0] === "symbol" ? "@A:" : ""
      const there = await said(`${prefix}${theirs}`, ...command)
      expect(there).toContain("NETWORK_SYMBOL_NOT_FOUND")
      expect(there).toBe(await said(`${prefix}${nothing}`, ...command))
    }
  })

  it("recall refuses what names no memory", async () => {
    for (const name of ["@C:0123456789ab", "0123", "@A:xyz"]) {
      const { code, document } = await json("memory", "recall", name)
      expect([code, document.error?.code]).toEqual([2, "INVALID_NETWORK_SYMBOL"])
    }
  })

  it("neighbours of a memory are other texts", async () => {
    const found = await hits("memory", "neighbors", hashOf(own), "--agent", "a1")
    expect(found.map(({ path }) => path)).toContain("notes.md")
    expect(found.map(({ path }) => path)).not.toContain(`@A:${hashOf(own)}`)
  })

  it("verification, reindexing and indexing leave memories as they are", async () => {
    expect((await run("network", "index")).code).toBe(0)
    expect((await run("network", "reindex")).code).toBe(0)
    expect((await run("network", "verify")).code).toBe(0)
    expect(await hits("memory", "query", "lighthouses", "--agent", "a1")).toHaveLength(1)
  })
})

describe("memory forget", () => {
  it("removes what one agent alone has saved, by the beginning of its hash", async () => {
    const text = "to be forgotten: a zeppelin"
    const name = hashOf(text).slice(0, 12)
    await save(text, "--cassette", "resident", "--agent", "a1")
    const forget = (agent: string) =>
      json("memory", "forget", name, "--cassette", "resident", "--agent", agent)
    const other = await forget("a2")
    expect([other.code, other.document.error?.code]).toEqual([1, "NETWORK_SYMBOL_NOT_FOUND"])
    expect((await forget("a1")).data).toEqual({
      cassette_id: "resident",
      hash: hashOf(text),
      symbol: `@A:${hashOf(text)}`,
      save_count: 1
    })
    expect((await run("memory", "query", "zeppelin", "--agent", "a1")).stdout).toBe("nothing found\n")
    for (const command of ["recall", "neighbors"]) {
      expect((await json("memory", command, `@A:${name}`, "--agent", "a1")).code).toBe(1)
    }
    expect((await json("symbol", "resolve", `@A:${name}`, "--agent", "a1")).code).toBe(1)
    expect((await run("network", "verify")).code).toBe(0)
    expect((await forget("a1")).code).toBe(1)
  })

  it("names the cassette that has the memory, if this agent sees it, and else what was looked through", async () => {
    const name = `@A:${hashOf(shared)}`
    const misplaced = await json("memory", "forget", name, "--cassette", "documents", "--agent", "a1")
    expect(misplaced.document.error).toMatchObject({
      code: "NETWORK_SYMBOL_NOT_FOUND",
      message: `${name} is not in documents but in memory: name that cassette`,
      details: { asked: ["documents"], elsewhere: ["memory"] }
    })
    const missing = async (text: string) => {
      const symbol = `@A:${hashOf(text)}`
      const { document } = await json("memory", "forget", symbol, "--cassette", "memory", "--agent", "a2")
      expect(document.error?.message).toBe(`No cassette has ${symbol} (asked: memory)`)
      return Object.keys(document.error?.details ?? {})
    }
    // What another agent keeps to itself answers as what is nowhere.
    expect(await missing(own)).toEqual(await missing("nowhere at all"))
  })

  it("refuses where the mutability keeps memories", async () => {
    const { code, document } = await json(
      "memory",
      "forget",
      hashOf(shared),
      "--cassette",
      "memory",
      "--agent",
      "a9"
    )
    expect([code, document.error?.code]).toEqual([1, "WRITE_REFUSED"])
    expect(document.error?.message).toContain("its mutability keeps every memory")
  })
})
