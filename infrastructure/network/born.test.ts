// Every way to a cassette's file, after its configuration was changed: nothing is read or written as if both agreed.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { NetworkShape } from "../../application/network/hub.ts"
import { runCli, runJson } from "../../interfaces/cli/testing/in-process.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { openNetwork } from "../../interfaces/embedding/network-files.ts"

const configure = (folder: string, more: string): string => {
  const file = join(folder, "network.yaml")
  const head = `network: {version: "1.0", protocol: SNP}\ncassettes:\n`
  writeFileSync(file, `${head}  - {id: book, path: book.db, auto_index: true, sources: ["*.md"], ${more}}\n`)
  return file
}

const using = <A, E>(file: string, agent: string, use: (network: NetworkShape) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(openNetwork({ file, agent }), use)))

/** A cassette that was born shared and mutable, with a memory of ada and a document. */
const bornShared = async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "orchard.md"), "an orchard")
  const file = configure(folder, "type: local")
  const args = (...more: ReadonlyArray<string>) => [...more, "--config", file]
  expect((await runCli(args("network", "index"), { cwd: folder })).code).toBe(0)
  const saved = await using(file, "ada", (network) => network.memorySave("a plum", "book"))
  return { folder, file, args, hash: saved.hash }
}

const changes = {
  "the capability agent_id": "type: local, capabilities: [agent_id]",
  "another mutability": "type: local, mutability: append-only",
  "an immutable one": "type: local, mutability: immutable",
  "a child that reads it": "type: local, isolation: process, capabilities: [agent_id]",
  "an external one with a wish": "type: external, capabilities: [agent_id]"
}

describe.each(Object.entries(changes))("a configuration that asks for %s", (_, more) => {
  it("is told by every question, and answered by none", async () => {
    const { file, hash } = await bornShared()
    configure(join(file, ".."), more)
    await using(file, "bob", (network) =>
      Effect.gen(function* () {
        const [health] = yield* network.status
        expect(health).toMatchObject({ status: "refused" })
        expect("reason" in health! && health.reason).toMatch(
          /book\.db was made with .*asks for .*cortex network migrate --cassette book/
        )
        const asked = [
          network.query("plum"),
          network.queryAll("orchard"),
          network.queryByCapability("plum", "fts"),
          network.memoryQuery("plum"),
          network.memoryRecall(hash),
          network.neighbours(hash),
          network.resolveSymbol(`@A:${hash}`)
        ]
        for (const question of asked) {
          const failure = yield* Effect.flip(Effect.asVoid(question as Effect.Effect<unknown, unknown>))
          expect(JSON.stringify(failure)).not.toContain("a plum")
        }
        expect(yield* network.memoryPlaces).toEqual([])
      })
    )
  })

  it("writes, exports and removes nothing", async () => {
    const { args, file, folder } = await bornShared()
    configure(folder, more)
    const before = readFileSync(join(folder, "book.db"))
    const isExternal = more.includes("external")
    const commands = [
      ["network", "index", "book"],
      ["network", "reindex", "book"],
      ["network", "sweep", "book"],
      ["network", "export", "book", "--out", join(folder, "out")],
      ["memory", "save", "another", "--cassette", "book", "--agent", "bob"]
    ]
    for (const command of commands) {
      const { code, document } = await runJson(args(...command), { cwd: folder })
      expect(code, command.join(" ")).not.toBe(0)
      if (!isExternal && command[1] !== "reindex")
        expect(document.error?.message, command.join(" ")).toContain("asks for")
    }
    expect(existsSync(join(folder, "out"))).toBe(false)
    expect(readFileSync(join(folder, "book.db")).equals(before)).toBe(true)
    // As it was configured before, everything is there.
    configure(folder, "type: local")
    const found = await using(file, "ada", (network) => network.query("plum"))
    expect(found.hits).toHaveLength(1)
  })
})

it("a file that is external agrees with a configuration that asks for nothing", async () => {
  const { file, folder } = await bornShared()
  configure(folder, "type: external, capabilities: [fts]")
  expect((await using(file, "bob", (network) => network.query("orchard"))).hits).toHaveLength(1)
})

it("a time to live that was changed is told too", async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "a.md"), "an orchard")
  const file = configure(folder, "type: local, mutability: ephemeral, ttl: 7d")
  await runCli(["network", "index", "--config", file], { cwd: folder })
  configure(folder, "type: local, mutability: ephemeral, ttl: 1h")
  const { code, document } = await runJson(["network", "index", "--config", file], { cwd: folder })
  expect([code, document.error?.code]).toEqual([1, "CASSETTE_DIFFERS"])
  expect(document.error?.message).toContain("ttl 7d, and the configuration asks for ttl 1h")
})

it("a cartridge that was born otherwise than the configuration asks for is not made a cassette", async () => {
  const { args, folder } = await bornShared()
  const out = join(folder, "cartridge")
  expect((await runCli(args("network", "export", "book", "--out", out), { cwd: folder })).code).toBe(0)
  configure(folder, "type: local, mutability: stable")
  writeFileSync(
    join(folder, "network.yaml"),
    readFileSync(join(folder, "network.yaml"), "utf8").replace("path: book.db", "path: other.db")
  )
  const { document } = await runJson(args("network", "import", out), { cwd: folder })
  expect(document.error?.code).toBe("CASSETTE_DIFFERS")
  expect(existsSync(join(folder, "other.db"))).toBe(false)
})
