// What a live stream of events costs the commands of its process: one caller posts, claims and completes, with a subscriber that
// keeps up and without one, in turns on two ledgers.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { LedgerShape } from "../interfaces/embedding/index.ts"
import { compare, rateOf } from "./support/comparison.ts"
import { payload, receipt } from "./support/events.ts"
import { openLedger } from "./support/ledger-runtime.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const run_id = "run-1"
const worker_id = "worker-1"

/** Repeats that are not counted. */
const WARM_UP = 3

const roundTrips = (ledger: LedgerShape, messages: number) =>
  Effect.gen(function* () {
    for (let number = 0; number < messages; number++) {
      yield* ledger.postMessage({ run_id, source: "USER", payload: payload(number) })
      const { lease } = yield* ledger.claimStep({ run_id, worker_id, ttl_seconds: 3_600 })
      yield* ledger.completeStep({ ...lease, receipt_payload: receipt(number), outcome: "SUCCESS" })
    }
  })

/** The same beside a subscriber; it ends when the subscriber has seen everything. */
const besideStream = (ledger: LedgerShape, messages: number) =>
  Effect.gen(function* () {
    const { position } = yield* ledger.head
    const seen = yield* ledger
      .events({ after: position })
      .pipe(Stream.take(messages * 3), Stream.runDrain, Effect.forkChild)
    yield* roundTrips(ledger, messages)
    yield* Fiber.join(seen)
  })

export const benchmark: Benchmark = {
  description: "commands of one caller beside a live stream of events in its process, against none",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 15)
      const messages = setting("BENCH_STEPS", 500)
      const beside = await openLedger({ filename: join(folder, "beside.db"), durability: "normal" })
      const alone = await openLedger({ filename: join(folder, "alone.db"), durability: "normal" })
      const contestants = {
        beside: () => rateOf(messages * 3, () => beside.run((ledger) => besideStream(ledger, messages))),
        alone: () => rateOf(messages * 3, () => alone.run((ledger) => roundTrips(ledger, messages)))
      }
      await compare(WARM_UP, contestants)
      const figures = await compare(repeats, contestants)
      await beside.close()
      await alone.close()
      const lines = [
        line(
          "one caller beside a live stream, NORMAL",
          "commands per second",
          figures.beside,
          figures.alone,
          "ratio at least 0.9"
        )
      ]
      return { place, settings: { repeats, messages, payload_bytes: 230 }, lines }
    })
}
