// Symbols over real cassettes: what each kind names, ambiguity, absence, cassettes that are silent, expired or damaged,
// several levels, and the settings of a configuration.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Cassette } from "../../../application/network/cassette.ts"
import type { NetworkShape } from "../../../application/network/hub.ts"
import { sha256 } from "../../hashing/sha256.ts"
import type { Connection } from "../../sqlite/connection/better-sqlite3-host.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { saveMemory } from "../writing/memory-writing.ts"
import { openNetwork } from "../../../interfaces/embedding/network-files.ts"
import {
  at,
  cassetteWith,
  local,
  newCassette,
  put,
  withNetworkOf,
  servedApart
} from "../testing/cassettes.ts"

const symbol = (text: string, digits = 12, letter = "C"): string =>
  `@${letter}:${sha256(text).slice(0, digits)}`

const offline = (folder: string) => local("silent", join(folder, "nowhere.db"))

const failing = (cassettes: ReadonlyArray<Cassette>, name: string, options = {}) =>
  withNetworkOf(cassettes, (network) => Effect.flip(network.resolveSymbol(name, options)))

/** Two texts whose hashes begin with the same digits cannot be had: one cassette is told another's hash. */
const withHash = (file: string, from: string, to: string): void => {
  const database = new Database(file)
  database.exec("DROP TRIGGER tr_chunks_update")
  database.prepare("UPDATE chunks SET hash = ? WHERE hash = ?").run(to, from)
  database.close()
}

const text = "An equal text stands in several places."

