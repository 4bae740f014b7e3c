// A process that has just begun and goes on with workflows of a file: how long it takes for what is asked, and in how much memory.
// Started by the benchmark `workflow` with a message; never by hand.
import { once } from "node:events"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Effect from "effect/Effect"
import { Ledger } from "../../interfaces/embedding/index.ts"
import { openGate, openOurs, ran, resumeWaiting, startWaiting, Steps, untilAll } from "./workflows.ts"

export interface WorkflowJob {
  readonly file: string
  readonly what: "replay" | "resume" | "start"
  /** The executions that are meant: to be replayed, or to be resumed. */
  readonly ids: ReadonlyArray<string>
  /** How many are started. */
  readonly executions: number
  /** How long is waited before memory is looked at (milliseconds). */
  readonly idleMillis: number
}

export interface WorkflowWork {
  readonly millis: number
  readonly ids: ReadonlyArray<string>
  /** Bodies of activities that ran. */
  readonly bodies: number
  /** Memory in use above what was in use before: at once, and after the wait (bytes). */
  readonly heap: number
  readonly idle_heap: number
  /** Events of the ledger that were written during the wait. */
  readonly idle_events: number
}

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const heapUsed = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}

const work = async ({ executions, file, idleMillis, ids, what }: WorkflowJob): Promise<WorkflowWork> => {
  const engine = openOurs(file, "normal")
  const position = () =>
    engine.run(Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.head, (head) => head.position)))
  await position()
  const before = heapUsed()
  const start = performance.now()
  const done = await engine.run(
    Effect.gen(function* () {
      if (what === "start") return yield* startWaiting(executions)
      if (what === "resume") yield* resumeWaiting(ids)
      else {
        for (const id of ids) yield* openGate(Steps, id)
        yield* untilAll(Steps, ids, "Complete")
      }
      return ids
    })
  )
  const millis = performance.now() - start
  const heap = heapUsed() - before
  const head = await position()
  if (idleMillis > 0) await new Promise((resolve) => setTimeout(resolve, idleMillis))
  const idle_heap = heapUsed() - before
  const idle_events = (await position()) - head
  await engine.close()
  return { millis, ids: done, bodies: ran.bodies, heap, idle_heap, idle_events }
}

const [job] = (await once(process, "message")) as [WorkflowJob]
const answer = await work(job)
process.send?.(answer, () => process.disconnect())
