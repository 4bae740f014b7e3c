// Memories of a cassette: a text is kept once for each owner, guards hold for raw SQL, and what a caller may not see
// changes nothing of what it gets: no score, no count, no statistics. A cassette without the others' memories answers alike.
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { MemoryScope, Mutability } from "../../domain/network/cassette.ts"
import type { IndexRequest, ReadScope } from "../../domain/network/index-requests.ts"
import type { Connection } from "../sqlite/connection/better-sqlite3-host.ts"
import { sha256 } from "../hashing/sha256.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { CassetteFile } from "./cassette-file.ts"
import { askIndex } from "./index/cassette-index.ts"
import { verifyCassetteFile } from "./verification/cassette-verification.ts"
import { finishWriting, reindex, seal, sweep } from "./writing/document-writing.ts"
import { hashEmbedder } from "./testing/hash-embedder.ts"
import { forgetMemory, saveMemory } from "./writing/memory-writing.ts"
import { at, newCassette, put } from "./testing/cassettes.ts"
import { putVectors, unembedded } from "./vectors/vector-writing.ts"

const codes = (connection: Connection) =>
  verifyCassetteFile(connection, "one").findings.map(({ code }) => code)

const save = (connection: Connection, agent_id: string | null, text: string, day = 1, metadata = "{}") =>
  saveMemory(connection, { text, agent_id, metadata }, at(day))

const open = (mutability: Mutability = "read-write", memories: MemoryScope = "private") =>
  newCassette(temporaryFolder(), "one", mutability, memories)

describe("saving", () => {
  it("keeps a text once for each owner, and a row for every save", () => {
    const { connection } = open()
    const text = "  a\r\ntext\u0301 \ufeff"
    const hash = sha256(text)
    expect(save(connection, "a", text)).toEqual({ outcome: "saved", hash, save_count: 1, is_new: true })
    expect(save(connection, "a", text, 2, '{"b":1}')).toMatchObject({ save_count: 2, is_new: false })
    expect(save(connection, "b", text)).toMatchObject({ save_count: 1, is_new: true })
    expect(save(connection, null, text)).toEqual({ outcome: "agent_missing" })
    expect(connection.all("SELECT owner, text FROM memories ORDER BY owner")).toEqual([
      { owner: "a", text },
      { owner: "b", text }
    ])
    expect(connection.all("SELECT agent_id, saved_at, metadata FROM saves ORDER BY save_id")).toEqual([
      { agent_id: "a", saved_at: at(1).now, metadata: "{}" },
      { agent_id: "a", saved_at: at(2).now, metadata: '{"b":1}' },
      { agent_id: "b", saved_at: at(1).now, metadata: "{}" }
    ])
    // The migration, two memories and three saves.
    expect(connection.all("SELECT * FROM write_receipts")).toHaveLength(6)
    finishWriting(connection)
    expect(codes(connection)).toEqual([])
    reindex(connection)
    expect(codes(connection)).toEqual([])
    connection.close()
  })

  it("in a shared cassette everybody has one memory, no matter who saves it", () => {
    const { connection } = open("append-only", "shared")
    save(connection, "a", "text")
    expect(save(connection, null, "text")).toMatchObject({ save_count: 2, is_new: false })
    expect(connection.all("SELECT owner FROM memories")).toEqual([{ owner: "" }])
    connection.close()
  })

  it("an immutable cassette refuses, before it is sealed and after", () => {
    const { connection } = open("immutable")
    expect(save(connection, "a", "text")).toEqual({ outcome: "refused" })
    seal(connection)
    expect(save(connection, "a", "text")).toEqual({ outcome: "refused" })
    connection.close()
  })

  it("an ephemeral memory lives as long as its newest save, and is swept with all of them", () => {
    const { connection } = open("ephemeral")
    save(connection, "a", "old")
    save(connection, "a", "kept")
    save(connection, "a", "kept", 3)
    sweep(connection, at(2).now)
    expect(connection.all("SELECT text FROM memories")).toEqual([{ text: "kept" }])
    expect(codes(connection)).toEqual([])
    sweep(connection, at(4).now)
    expect(connection.all("SELECT * FROM memories")).toEqual([])
    expect(connection.all("SELECT * FROM chunks")).toEqual([])
    expect(codes(connection)).toEqual([])
    connection.close()
  })
})

