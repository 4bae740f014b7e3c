// What an index run leaves: a word until it has come to its end, and nothing of documents that have not changed.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { runCli, runJson } from "../../../interfaces/cli/testing/in-process.ts"
import { openForReading } from "../../sqlite/connection/better-sqlite3-host.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { verifyCassetteFile } from "../verification/cassette-verification.ts"
import { indexCassette, type IndexingOptions } from "./indexing.ts"
import { openNetwork, readNetworkFile } from "../../../interfaces/embedding/network-files.ts"

const configure = (folder: string, more: string): string => {
  const file = join(folder, "network.yaml")
  writeFileSync(
    file,
    `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: one, path: one.db, type: local, auto_index: true, sources: ["*.md"], ${more}}\n`
  )
  return file
}

const index = (file: string, options: Partial<IndexingOptions> = {}) =>
  Effect.gen(function* () {
    const { cassettes, root } = yield* readNetworkFile({ file })
    return yield* indexCassette(file, root, cassettes[0]!, { progress: () => Effect.void, ...options })
  })

const rows = (folder: string) => {
  const connection = openForReading(join(folder, "one.db"))
  const found = connection.all<{ path: string; added_at: string; expires_at: string | null }>(
    "SELECT path, added_at, expires_at FROM documents ORDER BY path"
  )
  const receipts = connection.all("SELECT 1 FROM write_receipts").length
  const findings = verifyCassetteFile(connection, "one").findings
  connection.close()
  return { found, receipts, findings }
}

describe("an index run that has not come to its end", () => {
  it("is told by questions, status and doctor until another one has, and is no damage", async () => {
    const folder = temporaryFolder()
    const file = configure(folder, "mutability: mutable")
    for (const name of ["a", "b", "c", "d"])
      writeFileSync(join(folder, `${name}.md`), `an orchard of ${name}`)
    const ended = await Effect.runPromiseExit(
      index(file, {
        groupDocuments: 2,
        progress: (done) => (done === 2 ? Effect.die("its process ends here") : Effect.void)
      })
    )
    expect(ended._tag).toBe("Failure")
    expect(rows(folder)).toMatchObject({ found: [{ path: "a.md" }, { path: "b.md" }], findings: [] })
    const run = (...args: ReadonlyArray<string>) => runJson([...args, "--config", file], { cwd: folder })
    const asked = await run("network", "query", "orchard")
    expect(asked.code).toBe(0)
    expect(asked.stderr).toMatch(
      /warning: Cassette one: an index run .* cortex network index .*one completes it/
    )
    expect(asked.document.data).toMatchObject({ answers: { one: { status: "partial" } }, partial: true })
    expect((await run("network", "query", "orchard", "--strict")).code).toBe(1)
    expect((await run("network", "status")).document.data).toMatchObject({
      cassettes: [{ status: "partial", unfinished: true, stats: { files: 2 } }]
    })
    const doctor = await runCli(["doctor", "--config", file], { cwd: folder })
    expect(doctor.stdout).toMatch(/cassette one index +advice/)
    await run("network", "index")
    expect((await run("network", "query", "orchard")).document.data).toMatchObject({
      answers: { one: { status: "ok" } },
      partial: false
    })
  })

  it("is told where it ended while removing, and by a child too", async () => {
    const folder = temporaryFolder()
    const file = configure(folder, "mutability: mutable, isolation: process")
    for (const name of ["a", "b"]) writeFileSync(join(folder, `${name}.md`), `an orchard of ${name}`)
    await Effect.runPromise(index(file))
    const connection = (await import("../../sqlite/connection/better-sqlite3-host.ts")).openForWriting(
      join(folder, "one.db")
    )
    const { duringIndexing, removeDocuments } = await import("./document-writing.ts")
    duringIndexing(connection, () => removeDocuments(connection, ["a.md"]))
    connection.close()
    const health = await Effect.runPromise(
      Effect.scoped(Effect.flatMap(openNetwork({ file }), (network) => network.status))
    )
    expect(health).toMatchObject([{ status: "partial", unfinished: true }])
  })

  it("of nothing that has changed leaves the file as it is", async () => {
    const folder = temporaryFolder()
    const file = configure(folder, "mutability: mutable")
    writeFileSync(join(folder, "a.md"), "an orchard")
    await Effect.runPromise(index(file))
    const { receipts } = rows(folder)
    const ended = await Effect.runPromiseExit(
      index(file, { progress: () => Effect.die("its process ends here") })
    )
    expect(ended._tag).toBe("Failure")
    const health = await Effect.runPromise(
      Effect.scoped(Effect.flatMap(openNetwork({ file }), (network) => network.status))
    )
    expect([health[0]?.status, rows(folder).receipts]).toEqual(["ok", receipts])
  })
})

const HOUR = 3_600_000
const START = Date.UTC(2026, 0, 1)

type Step =
  | { readonly wait: number }
  | { readonly write: "a" | "b"; readonly text: number }
  | { readonly remove: "a" | "b" }
  | { readonly index: true }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ wait: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ write: fc.constantFrom("a" as const, "b" as const), text: fc.nat({ max: 2 }) }),
  fc.record({ remove: fc.constantFrom("a" as const, "b" as const) }),
  fc.record({ index: fc.constant(true as const) }),
  fc.record({ index: fc.constant(true as const) })
)

