// The examples of hosts: their settings as a host runs them, with the recorded session, on the checkout's own command.
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { delimiter, join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { hostNames } from "../../../domain/agents/hosts.ts"
import { runJson, temporaryFolder } from "../testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const repository = join(import.meta.dirname, "../../..")

it.each(hostNames)("the example of %s leaves a ledger that verifies, and tells the session", async (host) => {
  const project = join(folder, host)
  mkdirSync(project)
  const { CORTEX_ROOT: _, ...environment } = process.env
  const told = execFileSync(
    process.execPath,
    [join(repository, "examples/agents/replay.ts"), host, project],
    {
      encoding: "utf8",
      env: { ...environment, PATH: [repository, environment["PATH"]].join(delimiter) }
    }
  )
  expect(told).toContain(`agent/${host}/`)
  expect(told).toMatch(/finished step .*: SUCCESS/)
  expect((await runJson(["cassette", "verify"], { cwd: project })).document.ok).toBe(true)
})