describe("forgetting", () => {
  const text = "a secret xylophone"
  const hash = sha256(text)

  it.each(["tail", "postings"])("leaves nothing but receipts of a memory in the %s", (place) => {
    const { connection, file } = open()
    save(connection, "a", text)
    save(connection, "a", text, 2)
    save(connection, "b", text)
    save(connection, "a", "another text")
    if (place === "postings") finishWriting(connection)
    const vectors = unembedded(connection, 10).map((each) => ({
      hash: each.hash,
      vector: Float32Array.from({ length: 384 }, (_, index) => (index === 0 ? 1 : 0))
    }))
    putVectors(connection, hashEmbedder.identity, vectors)
    const before = connection.all("SELECT * FROM write_receipts").length
    expect(forgetMemory(connection, hash, "a")).toEqual({ outcome: "forgotten", save_count: 2 })
    expect(connection.all("SELECT operation, rule FROM write_receipts").slice(before)).toEqual(
      Array.from({ length: 3 }, () => ({ operation: "remove", rule: "read-write" }))
    )
    expect(codes(connection)).toEqual([])
    // Another agent has its own, and it keeps its vector.
    expect(connection.all("SELECT owner FROM memories WHERE content_hash = ?", [hash])).toEqual([
      { owner: "b" }
    ])
    expect(connection.all("SELECT hash FROM vectors")).toHaveLength(2)
    expect(forgetMemory(connection, hash, "a")).toEqual({ outcome: "absent" })
    expect(forgetMemory(connection, hash, "b")).toEqual({ outcome: "forgotten", save_count: 1 })
    expect(connection.all("SELECT hash FROM vectors")).toHaveLength(1)
    expect(codes(connection)).toEqual([])
    // A vector that was being made meanwhile comes too late.
    putVectors(connection, hashEmbedder.identity, vectors)
    expect(connection.all("SELECT hash FROM vectors")).toHaveLength(1)
    connection.close()
    expect(readFileSync(file).includes("xylophon")).toBe(false)
  })

  it("is refused where the mutability keeps memories, and of what others have saved too", () => {
    for (const mutability of ["stable", "append-only"] as const) {
      const { connection } = open(mutability)
      save(connection, "a", text)
      expect(forgetMemory(connection, hash, "a")).toEqual({ outcome: "kept" })
      connection.close()
    }
    const { connection } = open("mutable", "shared")
    save(connection, "a", text)
    for (const agent of ["b", null]) {
      expect(forgetMemory(connection, hash, agent)).toEqual({ outcome: "saved_by_others" })
    }
    save(connection, "b", text)
    expect(forgetMemory(connection, hash, "a")).toEqual({ outcome: "saved_by_others" })
    expect(codes(connection)).toEqual([])
    connection.close()
  })
})

