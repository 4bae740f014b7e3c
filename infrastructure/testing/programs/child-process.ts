/**
 * Real processes for tests about several processes: one script with a role, started with its own memory and its
 * own connections. Every child is ended by its own id when its test ends; nothing else is ever killed.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { onTestFinished } from "vitest"
import { programOf } from "./program.ts"

const scripts = {
  builder: programOf("infrastructure/bundles/testing/builder.ts"),
  child: programOf("infrastructure/testing/programs/child.ts"),
  opener: programOf("infrastructure/testing/programs/opener.ts"),
  restorer: programOf("infrastructure/testing/programs/restorer.ts"),
  resolver: programOf("infrastructure/testing/programs/resolver.ts"),
  store: programOf("infrastructure/testing/programs/store-child.ts")
}

/** A started child: its answers come line by line as JSON, in order. */
export interface Child {
  readonly process: ChildProcess
  /** The next line that the child prints; fails when it ends before. */
  readonly line: () => Promise<unknown>
  /** Sends a line; the child decides what it means. */
  readonly send: (text: string) => void
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

export interface ChildOptions {
  /** A program that starts the child's: for example one that enters another mount namespace. */
  readonly wrapper?: ReadonlyArray<string>
  readonly script?: keyof typeof scripts
}

/** Starts a script with arguments; the first of `child.ts` is its role. */
export const startChild = (
  args: ReadonlyArray<string>,
  { script = "child", wrapper = [] }: ChildOptions = {}
): Child => {
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, scripts[script], ...args]
  const child = spawn(command, rest, {
    stdio: ["pipe", "pipe", "pipe"]
  })
  let stderr = ""
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk)
  })
  child.stdin.on("error", () => {})
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal))
  })
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
    await ended
  })
  return {
    process: child,
    line: async () => {
      const next = await lines.next()
      if (next.done === true) throw new Error(`${args[0]} ended with ${String(await ended)}: ${stderr}`)
      return JSON.parse(next.value)
    },
    send: (text) => {
      child.stdin.write(`${text}\n`)
    },
    ended
  }
}

/** The last answer of a child that does its work and ends. */
export const answerOf = async (args: ReadonlyArray<string>, options?: ChildOptions): Promise<unknown> => {
  const child = startChild(args, options)
  const answer = await child.line()
  await child.ended
  return answer
}
