// Bundles the programs that tests start as processes of their own, for their start-up time: `programOf` finds them by the names
// of their sources.
import { basename } from "node:path"
import { defineConfig } from "rolldown"

const programs = [
  "infrastructure/bundles/testing/builder.ts",
  "infrastructure/network/children/cassette-child.ts",
  "infrastructure/network/writing/cutting-thread.ts",
  "infrastructure/network/testing/babbling-child.ts",
  "infrastructure/network/testing/child-that-may-hang.ts",
  "infrastructure/network/testing/hanging-child.ts",
  "infrastructure/network/testing/parent-of-hanging-child.ts",
  "infrastructure/testing/programs/child.ts",
  "infrastructure/testing/programs/merkle-child.ts",
  "infrastructure/testing/programs/opener.ts",
  "infrastructure/testing/programs/resolver.ts",
  "infrastructure/testing/programs/restorer.ts",
  "infrastructure/testing/programs/store-child.ts",
  "interfaces/cli/testing/command-server.ts",
  "interfaces/embedding/testing/one-use.ts",
  "interfaces/inspect/verifying-child.ts",
  "property-tests/support/processes/bundle-child.ts",
  "property-tests/support/processes/cache-child.ts",
  "property-tests/support/processes/cassette-operation-child.ts",
  "property-tests/support/processes/ledger-child.ts",
  "property-tests/support/processes/memory-child.ts",
  "property-tests/support/processes/queue-child.ts",
  "storm/process.ts",
  "storm/run.ts",
  "storm/worker-process.ts"
]

export default defineConfig({
  input: Object.fromEntries(programs.map((source) => [basename(source, ".ts"), source])),
  platform: "node",
  external: [/^node:/, "better-sqlite3"],
  output: {
    dir: "dist/tests",
    format: "esm",
    chunkFileNames: "[name]-[hash].js",
    // What most of them share is one file, since each file costs a start some time.
    codeSplitting: { groups: [{ name: "shared", minShareCount: 12 }] }
  }
})
