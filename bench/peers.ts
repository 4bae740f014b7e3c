// What the same work costs on other programs on SQLite: `plainjob`, `openworkflow`, Emmett and LangGraph's saver, fetched into a scratch
// folder, and a plain table. Every message is posted, claimed and completed on a durable file at the same `synchronous`; ours also hashes, keeps receipts
// and guards, they do not. When the registry cannot be reached, ours is measured alone.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Part } from "./peers/caller.ts"
import type { Contestant, Opening, OurWay } from "./peers/contestant.ts"
import { openContestant } from "./peers/contestants.ts"
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
  openworkflow: `${VERSIONS.openworkflow} on node:sqlite ${process.versions["sqlite"] ?? "of Node"}; no hash chain, no guards in the file, no fencing token (a claim belongs to a worker's name, and may be finished after its lease); keeps the result`,
  langgraph: `the SQLite saver ${VERSIONS["@langchain/langgraph-checkpoint-sqlite"]} of LangGraph on our better-sqlite3; a checkpoint is put and read in one commit: no queue, no claim, no hash chain, no guards in the file`,
  table:
    "a table of jobs by hand on our better-sqlite3; no history, no receipts that stay, no token, no guards in the file",
  emmett: `${VERSIONS["@event-driven-io/emmett-sqlite"]} on our better-sqlite3 in place of its driver, one connection; each command reads its stream and appends at that version; no queue, no claim of the oldest, no hash chain, no guards in the file; its transactions are not for callers at once on one connection, so one caller alone is measured`
} as const

const callerScript = fileURLToPath(new URL("peers/caller.ts", import.meta.url))

/** What is held against what, in one process: our way to work, the peers, and the goal. */
interface Pairing {
  readonly what: string
  readonly way: OurWay
  readonly peers: ReadonlyArray<Exclude<Name, OurWay>>
  readonly callers: number
  readonly durabilities: ReadonlyArray<Durability>
  readonly goal?: string
}

const BOTH = ["FULL", "NORMAL"] as const

const PAIRINGS: ReadonlyArray<Pairing> = [
  {
    what: "three commands",
    way: "ours",
    peers: ["plainjob", "openworkflow", "table", "emmett"],
    callers: 1,
    durabilities: BOTH
  },
  {
    what: "three commands",
    way: "ours",
    peers: ["plainjob", "openworkflow", "table"],
    callers: CALLERS,
    durabilities: BOTH,
    goal: "against plainjob at least 3.5 (FULL), 0.9 (NORMAL)"
  },
  {
    what: "a post and Worker.run",
    way: "worker",
    peers: ["plainjob"],
    callers: 1,
    durabilities: BOTH,
    goal: "at least 0.7 (FULL)"
  },
  {
    what: "a post with its claim, a completion",
    way: "claimed",
    peers: ["plainjob", "langgraph"],
    callers: 1,
    durabilities: ["FULL"],
    goal: "against langgraph at least 0.55"
  },
  {
    what: "batches of 64 commands",
    way: "batches",
    peers: ["plainjob"],
    callers: 1,
    durabilities: ["NORMAL"],
    goal: "at least 1.0"
  }
]

/** The lines of our way against each peer, or alone. */
const linesOf = (
  what: string,
  way: OurWay,
  { [way]: ours, ...peers }: Readonly<Partial<Record<Name, ReadonlyArray<number>>>>,
  goal?: string
): ReadonlyArray<Line> => {
  if (ours === undefined) throw new Error("ours was not measured")
  const against = Object.entries(peers).map(([name, figures]) =>
    line(`${what}, against ${name}`, UNIT, ours, figures, goal)
  )
  return against.length === 0 ? [line(`${what}, alone`, UNIT, ours, undefined, goal)] : against
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

/** One pairing at one durability, each contestant on a file of its own. */
const paired = async (
  folder: string,
  peers: string | undefined,
  { callers, goal, peers: against, way, what }: Pairing,
  durability: Durability,
  repeats: number,
  messages: number
): Promise<ReadonlyArray<Line>> => {
  const names: ReadonlyArray<Name> = peers === undefined ? [way] : [way, ...against]
  const opened = new Map<Name, Contestant>()
  for (const name of names) {
    const file = join(folder, `${name}-${callers}-${durability}.db`)
    opened.set(name, await openContestant({ name, file, durability, peers: peers ?? "" }))
  }
  const figures = await contest(
    names,
    repeats,
    (name) => () => rateOf(messages, () => finishTogether(opened.get(name)!, callers, messages))
  )
  for (const contestant of opened.values()) await contestant.close()
  return linesOf(
    `${callers === 1 ? "1 caller" : `${callers} callers`}, ${what}, ${durability}`,
    way,
    figures,
    goal
  )
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

/** Four processes on one file, each with a worker. */
const inProcesses = async (
  folder: string,
  peers: string | undefined,
  repeats: number,
  messages: number
): Promise<ReadonlyArray<Line>> => {
  const names: ReadonlyArray<Name> = peers === undefined ? ["worker"] : ["worker", "plainjob", "openworkflow"]
  const openings = new Map<Name, Opening>(
    names.map((name) => [
      name,
      { name, file: join(folder, `${name}-processes.db`), durability: "FULL", peers: peers ?? "" }
    ])
  )
  // The first opener alone makes each file.
  for (const opening of openings.values()) await (await openContestant(opening)).close()
  const figures = await contest(
    names,
    repeats,
    (name) => () => rateOfProcesses(openings.get(name)!, messages)
  )
  const goal = "against plainjob at least 0.6"
  return linesOf(`${PROCESSES} processes on one file, a post and Worker.run, FULL`, "worker", figures, goal)
}

const measure = async (
  folder: string,
  peers: string | undefined,
  repeats: number,
  messages: number
): Promise<ReadonlyArray<Line>> => {
  const lines: Array<Line> = []
  for (const pairing of PAIRINGS) {
    for (const durability of pairing.durabilities) {
      lines.push(...(await paired(folder, peers, pairing, durability, repeats, messages)))
    }
  }
  return [...lines, ...(await inProcesses(folder, peers, repeats, messages))]
}

export const benchmark: Benchmark = {
  description:
    "post, claim and complete on a durable file against queues, a plain table, an event store and LangGraph's saver",
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
