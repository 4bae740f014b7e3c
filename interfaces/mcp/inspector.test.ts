/** The command-line mode of the official inspector as a client: it lists, calls and reads, and finds no fault in a Schema. */
import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PROGRAM_MILLIS } from "../../infrastructure/testing/process-end.ts"
import { temporaryFolder } from "../cli/testing/in-process.ts"
import { agentTools } from "./agent-tools.ts"
import { serverCommand } from "./testing/official-client.ts"

const program = join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
)

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

/** Runs the inspector once; what it keeps for itself stays in the folder. */
const inspect = async (method: string, ...more: ReadonlyArray<string>): Promise<Inspected> => {
  const server = ["--cli", "--config", join(place.folder, "servers.json"), "--server", "cortex"]
  const running = promisify(execFile)(
    process.execPath,
    [
      program,
      ...server,
      "--quiet",
      "--connect-timeout",
      "0",
      "--format",
      "json",
      "--method",
      method,
      ...more
    ],
    {
      cwd: place.folder,
      env: {
        ...process.env,
        HOME: join(place.folder, "home"),
        USERPROFILE: join(place.folder, "home"),
        MCP_INSPECTOR_SECRET_STORE: "memory"
      },
      timeout: PROGRAM_MILLIS
    }
  )
  const { code, stderr, stdout } = await running.then(
    (ended) => ({ ...ended, code: 0 }),
    (error: { readonly code: number; readonly stderr: string; readonly stdout: string }) => error
  )
  if (stdout === "") throw new Error(`${method} ended with ${code}: ${stderr}`)
  const { result } = JSON.parse(stdout) as Pick<Inspected, "result">
  return { code, result, stderr }
}

const names = (list: unknown): ReadonlyArray<string> =>
  (list as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)

const tools = agentTools.map(({ name }) => name)

describe("the inspector", () => {
  it("lists every tool, and finds no Schema that some client could not take", async () => {
    const { code, result, stderr } = await inspect("tools/list", "--strict")
    expect({ code, stderr, tools: names(result["tools"]) }).toEqual({ code: 0, stderr: "", tools })
  })

  it("lists every tool in the version without handshake", async () => {
    const { code, result, stderr } = await inspect("tools/list", "--protocol-era", "modern")
    expect({ code, stderr, tools: names(result["tools"]) }).toEqual({ code: 0, stderr: "", tools })
  })

  it("lists resources, their templates and prompts", async () => {
    const [resources, prompts, templates] = await Promise.all([
      inspect("resources/list"),
      inspect("prompts/list"),
      inspect("resources/templates/list")
    ])
    expect(resources.result).toEqual({ resources: [] })
    expect(prompts.result).toEqual({ prompts: [] })
    expect(names(templates.result["resourceTemplates"])).toEqual([
      "run",
      "job",
      "symbol",
      "bundle",
      "cassette"
    ])
  })

  it("calls a tool, and reads what it left", async () => {
    const work = JSON.stringify({ run_id: "day", source: "USER", payload: { intent: "tidy" } })
    const posted = await inspect("tools/call", "--tool-name", "message_post", "--tool-args-json", work)
    expect(posted).toMatchObject({
      code: 0,
      result: { isError: false, structuredContent: { ok: true, data: { created: true } } }
    })
    const { result } = await inspect("resources/read", "--uri", "cortex://run/day")
    const [{ text }] = result["contents"] as readonly [{ readonly text: string }]
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
