// What durable workflows cost: an activity against a message that is posted, claimed and completed by hand on the same ledger, a
// workflow that does nothing, a replay in a process that has just begun, and many executions that wait. Effect's own engine in
// memory, which keeps nothing, is measured beside, and DBOS on Postgres where both can be had.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { Ledger, type LedgerShape } from "../interfaces/embedding/index.ts"
import { answerOf } from "./support/child.ts"
import { compare } from "./support/comparison.ts"
import { inPlace } from "./support/place.ts"
import { type Benchmark, line, type Line } from "./support/report.ts"
import { setting } from "./support/settings.ts"
import type { WorkflowJob, WorkflowWork } from "./support/workflow-process.ts"
import {
  Empty,
  openMemory,
  openOurs,
  resumeWaiting,
  startWaiting,
  Steps,
  untilAll
} from "./support/workflows.ts"

const WORKER = "by-hand"

/** Longer than an engine keeps in memory what is suspended (milliseconds). */
const IDLE_MILLIS = 15_000

/** What an activity is in the ledger, by hand: a post with its claim, and a completion. */
const byHand = (ledger: LedgerShape, run_id: string, steps: number) =>
  Effect.gen(function* () {
    for (let number = 0; number < steps; number++) {
      const { lease } = yield* ledger.postMessage({
        run_id,
        source: "WORKER",
        idempotency_key: `step ${number}/1`,
        payload: { intent: `step ${number}`, attempt: 1 },
        claim: { worker_id: WORKER, ttl_seconds: 60 }
      })
      if (lease === null) throw new Error("the post gave no lease")
      const receipt_payload = { exit: { _tag: "Success", value: null } }
      yield* ledger.completeStep({ ...lease, receipt_payload, outcome: "SUCCESS" })
    }
  })

/** Microseconds for each of so many things. */
const microsecondsFor = async (many: number, work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return ((performance.now() - start) * 1_000) / many
}

/** One activity, and one empty workflow, one after the other. */
const measureSteps = async (
  folder: string,
  durability: "full" | "normal",
  repeats: number,
  steps: number
): Promise<ReadonlyArray<Line>> => {
  const ours = openOurs(join(folder, `steps-${durability}.db`), durability)
  const memory = openMemory()
  let turn = 0
  const next = () => `${(turn += 1)}`
  const withLedger = (work: (ledger: LedgerShape) => Effect.Effect<unknown, unknown>) =>
    ours.run(Effect.flatMap(Ledger, work))
  const activities = () => Steps.execute({ id: next(), steps, waits: false })
  const empties = () => Effect.forEach(Array.from({ length: steps }, next), (id) => Empty.execute({ id }))
  const contestants = {
    activity: () => microsecondsFor(steps, () => ours.run(activities())),
    hand: () => microsecondsFor(steps, () => withLedger((ledger) => byHand(ledger, `hand-${next()}`, steps))),
    activityInMemory: () => microsecondsFor(steps, () => memory.run(activities())),
    empty: () => microsecondsFor(steps, () => ours.run(empties())),
    emptyInMemory: () => microsecondsFor(steps, () => memory.run(empties()))
  }
  await compare(2, contestants)
  const { activity, activityInMemory, empty, emptyInMemory, hand } = await compare(repeats, contestants)
  await ours.close()
  await memory.close()
  const name = durability.toUpperCase()
  return [
    line(
      `an activity, against a post with its claim and a completion, ${name}`,
      "microseconds",
      activity,
      hand,
      "ratio at most 1.1"
    ),
    line(
      `an activity, against Effect's own engine in memory, ${name}`,
      "microseconds",
      activity,
      activityInMemory
    ),
    line(
      `an empty workflow, against an activity's two commits by hand, ${name}`,
      "microseconds",
      empty,
      hand,
      "at most 1500"
    ),
    line(
      `an empty workflow, against Effect's own engine in memory, ${name}`,
      "microseconds",
      empty,
      emptyInMemory
    )
  ]
}

