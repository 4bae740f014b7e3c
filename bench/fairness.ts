// Whether several processes on one file all get their turn: each posts, claims and completes on its own run for a few
// seconds, at synchronous=FULL and NORMAL. Reported are the poorest's share of the mean, the longest that any single
// command took, and how many commands two and four of them finished together, against one alone.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { load } from "./support/machine.ts"
import type { Achievement, Contest } from "./support/contender.ts"
import { inPlace } from "./support/place.ts"
import { createLedger } from "./support/raw-ledger.ts"
import { type Benchmark, type Line, line } from "./support/report.ts"
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
  seconds: number,
  durability: Contest["durability"]
): Promise<ReadonlyArray<Achievement>> => {
  const children = Array.from({ length: processes }, (_, index) => {
    const child = fork(contender, { stdio: "inherit" })
    child.send({ file, name: `process-${index}`, seconds, durability } satisfies Contest)
    return child
  })
  await Promise.all(children.map(messageOf))
  for (const child of children) child.send("begin")
  return Promise.all(children.map((child) => messageOf<Achievement>(child)))
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

/** What several processes achieve together, by repeat, and one alone in the same repeat. */
const measure = async (
  folder: string,
  durability: Contest["durability"],
  sizes: { readonly repeats: number; readonly processes: number; readonly seconds: number }
): Promise<ReadonlyArray<Line>> => {
  const { processes, repeats, seconds } = sizes
  const figures = {
    shares: [] as Array<number>,
    waits: [] as Array<number>,
    all: [] as Array<number>,
    two: [] as Array<number>,
    one: [] as Array<number>
  }
  for (let repeat = 0; repeat < repeats; repeat++) {
    const file = join(folder, `contest-${durability}-${repeat}.db`)
    await createLedger({ filename: file })
    const ratesOf = async (count: number) => {
      const results = await contest(file, count, seconds, durability)
      const counts = results.map(({ commands }) => commands)
      console.error(`${durability}: ${counts.join(" ")} commands, load ${load()}`)
      return { counts, results, rate: sum(counts) / seconds }
    }
    figures.one.push((await ratesOf(1)).rate)
    figures.two.push((await ratesOf(2)).rate)
    const { counts, rate, results } = await ratesOf(processes)
    figures.all.push(rate)
    figures.shares.push((Math.min(...counts) * processes) / sum(counts))
    figures.waits.push(Math.max(...results.map(({ longest_wait_ms }) => longest_wait_ms)))
  }
  const at = durability.toUpperCase()
  const unit = "commands per second"
  return [
    line(
      `the poorest of ${processes} processes' share of the mean, ${at}`,
      "share",
      figures.shares,
      undefined,
      "at least 0.5"
    ),
    line(`longest wait for one command, ${at}`, "milliseconds", figures.waits, undefined, "below 250"),
    line(`${processes} processes together, against one alone, ${at}`, unit, figures.all, figures.one),
    line(`2 processes together, against one alone, ${at}`, unit, figures.two, figures.one)
  ]
}

export const benchmark: Benchmark = {
  description:
    "several processes on one file, FULL and NORMAL: the poorest's share, the longest wait, the rate of all",
  run: () =>
    inPlace("disk", async (folder, place) => {
      const sizes = {
        repeats: setting("BENCH_REPEATS", 3),
        processes: setting("BENCH_PROCESSES", 4),
        seconds: setting("BENCH_SECONDS", 4)
      }
      const lines = [...(await measure(folder, "full", sizes)), ...(await measure(folder, "normal", sizes))]
      return { place, settings: sizes, lines }
    })
}
