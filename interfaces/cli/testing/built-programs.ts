// Before a whole run of the tests or of the properties: the command and the programs of tests are bundled once, since tests start
// them hundreds of times and a bundle starts in a third of the time of the sources. A run of chosen files starts the sources.
import type { TestProject } from "vitest/node"
import { bundledProgram, bundleOf, LAYERS } from "../bundled-sources.ts"

/** Bundles them, and names the bundles in the environment for all processes that are started from here. */
export const bundlePrograms = (): void => {
  process.env["CORTEX_BINARY"] ??= bundledProgram()
  process.env["TEST_PROGRAMS"] ??= bundleOf({
    name: "test-programs",
    config: "build/tests.config.ts",
    sources: [...LAYERS, "property-tests", "storm"],
    isSource: (path) => !path.endsWith(".test.ts")
  })
}

export default ({ vitest }: TestProject): void => {
  if (vitest.config.watch) return
  if (process.argv.slice(2).some((argument) => /^[^-].*(\/|\.ts$)/.test(argument))) return
  bundlePrograms()
}
