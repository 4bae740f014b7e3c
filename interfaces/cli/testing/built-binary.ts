// Before a whole run of the tests: the program is bundled once, since tests start it hundreds of times and a bundle starts in a
// third of the time of the sources. A run of chosen files starts the sources.
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

const root = join(import.meta.dirname, "..", "..", "..")

export default ({ vitest }: TestProject): void => {
  if (process.env["CORTEX_BINARY"] !== undefined || vitest.config.watch) return
  if (process.argv.slice(2).some((argument) => argument.includes("/") || argument.endsWith(".ts"))) return
  const folder = join(root, "node_modules", ".cache", "tested")
  const rolldown = join(root, "node_modules", "rolldown", "bin", "cli.mjs")
  execFileSync(
    process.execPath,
    [rolldown, "--config", "rolldown.config.ts", "--logLevel", "silent", "--dir", folder],
    {
      cwd: root,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
      stdio: ["ignore", "ignore", "inherit"]
    }
  )
  process.env["CORTEX_BINARY"] = join(folder, "bin.js")
}
