// Lists and runs the benchmarks: `node bench/run.ts` runs all, each in a process of its own so that none warms or
// burdens the next; `node bench/run.ts NAME` runs one and `--list` names them. Each prints one JSON document on
// stdout; progress goes to stderr. It never judges a figure.
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { load, machine } from "./support/machine.ts"
import type { Benchmark } from "./support/report.ts"

const ownFile = fileURLToPath(import.meta.url)

const names = readdirSync(new URL(".", import.meta.url))
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .map((file) => file.slice(0, -".ts".length))
  .toSorted()

const benchmarkOf = async (name: string): Promise<Benchmark> =>
  ((await import(new URL(`${name}.ts`, import.meta.url).href)) as { readonly benchmark: Benchmark }).benchmark

const list = async (): Promise<void> => {
  for (const name of names) console.log(`${name}: ${(await benchmarkOf(name)).description}`)
}

/** The document as text, with every spread on one line. */
const print = (document: unknown): string =>
  JSON.stringify(document, undefined, 2).replaceAll(
    /\{\s+"median": (\S+),\s+"min": (\S+),\s+"max": (\S+)\s+\}/g,
    '{ "median": $1, "min": $2, "max": $3 }'
  )

const runOne = async (name: string): Promise<void> => {
  const { description, run } = await benchmarkOf(name)
  console.error(`${name}: ${description}`)
  const loadBefore = load()
  const start = performance.now()
  const report = await run()
  const document = {
    benchmark: name,
    description,
    machine: { ...machine(), load_before: loadBefore, load_after: load() },
    ...report,
    seconds: Number(((performance.now() - start) / 1000).toFixed(1))
  }
  console.log(print(document))
}

/** Runs every benchmark; true when all of them ended well. */
const runAll = (): boolean =>
  names
    .map((name) => spawnSync(process.execPath, [ownFile, name], { stdio: "inherit" }).status === 0)
    .every(Boolean)

const [wanted] = process.argv.slice(2)
if (wanted === undefined) process.exitCode = runAll() ? 0 : 1
else if (wanted === "--list") await list()
else if (names.includes(wanted)) await runOne(wanted)
else {
  console.error(`There is no benchmark ${wanted}; there are ${names.join(", ")}`)
  process.exitCode = 2
}
