/** The official conformance suite, as far as it applies: docs/spec/mcp.md says which scenarios do, and why the others do not. */
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PROGRAM_MILLIS } from "../../infrastructure/testing/programs/process-end.ts"
import { temporaryFolder } from "../cli/testing/in-process.ts"
import { HttpBridge } from "./testing/http-bridge.ts"

const root = join(import.meta.dirname, "..", "..")
const program = join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js")

const suite = async (folder: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    cwd: folder,
    timeout: PROGRAM_MILLIS
  })
  return stdout
}

/** The table of scenarios in the specification: their names, and what becomes of them. */
const rows = [
  ...readFileSync(join(root, "docs/spec/mcp.md"), "utf8")
    .split("## The conformance suite")[1]!
    .matchAll(/^\| (`.*?) \| (.*) \|$/gm)
].flatMap(([, names = "", what]) =>
  names.split(", ").map((name) => ({ name: name.replaceAll("`", ""), isPassed: what === "passes" }))
)

const passed = rows.filter(({ isPassed }) => isPassed).map(({ name }) => name)

let place: ReturnType<typeof temporaryFolder>
let bridge: HttpBridge

/** What one run of all scenarios said. */
let said = ""

beforeAll(async () => {
  place = temporaryFolder()
  bridge = await HttpBridge.start(place.folder)
  // It ends with an error, since some scenarios do not apply.
  said = await suite(place.folder, "server", "--url", bridge.url, "--output-dir", "results").catch(String)
})

afterAll(async () => {
  await bridge.close()
  place.remove()
})

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

describe("the conformance suite", () => {
  it("has no scenario of servers of which the specification says nothing, and the other way round", async () => {
    const offered = [...(await suite(place.folder, "list", "--server")).matchAll(/^ +- (\S+)/gm)]
    expect(rows.map(({ name }) => name).sort()).toEqual(offered.map(([, name]) => name).sort())
    expect(passed.length).toBeGreaterThanOrEqual(9)
  })

  it.each(passed)("%s", (scenario) => {
    const results = join(place.folder, "results")
    const runs = readdirSync(results).filter((name) => new RegExp(`^server-${scenario}-\\d`).test(name))
    const checks = runs.flatMap(
      (run) => JSON.parse(readFileSync(join(results, run, "checks.json"), "utf8")) as ReadonlyArray<Check>
    )
    expect(checks.length, said).toBeGreaterThan(0)
    expect(checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO")).toEqual([])
  })
})