describe("raw SQL", () => {
  const attacks = [
    "UPDATE memories SET text = 'forged'",
    "UPDATE memories SET owner = 'b'",
    "INSERT INTO memories VALUES (9, 'a', 'x', 'h', 'r')",
    "INSERT INTO memories VALUES (9, '', 'x', 'h', (SELECT record_hash FROM write_receipts ORDER BY receipt_index DESC))",
    "INSERT OR REPLACE INTO memories SELECT memory_id, owner, 'forged', content_hash, record_hash FROM memories",
    "DELETE FROM memories",
    "UPDATE saves SET agent_id = 'b'",
    "DELETE FROM saves",
    "INSERT OR REPLACE INTO saves SELECT save_id, memory_id, save_number, agent_id, saved_at, expires_at, '{}', record_hash FROM saves",
    "INSERT INTO saves SELECT 9, memory_id, 2, 'b', saved_at, NULL, '{}', record_hash FROM saves",
    "INSERT INTO saves SELECT 9, memory_id, 7, 'a', saved_at, NULL, '{}', record_hash FROM saves",
    "UPDATE network_meta SET value = 'shared' WHERE key = 'memories'",
    "UPDATE segments SET owner = ''",
    "INSERT OR REPLACE INTO segments SELECT segment, 'b', given, chunks, words, lengths FROM segments",
    "INSERT INTO chunks SELECT 4097, chunk_id, NULL, memory_id, 7, hash, kind, heading_path, NULL, 0, 1 FROM chunks"
  ]
  it.each(attacks)("%s is refused", (sql) => {
    const { connection } = open("append-only")
    save(connection, "a", "text")
    connection.run("INSERT INTO segments VALUES (1, 'b', 0, 0, 0, x'')")
    connection.pragma("foreign_keys = OFF")
    expect(() => connection.run(sql)).toThrow()
    expect(codes(connection)).toEqual([])
    connection.close()
  })

  it.each([
    ["CONTENT_HASH_MISMATCH", "tr_memories_update", "UPDATE memories SET text = 'forged'"],
    ["RECORD_HASH_MISMATCH", "tr_memories_update", "UPDATE memories SET owner = 'b'"],
    ["RECORD_HASH_MISMATCH", "tr_saves_update", "UPDATE saves SET metadata = '[]'"],
    ["RECORD_HASH_MISMATCH", "tr_saves_update", "UPDATE saves SET agent_id = 'b'"],
    ["MEMORY_WITHOUT_SAVE", "tr_saves_delete", "DELETE FROM saves"],
    ["CHUNK_DIFFERS", "tr_segments_owner_update", "UPDATE segments SET owner = 'b'"],
    ["RULE_BROKEN", "tr_memories_update", "UPDATE memories SET owner = ''"],
    ["RULE_BROKEN", "tr_saves_update", "UPDATE saves SET expires_at = saved_at"],
    [
      "RULE_BROKEN",
      "tr_network_meta_update",
      "UPDATE network_meta SET value = 'shared' WHERE key = 'memories'"
    ]
  ])("verification finds %s without %s", (code, guard, sql) => {
    const { connection } = open()
    save(connection, "a", "text")
    connection.run(`DROP TRIGGER ${guard}`)
    connection.run(sql)
    // What is missing in the schema hides the rest: the guard is put back as it was.
    const [made] = verifyCassetteFile(open().connection, "one").findings
    expect(made).toBeUndefined()
    connection.run(
      open()
        .connection.all<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = ?", [guard])
        .map((row) => row.sql)[0] ?? ""
    )
    expect(codes(connection)).toContain(code)
    connection.close()
  })
})

/** The same cassette of agent a, with and without what agent b has in it. */
const world = async (withOthers: boolean, folded: boolean, mutability: Mutability = "read-write") => {
  const { connection, file } = open(mutability)
  put(connection, "docs/one.txt", "shared words about harbours and ships", at(1))
  save(connection, "a", "a remembers ships and a lighthouse", 1, '{"k":"mine"}')
  if (withOthers) {
    for (let index = 0; index < 40; index++) {
      save(connection, "b", `b remembers ships, harbours and secret number ${index}`)
    }
    save(connection, "b", "a remembers ships and a lighthouse", 1, '{"k":"theirs"}')
  }
  save(connection, "a", "harbours again, without vessels")
  if (folded) finishWriting(connection)
  const missing = unembedded(connection, 1_000)
  const vectors = await Effect.runPromise(hashEmbedder.embed(missing.map(({ text }) => text)))
  putVectors(
    connection,
    hashEmbedder.identity,
    missing.map(({ hash }, index) => ({ hash, vector: vectors[index]! }))
  )
  connection.close()
  return new CassetteFile(file, "one")
}

const scopeOf = (agent: string | null) => ({ now: at(1).now, agent })

const ask = <Op extends IndexRequest["op"]>(
  file: CassetteFile,
  request: Extract<IndexRequest, { readonly op: Op }>
) => {
  const answer = askIndex<Op>(file, request)
  if (!("value" in answer)) throw new Error(answer.reason)
  return answer.value
}