describe("a symbol", () => {
  it("names a chunk with all of its places, in this process and in a child, in any number of digits", async () => {
    const folder = temporaryFolder()
    const one = cassetteWith(folder, "one", { "a/x.md": text, "b/y.md": text })
    const two = cassetteWith(folder, "two", { "c/z.md": text, "c/other.md": "other" })
    const child = servedApart({ id: "two", file: two, shownPath: "two.db" })
    onTestFinished(() => Effect.runPromise(child.close))
    for (const cassettes of [
      [local("one", one), local("two", two)],
      [local("one", one), child]
    ]) {
      for (const digits of [12, 40, 64]) {
        const found = await withNetworkOf(cassettes, (network) => network.resolveSymbol(symbol(text, digits)))
        expect(found).toMatchObject({ kind: "chunk", hash: sha256(text), content: text, partial: false })
        expect(found.places.map(({ path, source }) => `${source} ${path}`)).toEqual([
          "one a/x.md",
          "one b/y.md",
          "two c/z.md"
        ])
      }
    }
  })

  it("names a document of the type research alone, as a whole", async () => {
    const folder = temporaryFolder()
    const whole = "# One\n\nfirst\r\n\n# Two\n\nsecond\n"
    const file = cassetteWith(folder, "one", { "research/p.md": whole, "docs/p.md": "# Three\n\nthird\n" })
    const paper = symbol(whole, 12, "P")
    const found = await withNetworkOf([local("one", file)], (network) => network.resolveSymbol(paper))
    expect(found).toMatchObject({ kind: "document", content: whole, places: [{ path: "research/p.md" }] })
    for (const missing of [symbol("# Three\n\nthird\n", 12, "P"), symbol(whole, 12, "A"), symbol(whole)]) {
      expect(await failing([local("one", file)], missing)).toMatchObject({
        _tag: "NetworkSymbolNotFound",
        symbol: missing,
        unanswered: []
      })
    }
  })

  it("of a replaced document is found where every version is, and of an expired one nowhere", async () => {
    const folder = temporaryFolder()
    for (const [mutability, finds] of [
      ["stable", false],
      ["append-only", true],
      ["mutable", false]
    ] as const) {
      const { connection, file } = newCassette(folder, mutability, mutability)
      put(connection, "research/p.md", "old words")
      put(connection, "research/p.md", "new words")
      connection.close()
      for (const letter of ["P", "C"]) {
        const found = await withNetworkOf([local(mutability, file)], (network) =>
          Effect.result(network.resolveSymbol(symbol("old words", 12, letter)))
        )
        expect([mutability, letter, found._tag]).toEqual([mutability, letter, finds ? "Success" : "Failure"])
        const { content } = await withNetworkOf([local(mutability, file)], (network) =>
          network.resolveSymbol(symbol("new words", 12, letter))
        )
        expect(content).toBe("new words")
      }
    }
    const { connection, file } = newCassette(folder, "brief", "ephemeral")
    put(connection, "research/p.md", "gone words", at(1))
    connection.close()
    for (const letter of ["P", "C"]) {
      expect(await failing([local("brief", file)], symbol("gone words", 12, letter))).toMatchObject({
        _tag: "NetworkSymbolNotFound"
      })
    }
  })

  it.each([
    "@C:0123456789a",
    `@C:${"0".repeat(65)}`,
    "@C:0123456789AB",
    "@X:0123456789ab",
    " @C:0123456789ab",
    "@C:",
    "@C:%",
    "@C:0123456789ab' OR 1=1 --",
    "\ud800",
    "\0"
  ])("%j is refused before anybody is asked", async (wrong) => {
    expect(await failing([offline(temporaryFolder())], wrong)).toMatchObject({
      _tag: "InvalidNetworkSymbol",
      symbol: wrong
    })
  })

  it("that names several texts is an error with the candidates, over cassettes too", async () => {
    const folder = temporaryFolder()
    const one = cassetteWith(folder, "one", { "a/x.md": "first" })
    const two = cassetteWith(folder, "two", { "a/y.md": "second" })
    const twin = `${sha256("first").slice(0, 14)}${sha256("second").slice(14)}`
    withHash(two, sha256("second"), twin)
    const both = [local("one", one), local("two", two)]
    expect(await failing(both, symbol("first"))).toMatchObject({
      _tag: "AmbiguousNetworkSymbol",
      candidates: [`@C:${sha256("first")}`, `@C:${twin}`].sort(),
      has_more: false
    })
    const found = await withNetworkOf(both, (network) => network.resolveSymbol(symbol("first", 15)))
    expect(found.content).toBe("first")
    const short = await withNetworkOf(both, (network) =>
      network.shortSymbols([sha256("first"), sha256("none")])
    )
    expect(short.symbols).toEqual({ [sha256("first")]: symbol("first", 15) })
  })

  it("whose text is not what its hash names is damaged, unless another cassette has it", async () => {
    const folder = temporaryFolder()
    const one = cassetteWith(folder, "one", { "a/x.md": "other words" })
    withHash(one, sha256("other words"), sha256(text))
    expect(await failing([local("one", one)], symbol(text))).toMatchObject({
      _tag: "NetworkSymbolDamaged",
      cassettes: ["one"]
    })
    const two = cassetteWith(folder, "two", { "a/y.md": text })
    const found = await withNetworkOf([local("one", one), local("two", two)], (network) =>
      network.resolveSymbol(symbol(text))
    )
    expect(found.content).toBe(text)
  })

  it("that is damaged everywhere names every cassette, also behind one with very many places", async () => {
    const folder = temporaryFolder()
    const copies = Array.from({ length: 12 }, (_, number) => [`a/${number}.md`, "other words"])
    const one = cassetteWith(folder, "one", Object.fromEntries(copies))
    const two = cassetteWith(folder, "two", { "b/x.md": "other words" })
    for (const file of [one, two]) withHash(file, sha256("other words"), sha256(text))
    expect(await failing([local("one", one), local("two", two)], symbol(text))).toMatchObject({
      _tag: "NetworkSymbolDamaged",
      cassettes: ["one", "two"]
    })
  })

  it("that is not found says who did not answer", async () => {
    const folder = temporaryFolder()
    const good = local("good", cassetteWith(folder, "good", { "a/x.md": text }))
    const error = await failing([good, offline(folder)], symbol("nothing"))
    expect(error).toMatchObject({
      _tag: "NetworkSymbolNotFound",
      unanswered: [{ cassette_id: "silent", reason: expect.stringContaining("the file is missing") }]
    })
    expect(error.message).toContain("the answer is partial")
    const found = await withNetworkOf([good, offline(folder)], (network) =>
      network.resolveSymbol(symbol(text))
    )
    expect(found).toMatchObject({ partial: true, answers: { silent: { status: "offline" } } })
    expect(await failing([good, offline(folder)], symbol(text), { strict: true })).toMatchObject({
      _tag: "NetworkIncomplete"
    })
    expect(await failing([offline(folder)], symbol(text))).toMatchObject({ _tag: "NetworkUnavailable" })
    expect(await failing([good], symbol(text), { cassettes: ["nobody"] })).toMatchObject({
      _tag: "UnknownCassette"
    })
  })

  it.each(["plain store", "index"])("is not looked for in a %s that a host plugged in", async (kind) => {
    const { askIndex, kind: _, memories: __, ...store } = offline(temporaryFolder())
    const guest = kind === "index" ? { ...store, askIndex } : store
    const good = local("good", cassetteWith(temporaryFolder(), "good", { "a/x.md": text }))
    const found = await withNetworkOf([guest, good], (network) => network.resolveSymbol(symbol(text)))
    expect([found.partial, Object.keys(found.answers)]).toEqual([false, ["good"]])
  })
})

