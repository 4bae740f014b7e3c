// The host that a real process is: its arguments and streams, and signals as a wish to stop. It ends the process
// with the command's exit code once everything is written, and never decides what a command does.
import type { HostShape, OutputStream } from "./host.ts"
import { main } from "./main.ts"

const stopSignals = ["SIGINT", "SIGTERM"] as const

const write = (stream: OutputStream, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process[stream].write(text, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })

/** Runs the command of this process and ends the process. */
export const runProcess = async (): Promise<void> => {
  const stop = new AbortController()
  for (const signal of stopSignals) process.once(signal, () => stop.abort(signal))
  // A failed write is reported by the write's own callback; without a listener the event would end the process.
  for (const stream of ["stdout", "stderr"] as const) process[stream].on("error", () => {})
  const host: HostShape = {
    args: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    stdin: () => process.stdin,
    write,
    isTerminal: (stream) => process[stream].isTTY,
    stop: stop.signal,
    ending: { stopIsDone: false },
    self: [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)]
  }
  // An open standard input would keep the process alive after a stop.
  process.exit(await main(host))
}
