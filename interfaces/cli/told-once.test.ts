// With `--format json` what a command comes to is one document on standard output, an error like an answer, and nothing of it is
// said again on standard error. Held for every command that there is.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import { Host } from "../shared/host.ts"
import type { CommandNode } from "./completions/command-node.ts"
import { commandTree } from "./completions/command-tree.ts"
import { documentOf, runCli, temporaryFolder } from "./testing/in-process.ts"
import { testHost } from "./testing/test-host.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const leavesOf = (node: CommandNode, path: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  node.subcommands.length === 0
    ? [path]
    : node.subcommands.flatMap((below) => leavesOf(below, [...path, below.name]))

const host = testHost({ args: [], cwd: folder })
const tree = await Effect.runPromise(commandTree.read.pipe(Effect.provideService(Host, host)))
// `cortex help` takes any words and answers with a text.
const commands = leavesOf(tree, []).filter((path) => path[0] !== "help")

/** What goes on until it is stopped, or speaks a protocol of its own on standard output. */
const SERVERS = new Set(["inspect", "mcp", "network watch"])

const refusedAs = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await runCli([...args, "--format", "json"], { cwd: folder })
  const { error, ok } = documentOf(stdout)
  expect({ ok, stderr }, args.join(" ")).toEqual({ ok: false, stderr: "" })
  return { code, error: error?.code }
}

describe("an error in JSON", () => {
  it("is told on one output by every command that is called wrongly", async () => {
    expect(commands.length).toBeGreaterThan(70)
    for (const path of commands) {
      expect(await refusedAs(...path, "--no-such-flag"), path.join(" ")).toMatchObject({ code: 2 })
    }
  })

  it("is told on one output by every command that finds nothing", async () => {
    const failed: Array<string> = []
    for (const path of commands) {
      if (SERVERS.has(path.join(" "))) continue
      const args = [...path, "--format", "json"]
      const { code, stderr, stdout } = await runCli(args, { cwd: folder })
      if (code === 0) continue
      failed.push(path.join(" "))
      expect(stderr, path.join(" ")).not.toContain("error:")
      expect(documentOf(stdout.slice(stdout.lastIndexOf("\n", stdout.length - 2) + 1)).ok).toBe(false)
    }
    expect(failed).toEqual(
      expect.arrayContaining(["cassette status", "cassette claim", "show", "thought verify"])
    )
  })

  it("is told in lines to people alone, and to them where the document cannot be written", async () => {
    const args = ["cassette", "status"]
    const people = await runCli(args, { cwd: folder })
    expect(people.stdout).toBe("")
    expect(people.stderr).toMatch(/^error: /)
    for (const code of ["EPIPE", "EIO"]) {
      let told = ""
      const { code: ended } = await runCli([...args, "--format", "json"], {
        cwd: folder,
        host: {
          write: async (stream, text) => {
            if (stream === "stdout") throw Object.assign(new Error("no"), { code })
            told += text
          }
        }
      })
      expect({ ended, told }, code).toEqual({ ended: people.code, told: people.stderr })
    }
    expect(await refusedAs("cassette", "status", "--db", join(folder, "none.db"))).toMatchObject({ code: 2 })
  })
})
