// The unit and integration tests, each beside its code. Every test file runs in a process of its own, because
// better-sqlite3 is a native module and some tests watch what a process does to a file.
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: [
      "{domain,application,infrastructure,interfaces,migrations,docs,examples,storm}/**/*.test.ts",
      "*.test.ts"
    ],
    exclude: ["**/node_modules/**", "dist/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // On two cores the default is one worker, and the other core would only wait.
    maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
    // Many tests start programs: what Node has compiled once is kept for the next, which halves their start.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url)) }
  }
})
