// What a storm is asked for on the command line. Every value is judged here, so that nothing else meets one that makes
// no sense.
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { parseArgs } from "node:util"

export interface Settings {
  readonly seconds: number
  readonly processes: number
  readonly seed: number
  readonly format: "text" | "json"
  /** The folder below which the storm makes its own. */
  readonly below: string
  /** How many workers are to be killed in a storm over workers; undefined: the storm over commands. */
  readonly workers: number | undefined
}

export const USAGE = `Usage: pnpm storm [--seconds N] [--processes N] [--seed N] [--below FOLDER] [--format text|json]
       pnpm storm --workers KILLS [--seed N] [--below FOLDER] [--format text|json]

Several processes work on one ledger while others are killed and stopped and clocks jump; then everything that they
were told is held against what was committed. Exit 0: nothing found. 1: something was. 2: wrong usage.
With --workers three workers as programs have them are killed, stopped past their lease and asked to end, until so many
were killed (about three in a second); each step must be done once.
The ledger lies below FOLDER (default: a memory disk where there is one), and stays there when something was found.
`

const MEMORY_DISK = "/dev/shm"

const SECONDS = { least: 1, most: 86_400, byDefault: 12 }
const WORKERS = { least: 1, most: 100_000 }
const PROCESSES = { least: 1, most: 32, byDefault: 4 }
/** The largest number that draws may follow from. */
export const MAX_SEED = 0x7fff_ffff

const wholeNumber = (name: string, text: string, least: number, most: number): number => {
  const value = Number(text)
  if (/^[0-9]+$/.test(text) && value >= least && value <= most) return value
  throw new TypeError(`--${name} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`)
}

/** The settings that arguments ask for; throws a `TypeError` whose message says what to change. */
export const settingsFrom = (args: ReadonlyArray<string>, newSeed: number): Settings => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: String(SECONDS.byDefault) },
      processes: { type: "string", default: String(PROCESSES.byDefault) },
      seed: { type: "string", default: String(newSeed) },
      below: { type: "string", default: existsSync(MEMORY_DISK) ? MEMORY_DISK : tmpdir() },
      format: { type: "string", default: "text" },
      workers: { type: "string" }
    }
  })
  const { format } = values
  if (format !== "text" && format !== "json") throw new TypeError("--format takes text or json")
  return {
    seconds: wholeNumber("seconds", values.seconds, SECONDS.least, SECONDS.most),
    processes: wholeNumber("processes", values.processes, PROCESSES.least, PROCESSES.most),
    seed: wholeNumber("seed", values.seed, 0, MAX_SEED),
    below: values.below,
    workers:
      values.workers === undefined
        ? undefined
        : wholeNumber("workers", values.workers, WORKERS.least, WORKERS.most),
    format
  }
}
