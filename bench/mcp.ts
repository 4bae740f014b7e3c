// What agents wait for: the first answer of a server that was just started, against a bare server of the official SDK,
// and one recorded thought through the protocol, against the same call on the application layer. The built server is
// measured, since that is what people run: `pnpm build` comes first.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Ledger, Thoughts } from "../interfaces/embedding/index.ts"
import { compare } from "./support/comparison.ts"
import { builtProgram, ServerProcess } from "./support/mcp-server.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const bare = fileURLToPath(new URL("support/bare-mcp-server.ts", import.meta.url))

/** Milliseconds from the start of a process to its first answer. */
const firstAnswer = async (args: ReadonlyArray<string>): Promise<number> => {
  const start = performance.now()
  const server = new ServerProcess(args)
  await server.initialize()
  const took = performance.now() - start
  await server.end()
  return took
}

const thought = (n: number) => ({
  type: "plan" as const,
  task_id: "t",
  agent_id: "a",
  content: `thought ${n}`
})

/** Milliseconds per call of `calls` made one after the other. */
const perCall = async (calls: number, call: (n: number) => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  for (let n = 0; n < calls; n++) await call(n)
  return (performance.now() - start) / calls
}

const starts = (folder: string, repeats: number) =>
  compare(repeats, {
    ours: () => firstAnswer([builtProgram, "mcp", "--root", folder]),
    bare: () => firstAnswer([bare])
  })

const calls = async (folder: string, repeats: number, count: number) => {
  const server = new ServerProcess([
    builtProgram,
    "mcp",
    "--db",
    join(folder, "a.db"),
    "--durability",
    "normal"
  ])
  await server.initialize()
  const layer = Ledger.layer({ filename: join(folder, "b.db"), durability: "normal" })
  const runtime = ManagedRuntime.make(layer)
  const record = (n: number) => Thoughts.use((thoughts) => thoughts.createThoughtRecord(thought(n)))
  const figures = await compare(repeats, {
    ours: () =>
      perCall(count, (n) => server.ask("tools/call", { name: "thought_record", arguments: thought(n) })),
    layer: () => perCall(count, (n) => runtime.runPromise(record(n)))
  })
  await server.end()
  await Effect.runPromise(runtime.disposeEffect)
  return figures
}

export const benchmark: Benchmark = {
  description:
    "the MCP server: first answer against a bare SDK server, a thought against the application layer",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      if (!existsSync(builtProgram)) throw new Error(`there is no ${builtProgram}: run pnpm build first`)
      const repeats = setting("BENCH_REPEATS", 9)
      const count = setting("BENCH_CALLS", 200)
      const started = await starts(folder, repeats)
      const called = await calls(folder, repeats + 1, count)
      const [, ...ours] = called.ours
      const [, ...layer] = called.layer
      const above = ours.map((value, repeat) => value - (layer[repeat] ?? Number.NaN))
      return {
        place,
        settings: { repeats, calls: count },
        lines: [
          line("first answer", "milliseconds", started.ours, started.bare, "ratio at most 2.5"),
          line("thought_record", "milliseconds", ours, layer),
          line("thought_record above the application layer", "milliseconds", above, undefined, "at most 2")
        ]
      }
    })
}
