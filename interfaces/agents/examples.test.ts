// The examples of the hosts run against the sources, to their end, also once more on the same file; and the lines that the examples'
// README shows are theirs.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { PROGRAM_MILLIS } from "../../infrastructure/testing/programs/process-end.ts"
import { printedInTurn, runInTurn } from "../../infrastructure/testing/run-in-turn.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { binary } from "../cli/testing/binary.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const examples = join(repository, "examples/agents")

/** The package's entry points are its sources. */
const SOURCES = `
  import { registerHooks } from "node:module"
  const at = (path) => new URL(path, ${JSON.stringify(new URL("../", import.meta.url).href)}).href
  registerHooks({
    resolve: (name, context, next) => {
      const adapter = /^cortex-cassette\\/agents\\/(.+)$/.exec(name)?.[1]
      if (adapter !== undefined) return next(at("agents/" + adapter + ".ts"), context)
      return next(name === "cortex-cassette/promise" ? at("promise/index.ts") : name, context)
    }
  })
`

/** What a started program prints; it must end well and complain of nothing. */
const printedBy = (...args: ReadonlyArray<string>): string => {
  const hooks = `data:text/javascript,${encodeURIComponent(SOURCES)}`
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--import", hooks, ...args], {
    encoding: "utf8",
    timeout: PROGRAM_MILLIS
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  return stdout
}

const cases: ReadonlyArray<readonly [file: string, lines: ReadonlyArray<string>]> = [
  ["ai-sdk/agent.ts", ["It rains in Oslo.", "SUCCESS"]],
  ["openai-agents/agent.ts", ["It rains in Oslo.", "items in the session", "SUCCESS"]],
  ["claude-agent-sdk/session.ts", ["user", "assistant"]],
  ["langgraph/graph.ts", ["waits for: Shall it be sent?", "sent: It rains in Oslo."]]
]

// A host keeps for its process what an example registers with it, so that a second run has a process of its own.
it("the examples of the hosts run, also once more on the same files", () => {
  const runs = cases.flatMap(([file]) => [join(examples, file), join(temporaryFolder(), "work.db")])
  for (const _run of ["first", "second"]) {
    const printed = printedInTurn(printedBy(runInTurn, ...runs))
    expect(printed).toHaveLength(cases.length)
    for (const [index, [file, lines]] of cases.entries()) {
      for (const line of lines) expect(printed[index], file).toContain(line)
      expect(printed[index], file).toMatch(/\nPASS\n$/)
    }
  }
})

it("mcp/client.ts works through the server", () => {
  const server = [process.execPath, binary, "mcp", "--root", temporaryFolder(), "--agent", "ada"]
  expect(printedBy(join(examples, "mcp/client.ts"), ...server)).toBe("PASS\n")
})

it("shows lines that are in the examples", () => {
  const readme = readFileSync(join(examples, "README.md"), "utf8")
  const blocks = [...readme.matchAll(/```text\n([^]*?)```/g)].map(([, text = ""]) => text.trim().split("\n"))
  const files = cases.map(([file]) => file)
  expect(blocks).toHaveLength(files.length)
  for (const [index, file] of files.entries()) {
    const text = readFileSync(join(examples, file), "utf8").split("\n")
    for (const line of blocks[index] ?? []) expect(text).toContain(line)
  }
})
