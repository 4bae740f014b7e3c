// Whether a process that a test started, or one that it led to, is still there.
import { readFileSync } from "node:fs"

/** Longest that a program of a test is waited for: less than the test may take, and far more than it needs (milliseconds). */
export const PROGRAM_MILLIS = 200_000

/** Whether it has ended and another parent has not asked how: the first process of a container may never ask. */
const isLeftOver = (pid: number): boolean => {
  if (process.platform !== "linux") return false
  const [, parent] = /\) Z (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
  return parent !== undefined && Number(parent) !== process.pid
}

/** True while there is such a process. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !isLeftOver(pid)
  } catch {
    return false
  }
}

/** Waits until the process is gone, thirty seconds at most; tells whether it is. */
export const isGone = async (pid: number): Promise<boolean> => {
  for (let tries = 0; tries < 600 && isAlive(pid); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return !isAlive(pid)
}
