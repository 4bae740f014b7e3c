// What the same work costs on other queues on SQLite: `plainjob` and `openworkflow`, fetched into a scratch folder. Every
// message is posted, claimed and completed on a durable file at the same `synchronous`; ours also hashes, keeps receipts
// and guards, they do not. When the registry cannot be reached, ours is measured alone.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Part } from "./peers/caller.ts"
import { type Contestant, openContestant, type Opening } from "./peers/contestants.ts"
import { VERSIONS, withPeers } from "./peers/installation.ts"
import { compare, rateOf, type Slice } from "./support/comparison.ts"
import { load } from "./support/machine.ts"
import { inPlace } from "./support/place.ts"
import type { Durability } from "./support/raw-ledger.ts"
import { type Benchmark, type Line, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

type Name = Opening["name"]

/** Callers that wait at once in one process, and processes on one file. */
const CALLERS = 64
const PROCESSES = 4

const UNIT = "messages per second"

/** What each is, and what it does not do. */
const PEERS = {
  plainjob: `${VERSIONS.plainjob} on our better-sqlite3; no hash chain, no receipts, no idempotency key, no ownership of a claim (anybody may finish any job), no guards in the file`,
  openworkflow: `${VERSIONS.openworkflow} on node:sqlite ${process.versions["sqlite"] ?? "of Node"}; no hash chain, no guards in the file, no fencing token (a claim belongs to a worker's name, and may be finished after its lease); keeps the result`
} as const

const callerScript = fileURLToPath(new URL("peers/caller.ts", import.meta.url))

/** The lines of one way to work: ours against each peer, or alone. */
const linesOf = (
  what: string,
  { ours, ...peers }: Readonly<Partial<Record<Name, ReadonlyArray<number>>>>
): ReadonlyArray<Line> => {
  if (ours === undefined) throw new Error("ours was not measured")
  const against = Object.entries(peers).map(([name, figures]) =>
    line(`${what}, against ${name}`, UNIT, ours, figures)
  )
  return against.length === 0 ? [line(`${what}, alone`, UNIT, ours)] : against
}

const contest = async (names: ReadonlyArray<Name>, repeats: number, slice: (name: Name) => Slice) => {
  const slices = Object.fromEntries(names.map((name) => [name, slice(name)]))
  await compare(1, slices)
  const figures = await compare(repeats, slices)
  console.error(JSON.stringify(figures), load())
  return figures
}

const finishTogether = (contestant: Contestant, callers: number, messages: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: callers }, (_, caller) => contestant.finish(`caller-${caller}`, messages / callers))
  )

/** One caller and many callers in this process. */
const inOneProcess = async (
  openings: ReadonlyMap<Name, Opening>,
  durability: Durability,
  repeats: number,
  messages: number
): Promise<ReadonlyArray<Line>> => {
  const opened = new Map<Name, Contestant>()
  for (const [name, opening] of openings) opened.set(name, await openContestant(opening))
  const lines: Array<Line> = []
  for (const callers of [1, CALLERS]) {
    const figures = await contest(
      [...opened.keys()],
      repeats,
      (name) => () => rateOf(messages, () => finishTogether(opened.get(name)!, callers, messages))
    )
    lines.push(...linesOf(`${callers === 1 ? "1 caller" : `${callers} callers`}, ${durability}`, figures))
  }
  for (const contestant of opened.values()) await contestant.close()
  return lines
}

const answerOf = (child: ChildProcess): Promise<unknown> =>
  Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => {
      throw new Error(`a process of the benchmark ended early with code ${code}`)
    })
  ])

/** The rate of several processes together, from the moment that all are ready to the last one's end. */
const rateOfProcesses = async (opening: Opening, messages: number): Promise<number> => {
  const children = Array.from({ length: PROCESSES }, (_, index) => {
    const child = fork(callerScript, { stdio: ["ignore", 2, 2, "ipc"] })
    child.send({ ...opening, caller: `process-${index}`, messages: messages / PROCESSES } satisfies Part)
    return child
  })
  await Promise.all(children.map(answerOf))
  return rateOf(messages, () => {
    for (const child of children) child.send("begin")
    return Promise.all(children.map(answerOf))
  })
}

const measure = async (
  folder: string,
  peers: string | undefined,
  repeats: number,
  messages: number
): Promise<ReadonlyArray<Line>> => {
  const names: ReadonlyArray<Name> = peers === undefined ? ["ours"] : ["ours", "plainjob", "openworkflow"]
  const openings = (file: string, durability: Durability): ReadonlyMap<Name, Opening> =>
    new Map(
      names.map((name) => [
        name,
        { name, file: join(folder, `${name}-${file}.db`), durability, peers: peers ?? "" }
      ])
    )
  const lines: Array<Line> = []
  for (const durability of ["FULL", "NORMAL"] as const) {
    lines.push(...(await inOneProcess(openings(durability, durability), durability, repeats, messages)))
  }
  const shared = openings("processes", "FULL")
  // The first opener alone makes each file.
  for (const opening of shared.values()) await (await openContestant(opening)).close()
  const figures = await contest(names, repeats, (name) => () => rateOfProcesses(shared.get(name)!, messages))
  return [...lines, ...linesOf(`${PROCESSES} processes on one file, FULL`, figures)]
}

export const benchmark: Benchmark = {
  description: "post, claim and complete on a durable file against plainjob and openworkflow",
  run: () =>
    withPeers((peers) =>
      inPlace("disk", async (folder, place) => {
        if (peers === undefined) console.error("The registry gave no peers: ours is measured alone")
        const repeats = setting("BENCH_REPEATS", 5)
        const messages = Math.ceil(setting("BENCH_STEPS", 320) / CALLERS) * CALLERS
        const lines = await measure(folder, peers, repeats, messages)
        const about = peers === undefined ? { peers: "not measured: the registry was not reached" } : PEERS
        return { place, settings: { repeats, messages, payload_bytes: 230, ...about }, lines }
      })
    )
}
