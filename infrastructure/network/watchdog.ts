// The thread that ends a child whose parent is gone, even while the child hangs in a query: it looks at the parent's
// process id, which changes when the parent ends, and kills its own process. It is text because a thread is started
// from text or from a file of its own, and the text needs neither build nor path.

/** How often the parent is looked for (milliseconds). */
const WATCH_INTERVAL_MILLIS = 250

/** The program of the thread; its data is the process id of the parent. */
export const watchdogProgram = `
const { workerData } = require("node:worker_threads")
setInterval(() => {
  if (process.ppid !== workerData.parent) process.kill(process.pid, "SIGKILL")
}, ${WATCH_INTERVAL_MILLIS})
`
