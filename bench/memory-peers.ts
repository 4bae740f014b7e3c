// What it costs an agent to keep a note and to ask for one, against the memory server of the Model Context Protocol's own repository, which
// keeps a file of JSON lines. Both are built servers, spoken to over standard input and output: `pnpm build` comes first.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { MEMORY_VERSION, withPeers } from "./peers/installation.ts"
import { compare } from "./support/comparison.ts"
import { builtProgram, ServerProcess } from "./support/mcp-server.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, type Line, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const WORDS = "lease token receipt chain ledger worker bundle dossier search memory agent trigger".split(" ")

/** A note of about 130 characters; each has a word of its own, which a question asks for. */
const note = (number: number): string =>
  `Note ${number}: the marker${number} says that ${WORDS.map((word, at) => WORDS[(number * (at + 1)) % WORDS.length] ?? word).join(" ")}`

/** What it is, and what it does not do. */
const PEER =
  "one file of JSON lines, read whole for each question and written whole, not flushed, for each note; a text is found where the question stands in it; it has relations between entities, which ours has not"

interface Memory {
  readonly keep: (number: number) => Promise<string>
  readonly ask: (number: number) => Promise<string>
  readonly end: () => Promise<void>
}

const called = async (server: ServerProcess, name: string, given: object): Promise<string> => {
  const answer = await server.ask("tools/call", { name, arguments: given })
  if (answer.includes('"isError":true')) throw new Error(answer)
  return answer
}

const openOurs = async (folder: string): Promise<Memory> => {
  spawnSync(process.execPath, [builtProgram, "network", "init", "--root", folder], {
    stdio: ["ignore", 2, 2]
  })
  spawnSync(process.execPath, [builtProgram, "network", "index", "--root", folder], {
    stdio: ["ignore", 2, 2]
  })
  const server = new ServerProcess([builtProgram, "mcp", "--root", folder, "--agent", "bench"])
  await server.initialize()
  return {
    keep: (number) => called(server, "memory_save", { text: note(number), cassette: "resident" }),
    ask: (number) => called(server, "memory_query", { query: `marker${number}` }),
    end: () => server.end()
  }
}

const openPeer = async (folder: string, peers: string): Promise<Memory> => {
  const [name = ""] = Object.keys(MEMORY_VERSION)
  const manifest = createRequire(join(peers, "package.json")).resolve(`${name}/package.json`)
  const server = new ServerProcess([join(manifest, "..", "dist", "index.js")], {
    MEMORY_FILE_PATH: join(folder, "memory.jsonl")
  })
  await server.initialize()
  return {
    keep: (number) => {
      const entity = { name: `note-${number}`, entityType: "note", observations: [note(number)] }
      return called(server, "create_entities", { entities: [entity] })
    },
    ask: (number) => called(server, "search_nodes", { query: `marker${number}` }),
    end: () => server.end()
  }
}

/** Milliseconds per call; an answer without the asked note fails. */
const perCall = async (
  first: number,
  calls: number,
  call: (number: number) => Promise<string>
): Promise<number> => {
  const start = performance.now()
  for (let number = first; number < first + calls; number++) {
    const answer = await call(number)
    if (!/marker|is_new/.test(answer)) throw new Error(`note ${number} was not found: ${answer}`)
  }
  return (performance.now() - start) / calls
}

const measure = async (folder: string, peers: string | undefined) => {
  const repeats = setting("BENCH_REPEATS", 5)
  const calls = setting("BENCH_CALLS", 50)
  const notes = setting("BENCH_NOTES", 1_000)
  const memories = {
    ours: await openOurs(folder),
    ...(peers !== undefined && { peer: await openPeer(folder, peers) })
  }
  for (const { keep } of Object.values(memories)) await perCall(0, notes, keep)
  const slices = (work: keyof Omit<Memory, "end">) =>
    Object.fromEntries(
      Object.entries(memories).map(([name, memory]) => {
        let turn = 0
        return [
          name,
          () => perCall(work === "keep" ? notes + calls * turn++ : calls * turn++, calls, memory[work])
        ]
      })
    )
  const asked = await compare(repeats, slices("ask"))
  const kept = await compare(repeats, slices("keep"))
  for (const { end } of Object.values(memories)) await end()
  const against =
    peers === undefined ? "alone" : `against ${Object.entries(MEMORY_VERSION).join().replace(",", " ")}`
  const of = (what: string, { ours = [], peer }: Readonly<Record<string, ReadonlyArray<number>>>): Line =>
    line(`${what} among ${notes} notes, ${against}`, "milliseconds", ours, peer)
  return {
    settings: { repeats, calls, notes, peer: PEER },
    lines: [of("a question for one word", asked), of("one more note kept", kept)]
  }
}

export const benchmark: Benchmark = {
  description: "notes of agents kept and asked for over MCP, against a memory server on a file of JSON lines",
  run: () => {
    if (!existsSync(builtProgram)) throw new Error(`there is no ${builtProgram}: run pnpm build first`)
    return inPlace("disk", (folder, place) =>
      withPeers(async (peers) => ({ place, ...(await measure(folder, peers)) }), MEMORY_VERSION)
    )
  }
}
