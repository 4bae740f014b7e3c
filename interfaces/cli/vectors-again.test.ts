// Vectors that a cassette lacks, or that another embedder made: what the doctor advises makes them, for each kind of cassette.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { runCli, runJson, temporaryFolder } from "./testing/in-process.ts"

const program = fileURLToPath(
  new URL("../../infrastructure/network/testing/embedding-program.ts", import.meta.url)
)
const { folder, remove } = temporaryFolder()
afterAll(remove)

const run = (...args: ReadonlyArray<string>) => runCli(args, { cwd: folder })

const configure = (embedder: string) => {
  mkdirSync(join(folder, "CORTEX"), { recursive: true })
  writeFileSync(
    join(folder, "CORTEX", "network.yaml"),
    `network: {version: "1.0", protocol: SNP}
cassettes:
  - {id: docs, path: docs.db, type: local, auto_index: true, sources: ["../*.md"]}
  - {id: canon, path: canon.db, type: local, auto_index: true, mutability: immutable, sources: ["../*.md"]}
  - {id: notes, path: notes.db, type: local, auto_index: true, mutability: append-only}
indexing: ${embedder}
`
  )
}

/** The commands that the doctor advises about vectors. */
const advised = async () => {
  const { document } = await runJson(["doctor"], { cwd: folder })
  const report = (document.data ?? document.error?.details) as {
    readonly checks: ReadonlyArray<{ readonly check: string; readonly run?: string }>
  }
  return report.checks.filter(({ check }) => check.endsWith(" vectors")).map(({ run = "" }) => run)
}

const follow = async (commands: ReadonlyArray<string>) => {
  for (const command of commands) {
    expect([command, (await run(...command.split(" ").slice(1))).code]).toEqual([command, 0])
  }
}

describe("vectors", () => {
  it("are made, and made again, by the commands that the doctor advises", async () => {
    writeFileSync(join(folder, "a.md"), "# Harbour\n\nThe lighthouse of the harbour.\n")
    configure("{embedder: none}")
    await follow(["cortex network index", "cortex memory save harbour --cassette notes"])

    const command = JSON.stringify([process.execPath, program, "honest"])
    configure(`{embedder: command, model: first, dimensions: 3, command: ${command}}`)
    const missing = await advised()
    expect(missing).toEqual([
      "cortex network index docs",
      "cortex network index canon",
      "cortex network reindex notes"
    ])
    await follow(missing)
    expect(await advised()).toEqual([])

    configure(`{embedder: command, model: lengths, dimensions: 3, command: ${command}}`)
    const others = await advised()
    expect(others).toEqual([
      "cortex network reindex docs",
      "cortex network index canon",
      "cortex network reindex notes"
    ])
    const refused = await run("network", "reindex", "canon")
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("cortex network index builds it again from its sources")
    ])
    await follow(others)
    expect(await advised()).toEqual([])
    await follow(["cortex network verify"])
  })
})
