// What a long history costs: a further thought in a task of many, the memory of verifying the chain, and a proof that one
// checkpoint's history goes on in another's. BENCH_THOUGHTS=1000000 makes a million events.
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Checkpoints, Ledger, Thoughts } from "../interfaces/embedding/index.ts"
import { answerOf } from "./support/child.ts"
import type { Verified } from "./support/chain-verifier.ts"
import { compare } from "./support/comparison.ts"
import { content } from "./support/events.ts"
import { manyThoughts } from "./support/history.ts"
import { inPlace } from "./support/place.ts"
import { createRawLedger } from "./support/raw-ledger.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const TASK = "long"
const SHORT = 10
const PROOFS = 20

const MEBI = 1_048_576

const microseconds = async (items: number, work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return ((performance.now() - start) * 1_000) / items
}

export const benchmark: Benchmark = {
  description: "a further thought, verification and proofs after a long history",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 5)
      const thoughts = setting("BENCH_THOUGHTS", 50_000)
      const appended = setting("BENCH_APPENDED", 200)
      const tenth = Math.floor(thoughts / 10)
      const [file, part] = [join(folder, "ledger.db"), join(folder, "tenth.db")]
      const raw = await createRawLedger(file, "NORMAL")
      const last = manyThoughts(raw, TASK, tenth)
      raw.database.pragma("wal_checkpoint(TRUNCATE)")
      copyFileSync(file, part)
      manyThoughts(raw, TASK, thoughts - tenth, tenth, last)
      const short = Array.from({ length: appended * (repeats + 1) }, (_, number) => `short-${number}`)
      for (const task of short) manyThoughts(raw, task, SHORT)
      const events = raw.head.position
      raw.close()

      const verified: Array<readonly [whole: Verified, tenth: Verified]> = []
      for (let repeat = 0; repeat < Math.min(3, repeats); repeat++) {
        const whole = await answerOf<Verified>("chain-verifier", { file })
        verified.push([whole, await answerOf<Verified>("chain-verifier", { file: part })])
      }

      const runtime = ManagedRuntime.make(Ledger.layer({ filename: file, durability: "normal" }))
      const think = (tasks: ReadonlyArray<string>) =>
        runtime.runPromise(
          Effect.forEach(
            tasks,
            (task_id, number) =>
              Thoughts.use((service) =>
                service.createThoughtRecord({
                  task_id,
                  agent_id: "agent-1",
                  type: "plan",
                  content: content(number),
                  timestamp: "2026-04-17T00:00:00Z"
                })
              ),
            { discard: true }
          )
        )
      const appending = await compare(repeats + 1, {
        long: () => microseconds(appended, () => think(Array.from({ length: appended }, () => TASK))),
        // Each of these tasks gets one thought, so that none grows long.
        short: () => microseconds(appended, () => think(short.splice(0, appended)))
      })

      const prove = (from: number) =>
        runtime.runPromise(Checkpoints.use((service) => service.proveConsistency({ from, to: events })))
      const building = performance.now()
      await prove(tenth)
      const built = (performance.now() - building) / 1_000
      const proofs: Array<number> = []
      for (let proof = 1; proof <= PROOFS; proof++) {
        proofs.push((await microseconds(1, () => prove(Math.floor((events * proof) / (PROOFS + 1))))) / 1_000)
      }
      await runtime.dispose()

      return {
        place,
        settings: { repeats, events, appended },
        lines: [
          line(
            `a thought more in a task of ${thoughts}, against one in a task of ${SHORT}`,
            "microseconds",
            appending.long.slice(1),
            appending.short.slice(1),
            "the same"
          ),
          line(
            "verification of the chain: peak resident memory, against that of a tenth of the events",
            "MiB",
            verified.map(([whole]) => whole.peak_resident_bytes / MEBI),
            verified.map(([, tenth]) => tenth.peak_resident_bytes / MEBI),
            "flat"
          ),
          line(
            "verification of the chain",
            "events per second",
            verified.map(([whole]) => events / whole.seconds)
          ),
          line("making the tree and the first proof", "seconds", [built]),
          line("a proof of consistency once the tree is there", "milliseconds", proofs, undefined, "below 10")
        ]
      }
    })
}