describe.each([
  ["folded", true, "read-write"],
  ["in the tail", false, "read-write"],
  ["ephemeral and folded", true, "ephemeral"]
] as const)("what others remember changes nothing (%s)", (_, folded, mutability) => {
  const both = async () =>
    [await world(true, folded, mutability), await world(false, folded, mutability)] as const
  const scope = scopeOf("a")
  const terms = ["harbour", "secret", "ship"]
  const weights = {
    terms: terms.map((term) => ({ term, idf: 1, driver: true })),
    mean: 5
  }

  const best = { op: "best", weights, phrases: [], limit: 100, describe: 100, neighbours: [] } as const

  const paths = (file: CassetteFile, agent: string | null) => {
    const found = ask(file, { ...best, scope: scopeOf(agent) })
    const described = ask(file, {
      op: "describe",
      scope: scopeOf(agent),
      weights,
      chunks: found.chunks,
      neighbours: []
    })
    // What is described at once is what is described when it is asked for.
    const byNumber = new Map(found.described.map((each) => [each.chunk, each]))
    expect(found.chunks.map((chunk) => byNumber.get(chunk))).toEqual(
      described.map((each, index) => ({ ...each, chunk: found.chunks[index] }))
    )
    return described.map((each, index) => `${found.scores[index]} ${each?.path} ${each?.lexical}`).sort()
  }

  it("counts, words and frequencies", async () => {
    const [full, alone] = await both()
    expect(ask(full, { op: "count", scope, terms })).toEqual(ask(alone, { op: "count", scope, terms }))
    expect(ask(full, { op: "count", scope, terms }).frequencies).toEqual([2, 0, 2])
    expect(ask(full, { op: "count", scope: scopeOf(null), terms }).chunks).toBe(1)
    expect(ask(full, { op: "count", scope: scopeOf("b"), terms }).frequencies).toEqual([41, 40, 42])
  })

  it("the best chunks", async () => {
    const [full, alone] = await both()
    expect(paths(full, "a")).toEqual(paths(alone, "a"))
    expect(paths(full, "a")).toHaveLength(3)
    expect(paths(full, null).map((line) => line.split(" ")[1])).toEqual(["docs/one.txt"])
    expect(paths(full, "b")).toHaveLength(42)
  })

  it("phrases", async () => {
    const [full] = await both()
    const request = { ...best, phrases: [["secret", "number"]] } as const
    expect(ask(full, { ...request, scope }).chunks).toEqual([])
    expect(ask(full, { ...request, scope: scopeOf("b") }).chunks.length).toBeGreaterThan(0)
  })

  it("descriptions of chunks by number", async () => {
    const [full] = await both()
    const ofB = ask(full, { ...best, scope: scopeOf("b") }).chunks
    const seen = ask(full, { op: "describe", scope, weights, chunks: ofB, neighbours: [] })
    expect(seen.filter((each) => each !== null).map(({ path }) => path)).toEqual(["docs/one.txt"])
  })

  it("texts by hash, with the note of the caller's own save", async () => {
    const [full, alone] = await both()
    const hashes = [
      sha256("a remembers ships and a lighthouse"),
      sha256("b remembers ships, harbours and secret number 7")
    ]
    const texts = hashes.map((hash) => ({ hash, first: null }))
    const found = ask(full, { op: "places", scope, texts, limit: 10 })
    expect(found).toEqual(ask(alone, { op: "places", scope, texts, limit: 10 }))
    expect(found).toMatchObject([
      {
        memory: { agent_id: "a", metadata: { k: "mine" } },
        places: [{ type: "memory", path: `@A:${hashes[0]}` }],
        place_count: 1
      }
    ])
    expect(ask(full, { op: "places", scope: scopeOf(null), texts, limit: 10 })).toEqual([])
  })

  it("nearest vectors", async () => {
    const [full, alone] = await both()
    const request = {
      op: "nearest",
      identity: hashEmbedder.identity,
      vector: Array.from({ length: 384 }, (_, index) => (index === 0 ? 1 : 0)),
      limit: 100,
      within: null
    } as const
    expect(ask(full, { ...request, op: "census", scope })).toEqual(
      ask(alone, { ...request, op: "census", scope })
    )
    expect(ask(full, { ...request, scope: scopeOf(null), within: 384 }).hashes).toHaveLength(1)
    expect(ask(full, { ...request, scope })).toEqual(ask(alone, { ...request, scope }))
    expect(ask(full, { ...request, scope }).hashes).toHaveLength(3)
    const shared = ask(full, { ...request, scope: scopeOf(null) }).hashes
    expect(shared).toHaveLength(1)
    const vectorsIn = (seen: typeof scope) =>
      ask(full, { ...request, scope })
        .hashes.map((hash) => ask(full, { op: "vector", identity: request.identity, scope: seen, hash }))
        .filter((vector) => vector !== null)
    expect(vectorsIn(scope)).toHaveLength(3)
    expect(vectorsIn(scopeOf(null))).toHaveLength(1)
  })

  it("statistics, the root over records, and capabilities", async () => {
    const [full, alone] = await both()
    const facts = ask(full, { op: "facts", scope })
    expect(facts).toEqual(ask(alone, { op: "facts", scope }))
    expect(facts).toMatchObject({ total_chunks: 3, has_agents: true, content_types: ["docs", "memory"] })
    expect(facts.vectors).toMatchObject([{ count: 3 }])
    expect(ask(full, { op: "facts", scope: scopeOf(null) })).toMatchObject({
      total_chunks: 1,
      has_agents: false,
      content_types: ["docs"]
    })
  })

  it("recall by hash and by its beginning", async () => {
    const [full, alone] = await both()
    const own = { op: "recall", scope, prefix: "", limit: 100 } as const
    expect(ask(full, own)).toEqual(ask(alone, own))
    expect(ask(full, own)).toHaveLength(2)
    const theirs = sha256("b remembers ships, harbours and secret number 7").slice(0, 12)
    expect(ask(full, { ...own, prefix: theirs })).toEqual([])
    expect(ask(full, { ...own, prefix: theirs, scope: scopeOf("b") })).toMatchObject([{ save_count: 1 }])
    expect(ask(full, { ...own, scope: scopeOf(null) })).toEqual([])
  })
})

