// Dossiers of a long run: made and verified, against the hash of each event and of the same files and nothing else. Memory is that of
// processes of their own that verify a dossier, and one of ten times as many events.
import { spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { parseEventLine } from "../domain/dossiers/event-lines.ts"
import { DOSSIER_FILES } from "../domain/dossiers/manifest.ts"
import { type EventEnvelope, eventHash } from "../domain/ledger/event-envelope.ts"
import { sha256 } from "../infrastructure/hashing/node-hashing.ts"
import { verifyDossier } from "../interfaces/dossier/index.ts"
import {
  Checkpoints,
  Dossiers,
  generateKeyFiles,
  Ledger,
  loadSigningKey
} from "../interfaces/embedding/index.ts"
import { compare, rateOf } from "./support/comparison.ts"
import { finishedMessages, RUN } from "./support/history.ts"
import { inPlace } from "./support/place.ts"
import { createRawLedger } from "./support/raw-ledger.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

/** A ledger with so many events of one run, three for each message, and a function that makes a dossier of it. */
const openDossiers = async (folder: string, events: number) => {
  const filename = join(folder, `${events}.db`)
  const raw = await createRawLedger(filename, "NORMAL")
  finishedMessages(raw, Math.ceil(events / 3))
  raw.database.close()
  const keyFile = join(folder, `${events}.pem`)
  await Effect.runPromise(generateKeyFiles(keyFile))
  const key = await Effect.runPromise(loadSigningKey(keyFile))
  const runtime = ManagedRuntime.make(
    Layer.provideMerge(Dossiers.layer, Ledger.layer({ filename, mode: "read" }))
  )
  const { note } = await runtime.runPromise(Checkpoints.use((checkpoints) => checkpoints.make({ key })))
  const make = (path: string) =>
    runtime.runPromise(
      Dossiers.use((dossiers) => dossiers.export({ run_id: RUN }, { checkpoint: note }, path))
    )
  return { key, make, runtime }
}

const verify = async (path: string): Promise<void> => {
  const { verdict } = await Effect.runPromise(verifyDossier(path))
  if (verdict !== "PASS") throw new Error("the dossier of the benchmark does not verify")
}

/** Every event's hash computed again from its line, and the hash of every file: the least that a verification does. */
const hashAll = (path: string): void => {
  for (const name of DOSSIER_FILES) sha256(readFileSync(join(path, name), "utf8"))
  for (const text of readFileSync(join(path, "events.jsonl"), "utf8").split("\n")) {
    if (text !== "") eventHash(sha256, parseEventLine(text) as EventEnvelope)
  }
}

/** The most memory (MB) that a process takes to verify a dossier. */
const peakMemory = (path: string): number => {
  const program = `
    import * as Effect from "effect/Effect"
    import { verifyDossier } from ${JSON.stringify(new URL("../interfaces/dossier/index.ts", import.meta.url).href)}
    const { verdict } = await Effect.runPromise(verifyDossier(${JSON.stringify(path)}))
    console.log(verdict, process.resourceUsage().maxRSS)`
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    cwd: import.meta.dirname
  })
  const [, kilobytes] = /^PASS (\d+)/.exec(stdout) ?? []
  if (kilobytes === undefined) throw new Error("the process of the benchmark did not verify its dossier")
  return Number(kilobytes) / 1_024
}

export const benchmark: Benchmark = {
  description: "dossiers of a run exported and verified, against bare hashes, and their memory",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 7)
      const events = setting("BENCH_EVENTS", 10_000)
      const { make, runtime } = await openDossiers(folder, events)
      const kept = join(folder, "kept")
      await make(kept)
      const again = join(folder, "again")
      const contestants = {
        made: async () => {
          const rate = await rateOf(events, () => make(again))
          rmSync(again, { recursive: true })
          return rate
        },
        verified: () => rateOf(events, () => verify(kept)),
        floor: () => rateOf(events, () => hashAll(kept))
      }
      await compare(2, contestants)
      const figures = await compare(repeats, contestants)
      await runtime.dispose()
      const tenfold = await openDossiers(folder, 10 * events)
      const large = join(folder, "large")
      await tenfold.make(large)
      await tenfold.runtime.dispose()
      return {
        place,
        settings: { repeats, events },
        lines: [
          line("export", "events per second", figures.made, figures.floor, "20,000"),
          line("verification", "events per second", figures.verified, figures.floor, "30,000"),
          line("peak memory of verification", "MB", [peakMemory(kept)], undefined, "under 150 MB"),
          line(
            "peak memory, ten times the events",
            "MB",
            [peakMemory(large)],
            undefined,
            "not ten times as much"
          )
        ]
      }
    })
}
