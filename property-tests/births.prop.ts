// What one agent saved stays its own where the file or the configuration says so, for each configuration when the
// file was made, each now, and with the content carried over or not. Every way by which another agent might see it is
// gone: questions, recall, neighbours, symbols, hits of each cassette, statistics, what a save answers, compression,
// a cartridge, verification, doctor, index reports and errors, read in this process and by a child.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { NetworkShape } from "../application/network/hub.ts"
import { openNetwork } from "../interfaces/embedding/network-files.ts"
import { runCli } from "../interfaces/cli/testing/in-process.ts"
import { propParameters } from "./support/configuration.ts"

interface Setting {
  readonly isPrivate: boolean
  readonly mutability: "append-only" | "ephemeral" | "mutable" | "read-write" | "stable"
  readonly isolation: "inline" | "process"
}

const setting: fc.Arbitrary<Setting> = fc.record({
  isPrivate: fc.boolean(),
  mutability: fc.constantFrom("append-only", "ephemeral", "mutable", "read-write", "stable"),
  isolation: fc.constantFrom("inline", "process")
})

const program = fileURLToPath(
  new URL("../infrastructure/network/testing/embedding-program.ts", import.meta.url)
)

const configure = (folder: string, { isolation, isPrivate, mutability }: Setting): string => {
  const file = join(folder, "network.yaml")
  const capabilities = isPrivate ? "[fts, agent_id]" : "[fts]"
  writeFileSync(
    file,
    `network: {version: "1.0", protocol: SNP}
cassettes:
  - {id: book, path: book.db, type: local, auto_index: true, sources: ["*.md"], mutability: ${mutability}, capabilities: ${capabilities}, isolation: ${isolation}}
indexing: {embedder: command, model: lengths, dimensions: 3, command: ["${process.execPath}", "${program}"]}
`
  )
  return file
}

const using = <A, E>(file: string, agent: string, use: (network: NetworkShape) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(openNetwork({ file, agent }), use)))

/** The word that only ada may read, where it is hers alone. */
const SECRET = "zwetschge"
const TEXT = `a ${SECRET} in the orchard`

/** Everything that another agent can be told by the network, failures included. */
const toldByNetwork = (file: string, hash: string): Promise<string> =>
  using(file, "bob", (network) =>
    Effect.gen(function* () {
      const questions: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        network.query("orchard"),
        network.query(hash),
        network.query("orchard", 10, { mode: "vector" }),
        network.queryAll("orchard"),
        network.queryByCapability("orchard", "fts"),
        network.memoryQuery("orchard"),
        network.memoryRecall(hash),
        network.neighbours(hash),
        network.resolveSymbol(`@A:${hash}`),
        network.resolveSymbol(`@C:${hash}`),
        network.resolveSymbol(`@P:${hash}`),
        network.expandSymbols(`see @A:${hash}`, {}),
        network.memoryPlaces,
        network.status
      ]
      const told: Array<unknown> = []
      for (const question of questions) {
        const outcome = yield* Effect.result(question)
        told.push(outcome._tag === "Success" ? outcome.success : [outcome.failure, String(outcome.failure)])
      }
      return JSON.stringify(told)
    })
  )

const toldByCommands = async (folder: string): Promise<string> => {
  const config = ["--config", join(folder, "network.yaml"), "--agent", "bob"]
  const out = mkdtempSync(join(folder, "out-"))
  writeFileSync(join(folder, "text.txt"), "an apple\n")
  const commands = [
    ["network", "query", "orchard", "--format", "json"],
    ["network", "status", "--format", "json"],
    ["network", "verify", "--format", "json"],
    ["network", "compress", join(folder, "text.txt")],
    ["network", "export", "book", "--out", join(out, "cartridge")],
    ["network", "index", "--format", "json"],
    ["network", "sweep", "book"],
    ["memory", "query", "orchard"],
    ["doctor"]
  ]
  const told: Array<string> = []
  for (const command of commands) {
    const { stderr, stdout } = await runCli([...command, ...config], { cwd: folder })
    told.push(stdout, stderr)
  }
  for (const name of readdirSync(out, { recursive: true, withFileTypes: true })) {
    if (name.isFile()) told.push(readFileSync(join(name.parentPath, name.name), "utf8"))
  }
  return told.join("\n")
}

describe("a memory of one agent", () => {
  it("is told to no other by any way, under any configuration then and now", async () => {
    await fc.assert(
      fc.asyncProperty(setting, setting, fc.boolean(), async (before, after, migrates) => {
        const folder = mkdtempSync(join(tmpdir(), "cassette-births-"))
        try {
          const file = configure(folder, before)
          writeFileSync(join(folder, "orchard.md"), "an orchard of apples")
          await runCli(["network", "index", "--config", file], { cwd: folder })
          const { hash } = await using(file, "ada", (network) => network.memorySave(TEXT, "book"))
          configure(folder, after)
          if (migrates) await runCli(["network", "migrate", "--config", file], { cwd: folder })
          const told = `${await toldByNetwork(file, hash)}\n${await toldByCommands(folder)}`
          const isShared = !before.isPrivate && !after.isPrivate
          const isOpen = migrates
            ? before.isPrivate === after.isPrivate || !before.isPrivate
            : before.isPrivate === after.isPrivate && before.mutability === after.mutability
          expect(told.includes(SECRET), "the text").toBe(isShared && isOpen)
          const saved = await using(file, "bob", (network) => Effect.result(network.memorySave(TEXT, "book")))
          // The same text of another agent is new where each has its own.
          if (isOpen) expect(saved).toMatchObject({ success: { is_new: after.isPrivate } })
          else expect(saved).toMatchObject({ failure: { _tag: "CassetteDiffers" } })
          if (!isOpen) return
          // Anyone who saved it finds it, so that silence is no proof of safety by itself.
          const own = await using(file, "ada", (network) => network.memoryRecall(hash))
          expect(own.text).toBe(TEXT)
        } finally {
          rmSync(folder, { recursive: true, force: true })
        }
      }),
      propParameters(0.1)
    )
  })
})
