// The property suites, which `pnpm prop` runs: more runs and more time than the tests beside the code have.
// How often and from which start is set by PROP_RUNS and by its companion, see property-tests/support.
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["property-tests/**/*.prop.ts"],
    // More runs than usual take more time than usual.
    testTimeout: Math.max(600_000, 600 * Number(process.env["PROP_RUNS"] ?? 0)),
    hookTimeout: 60_000,
    pool: "forks",
    // Many tests start programs: what Node has compiled once is kept for the next, which halves their start.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url)) }
  }
})
