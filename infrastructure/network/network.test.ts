// The network over real files: a split corpus ranks as one, broken cassettes are statuses, and cassettes come and go.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { cassetteWith, local, newCassette, put, withNetworkOf } from "./testing/cassettes.ts"

const documents: Readonly<Record<string, string>> = {
  "docs/hub.md":
    "# Hub\n\nThe multi-agent hub handles errors.\n\n## Retry\n\nErrors are retried, see POL-358.",
  "docs/agents.md": "# Agents\n\nAgents claim a step. A fencing token stops a late agent.",
  "research/memory.md": "# Memory\n\nMemory architecture of agents. naïve café 漢字かな交じり文 🚀",
  "src/main.py": "def handle_error(x):\n    return x\n\n\nclass Hub:\n    pass\n",
  "notes/same.md": "An equal text stands in several places.",
  "other/same.md": "An equal text stands in several places."
}

const questions = [
  "multi-agent hub",
  "errors",
  "handle_error",
  "POL-358",
  "the agents",
  '"fencing token"',
  "漢字",
  "cafe\u0301",
  "🚀",
  "equal text",
  "CLAUDE.md",
  "src/main.py",
  "memory architecture agents",
  "AND",
  'NEAR("a" b)'
]

const ids = (hits: ReadonlyArray<{ readonly chunk_id: string; readonly score: number }>) =>
  hits.map(({ chunk_id, score }) => `${chunk_id} ${score}`)

describe("a split corpus", () => {
  const split = (folder: string, parts: number, folded: boolean) =>
    Array.from({ length: parts }, (_, part) => {
      const own = Object.entries(documents).filter((_, index) => index % parts === part)
      const id = `part-${part}`
      return local(id, cassetteWith(folder, id, Object.fromEntries(own), folded))
    })

  it.each([2, 3, 6])("over %i cassettes gives the ids, order and scores of one", async (parts) => {
    const one = local("one", cassetteWith(temporaryFolder(), "one", documents))
    const expected = await withNetworkOf([one], (network) =>
      Effect.forEach(questions, (text) => network.query(text, 20))
    )
    for (const folded of [true, false]) {
      const actual = await withNetworkOf(split(temporaryFolder(), parts, folded), (network) =>
        Effect.forEach(questions, (text) => network.query(text, 20))
      )
      expect(actual.map(({ hits }) => ids(hits))).toEqual(expected.map(({ hits }) => ids(hits)))
    }
    expect(expected.filter(({ hits }) => hits.length > 0).length).toBeGreaterThan(10)
  })

  it("shows an equal text once, with its places", async () => {
    const answer = await withNetworkOf(split(temporaryFolder(), 6, true), (network) =>
      network.query("equal text stands")
    )
    expect(answer.hits).toHaveLength(1)
    expect(answer.hits[0]?.places.map(({ path }) => path)).toEqual(["notes/same.md", "other/same.md"])
    expect(answer.partial).toBe(false)
  })
})

