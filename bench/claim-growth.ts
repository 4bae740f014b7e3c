// Whether a claim stays as cheap as it was: the median claim with many waiting and as many finished steps behind
// it, against a thousand of each. Both as the floor program does it and through the public API, since the API's
// own cost would hide a slow query. BENCH_STEPS=1000000 is the large version.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { compare } from "./support/comparison.ts"
import { claimed } from "./support/events.ts"
import { finishSteps, postWaitingSteps, RUN, WORKER } from "./support/history.ts"
import { openLedger } from "./support/ledger-runtime.ts"
import { inPlace } from "./support/place.ts"
import { createRawLedger, openDatabase, RawLedger } from "./support/raw-ledger.ts"
import { type Benchmark, line, spread } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const SMALL = 1_000

/** Claims by repeat, and repeats that are not counted. */
const CLAIMS = 50
const WARM_UP = 2

/** A ledger with so many finished steps and, after all claims of this benchmark, still so many waiting. */
const build = async (file: string, steps: number, claims: number): Promise<void> => {
  const ledger = await createRawLedger(file, "NORMAL")
  finishSteps(ledger, postWaitingSteps(ledger, steps))
  postWaitingSteps(ledger, steps + claims)
  ledger.database.pragma("wal_checkpoint(TRUNCATE)")
  ledger.close()
}

const rawClaim = (ledger: RawLedger): void => {
  ledger.begin()
  const { fencing_token, step_id } = ledger.next(RUN)
  ledger.append(claimed(RUN, step_id, fencing_token + 1, WORKER, ledger.leaseEnd))
  ledger.commit()
}

/** The median of single claims, in microseconds. */
const medianClaim = (claim: () => void): number => {
  const times: Array<number> = []
  for (let index = 0; index < CLAIMS; index++) {
    const start = performance.now()
    claim()
    times.push((performance.now() - start) * 1000)
  }
  return spread(times).median
}

const rawFigures = async (small: string, large: string, repeats: number) => {
  const few = new RawLedger(openDatabase(small, "NORMAL"))
  const many = new RawLedger(openDatabase(large, "NORMAL"))
  const contestants = {
    many: () => medianClaim(() => rawClaim(many)),
    few: () => medianClaim(() => rawClaim(few))
  }
  await compare(WARM_UP, contestants)
  const figures = await compare(repeats, contestants)
  few.close()
  many.close()
  return figures
}

const apiFigures = async (small: string, large: string, repeats: number) => {
  const few = await openLedger({ filename: small, durability: "normal" })
  const many = await openLedger({ filename: large, durability: "normal" })
  const claims = (of: typeof few) => () =>
    of.run((ledger) =>
      Effect.gen(function* () {
        const times: Array<number> = []
        for (let index = 0; index < CLAIMS; index++) {
          const start = performance.now()
          yield* ledger.claimStep({ run_id: RUN, worker_id: WORKER })
          times.push((performance.now() - start) * 1000)
        }
        return spread(times).median
      })
    )
  const contestants = { many: claims(many), few: claims(few) }
  await compare(WARM_UP, contestants)
  const figures = await compare(repeats, contestants)
  await few.close()
  await many.close()
  return figures
}

export const benchmark: Benchmark = {
  description: "the median claim with many waiting and finished steps against a thousand of each",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 15)
      const steps = setting("BENCH_STEPS", 200_000)
      const small = join(folder, "small.db")
      const large = join(folder, "large.db")
      const claims = 2 * CLAIMS * (repeats + WARM_UP)
      await build(small, SMALL, claims)
      const start = performance.now()
      await build(large, steps, claims)
      const building = (performance.now() - start) / 1000
      const raw = await rawFigures(small, large, repeats)
      const api = await apiFigures(small, large, repeats)
      const settings = { repeats, claims_by_repeat: CLAIMS, waiting: steps, finished: steps }
      const goal = "ratio at most 1.3"
      return {
        place,
        settings,
        lines: [
          line("median claim, floor program", "microseconds", raw.many, raw.few, goal),
          line("median claim, public API", "microseconds", api.many, api.few, goal),
          line("building the large ledger", "seconds", [building])
        ]
      }
    })
}
