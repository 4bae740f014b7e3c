/** The command-line mode of the official inspector as a client: it lists, calls and reads, and finds no fault in a Schema. */
import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PROGRAM_MILLIS } from "../../infrastructure/testing/programs/process-end.ts"
import { temporaryFolder } from "../cli/testing/in-process.ts"
import { agentTools } from "./tools/agent-tools.ts"
import { serverCommand } from "./testing/official-client.ts"

const program = join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
)

/** What that starts for its command-line mode. */
const commandLine = new URL("../../cli/build/index.js", pathToFileURL(program)).href

let place: ReturnType<typeof temporaryFolder>

beforeAll(() => {
  place = temporaryFolder()
  mkdirSync(join(place.folder, "home"))
  writeFileSync(
    join(place.folder, "servers.json"),
    JSON.stringify({ mcpServers: { cortex: serverCommand(place.folder, "--agent", "ada") } })
  )
})

afterAll(() => place.remove())

interface Inspected {
  readonly code: number
  readonly result: Readonly<Record<string, unknown>>
  /** What it complains of: it is told to write nothing else. */
  readonly stderr: string
}

const options = () => ({
  cwd: place.folder,
  env: {
    ...process.env,
    HOME: join(place.folder, "home"),
    USERPROFILE: join(place.folder, "home"),
    MCP_INSPECTOR_SECRET_STORE: "memory"
  },
  timeout: PROGRAM_MILLIS
})

const inspection = (method: string, ...more: ReadonlyArray<string>): ReadonlyArray<string> => [
  "--config",
  join(place.folder, "servers.json"),
  "--server",
  "cortex",
  "--quiet",
  "--connect-timeout",
  "0",
  "--format",
  "json",
  "--method",
  method,
  ...more
]

const resultIn = (stdout: string) => (JSON.parse(stdout) as Pick<Inspected, "result">).result

/** Runs the inspector once; what it keeps for itself stays in the folder. */
const inspect = async (...args: Parameters<typeof inspection>): Promise<Inspected> => {
  const running = promisify(execFile)(process.execPath, [program, "--cli", ...inspection(...args)], options())
  const { code, stderr, stdout } = await running.then(
    (ended) => ({ ...ended, code: 0 }),
    (error: { readonly code: number; readonly stderr: string; readonly stdout: string }) => error
  )
  if (stdout === "") throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`)
  return { code, result: resultIn(stdout), stderr }
}

/** Runs its command-line mode for one inspection after another in one process, since a start of it takes long; none may fail. */
const inspectAll = async (
  ...inspections: ReadonlyArray<Parameters<typeof inspection>>
): Promise<ReadonlyArray<Inspected["result"]>> => {
  const script = `const { runCli } = await import(process.argv[1])
for (const args of JSON.parse(process.argv[2])) await runCli([process.argv0, "inspector", ...args])`
  const args = [commandLine, JSON.stringify(inspections.map((each) => inspection(...each)))]
  const { stderr, stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", script, ...args],
    options()
  )
  expect(stderr).toBe("")
  return stdout.trim().split("\n").map(resultIn)
}

const names = (list: unknown): ReadonlyArray<string> =>
  (list as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)

const tools = agentTools.map(({ name }) => name)

describe("the inspector", () => {
  it("lists every tool, and finds no Schema that some client could not take", async () => {
    const { code, result, stderr } = await inspect("tools/list", "--strict")
    expect({ code, stderr, tools: names(result["tools"]) }).toEqual({ code: 0, stderr: "", tools })
  })

  it("lists every tool in the version without handshake, resources, their templates and prompts, and reads what a call left", async () => {
    const work = JSON.stringify({ run_id: "day", source: "USER", payload: { intent: "tidy" } })
    const results = await inspectAll(
      ["tools/list", "--protocol-era", "modern"],
      ["resources/list"],
      ["prompts/list"],
      ["resources/templates/list"],
      ["tools/call", "--tool-name", "message_post", "--tool-args-json", work],
      ["resources/read", "--uri", "cortex://run/day"]
    )
    type Result = Inspected["result"]
    type Six = readonly [Result, Result, Result, Result, Result, Result]
    const [modern, resources, prompts, templates, posted, read] = results as unknown as Six
    expect(names(modern["tools"])).toEqual(tools)
    expect(resources).toEqual({ resources: [] })
    expect(prompts).toEqual({ prompts: [] })
    expect(names(templates["resourceTemplates"])).toEqual(["run", "job", "symbol", "bundle", "cassette"])
    expect(posted).toMatchObject({ isError: false, structuredContent: { ok: true, data: { created: true } } })
    const [{ text }] = read["contents"] as readonly [{ readonly text: string }]
    expect(JSON.parse(text)).toMatchObject({ run_id: "day", pending: 1 })
  })

  it("is told of a call that fails", async () => {
    const none = JSON.stringify({ run_id: "none" })
    const failed = await inspect("tools/call", "--tool-name", "job_status", "--tool-args-json", none)
    expect(failed.code).not.toBe(0)
    expect(failed.result).toMatchObject({ isError: true })
    expect(failed.stderr).toContain("tool_is_error")
  })
})
