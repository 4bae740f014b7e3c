// Child processes of the crash and race properties: started, listened to line by line, and ended by their own id
// alone. A line that the child had not finished when it died is not a line.

import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { programOf } from "../../../infrastructure/testing/programs/program.ts"

const scripts = {
  ledger: programOf("property-tests/support/processes/ledger-child.ts"),
  cache: programOf("property-tests/support/processes/cache-child.ts"),
  memory: programOf("property-tests/support/processes/memory-child.ts"),
  queue: programOf("property-tests/support/processes/queue-child.ts"),
  operation: programOf("property-tests/support/processes/cassette-operation-child.ts")
}

/** One thing that a child was told by the ledger. */
export interface Told {
  readonly did: "open" | "post" | "claim" | "renew" | "complete" | "release" | "batch" | "end"
  readonly by: string
  readonly key: string
  readonly message_id: string
  readonly step_id: string
  readonly fencing_token: number
  readonly receipt_id: string
  /** The ids of all messages that a batch posted. */
  readonly message_ids: ReadonlyArray<string>
}

export interface Child<Line = Told> {
  readonly told: ReadonlyArray<Line>
  /** Ends when this many lines have come, or when the child has ended. */
  readonly lines: (count: number) => Promise<void>
  /** Kills the child at once (SIGKILL) unless it has ended. */
  readonly kill: () => void
  /** The exit code or signal, and what the child wrote to standard error. */
  readonly ended: Promise<{ readonly how: number | string; readonly stderr: string }>
}

/** Starts a role on a ledger's file. */
export const startChild = (role: string, filename: string, name: string, count = 0): Child =>
  startScript("ledger", [role, filename, name, String(count)])

/** Starts a script; each line that it prints is one JSON value of the type that is asked for. */
export const startScript = <Line>(script: keyof typeof scripts, args: ReadonlyArray<string>): Child<Line> => {
  const child: ChildProcess = spawn(process.execPath, [scripts[script], ...args], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  const told: Array<Line> = []
  let stderr = ""
  const state = { over: false, wake: () => {} }
  if (child.stdout === null || child.stderr === null) throw new Error("the child has no pipes")
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk)
  })
  createInterface({ input: child.stdout }).on("line", (line) => {
    // Lines are far shorter than a pipe's atomic write, so that only a whole line can come.
    told.push(JSON.parse(line) as Line)
    state.wake()
  })
  const ended = new Promise<{ how: number | string; stderr: string }>((resolve) => {
    child.on("close", (code, signal) => {
      state.over = true
      state.wake()
      resolve({ how: code ?? signal ?? "unknown", stderr })
    })
  })
  return {
    told,
    lines: async (count) => {
      while (told.length < count && !state.over) {
        await new Promise<void>((resolve) => {
          state.wake = resolve
        })
      }
    },
    kill: () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
    },
    ended
  }
}
