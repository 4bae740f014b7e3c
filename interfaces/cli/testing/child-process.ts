// Runs the real binary as a child process.
import { type ChildProcessByStdio, spawn, type SpawnOptions } from "node:child_process"
import { once } from "node:events"
import type { Readable, Writable } from "node:stream"
import { text } from "node:stream/consumers"
import { binary } from "./binary.ts"
import type { Ran } from "./in-process.ts"

export type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** Starts `cortex ARGS` with piped streams. */
export const startCortex = (args: ReadonlyArray<string>, options: SpawnOptions): Child =>
  spawn(process.execPath, [binary, ...args], { ...options, stdio: "pipe" }) as Child

/** Runs `cortex ARGS` to its end. */
export const runCortex = async (
  args: ReadonlyArray<string>,
  options: SpawnOptions & { readonly input?: string }
): Promise<Ran> => {
  const child = startCortex(args, options)
  child.stdin.end(options.input ?? "")
  const ended = once(child, "close") as Promise<[number | null]>
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}
