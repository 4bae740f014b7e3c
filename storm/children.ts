// The processes of a storm as their parent holds them: started, killed, stopped and continued by their own ids alone.
// None outlives the parent: they end when their standard input does, and a stopped one is continued by a small process
// of its own, which keeps its time even when the parent is gone.
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { programOf } from "../infrastructure/testing/programs/program.ts"

const script = programOf("storm/process.ts")

/** Where the compiled modules are kept for the next process, if no other place is named; nothing but time depends on it. */
const compileCache = fileURLToPath(new URL("../node_modules/.cache/children", import.meta.url))

/** Stops a process and continues it after so many seconds, come what may. */
const STOP_AND_CONTINUE = 'kill -STOP "$1" && sleep "$2"; kill -CONT "$1"'

/** Most of what a child says to standard error that is kept (UTF-16 units). */
const MAX_WORDS = 1_000

export interface Ended {
  /** The exit code or the signal. */
  readonly how: number | string
  /** The beginning of what the child wrote to standard error. */
  readonly words: string
}

export interface Child {
  /** Kills it at once, stopped or not. */
  readonly kill: () => void
  /** Stops it for so many milliseconds; resolves when it runs again. */
  readonly stopFor: (millis: number) => Promise<void>
  /** Asks it to end in order. */
  readonly end: () => void
  /** Asks it to end in order with SIGTERM. */
  readonly terminate: () => void
  readonly ended: Promise<Ended>
  /** Resolves when it has opened the ledger, or has ended. */
  readonly open: Promise<void>
}

/** Starts the processes of one storm and can kill all that are left. */
export class Children {
  readonly #running = new Set<ChildProcess>()

  /** Starts a process of the storm, or another program. */
  start(args: ReadonlyArray<string>, program = script): Child {
    const child = this.#spawn(process.execPath, [program, ...args], "pipe")
    let words = ""
    child.stderr?.on("data", (chunk) => {
      words = (words + String(chunk)).slice(0, MAX_WORDS)
    })
    // A child that is killed does not read what it is sent.
    child.stdin?.on("error", () => {})
    const ended = new Promise<Ended>((resolve) => {
      child.on("close", (code, signal) => resolve({ how: code ?? signal ?? "unknown", words }))
    })
    const open = new Promise<void>((resolve) => {
      child.stdout?.once("data", () => resolve())
      child.on("close", () => resolve())
    })
    return {
      open,
      kill: () => void child.kill("SIGKILL"),
      end: () => void child.stdin?.end(),
      terminate: () => void child.kill("SIGTERM"),
      stopFor: (millis) => this.#stop(child, millis),
      ended
    }
  }

  /** Kills everything that still runs. */
  killAll(): void {
    for (const child of this.#running) child.kill("SIGKILL")
  }

  async #stop(child: ChildProcess, millis: number): Promise<void> {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const args = ["-c", STOP_AND_CONTINUE, "sh", String(child.pid), String(millis / 1_000)]
    const stopper = this.#spawn("/bin/sh", args, "ignore")
    await new Promise<void>((resolve) => {
      stopper.on("close", () => resolve())
    })
  }

  #spawn(command: string, args: ReadonlyArray<string>, stdio: "pipe" | "ignore"): ChildProcess {
    const child = spawn(command, args, {
      stdio: [stdio, stdio, stdio],
      env: { NODE_COMPILE_CACHE: compileCache, ...process.env }
    })
    this.#running.add(child)
    child.on("exit", () => this.#running.delete(child))
    child.on("error", () => this.#running.delete(child))
    return child
  }
}
