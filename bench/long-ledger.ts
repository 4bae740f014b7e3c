// Whether a ledger stays as quick as it was: the rate of 64 callers that post, claim and complete on a ledger with many finished
// steps behind them, against one with a thousand. What such a step takes in the file is told beside.
import { statSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { LedgerShape } from "../interfaces/embedding/index.ts"
import { compare, rateOf } from "./support/comparison.ts"
import { messageIdAt, payload, posted, receipt, stepIdOf } from "./support/events.ts"
import { finishSteps, RUN } from "./support/history.ts"
import { openLedger } from "./support/ledger-runtime.ts"
import { inPlace } from "./support/place.ts"
import { createRawLedger } from "./support/raw-ledger.ts"
import { type Benchmark, line, spread } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const SMALL = 1_000
const CALLERS = 64

/** Repeats that are not counted. */
const WARM_UP = 2

/** Posts in one transaction. */
const GROUP = 5_000

/** Finishes so many steps, each of a message of its own, and says how many bytes of the file each takes. */
const build = async (file: string, steps: number): Promise<number> => {
  const ledger = await createRawLedger(file, "NORMAL")
  const ids: Array<string> = []
  while (ids.length < steps) {
    ledger.begin()
    const end = Math.min(steps, ids.length + GROUP)
    while (ids.length < end) {
      const messageId = messageIdAt(RUN, ledger.head.position + 1, null)
      ledger.append(posted(RUN, messageId, null, JSON.stringify(payload(ids.length))))
      ids.push(stepIdOf(messageId, 1, 1))
    }
    ledger.commit()
  }
  finishSteps(ledger, ids)
  ledger.database.pragma("wal_checkpoint(TRUNCATE)")
  ledger.close()
  return statSync(file).size / steps
}

const work = (ledger: LedgerShape, messages: number) =>
  Effect.forEach(
    Array.from({ length: CALLERS }, (_, caller) => `caller-${caller}`),
    Effect.fnUntraced(function* (name) {
      for (let number = 0; number < messages / CALLERS; number++) {
        yield* ledger.postMessage({ run_id: name, source: "USER", payload: payload(number) })
        const { lease } = yield* ledger.claimStep({ run_id: name, worker_id: name, ttl_seconds: 3_600 })
        yield* ledger.completeStep({ ...lease, receipt_payload: receipt(number), outcome: "SUCCESS" })
      }
    }),
    { concurrency: CALLERS, discard: true }
  )

export const benchmark: Benchmark = {
  description: "the rate of 64 callers on a ledger with many finished steps, against one with a thousand",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 7)
      const steps = setting("BENCH_STEPS", 100_000)
      const messages = setting("BENCH_COMMANDS", 1_280)
      const bytes = await build(join(folder, "long.db"), steps)
      await build(join(folder, "short.db"), SMALL)
      const long = await openLedger({ filename: join(folder, "long.db"), durability: "normal" })
      const short = await openLedger({ filename: join(folder, "short.db"), durability: "normal" })
      const contestants = {
        long: () => rateOf(messages, () => long.run((ledger) => work(ledger, messages))),
        short: () => rateOf(messages, () => short.run((ledger) => work(ledger, messages)))
      }
      await compare(WARM_UP, contestants)
      const figures = await compare(repeats, contestants)
      await long.close()
      await short.close()
      const what = `64 callers behind ${steps} finished steps, NORMAL`
      const lines = [
        line(what, "messages per second", figures.long, figures.short, "ratio at least 0.92"),
        { name: "a finished step in the file", unit: "bytes", figure: spread([bytes]), goal: "at most 2500" }
      ]
      return { place, settings: { repeats, steps, messages, payload_bytes: 230 }, lines }
    })
}
