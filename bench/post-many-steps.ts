// What a step costs when many are posted at once: one message of ten thousand steps against messages of ten,
// through the public API. The cost by step must not grow with the message.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { LedgerShape } from "../interfaces/embedding/index.ts"
import { compare } from "./support/comparison.ts"
import { payload } from "./support/events.ts"
import { openLedger } from "./support/ledger-runtime.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const FEW = 10

/** Small messages by repeat: as much work as is worth timing. */
const SMALL_MESSAGES = 200

const message = (steps: number) => ({
  run_id: "run-1",
  source: "PLANNER" as const,
  payload: { intent: "summarise" },
  jobs: [
    { intent: "summarise", steps: Array.from({ length: steps }, (_, number) => payload(number)) }
  ] as const
})

type Message = Parameters<LedgerShape["postMessage"]>[0]

export const benchmark: Benchmark = {
  description: "the cost by step of posting ten thousand steps in one message against posting ten",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 15)
      const steps = setting("BENCH_STEPS", 10_000)
      const opened = await openLedger({ filename: join(folder, "ledger.db"), durability: "normal" })
      const microsecondsByStep = async (posted: Message, times: number, size: number): Promise<number> => {
        const start = performance.now()
        await opened.run((ledger) =>
          Effect.gen(function* () {
            for (let index = 0; index < times; index++) yield* ledger.postMessage(posted)
          })
        )
        return ((performance.now() - start) * 1000) / times / size
      }
      const many = message(steps) as unknown as Message
      const few = message(FEW) as unknown as Message
      const contestants = {
        many: () => microsecondsByStep(many, 1, steps),
        few: () => microsecondsByStep(few, SMALL_MESSAGES, FEW)
      }
      await compare(2, contestants)
      const figures = await compare(repeats, contestants)
      await opened.close()
      return {
        place,
        settings: { repeats, steps, few: FEW, payload_bytes: 230 },
        lines: [
          line(
            `${steps} steps in one message, against ${FEW}`,
            "microseconds by step",
            figures.many,
            figures.few,
            "ratio at most 3"
          )
        ]
      }
    })
}
