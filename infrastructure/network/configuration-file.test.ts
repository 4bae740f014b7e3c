// Configurations: what a full one says, and what a wrong one is told, with the line.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { EMBEDDING_NORMALIZER } from "../../domain/network/vectors.ts"
import { mutabilityOf, ttlMillis } from "../../domain/network/configuration.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { decodeConfiguration, readConfiguration } from "./configuration-file.ts"
import { finishWriting } from "./writing/document-writing.ts"
import { openNetwork, readNetworkFile } from "../../interfaces/embedding/network-files.ts"
import { cassetteWith, newCassette, put } from "./testing/cassettes.ts"
import { fullConfiguration } from "./testing/full-configuration.ts"
import { putVectors, unembedded } from "./vectors/vector-writing.ts"

const start = 'network: {version: "1.0", protocol: SNP}\ncassettes:\n'
const program = fileURLToPath(new URL("testing/embedding-program.ts", import.meta.url))

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const issuesOf = (text: string) => {
  const decoded = decodeConfiguration("network.yaml", text)
  return Result.isFailure(decoded) ? decoded.failure.issues : []
}

describe("a configuration", () => {
  it("of the standard form is read, and says what its cassettes promise", () => {
    const decoded = Result.getOrThrow(decodeConfiguration("network.yaml", fullConfiguration))
    expect(decoded.cassettes.map(({ id }) => id)).toEqual(["governance", "agi-research"])
    expect(decoded.cassettes.map(mutabilityOf)).toEqual(["stable", "mutable"])
  })

  it.each([
    ["an unknown name", `${start}  - {id: a, path: a.db, type: local, paht: b}`, 3, "cassettes[0].paht"],
    ["a missing name", `${start}  - {id: a, path: a.db}`, 3, "cassettes[0].type"],
    ["a wrong id", `${start}  - id: Aé\n    path: a.db\n    type: local`, 3, "cassettes[0].id"],
    ["a wrong type", `${start}  - id: a\n    path: a.db\n    type: remote`, 5, "cassettes[0].type"],
    [
      "an id given twice",
      `${start}  - {id: a, path: a.db, type: local}\n  - {id: a, path: b.db, type: local}`,
      4,
      "cassettes[1].id"
    ],
    [
      "a time to live without unit",
      `${start}  - {id: a, path: a.db, type: local, ttl: "7"}`,
      3,
      "cassettes[0].ttl"
    ],
    [
      "an embedder without its command",
      `${start}  - {id: a, path: a.db, type: local}\nindexing:\n  embedder: command`,
      5,
      "indexing"
    ],
    ["another protocol", 'network: {version: "1.0", protocol: XNP}\ncassettes: []', 1, "network.protocol"],
    ["another version", 'network:\n  version: "2.0"\n  protocol: SNP\ncassettes: []', 2, "network.version"],
    ["a key given twice", `${start}  - {id: a, path: a.db, type: local}\ncassettes: []`, 4, ""],
    ["no YAML", "network: [", 1, ""],
    ["nothing", "", 1, ""]
  ])("with %s is refused at its line", (_, text, line, path) => {
    expect(issuesOf(text)[0]).toMatchObject({ line, path })
  })

  it.each([
    [
      `${start}  - {id: a, path: a.db, type: local, paht: b}`,
      "network.yaml:3: cassettes[0].paht is not known here: allowed are id, path, type, auto_index, capabilities, sources, mutability, ttl, content_types, isolation"
    ],
    [`${start}  - {id: a, path: a.db}`, "network.yaml:3: cassettes[0].type is missing"],
    [
      `${start}  - {id: a, path: a.db, type: remote}`,
      'network.yaml:3: cassettes[0].type must be "local" or "external"'
    ],
    [
      `${start}  - {id: a, path: a.db, type: local}\nindexing:\n  embedder: command`,
      "network.yaml:5: indexing names the embedder command without its command: give command, a list of the program and its arguments"
    ]
  ])("says in one sentence what is wrong where, and what is allowed: %#", (text, sentence) => {
    expect(Result.getFailure(decodeConfiguration("network.yaml", text))).toMatchObject({
      value: { message: sentence }
    })
  })

  it("does not let aliases grow", () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const each = level === 0 ? "x" : `*l${level - 1}`
      return `l${level}: &l${level} [${Array.from({ length: 9 }, () => each).join(", ")}]`
    })
    expect(issuesOf(`${levels.join("\n")}\n`).length).toBeGreaterThan(0)
  })

  it("that is not there, no file, or no UTF-8 is a typed error", () => {
    const folder = temporaryFolder()
    const file = join(folder, "network.yaml")
    expect(Result.getFailure(readConfiguration(file))).toMatchObject({
      value: { _tag: "ConfigurationMissing" }
    })
    writeFileSync(file, Buffer.from([0xff, 0xfe]))
    expect(Result.getFailure(readConfiguration(file))).toMatchObject({
      value: { _tag: "InvalidConfiguration" }
    })
    expect(Result.getFailure(readConfiguration(folder))).toMatchObject({
      value: { _tag: "InvalidConfiguration" }
    })
  })

  it("has times to live in several units", () => {
    expect(["1ms", "2s", "3m", "4h", "7d", undefined].map(ttlMillis)).toEqual([
      1, 2_000, 180_000, 14_400_000, 604_800_000, 604_800_000
    ])
  })
})

