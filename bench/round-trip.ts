// What the public API costs a single caller: claimStep and completeStep, one after the other, against a floor
// program that writes the very same events through the same triggers, one transaction per command, and leaves out
// Effect, Schema, Kysely, the queue and the decisions. Posting is not timed.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { LedgerShape } from "../interfaces/embedding/index.ts"
import { compare } from "./support/comparison.ts"
import { claimed, completed, messageIdAt, payload, posted, receipt } from "./support/events.ts"
import { openLedger } from "./support/ledger-runtime.ts"
import { inPlace } from "./support/place.ts"
import { createRawLedger, type RawLedger } from "./support/raw-ledger.ts"
import { type Benchmark, line, type Line, spread } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const RUN = "run-1"
const WORKER = "worker-1"

/** Repeats that are not counted. */
const WARM_UP = 4

const fill = (ledger: RawLedger, steps: number): void => {
  ledger.begin()
  for (let number = 0; number < steps; number++) {
    const messageId = messageIdAt(RUN, ledger.head.position + 1, null)
    ledger.append(posted(RUN, messageId, null, JSON.stringify(payload(number))))
  }
  ledger.commit()
}

const floorTrips = (ledger: RawLedger, trips: number): void => {
  for (let number = 0; number < trips; number++) {
    ledger.begin()
    const { fencing_token, payload_json, step_id } = ledger.next(RUN)
    JSON.parse(payload_json)
    ledger.append(claimed(RUN, step_id, fencing_token + 1, WORKER, ledger.leaseEnd))
    ledger.commit()
    ledger.begin()
    const text = JSON.stringify(receipt(number))
    ledger.append(completed(RUN, step_id, fencing_token + 1, WORKER, text))
    ledger.commit()
  }
}

const ledgerTrips = (ledger: LedgerShape, trips: number) =>
  Effect.gen(function* () {
    for (let number = 0; number < trips; number++) {
      const step = yield* ledger.claimStep({ run_id: RUN, worker_id: WORKER, ttl_seconds: 3_600 })
      yield* ledger.completeStep({
        run_id: RUN,
        step_id: step.step_id,
        worker_id: WORKER,
        fencing_token: step.fencing_token,
        receipt_payload: receipt(number),
        outcome: "SUCCESS"
      })
    }
  })

const measure = async (
  folder: string,
  durability: "FULL" | "NORMAL",
  repeats: number,
  trips: number
): Promise<ReadonlyArray<Line>> => {
  const file = join(folder, `api-${durability}.db`)
  const filler = await createRawLedger(file, "NORMAL")
  const floor = await createRawLedger(join(folder, `floor-${durability}.db`), durability)
  for (const ledger of [filler, floor]) fill(ledger, trips * (repeats + WARM_UP))
  filler.close()
  const api = await openLedger({ filename: file, durability: durability === "FULL" ? "full" : "normal" })
  const cpu = { api: [] as Array<number>, floor: [] as Array<number> }
  const timed = async (name: "api" | "floor", work: () => unknown): Promise<number> => {
    const used = process.cpuUsage()
    const start = performance.now()
    await work()
    const wall = performance.now() - start
    const { system, user } = process.cpuUsage(used)
    cpu[name].push((user + system) / trips / 2)
    return (wall * 1000) / trips / 2
  }
  const contestants = {
    api: () => timed("api", () => api.run((ledger) => ledgerTrips(ledger, trips))),
    floor: () => timed("floor", () => floorTrips(floor, trips))
  }
  await compare(WARM_UP, contestants)
  for (const name of ["api", "floor"] as const) cpu[name] = []
  const figures = await compare(repeats, contestants)
  await api.close()
  floor.close()
  const rate = (micros: ReadonlyArray<number>) => micros.map((value) => 500_000 / value)
  const over = figures.api.map((value, repeat) => value - (figures.floor[repeat] ?? Number.NaN))
  return [
    line(
      `round trips, ${durability}`,
      "per second",
      rate(figures.api),
      rate(figures.floor),
      "ratio at least 0.8"
    ),
    line(`one command, ${durability}`, "microseconds", figures.api, figures.floor),
    line(`one command, ${durability}, time on the CPU`, "microseconds", cpu.api, cpu.floor),
    {
      name: `one command above the floor, ${durability}`,
      unit: "microseconds",
      figure: spread(over),
      goal: "at most 12"
    }
  ]
}

export const benchmark: Benchmark = {
  description: "a single caller through the public API against a floor program that writes the same events",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 15)
      const trips = setting("BENCH_STEPS", 1_000)
      const lines = [
        ...(await measure(folder, "NORMAL", repeats, trips)),
        ...(await measure(folder, "FULL", repeats, trips))
      ]
      return { place, settings: { repeats, round_trips: trips, payload_bytes: 230 }, lines }
    })
}