describe("an ephemeral cassette that is indexed again and again", () => {
  it("keeps each text for its time from its last change on, and writes nothing of what has not changed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const folder = temporaryFolder()
        const file = configure(folder, "mutability: ephemeral, ttl: 24h")
        const files = new Map<string, string>()
        // What the cassette must hold: the text of each path and when it was added.
        const held = new Map<string, { text: string; added: number }>()
        let now = START
        await Effect.runPromise(
          Effect.gen(function* () {
            yield* TestClock.setTime(START)
            for (const each of steps) {
              if ("wait" in each) {
                now += each.wait * HOUR
                yield* TestClock.setTime(now)
              } else if ("write" in each) {
                files.set(each.write, `text ${each.text}`)
                writeFileSync(join(folder, `${each.write}.md`), `text ${each.text}`)
              } else if ("remove" in each) {
                files.delete(each.remove)
                rmSync(join(folder, `${each.remove}.md`), { force: true })
              } else {
                const counted = { added: 0, replaced: 0, unchanged: 0, removed: 0, expired: 0 }
                for (const [name, text] of files) {
                  const before = held.get(name)
                  if (before?.text === text)
                    counted[before.added + 24 * HOUR <= now ? "expired" : "unchanged"] += 1
                  else {
                    counted[before === undefined ? "added" : "replaced"] += 1
                    held.set(name, { text, added: now })
                  }
                }
                for (const name of held.keys()) {
                  if (files.has(name)) continue
                  held.delete(name)
                  counted.removed += 1
                }
                const { added, removed, replaced, skipped, unchanged } = yield* index(file, { prune: true })
                expect({ added, replaced, unchanged, removed, expired: skipped.length }).toEqual(counted)
                expect(rows(folder).found).toEqual(
                  [...held]
                    .sort(([left], [right]) => (left < right ? -1 : 1))
                    .map(([name, { added: at }]) => ({
                      path: `${name}.md`,
                      added_at: new Date(at).toISOString(),
                      expires_at: new Date(at + 24 * HOUR).toISOString()
                    }))
                )
              }
            }
          }).pipe(Effect.provide(TestClock.layer()))
        )
      }),
      { numRuns: 12, seed: 7 }
    )
  })
})

describe("a source that matches no file", () => {
  const write = (folder: string, sources: string, more = "mutability: mutable") => {
    const file = configure(folder, more)
    const text = readFileSync(file, "utf8").replace('["*.md"]', sources)
    writeFileSync(file, text)
    return file
  }
  const place = () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, "docs"))
    mkdirSync(join(folder, "notes"))
    for (const path of ["docs/a.md", "docs/b.md", "notes/c.md"]) writeFileSync(join(folder, path), path)
    return folder
  }
  const paths = (folder: string) => rows(folder).found.map(({ path }) => path)

  it.each(["mutable", "immutable"])(
    "is said, and nothing of a %s cassette is removed for it",
    async (mutability) => {
      const folder = place()
      const file = write(folder, '["docs/**"]', `mutability: ${mutability}`)
      await Effect.runPromise(index(file))
      write(folder, '["dosc/**"]', `mutability: ${mutability}`)
      const args = (...more: ReadonlyArray<string>) => ["network", "index", ...more, "--config", file]
      const { document, stderr } = await runJson(args(), { cwd: folder })
      expect(document.data).toMatchObject({
        cassettes: [{ removed: 0, unmatched: ["dosc/**"], withheld: ["docs/a.md", "docs/b.md"] }]
      })
      expect(stderr).toContain("the source dosc/** matches no file")
      expect(stderr).toMatch(/cortex network index .*one --prune/)
      expect(paths(folder)).toEqual(["docs/a.md", "docs/b.md"])
      await runJson(args("--prune"), { cwd: folder })
      expect(paths(folder)).toEqual([])
    }
  )

  it("keeps back only what no other source would have", async () => {
    const folder = place()
    const file = write(folder, '["docs/**", "notes/**"]')
    await Effect.runPromise(index(file))
    rmSync(join(folder, "docs", "a.md"))
    rmSync(join(folder, "notes"), { recursive: true })
    const report = await Effect.runPromise(index(file))
    expect(report).toMatchObject({ removed: 1, unmatched: ["notes/**"], withheld: ["notes/c.md"] })
    expect(paths(folder)).toEqual(["docs/b.md", "notes/c.md"])
  })

  it("and a source that was taken out of the configuration are two things: what that had is removed", async () => {
    const folder = place()
    const file = write(folder, '["docs/**", "notes/**"]')
    await Effect.runPromise(index(file))
    write(folder, '["docs/**"]')
    expect(await Effect.runPromise(index(file))).toMatchObject({ removed: 1, unmatched: [], withheld: [] })
  })
})

describe("content types", () => {
  it("go by globs relative to the configuration file, as sources do; a glob without a slash is a name", async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, "CORTEX"))
    mkdirSync(join(folder, "docs"))
    for (const path of ["docs/a.md", "docs/a.spec.md", "b.md"]) writeFileSync(join(folder, path), "text")
    const file = join(folder, "CORTEX", "network.yaml")
    const configured = (types: string) =>
      writeFileSync(
        file,
        `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: one, path: one.db, type: local, auto_index: true, sources: ["../**"], content_types: ${types}}\n`
      )
    configured('{"*.spec.md": fixture, "../docs/**": research}')
    await Effect.runPromise(index(file))
    const connection = openForReading(join(folder, "CORTEX", "one.db"))
    expect(connection.all("SELECT path, type FROM documents ORDER BY path")).toEqual([
      { path: "b.md", type: "document" },
      { path: "docs/a.md", type: "research" },
      { path: "docs/a.spec.md", type: "fixture" }
    ])
    connection.close()
    configured('{"../../docs/**": research}')
    const outside = await Effect.runPromise(Effect.flip(index(file)))
    expect(outside.message).toContain("cassettes.one.content_types: ../../docs/** leads out of the root")
  })
})