describe("a watched configuration", () => {
  it("is taken over while the network runs; a wrong one changes nothing", async () => {
    const folder = temporaryFolder()
    const file = join(folder, "network.yaml")
    const entry = (id: string) => `  - {id: ${id}, path: ${id}.db, type: local}\n`
    cassetteWith(folder, "one", { "a/b.md": "first text" })
    cassetteWith(folder, "two", { "a/b.md": "second text" })
    writeFileSync(file, start + entry("one"))
    const seen: Array<ReadonlyArray<string>> = []
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const network = yield* openNetwork({ file, watch: true })
          const until = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
            while ((yield* network.cassettes).join() !== ids.join()) yield* Effect.promise(() => pause(20))
            seen.push(Object.keys((yield* network.query("text")).answers))
          })
          yield* until(["one"])
          writeFileSync(file, start + entry("one") + entry("two"))
          yield* until(["one", "two"])
          writeFileSync(file, "network: [")
          yield* Effect.promise(() => pause(1_200))
          yield* until(["one", "two"])
          writeFileSync(file, start + entry("two"))
          yield* until(["two"])
        })
      )
    )
    expect(seen).toEqual([["one"], ["one", "two"], ["one", "two"], ["two"]])
  })
})

describe("the embedder of a watched configuration", () => {
  it("follows the file, with what cassettes say of their vectors", async () => {
    const folder = temporaryFolder()
    const file = join(folder, "network.yaml")
    const identity = { model: "lengths", revision: "1", dimensions: 3, normalizer: EMBEDDING_NORMALIZER }
    const text = (embedder: string) =>
      `${start}  - {id: one, path: one.db, type: local}\nindexing: {embedder: ${embedder}, model: lengths, revision: "1", dimensions: 3, command: ["${process.execPath}", "${program}"]}\n`
    const { connection } = newCassette(folder, "one")
    put(connection, "a/b.md", "first text")
    finishWriting(connection)
    const [{ hash } = { hash: "" }] = unembedded(connection, 1)
    putVectors(connection, identity, [{ hash, vector: Float32Array.of(1, 0, 0) }])
    connection.close()
    writeFileSync(file, text("none"))
    const seen = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const network = yield* openNetwork({ file, watch: true })
          const now = Effect.gen(function* () {
            const { mode } = yield* network.query("text")
            const [health] = yield* network.status
            return `${mode}: ${health !== undefined && "capabilities" in health ? health.capabilities.join() : ""}`
          })
          const until = Effect.fnUntraced(function* (state: string) {
            while ((yield* now) !== state) yield* Effect.promise(() => pause(20))
            return state
          })
          yield* until("lexical: fts")
          writeFileSync(file, text("command"))
          yield* until("hybrid: vectors,fts,semantic_search")
          writeFileSync(file, text("none"))
          return yield* until("lexical: fts")
        })
      )
    )
    expect(seen).toBe("lexical: fts")
  })
})

describe("where cassettes lie", () => {
  it("is below the root for local ones, with links resolved", async () => {
    const folder = temporaryFolder()
    const root = join(folder, "root")
    mkdirSync(join(root, "CORTEX"), { recursive: true })
    mkdirSync(join(folder, "elsewhere"))
    symlinkSync(join(folder, "elsewhere"), join(root, "link"))
    const file = join(root, "CORTEX", "network.yaml")
    const entry = (id: string, path: string, type = "local") =>
      `  - {id: ${id}, path: ${path}, type: ${type}}\n`
    writeFileSync(
      file,
      start +
        entry("inside", "cassettes/inside.db") +
        entry("above", "../above.db") +
        entry("outside", "../../outside.db") +
        entry("linked", "../link/linked.db") +
        entry("external", "../../outside.db", "external")
    )
    const { cassettes } = await Effect.runPromise(readNetworkFile({ file }))
    expect(cassettes.filter(({ refusal }) => refusal !== undefined).map(({ id }) => id)).toEqual([
      "outside",
      "linked"
    ])
    expect(cassettes[0]?.shownPath).toBe("cassettes/inside.db")
    const status = await Effect.runPromise(
      Effect.scoped(Effect.flatMap(openNetwork({ file }), (network) => network.status))
    )
    expect(Object.fromEntries(status.map((each) => [each.cassette_id, each.status]))).toEqual({
      inside: "offline",
      above: "offline",
      outside: "refused",
      linked: "refused",
      external: "offline"
    })
  })
})
