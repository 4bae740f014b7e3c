// Whether a process that a test started, or one that it led to, is still there.
/** True while there is such a process. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Waits until the process is gone, ten seconds at most; tells whether it is. */
export const isGone = async (pid: number): Promise<boolean> => {
  for (let tries = 0; tries < 200 && isAlive(pid); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return !isAlive(pid)
}
