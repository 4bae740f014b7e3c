// Starts a process that does not outlive this one, not even while it hangs and cannot notice anything: a shell stands
// between them and waits for the end of a pipe, which comes with every end of this process. A shell takes
// a fiftieth of the memory of a thread in the child. What it cannot help: when the shell itself is killed with SIGKILL
// while the process hangs, the process stays until it wakes or is killed.
import { type ChildProcess, spawn } from "node:child_process"
import type { Socket } from "node:net"
import { CHANNEL } from "./child-messages.ts"

const LIFELINE = 4

/**
 * The shell keeps no end of the channel, so that this ends with the process, and outlives signals that may be ignored; no
 * other process can have the number of the process before `wait`.
 */
const SCRIPT = `trap "" HUP INT TERM; "$@" ${LIFELINE}<&- & exec ${CHANNEL}<&-; read -r line <&${LIFELINE}; kill -9 $! 2>/dev/null; wait $!`

/** A process on its lifeline. */
export interface BoundProcess {
  /** Its end has the exit code of the process, or 128 and the number of its signal. */
  readonly shell: ChildProcess
  /** Undefined when the process could not be started; the shell's error tells why. */
  readonly channel: Socket | undefined
  /** Kills the process. */
  readonly cut: () => void
}

/**
 * Starts a program of this Node with a channel at its descriptor 3; what it prints is dropped. It keeps this process
 * alive by nothing: anyone who waits for an answer has a timer of his own.
 */
export const startBound = (args: ReadonlyArray<string>): BoundProcess => {
  const shell = spawn("/bin/sh", ["-c", SCRIPT, "sh", process.execPath, ...args], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    // One thread allocates: room for others would be kept and never used.
    env: { ...process.env, MALLOC_ARENA_MAX: "1" }
  })
  const [channel, lifeline] = [shell.stdio?.[CHANNEL], shell.stdio?.[LIFELINE]] as [
    Socket | undefined,
    Socket | undefined
  ]
  for (const handle of [shell, channel, lifeline]) handle?.unref()
  return {
    shell,
    channel,
    cut: () => {
      channel?.destroy()
      lifeline?.destroy()
    }
  }
}