/** Replays of an execution with so many finished activities, each in a process that has just begun. */
const measureReplay = async (
  folder: string,
  repeats: number,
  steps: number
): Promise<ReadonlyArray<Line>> => {
  const file = join(folder, "replay.db")
  const engine = openOurs(file, "normal")
  const ids: Array<string> = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    const execution = Steps.execute({ id: `${repeat}`, steps, waits: true }, { discard: true })
    ids.push(await engine.run(execution))
  }
  await engine.run(untilAll(Steps, ids, "Suspended"))
  await engine.close()
  const millis: Array<number> = []
  for (const id of ids) {
    const job: WorkflowJob = { file, what: "replay", ids: [id], executions: 0, idleMillis: 0 }
    const work = await answerOf<WorkflowWork>("workflow-process", job)
    if (work.bodies !== 0) throw new Error(`${work.bodies} activities ran again`)
    millis.push(work.millis)
  }
  return [
    line(
      `from a signal to the end of an execution with ${steps} finished activities, in a new process`,
      "milliseconds",
      millis,
      undefined,
      "at most 100"
    )
  ]
}

/** Many executions are started and wait, and go on in a process that has just begun. */
const measureMany = async (
  folder: string,
  repeats: number,
  executions: number
): Promise<ReadonlyArray<Line>> => {
  const started: Array<WorkflowWork> = []
  const resumed: Array<WorkflowWork> = []
  const inMemory = { started: [] as Array<number>, resumed: [] as Array<number> }
  for (let repeat = 0; repeat < repeats; repeat++) {
    const file = join(folder, `many-${repeat}.db`)
    const idleMillis = repeat === 0 ? IDLE_MILLIS : 0
    const job = { file, ids: [], executions, idleMillis }
    const work = await answerOf<WorkflowWork>("workflow-process", {
      ...job,
      what: "start"
    } satisfies WorkflowJob)
    started.push(work)
    const next: WorkflowJob = { ...job, what: "resume", ids: work.ids, idleMillis: 0 }
    resumed.push(await answerOf<WorkflowWork>("workflow-process", next))
    const memory = openMemory()
    const start = performance.now()
    const ids = await memory.run(startWaiting(executions))
    const waiting = performance.now()
    await memory.run(resumeWaiting(ids))
    inMemory.started.push(waiting - start)
    inMemory.resumed.push(performance.now() - waiting)
    await memory.close()
  }
  const idle = started.slice(0, 1)
  const mebibytes = (bytes: number) => bytes / 2 ** 20
  const millisOf = (work: ReadonlyArray<WorkflowWork>) => work.map(({ millis }) => millis)
  const unit = "milliseconds"
  return [
    line(
      `${executions} executions started and waiting`,
      unit,
      millisOf(started),
      inMemory.started,
      "at most 2000"
    ),
    line(
      `${executions} executions go on, in a new process`,
      unit,
      millisOf(resumed),
      inMemory.resumed,
      "at most 2000"
    ),
    line(
      "memory of those that wait, at once",
      "MiB",
      idle.map(({ heap }) => mebibytes(heap))
    ),
    line(
      `the same after ${IDLE_MILLIS / 1_000} s`,
      "MiB",
      idle.map(({ idle_heap }) => mebibytes(idle_heap)),
      undefined,
      "about none"
    ),
    line(
      "events written meanwhile",
      "events",
      idle.map(({ idle_events }) => idle_events),
      undefined,
      "none"
    )
  ]
}

export const benchmark: Benchmark = {
  description:
    "durable workflows against the same commits by hand, against an engine that keeps nothing, and in new processes",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 9)
      const steps = setting("BENCH_STEPS", 300)
      const replayed = setting("BENCH_REPLAYED", 1_000)
      const executions = setting("BENCH_EXECUTIONS", 1_000)
      const many = setting("BENCH_MANY_REPEATS", 3)
      const lines = [
        ...(await measureSteps(folder, "normal", repeats, steps)),
        ...(await measureSteps(folder, "full", repeats, steps)),
        ...(await measureReplay(folder, many, replayed)),
        ...(await measureMany(folder, many, executions))
      ]
      return { place, settings: { repeats, steps, replayed, executions, many_repeats: many }, lines }
    })
}
