// A program that runs one command line after another in one process. Tests start it under a limit of the shell, or as another
// user, since both belong to a process: many commands are then tried for one start.
import { createInterface } from "node:readline"
import { runCli, type RunOptions } from "./in-process.ts"

/** One command line, as a line of JSON. */
export interface CommandLine extends Pick<RunOptions, "cwd"> {
  readonly args: ReadonlyArray<string>
  readonly stdin?: string
}

for await (const line of createInterface({ input: process.stdin })) {
  const { args, ...options } = JSON.parse(line) as CommandLine
  process.stdout.write(`${JSON.stringify(await runCli(args, options))}\n`)
}
