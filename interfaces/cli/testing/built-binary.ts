// Before a whole run of the tests: the program is bundled once, since tests start it hundreds of times and a bundle starts in a
// third of the time of the sources. A run of chosen files starts the sources.
import type { TestProject } from "vitest/node"
import { bundledProgram } from "../bundled-sources.ts"

export default ({ vitest }: TestProject): void => {
  if (process.env["CORTEX_BINARY"] !== undefined || vitest.config.watch) return
  if (process.argv.slice(2).some((argument) => argument.includes("/") || argument.endsWith(".ts"))) return
  process.env["CORTEX_BINARY"] = bundledProgram()
}
