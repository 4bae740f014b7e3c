// Runs programs one after the other in this process: `node run-in-turn.ts PROGRAM ARGUMENT PROGRAM ARGUMENT …`. Each begins when the
// one before has nothing left to do, as its own process would end then, and a line with a mark stands before what it prints.
import { pathToFileURL } from "node:url"

/** Stands before what each program prints; none prints it. */
const NEXT_PROGRAM = "--- next program ---"

/** The file that is started. */
export const runInTurn = import.meta.filename

/** What each program printed, in their order; those that were not reached are missing. */
export const printedInTurn = (stdout: string): ReadonlyArray<string> =>
  stdout.split(`${NEXT_PROGRAM}\n`).slice(1)

/** With what Node ends a process whose program waits at its top level for what never comes. */
const UNSETTLED = 13

const run = (programs: ReadonlyArray<string>): void => {
  const runs = programs.values()
  let isSettled = true
  // Each run has an address of its own: Node would not run the same one again.
  const start = async (address: string) => {
    isSettled = false
    await import(address)
    isSettled = true
  }
  process.on("beforeExit", () => {
    if (!isSettled) process.exit(UNSETTLED)
    const [program, argument] = [runs.next().value, runs.next().value]
    if (program === undefined || argument === undefined || process.exitCode) return
    process.argv = [process.execPath, program, argument]
    console.log(NEXT_PROGRAM)
    // From within a turn of the loop: Node asks again whether to end only after one.
    setImmediate(() => void start(`${pathToFileURL(program).href}?${performance.now()}`))
  })
}

if (import.meta.main) run(process.argv.slice(2))
