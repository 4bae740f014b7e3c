// How long the page of `cortex inspect` waits for its answers on a long ledger: the first overview after opening, then each question
// again and again. JSON and the server's work are in the figures, the network of the machine is not.
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { History } from "../application/history/history.ts"
import { Inspection } from "../application/inspection/inspection.ts"
import { inspectedLedger } from "../interfaces/embedding/inspected-ledger.ts"
import { answerTo, type InspectedLedger } from "../interfaces/inspect/questions.ts"
import { finishedMessages, postWaitingSteps, RUN } from "./support/history.ts"
import { inPlace } from "./support/place.ts"
import { createRawLedger } from "./support/raw-ledger.ts"
import { type Benchmark, line, type Line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

/** Steps of the run that wait. */
const WAITING = 1_000

const questions = {
  overview: ["/v1/overview", ""],
  "a page of steps": ["/v1/steps", `run=${RUN}`],
  "a page of waiting steps": ["/v1/steps", `run=${RUN}&state=waiting`],
  "a page of events": ["/v1/events", `run=${RUN}`],
  "the drawing": ["/v1/drawing", `run=${RUN}`]
} as const

const build = async (file: string, steps: number): Promise<void> => {
  const ledger = await createRawLedger(file, "NORMAL")
  finishedMessages(ledger, steps)
  postWaitingSteps(ledger, WAITING)
  ledger.database.pragma("wal_checkpoint(TRUNCATE)")
  ledger.close()
}

/** The milliseconds until an answer is there as text. */
const took = async (inspected: InspectedLedger, path: string, query: string): Promise<number> => {
  const begin = performance.now()
  const { body, status } = await Effect.runPromise(answerTo(inspected, path, new URLSearchParams(query)))
  JSON.stringify(body)
  if (status !== 200) throw new Error(`${path} answered ${status}`)
  return performance.now() - begin
}

/** Opens the file, asks, and closes it. */
const opened = <A>(file: string, ask: (inspected: InspectedLedger) => Promise<A>): Promise<A> => {
  const options = { file, allowNetworkFs: false }
  const asked = Effect.flatMap(Layer.build(inspectedLedger(file, options)), (context) =>
    Effect.promise(() =>
      ask({
        inspection: Context.get(context, Inspection),
        history: Context.get(context, History),
        verification: options,
        network: undefined
      })
    )
  )
  return Effect.runPromise(Effect.scoped(asked))
}

export const benchmark: Benchmark = {
  description: "the answers of the inspector's page on a long ledger",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 9)
      const steps = setting("BENCH_STEPS", 333_000)
      const file = join(folder, "long.db")
      await build(file, steps)
      const first = await opened(file, (inspected) => took(inspected, ...questions.overview))
      const lines: Array<Line> = [
        line("the first overview after opening", "ms", [first], undefined, "at most 100")
      ]
      await opened(file, async (inspected) => {
        for (const [name, [path, query]] of Object.entries(questions)) {
          const times: Array<number> = []
          for (let repeat = 0; repeat < repeats; repeat++) times.push(await took(inspected, path, query))
          lines.push(line(name, "ms", times))
        }
      })
      return { place, settings: { repeats, steps, events: steps * 3 + 2 }, lines }
    })
}
