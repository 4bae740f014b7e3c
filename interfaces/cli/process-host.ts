// The host that a real process is: its arguments and streams, and signals as a wish to stop. It ends the process
// with the command's exit code once everything is written, and never decides what a command does.
import { fstatSync, readFileSync, readlinkSync } from "node:fs"
import { notTextOf, type RawText } from "./argument-text.ts"
import type { HostShape, OutputStream } from "../shared/host.ts"

const stopSignals = ["SIGINT", "SIGTERM"] as const

const write = (stream: OutputStream, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process[stream].write(text, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })

const STANDARD_INPUT = 0

/** Node reads a folder as if it were empty. */
async function* standardInput(): AsyncGenerator<Uint8Array> {
  if (fstatSync(STANDARD_INPUT).isDirectory()) {
    throw Object.assign(new Error("standard input is a folder"), { code: "EISDIR" })
  }
  yield* process.stdin
}

const orUndefined = (read: () => Buffer): Buffer | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The bytes that this process was started with, where the system shows them (Linux). */
const rawText: RawText = {
  commandLine: () => orUndefined(() => readFileSync("/proc/self/cmdline")),
  environment: () => orUndefined(() => readFileSync("/proc/self/environ")),
  folder: () => orUndefined(() => readlinkSync("/proc/self/cwd", { encoding: "buffer" }))
}

/** Runs what is loaded without the other commands. */
const quickly = async (host: HostShape): Promise<number | undefined> =>
  host.args[0] === "hook" && host.notText === undefined
    ? (await import("./hook/hook-process.ts")).quickHook(host)
    : undefined

/** Runs the command of this process and ends the process. */
export const runProcess = async (): Promise<void> => {
  const stop = new AbortController()
  for (const signal of stopSignals) process.once(signal, () => stop.abort(signal))
  // A failed write is reported by the write's own callback; without a listener the event would end the process.
  for (const stream of ["stdout", "stderr"] as const) process[stream].on("error", () => {})
  const given = { args: process.argv.slice(2), env: process.env, cwd: process.cwd() }
  const host: HostShape = {
    ...given,
    notText: notTextOf(given, rawText),
    stdin: standardInput,
    write,
    isTerminal: (stream) => process[stream].isTTY,
    columns: (stream) => (process[stream].isTTY ? process[stream].columns : undefined),
    elapsedMillis: () => performance.now(),
    stop: stop.signal,
    self: [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)]
  }
  // An open standard input would keep the process alive after a stop.
  process.exit((await quickly(host)) ?? (await (await import("./main.ts")).main(host)))
}
