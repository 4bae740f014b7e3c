// The storm itself: keeps several processes at work on one ledger until the time is up, and gives each life its end:
// killed while opening or at work, stopped past its lease and continued, or ended in order. It judges only that no
// process ended by itself; what the ledger did is for the audit.
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Chance, chanceOf } from "./chance.ts"
import type { Child, Children, Ended } from "./children.ts"
import type { Finding } from "./finding.ts"

export interface Campaign {
  readonly filename: string
  /** The folder of the acknowledgement logs; it exists. */
  readonly logs: string
  readonly seconds: number
  readonly processes: number
  readonly seed: number
  readonly children: Children
  /** Ends the storm before its time. */
  readonly signal: AbortSignal
  /** Called when a process has opened the ledger. */
  readonly opened: () => void
}

/** What was done to the processes. */
export interface Weather {
  lives: number
  killed: number
  stopped: number
  ended: number
  readonly findings: Array<Finding>
}

/** How long a life lasts before something happens to it (milliseconds). */
const LONGEST_LIFE_MILLIS = 2_500
/** A lease lasts a second, and clocks are ahead by little more: the longest of these stops outlast it. */
const STOP_MILLIS = [1_300, 3_000] as const
/** How long the first process may take to open the ledger (milliseconds). */
const LONGEST_START_MILLIS = 60_000
/** How long a process may take to end in order, which includes waiting for the lock (milliseconds). */
const ENDING_MILLIS = 45_000

/** Waits, but not beyond the storm's end; false when that came first. */
const wait = (millis: number, signal: AbortSignal): Promise<boolean> =>
  sleep(millis, true, { signal }).catch(() => false)

const aborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted ? Promise.resolve() : once(signal, "abort")

/** Asks a process to end and gives it some time; a process that stays is killed and is a finding. */
const endInOrder = async (child: Child): Promise<Ended> => {
  child.end()
  const timer = setTimeout(child.kill, ENDING_MILLIS)
  const ended = await child.ended
  clearTimeout(timer)
  return ended
}

/** What a life must have ended with; anything else is the ledger's fault, or the process's own. */
const judge = (worker: string, { how, words }: Ended, expected: number | string): ReadonlyArray<Finding> =>
  how === expected
    ? []
    : [
        {
          code: "PROCESS_FAILED",
          where: `process ${worker}`,
          message: `it ended with ${how} instead of ${expected}: ${words.trim()}`
        }
      ]

const live = async (
  { children, filename, logs, opened, seed, signal }: Campaign,
  weather: Weather,
  worker: string,
  chance: Chance
): Promise<void> => {
  const child = children.start([filename, logs, worker, String(seed)])
  weather.lives += 1
  void child.open.then(opened)
  try {
    // One of some does not get as far as to open.
    if (!chance.oneIn(5)) await Promise.race([child.open, aborted(signal)])
    let goesOn = await wait(chance.below(LONGEST_LIFE_MILLIS), signal)
    while (goesOn && chance.oneIn(2)) {
      weather.stopped += 1
      await child.stopFor(chance.between(...STOP_MILLIS))
      goesOn = await wait(chance.below(LONGEST_LIFE_MILLIS), signal)
    }
    if (goesOn && !chance.oneIn(4)) {
      child.kill()
      // A process that had already ended was not killed.
      const ended = await child.ended
      weather.findings.push(...judge(worker, ended, "SIGKILL"))
      weather.killed += 1
      return
    }
    weather.findings.push(...judge(worker, await endInOrder(child), 0))
    weather.ended += 1
  } finally {
    child.kill()
  }
}

/** One place in the storm: a life after the other. */
const place = async (campaign: Campaign, weather: Weather, name: string): Promise<void> => {
  const chance = chanceOf(campaign.seed, name)
  for (let number = 1; !campaign.signal.aborted; number++) {
    await live(campaign, weather, `${name}-${number}`, chance)
  }
}

/** Raises the storm and lets it pass; no process of it is left when this ends. */
export const raise = async (
  campaign: Omit<Campaign, "opened" | "signal">,
  interrupted: AbortSignal
): Promise<Weather> => {
  const weather: Weather = { lives: 0, killed: 0, stopped: 0, ended: 0, findings: [] }
  const over = new AbortController()
  const endAfter = (millis: number) => setTimeout(() => over.abort(), millis)
  const length = campaign.seconds * 1_000
  let begun = false
  let timer = endAfter(length + LONGEST_START_MILLIS)
  /** The time counts from when the first process is at work, since processes start slowly on a busy machine. */
  const opened = (): void => {
    if (begun) return
    begun = true
    clearTimeout(timer)
    timer = endAfter(length)
  }
  const signal = AbortSignal.any([over.signal, interrupted])
  try {
    const names = Array.from({ length: campaign.processes }, (_, index) => `p${index + 1}`)
    await Promise.all(names.map((name) => place({ ...campaign, opened, signal }, weather, name)))
  } finally {
    clearTimeout(timer)
    campaign.children.killAll()
  }
  return weather
}

/** The file of the storm's ledger and the folder of its logs, below a folder of its own. */
export const placesIn = (folder: string) => ({
  filename: join(folder, "ledger.db"),
  logs: join(folder, "logs")
})