const nested = () => {
  const third = "third"
  const second = `second ${symbol(third)}`
  const first = `first ${symbol(second)}, ${symbol(second, 20)} and @@C:0123456789ab`
  const file = cassetteWith(temporaryFolder(), "one", { "a/1.md": first, "a/2.md": second, "a/3.md": third })
  return { first, second, third, cassette: local("one", file) }
}

describe("a symbol of a memory", () => {
  const save = (connection: Connection, agent_id: string | null, words: string) =>
    saveMemory(connection, { text: words, agent_id, metadata: "{}" }, at(1))

  const resolve = (cassette: Cassette, name: string, agent: string | null, options = {}) =>
    withNetworkOf([cassette], (network) => Effect.result(network.resolveSymbol(name, options)), agent)

  it("names it for its agent alone; for all others it is as if it did not exist", async () => {
    const { connection, file } = newCassette(temporaryFolder(), "one", "read-write", "private")
    save(connection, "ann", "what ann keeps to herself")
    save(connection, "bob", "what bob keeps to himself")
    connection.close()
    const child = servedApart({ id: "one", file, shownPath: "one.db" })
    onTestFinished(() => Effect.runPromise(child.close))
    for (const cassette of [local("one", file), child]) {
      for (const letter of ["A", "C"]) {
        const own = symbol("what ann keeps to herself", 12, letter)
        expect(await resolve(cassette, own, "ann")).toMatchObject({
          success: { content: "what ann keeps to herself" }
        })
        const strange = symbol("no cassette keeps this", 12, letter)
        for (const agent of ["bob", null, "Ann", ""]) {
          const refused = await resolve(cassette, own, agent)
          const missing = await resolve(cassette, strange, agent)
          expect(refused).toMatchObject({ failure: { _tag: "NetworkSymbolNotFound", unanswered: [] } })
          expect(JSON.stringify(refused).replaceAll(own, "")).toBe(
            JSON.stringify(missing).replaceAll(strange, "")
          )
        }
      }
    }
  })

  it("of another agent is neither a candidate nor a reason for more digits", async () => {
    const { connection, file } = newCassette(temporaryFolder(), "one", "read-write", "private")
    save(connection, "ann", "first")
    save(connection, "bob", "second")
    connection.run("DROP TRIGGER tr_chunks_update")
    connection.run("DROP TRIGGER tr_memories_update")
    const twin = `${sha256("first").slice(0, 14)}${sha256("second").slice(14)}`
    connection.run("UPDATE chunks SET hash = ? WHERE hash = ?", [twin, sha256("second")])
    connection.run("UPDATE memories SET content_hash = ? WHERE owner = 'bob'", [twin])
    connection.close()
    const cassette = local("one", file)
    for (const letter of ["A", "C"]) {
      expect(await resolve(cassette, symbol("first", 12, letter), "ann")).toMatchObject({
        success: { content: "first" }
      })
    }
    const { symbols } = await withNetworkOf(
      [cassette],
      (network) => network.shortSymbols([sha256("first"), twin]),
      "ann"
    )
    expect(symbols).toEqual({ [sha256("first")]: symbol("first") })
  })

  it("inside another text is followed by anyone who may see both", async () => {
    const { connection, file } = newCassette(temporaryFolder(), "one", "read-write", "private")
    const inner = symbol("what ann keeps to herself", 12, "A")
    put(connection, "docs/x.md", `see ${inner}`)
    save(connection, "ann", "what ann keeps to herself")
    connection.close()
    const name = symbol(`see ${inner}`)
    expect(await resolve(local("one", file), name, "ann", { expand: true })).toMatchObject({
      success: { content: "see what ann keeps to herself" }
    })
    expect(await resolve(local("one", file), name, "bob", { expand: true })).toMatchObject({
      failure: { _tag: "NetworkSymbolNotFound", symbol: inner }
    })
  })

  it("is gone when every save has expired, and shared where memories are", async () => {
    const brief = newCassette(temporaryFolder(), "brief", "ephemeral", "shared")
    save(brief.connection, null, "gone")
    brief.connection.close()
    expect(await resolve(local("brief", brief.file), symbol("gone", 12, "A"), null)).toMatchObject({
      failure: { _tag: "NetworkSymbolNotFound" }
    })
    const shared = newCassette(temporaryFolder(), "shared", "append-only", "shared")
    save(shared.connection, "ann", "for all")
    shared.connection.close()
    expect(await resolve(local("shared", shared.file), symbol("for all", 12, "A"), "bob")).toMatchObject({
      success: { kind: "memory", content: "for all", places: [{ type: "memory", chunk_id: null }] }
    })
  })
})