describe("cassettes that do not answer", () => {
  const broken = (folder: string) => {
    const good = cassetteWith(folder, "good", documents)
    writeFileSync(
      join(folder, "text.db"),
      "no database at all, but long enough to be read as a header of one".repeat(20)
    )
    writeFileSync(join(folder, "empty.db"), "")
    const foreign = new Database(join(folder, "foreign.db"))
    foreign.exec("CREATE TABLE t (a)")
    foreign.close()
    const ledger = new Database(join(folder, "ledger.db"))
    ledger.exec("CREATE TABLE events (a)")
    ledger.close()
    const { connection } = newCassette(folder, "newer")
    connection.run("DROP TRIGGER tr_network_meta_update")
    connection.run("UPDATE network_meta SET value = '2.0' WHERE key = 'schema_version'")
    connection.close()
    mkdirSync(join(folder, "folder.db"))
    const names = ["text", "empty", "foreign", "ledger", "newer", "missing", "folder"]
    return [
      local("good", good),
      local("wrong-id", good),
      ...names.map((id) => local(id, join(folder, `${id}.db`)))
    ]
  }

  it("are statuses with reasons; the others answer", async () => {
    const { answers, hits, partial } = await withNetworkOf(broken(temporaryFolder()), (network) =>
      network.query("hub")
    )
    expect(hits.length).toBeGreaterThan(0)
    expect(partial).toBe(true)
    const statuses = Object.fromEntries(Object.entries(answers).map(([id, { status }]) => [id, status]))
    expect(statuses).toEqual({
      good: "ok",
      "wrong-id": "refused",
      text: "error",
      empty: "error",
      foreign: "refused",
      ledger: "refused",
      newer: "refused",
      missing: "offline",
      folder: "error"
    })
    expect(answers["ledger"]?.reason).toContain("LedgerIsNotACassette")
    expect(answers["newer"]?.reason).toContain("2.0")
  })

  it("have empty lists in an answer by cassette, and are listed by status", async () => {
    const cassettes = broken(temporaryFolder())
    const { found, health } = await withNetworkOf(cassettes, (network) =>
      Effect.all({ found: network.queryAll("hub"), health: network.status })
    )
    expect(Object.keys(found.results)).toEqual(cassettes.map(({ cassetteId }) => cassetteId))
    expect(found.results["missing"]).toEqual([])
    expect(found.results["good"]?.length).toBeGreaterThan(0)
    expect(health.map(({ status }) => status)).toContain("offline")
  })

  it("are an error when demanded, and when no cassette answers", async () => {
    const folder = temporaryFolder()
    const cassettes = broken(folder)
    const strict = withNetworkOf(cassettes, (network) =>
      Effect.flip(network.query("hub", 10, { strict: true }))
    )
    expect((await strict)._tag).toBe("NetworkIncomplete")
    const nobody = withNetworkOf([local("gone", join(folder, "gone.db"))], (network) =>
      Effect.flip(network.query("hub"))
    )
    expect((await nobody)._tag).toBe("NetworkUnavailable")
    expect((await withNetworkOf([], (network) => Effect.flip(network.query("hub"))))._tag).toBe(
      "NetworkUnavailable"
    )
  })

  it("answer again once they are repaired, and with what stands at their path now", async () => {
    const folder = temporaryFolder()
    const file = cassetteWith(folder, "one", { "a/b.md": "first text" })
    const away = `${file}.away`
    const tags = await withNetworkOf([local("one", file)], (network) =>
      Effect.gen(function* () {
        const before = yield* network.query("first")
        renameSync(file, away)
        const gone = yield* Effect.flip(network.query("first"))
        renameSync(away, file)
        const back = yield* network.query("first")
        rmSync(file)
        cassetteWith(folder, "one", { "a/b.md": "second text" })
        const swapped = yield* network.query("second")
        return [before.hits.length, gone._tag, back.hits.length, swapped.hits.length]
      })
    )
    expect(tags).toEqual([1, "NetworkUnavailable", 1, 1])
  })

  it("are offline while another program has them locked", async () => {
    const folder = temporaryFolder()
    const file = cassetteWith(folder, "one", { "a/b.md": "first text" })
    const holder = new Database(file)
    holder.pragma("locking_mode = EXCLUSIVE")
    holder.exec("BEGIN EXCLUSIVE")
    const answer = await withNetworkOf([local("one", file, 200)], (network) =>
      Effect.flip(network.query("first"))
    )
    holder.close()
    expect(answer).toMatchObject({ answers: { one: { status: "offline" } } })
  })
})

describe("questions that are refused", () => {
  const refused = (ask: Parameters<typeof withNetworkOf>[1]) => {
    const folder = temporaryFolder()
    return withNetworkOf([local("one", cassetteWith(folder, "one", documents))], (network) =>
      Effect.flip(ask(network))
    ) as Promise<{ readonly _tag: string }>
  }
  it.each([-1, 1.5, 1_001, Number.NaN, Number.POSITIVE_INFINITY])("a limit of %d", async (limit) => {
    expect((await refused((network) => network.query("hub", limit)))._tag).toBe("InvalidInput")
    expect((await refused((network) => network.queryAll("hub", limit)))._tag).toBe("InvalidInput")
  })
  it("an empty list of cassettes, an unknown one, and an unknown capability", async () => {
    expect((await refused((network) => network.query("hub", 1, { cassettes: [] })))._tag).toBe("InvalidInput")
    expect(await refused((network) => network.query("hub", 1, { cassettes: ["two"] }))).toMatchObject({
      _tag: "UnknownCassette",
      cassettes: ["two"],
      known: ["one"]
    })
    expect((await refused((network) => network.queryByCapability("hub", "magic")))._tag).toBe("InvalidInput")
  })
  it("a capability that no cassette has proven, naming those that are there", async () => {
    expect(await refused((network) => network.queryByCapability("hub", "fixtures"))).toMatchObject({
      _tag: "NoCassetteWithCapability",
      available: ["ast", "fts", "research"]
    })
  })
})

