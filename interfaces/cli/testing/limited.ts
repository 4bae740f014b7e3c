// Runs the real binary under a limit of the shell, for what it says where the machine gives no more.
import { spawnSync } from "node:child_process"
import { binary } from "./binary.ts"
import type { Document } from "./in-process.ts"

/** How a run ended; without a document where not even Node could start. */
export interface LimitedRun {
  readonly status: number | null
  readonly stderr: string
  readonly document: Document | null
}

/** Runs `cortex ARGS --format json` behind `ulimit LIMIT`. */
export const runLimited = (
  limit: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly input: string }
): LimitedRun => {
  const command = [
    "-c",
    `ulimit ${limit}; exec "$@"`,
    "bash",
    process.execPath,
    binary,
    ...args,
    "--format",
    "json"
  ]
  const { status, stderr, stdout } = spawnSync("bash", command, { ...options, encoding: "utf8" })
  return { status, stderr, document: JSON.parse(stdout.split("\n").at(-2) ?? "null") as Document | null }
}
