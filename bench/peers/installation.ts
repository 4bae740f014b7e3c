// Fetches the programs that ours is held against: queues, an event store and a saver of agents on SQLite, in pinned versions, into a scratch folder that is
// removed afterwards. They are no dependencies, none of their install scripts is run, and nothing of them is kept.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The version of DBOS that is fetched, for workflows. */
export const DBOS_VERSION = { "@dbos-inc/dbos-sdk": "5.3.0" } as const

/** The versions that are fetched for steps; what these ask for is pinned too. */
export const VERSIONS = {
  plainjob: "0.0.14",
  openworkflow: "0.10.1",
  "@langchain/langgraph-checkpoint-sqlite": "1.0.4",
  "@langchain/langgraph-checkpoint": "1.2.2",
  "@langchain/core": "1.4.0",
  "@event-driven-io/emmett-sqlite": "0.38.5",
  "@event-driven-io/emmett": "0.38.5",
  "async-retry": "1.3.3",
  uuid: "10.0.0",
  "web-streams-polyfill": "4.3.0"
} as const

/** The versions that are fetched for queues on a server. */
export const SERVER_VERSIONS = {
  "pg-boss": "12.38.0",
  bullmq: "6.7.0",
  ioredis: "5.11.1",
  "@opentelemetry/api": "1.10.0"
} as const

/** The version of the memory server that is fetched. */
export const MEMORY_VERSION = { "@modelcontextprotocol/server-memory": "2026.8.31" } as const

const PINNED_BELOW = { plainjob: { "cron-parser": "4.9.0" }, luxon: "3.7.2" }

/** How long npm may take (milliseconds). */
const INSTALL_MILLIS = 120_000

const FLAGS =
  "--ignore-scripts --legacy-peer-deps --no-audit --no-fund --no-package-lock --fetch-retries=1 --fetch-timeout=20000"

/** True when npm has put all of them into this folder; what it says goes to stderr. */
const installed = (folder: string, dependencies: Readonly<Record<string, string>>): boolean => {
  const manifest = { private: true, dependencies, overrides: PINNED_BELOW }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
  const { error, status } = spawnSync("npm", ["install", ...FLAGS.split(" ")], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
    timeout: INSTALL_MILLIS,
    // On Windows npm is a script.
    shell: process.platform === "win32"
  })
  if (error !== undefined) console.error(error.message)
  return status === 0
}

/** Runs `work` with the folder that holds the programs, or with undefined when the registry did not give them. */
export const withPeers = async <A>(
  work: (folder: string | undefined) => Promise<A>,
  versions: Readonly<Record<string, string>> = VERSIONS
): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "cassette-bench-peers-"))
  try {
    return await work(installed(folder, versions) ? folder : undefined)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
