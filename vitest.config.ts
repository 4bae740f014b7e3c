// The unit and integration tests, each beside its code. The files that one worker runs share a process and its modules, since
// loading Effect again for each of them took a third of the time; a file that puts other modules in the place of real ones has a
// process to itself.
import { readFileSync, statfsSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { longestFirst } from "./property-tests/support/longest-first.ts"

/** How much room there must be for the folders of tests (bytes). */
const ROOM = 2 * 2 ** 30

/**
 * Where tests make their folders: in memory where there is room, since most of what they do is to wait until a disk has stored
 * it. What a disk does when it fails is tested on file systems that the tests make themselves.
 */
const placeOfFolders = (): string => {
  if (process.env["TMPDIR"] !== undefined) return tmpdir()
  try {
    const { bavail, bsize } = statfsSync("/dev/shm")
    return bavail * bsize >= ROOM ? "/dev/shm" : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** What tests and properties run in. Many start programs: what Node has compiled once is kept, which halves their start. */
export const environment = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url)),
  TMPDIR: placeOfFolders()
}

/** Tests that put other modules in the place of real ones. */
const ALONE = ["infrastructure/corpus/files/file-reading.test.ts", "interfaces/cli/later-version.test.ts"]

/** What takes longest. */
const LONGEST = [
  "docs/documents.test.ts",
  "infrastructure/sqlite/store-faults.test.ts",
  "interfaces/cli/work.test.ts",
  "interfaces/inspect/server.test.ts",
  "migrations/adversary.test.ts",
  "interfaces/workflow/engine-contract.test.ts",
  "interfaces/inspect/browser.test.ts",
  "interfaces/cli/bin.test.ts",
  "interfaces/mcp/agent-errors.test.ts",
  "infrastructure/network/children/broken-cassettes.test.ts",
  "interfaces/mcp/conformance.test.ts",
  "interfaces/durable-objects/ledger-object.test.ts",
  "storm/storm.test.ts"
]

/** What examples import by the name of the package, as sources: the build's own settings say where they stand. */
const settings = readFileSync(new URL("tsconfig.tests.json", import.meta.url), "utf8")
const { compilerOptions } = JSON.parse(settings) as {
  readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly [string]>> }
}
const alias = Object.entries(compilerOptions.paths).map(([name, [source]]) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(source, import.meta.url))
}))

export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          isolate: false,
          include: [
            "{domain,application,infrastructure,interfaces,migrations,property-tests,build,docs,examples,storm}/**/*.test.ts",
            "*.test.ts"
          ],
          exclude: ["**/node_modules/**", "dist/**", ...ALONE]
        }
      },
      { extends: true, test: { name: "alone", include: ALONE } }
    ],
    sequence: { sequencer: longestFirst(LONGEST) },
    globalSetup: ["interfaces/cli/testing/built-programs.ts"],
    // Ten times of what the longest takes, for machines that are slower or have more to do.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: "forks",
    // Tests wait for processes and locks, so that two cores are busy with three workers; the default would be one.
    maxWorkers: Math.max(3, Math.floor(availableParallelism() / 2)),
    env: environment,
    // A run without a terminal tells what failed, and the sum.
    reporters: [process.stdout.isTTY ? "default" : "minimal"]
  }
})