it("memories alone are counted and found, and then everything again", () => {
  const { connection, file } = open("read-write", "shared")
  put(connection, "docs/one.txt", "harbour and harbour", at(1))
  save(connection, null, "harbour")
  finishWriting(connection)
  const { connection: bare, file: bareFile } = open("read-write", "shared")
  put(bare, "docs/one.txt", "harbour and harbour", at(1))
  finishWriting(bare)
  for (const [path, memories] of [
    [file, 1],
    [bareFile, 0]
  ] as const) {
    const cassette = new CassetteFile(path, "one")
    const counted = (scope: ReadScope) => ask(cassette, { op: "count", scope, terms: ["harbour"] })
    expect(counted(scopeOf(null)).frequencies).toEqual([1 + memories])
    expect(counted({ ...scopeOf(null), only: "memory" })).toEqual({
      chunks: memories,
      words: memories,
      frequencies: [memories]
    })
    expect(counted(scopeOf(null)).chunks).toBe(1 + memories)
    cassette.close()
  }
  connection.close()
  bare.close()
})

it("an expired memory is neither counted nor found, and is again once it is saved again", () => {
  const { connection, file } = open("ephemeral")
  save(connection, "a", "fading words")
  const cassette = new CassetteFile(file, "one")
  const scope = { now: at(2).now, agent: "a" }
  const seen = () => [
    ask(cassette, { op: "count", scope, terms: ["fade"] }).frequencies,
    ask(cassette, { op: "facts", scope }).total_chunks,
    ask(cassette, { op: "recall", scope, prefix: "", limit: 9 }).length
  ]
  expect(seen()).toEqual([[0], 0, 0])
  save(connection, "a", "fading words", 2)
  expect(seen()).toEqual([[1], 1, 1])
  cassette.close()
  connection.close()
})