describe("symbols in the text of a symbol", () => {
  it("stay by default, and are listed", async () => {
    const { cassette, first, second } = nested()
    const found = await withNetworkOf([cassette], (network) => network.resolveSymbol(symbol(first)))
    expect(found).toMatchObject({ content: first, expanded: false, depth: 1 })
    expect(found.symbols).toEqual([
      { symbol: symbol(second), level: 2, hash: null },
      { symbol: symbol(second, 20), level: 2, hash: null }
    ])
  })

  it("are looked up as deep as is asked, and replaced when that is asked", async () => {
    const { cassette, first, second, third } = nested()
    const resolve = (options: Parameters<NetworkShape["resolveSymbol"]>[1]) =>
      withNetworkOf([cassette], (network) => network.resolveSymbol(symbol(first), options))
    const deep = await resolve({ depth: 3 })
    expect(deep.content).toBe(first)
    expect(deep.symbols.map(({ content, level }) => [level, content])).toEqual([
      [2, second],
      [2, second],
      [3, third]
    ])
    expect((await resolve({ depth: 2, expand: true })).content).toBe(
      `first ${second}, ${second} and @C:0123456789ab`
    )
    expect(await resolve({ expand: true })).toMatchObject({
      depth: 3,
      expanded: true,
      content: "first second third, second third and @C:0123456789ab"
    })
    expect((await resolve({ lazy: false })).expanded).toBe(true)
    expect((await resolve({ lazy: false, expand: false })).content).toBe(first)
  })

  it("that name nothing are an error with the trail", async () => {
    const text = `see ${symbol("nothing")}`
    const cassette = local("one", cassetteWith(temporaryFolder(), "one", { "a/1.md": text }))
    expect(await failing([cassette], symbol(text), { expand: true })).toMatchObject({
      _tag: "NetworkSymbolNotFound",
      symbol: symbol("nothing"),
      trail: [symbol(text), symbol("nothing")]
    })
    expect((await withNetworkOf([cassette], (network) => network.resolveSymbol(symbol(text)))).content).toBe(
      text
    )
  })

  it("that lead in a circle are an error with the trail", async () => {
    // No two texts can name each other by their hashes, so the index of this cassette lies.
    const { askIndex, ...rest } = nested().cassette
    const texts: Readonly<Record<string, string>> = {
      ["a".repeat(64)]: `@C:${"b".repeat(12)}`,
      ["b".repeat(64)]: `@C:${"a".repeat(12)}`
    }
    const lying = {
      ...rest,
      askIndex: (request: Parameters<typeof askIndex>[0]) =>
        Effect.succeed(
          request.op === "prefixed"
            ? request.prefixes.map((prefix) => Object.keys(texts).filter((hash) => hash.startsWith(prefix)))
            : request.op === "texts"
              ? request.hashes.map((hash) => ({ hash, content: texts[hash] ?? null, places: [] }))
              : []
        )
    } as unknown as Cassette
    const error = await failing([lying], `@C:${"a".repeat(12)}`, { expand: true })
    expect(error).toMatchObject({
      _tag: "NetworkSymbolCycle",
      trail: [`@C:${"a".repeat(12)}`, `@C:${"b".repeat(12)}`, `@C:${"a".repeat(12)}`]
    })
  })

  it("are not followed deeper than is allowed", async () => {
    const { cassette, first } = nested()
    for (const depth of [0, 4, 1.5, -1, Number.NaN]) {
      expect(await failing([cassette], symbol(first), { depth })).toMatchObject({ _tag: "InvalidInput" })
    }
    expect(await failing([cassette], symbol(first), { depth: 3, maxDepth: 2 })).toMatchObject({
      _tag: "InvalidInput"
    })
  })

  it("do not grow beyond the limit", async () => {
    const large = "x".repeat(3_000)
    const many = `${symbol(large)} `.repeat(190)
    const file = cassetteWith(temporaryFolder(), "one", { "a/1.md": large, "a/2.md": many })
    const chunk = symbol(many.trim())
    const cassettes = [local("one", file)]
    const found = await withNetworkOf(cassettes, (network) => network.expandSymbols(chunk, { depth: 2 }))
    expect(found.text.length).toBeGreaterThan(500_000)
    const text = `${chunk} `.repeat(40)
    expect(
      await withNetworkOf(cassettes, (network) => Effect.flip(network.expandSymbols(text, { depth: 2 })))
    ).toMatchObject({ _tag: "ExpandedTextTooLarge", unit: "bytes" })
  })
})

describe("a configuration", () => {
  it("says how far symbols are followed, and whether by default", async () => {
    const folder = temporaryFolder()
    cassetteWith(folder, "one", { "a/1.md": `1 ${symbol("end")}`, "a/2.md": "end" })
    const file = join(folder, "network.yaml")
    const resolve = (compression: string, options = {}) => {
      writeFileSync(
        file,
        `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: one, path: one.db, type: local}\n${compression}`
      )
      return Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(openNetwork({ file }), (network) =>
            Effect.result(network.resolveSymbol(symbol(`1 ${symbol("end")}`), options))
          )
        )
      )
    }
    expect(await resolve("")).toMatchObject({ success: { content: `1 ${symbol("end")}`, depth: 1 } })
    expect(await resolve("compression: {lazy_expansion: false}")).toMatchObject({
      success: { content: "1 end", depth: 3 }
    })
    expect(await resolve("compression: {max_expansion_depth: 2}", { depth: 3 })).toMatchObject({
      failure: { _tag: "InvalidInput" }
    })
    expect(await resolve("compression: {max_expansion_depth: 5}", { depth: 5 })).toMatchObject({
      success: { depth: 5 }
    })
  })
})