describe("questions", () => {
  it("of nothing, or for nothing, find nothing and still say who answers", async () => {
    const file = cassetteWith(temporaryFolder(), "one", documents)
    const answers = await withNetworkOf([local("one", file)], (network) =>
      Effect.all([network.query("***"), network.query("hub", 0), network.query("")])
    )
    for (const { answers: who, hits } of answers) {
      expect(hits).toEqual([])
      expect(who).toMatchObject({ one: { status: "ok" } })
    }
  })

  it("go to cassettes with the capability alone", async () => {
    const folder = temporaryFolder()
    const cassettes = [
      local("papers", cassetteWith(folder, "papers", { "research/a.md": "agents and memory" })),
      local("plain", cassetteWith(folder, "plain", { "docs/a.md": "agents and errors" }))
    ]
    const found = await withNetworkOf(cassettes, (network) =>
      network.queryByCapability("agents", "research", 5)
    )
    expect(Object.keys(found.results)).toEqual(["papers"])
    expect(found.results["papers"]).toHaveLength(1)
  })

  it("see what was written after the cassette was opened, and nothing that was removed", async () => {
    const { connection, file } = newCassette(temporaryFolder(), "one")
    put(connection, "a/b.md", "first text")
    const counts = await withNetworkOf([local("one", file)], (network) =>
      Effect.gen(function* () {
        const first = (yield* network.query("first")).hits.length
        put(connection, "a/b.md", "second text")
        return [
          first,
          (yield* network.query("first")).hits.length,
          (yield* network.query("second")).hits.length
        ]
      })
    )
    connection.close()
    expect(counts).toEqual([1, 0, 1])
  })

  it("do not see what has expired", async () => {
    const { connection, file } = newCassette(temporaryFolder(), "inbox", "ephemeral")
    put(connection, "a/old.md", "old text", {
      now: "2020-01-01T00:00:00.000Z",
      expires: "2020-01-02T00:00:00.000Z"
    })
    put(connection, "a/new.md", "new text", {
      now: "2020-01-01T00:00:00.000Z",
      expires: "9999-01-02T00:00:00.000Z"
    })
    const paths = () =>
      withNetworkOf([local("inbox", file)], (network) =>
        Effect.map(network.query("text"), ({ hits }) => hits.map(({ path, score }) => [path, score] as const))
      )
    const hidden = await paths()
    connection.close()
    const alone = local("inbox", cassetteWith(temporaryFolder(), "inbox", { "a/new.md": "new text" }))
    const expected = await withNetworkOf([alone], (network) => network.query("text"))
    expect(hidden).toEqual([["a/new.md", expected.hits[0]?.score]])
  })

  it("may ask cassettes that come and go meanwhile", async () => {
    const folder = temporaryFolder()
    const one = local("one", cassetteWith(folder, "one", documents))
    const two = local("two", cassetteWith(folder, "two", { "a/b.md": "hub" }))
    const result = await withNetworkOf([one], (network) =>
      Effect.gen(function* () {
        yield* network.register(two)
        const twice = yield* Effect.flip(network.register(two))
        const both = yield* network.query("hub")
        yield* network.unregister("one")
        const left = yield* network.query("hub")
        const unknown = yield* Effect.flip(network.unregister("one"))
        return [twice._tag, Object.keys(both.answers), Object.keys(left.answers), unknown._tag]
      })
    )
    expect(result).toEqual(["CassetteExists", ["one", "two"], ["two"], "UnknownCassette"])
  })
})
