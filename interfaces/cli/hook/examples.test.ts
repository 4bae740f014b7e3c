// The examples of hosts: their settings as a host runs them, with the recorded session; the first on the checkout's own command, which
// takes longer to start.
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { hostNames } from "../../../domain/agents/hosts.ts"
import { binary } from "../testing/binary.ts"
import { runJson, temporaryFolder } from "../testing/in-process.ts"

const { folder, remove } = temporaryFolder()
afterAll(remove)

const repository = join(import.meta.dirname, "../../..")

/** A folder with the command that tests start. */
const commands = join(folder, "commands")
mkdirSync(commands)
writeFileSync(join(commands, "cortex"), `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`, {
  mode: 0o755
})

const examples = hostNames.map((host, index) => [host, index === 0 ? repository : commands] as const)

it.each(examples)(
  "the example of %s leaves a ledger that verifies, and tells the session",
  async (host, place) => {
    const project = join(folder, host)
    mkdirSync(project)
    const { CORTEX_ROOT: _, ...environment } = process.env
    const told = execFileSync(
      process.execPath,
      [join(repository, "examples/agents/replay.ts"), host, project],
      {
        encoding: "utf8",
        env: { ...environment, PATH: [place, environment["PATH"]].join(delimiter) }
      }
    )
    expect(told).toContain(`agent/${host}/`)
    expect(told).toMatch(/finished step .*: SUCCESS/)
    expect((await runJson(["cassette", "verify"], { cwd: project })).document.ok).toBe(true)
  }
)
