// Whether several processes on one file all get their turn: each posts, claims and completes on its own run at
// synchronous=FULL for a few seconds. Reported are the poorest's share of the mean, the longest that any single
// command took, and how many commands all of them finished together.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { load } from "./support/machine.ts"
import type { Achievement, Contest } from "./support/contender.ts"
import { inPlace } from "./support/place.ts"
import { createLedger } from "./support/raw-ledger.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const contender = fileURLToPath(new URL("support/contender.ts", import.meta.url))

const messageOf = async <A>(child: ChildProcess): Promise<A> =>
  Promise.race([
    once(child, "message").then(([message]) => message as A),
    once(child, "exit").then(([code]) => {
      throw new Error(`a contender ended early with code ${code}`)
    })
  ])

/** Starts the processes, waits until all have opened the file, and lets them begin together. */
const contest = async (
  file: string,
  processes: number,
  seconds: number
): Promise<ReadonlyArray<Achievement>> => {
  const children = Array.from({ length: processes }, (_, index) => {
    const child = fork(contender, { stdio: "inherit" })
    child.send({ file, name: `process-${index}`, seconds } satisfies Contest)
    return child
  })
  await Promise.all(children.map(messageOf))
  for (const child of children) child.send("begin")
  return Promise.all(children.map((child) => messageOf<Achievement>(child)))
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

export const benchmark: Benchmark = {
  description:
    "several processes at FULL on one file: the poorest's share, the longest wait, the rate of all",
  run: () =>
    inPlace("disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 3)
      const processes = setting("BENCH_PROCESSES", 4)
      const seconds = setting("BENCH_SECONDS", 4)
      const shares: Array<number> = []
      const waits: Array<number> = []
      const rates: Array<number> = []
      const alone: Array<number> = []
      for (let repeat = 0; repeat < repeats; repeat++) {
        const file = join(folder, `contest-${repeat}.db`)
        await createLedger({ filename: file })
        const [single] = await contest(file, 1, seconds)
        const results = await contest(file, processes, seconds)
        const counts = results.map(({ commands }) => commands)
        shares.push((Math.min(...counts) * processes) / sum(counts))
        waits.push(Math.max(...results.map(({ longest_wait_ms }) => longest_wait_ms)))
        rates.push(sum(counts) / seconds)
        alone.push((single?.commands ?? Number.NaN) / seconds)
        console.error(`${counts.join(" ")} commands, alone ${single?.commands}, load ${load()}`)
      }
      return {
        place,
        settings: { repeats, processes, seconds, synchronous: "FULL" },
        lines: [
          line("the poorest process's share of the mean", "share", shares, undefined, "at least 0.5"),
          line("longest wait for one command", "milliseconds", waits, undefined, "below 250"),
          line("all processes together, against one alone", "commands per second", rates, alone)
        ]
      }
    })
}
