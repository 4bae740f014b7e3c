// The examples of the hosts run against the sources, to their end, also once more on the same file; and the lines that the examples'
// README shows are theirs.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"

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

const printedBy = (file: string, ...given: ReadonlyArray<string>): string => {
  const hooks = `data:text/javascript,${encodeURIComponent(SOURCES)}`
  const { stderr, stdout } = spawnSync(
    process.execPath,
    ["--import", hooks, join(examples, file), ...given],
    {
      encoding: "utf8",
      timeout: 60_000
    }
  )
  expect(stderr).toBe("")
  return stdout
}

it.each([
  ["ai-sdk/agent.ts", ["It rains in Oslo.", "SUCCESS"]],
  ["openai-agents/agent.ts", ["It rains in Oslo.", "items in the session", "SUCCESS"]],
  ["claude-agent-sdk/session.ts", ["user", "assistant"]],
  ["langgraph/graph.ts", ["waits for: Shall it be sent?", "sent: It rains in Oslo."]]
])("%s runs", (file, lines) => {
  const database = join(temporaryFolder(), "work.db")
  for (const _run of ["first", "second"]) {
    const printed = printedBy(file, database)
    for (const line of lines) expect(printed).toContain(line)
    expect(printed).toMatch(/\nPASS\n$/)
  }
})

it("mcp/client.ts works through the server", () => {
  const server = [join(repository, "cortex"), "mcp", "--root", temporaryFolder(), "--agent", "ada"]
  expect(printedBy("mcp/client.ts", ...server)).toBe("PASS\n")
})

it("shows lines that are in the examples", () => {
  const readme = readFileSync(join(examples, "README.md"), "utf8")
  const blocks = [...readme.matchAll(/```text\n([^]*?)```/g)].map(([, text = ""]) => text.trim().split("\n"))
  const files = [
    "ai-sdk/agent.ts",
    "openai-agents/agent.ts",
    "claude-agent-sdk/session.ts",
    "langgraph/graph.ts"
  ]
  expect(blocks).toHaveLength(files.length)
  for (const [index, file] of files.entries()) {
    const text = readFileSync(join(examples, file), "utf8").split("\n")
    for (const line of blocks[index] ?? []) expect(text).toContain(line)
  }
})
