// The storm over workers: three workers of ten lines on one ledger, killed, stopped past their lease and asked to end, until so
// many were killed. Then the rest is worked in calm, and everything is held against the notes of the workers.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { jobIdOf, stepIdOf } from "../domain/ledger/ids.ts"
import type { EventEnvelope } from "../domain/ledger/event-envelope.ts"
import { programOf } from "../infrastructure/testing/programs/program.ts"
import { openLedger, type PromiseLedger } from "../interfaces/promise/index.ts"
import { type Chance, chanceOf } from "./chance.ts"
import type { Children } from "./children.ts"
import type { Finding } from "./finding.ts"
import { auditWorkers, type Note, type WorkerAudit } from "./worker-audit.ts"
import { LEASE_SECONDS, payloadOf, RUN } from "./worker-steps.ts"

const script = programOf("storm/worker-process.ts")

const PLACES = 3

/** How many steps are kept waiting, and posted at once. */
const KEPT_WAITING = 60

/** How long a worker is left in peace (milliseconds): mostly not long, sometimes long enough to outlast a lease three times. */
const LONGEST_LIFE_MILLIS = 400
const LONG_LIFE_MILLIS = [3_500, 5_000] as const
const LONG_LIFE_EVERY = 8
const STOP_MILLIS = [1_200, 2_200] as const

export interface WorkerStorm extends Omit<WorkerAudit, "findings"> {
  readonly verdict: "PASS" | "FAIL"
  readonly seed: number
  readonly killed: number
  readonly stopped: number
  readonly ended: number
  readonly findings: ReadonlyArray<Finding>
  readonly folder: string | undefined
}

interface Weather {
  killed: number
  stopped: number
  ended: number
  readonly findings: Array<Finding>
}

/** Posts steps so that some always wait; gives the ids of all. */
const keepPosting = async (ledger: PromiseLedger, over: AbortSignal): Promise<ReadonlyArray<string>> => {
  const steps: Array<string> = []
  while (!over.aborted) {
    if ((await ledger.waiting({ run_id: RUN, limit: KEPT_WAITING })).length < KEPT_WAITING) {
      const posted = await ledger.commands(
        Array.from({ length: KEPT_WAITING }, (_, index) => ({
          _tag: "PostMessage" as const,
          run_id: RUN,
          source: "SYSTEM" as const,
          payload: payloadOf(steps.length + index)
        }))
      )
      for (const message of posted) {
        if (message._tag === "Failure") throw message.failure
        steps.push(stepIdOf(jobIdOf(message.success.message_id, 1), 1))
      }
    }
    await sleep(50, undefined, { signal: over }).catch(() => {})
  }
  return steps
}

const failed = (worker: string, how: number | string, words: string): Finding => ({
  code: "PROCESS_FAILED",
  where: `worker ${worker}`,
  message: `it ended with ${how}: ${words.trim()}`
})

/** One life of a worker: stopped sometimes, then killed or asked to end. */
const live = async (
  ledger: PromiseLedger,
  children: Children,
  start: (worker: string) => ReadonlyArray<string>,
  worker: string,
  chance: Chance,
  weather: Weather
): Promise<void> => {
  const child = children.start(start(worker), script)
  await child.open
  const isLong = chance.oneIn(LONG_LIFE_EVERY)
  await sleep(isLong ? chance.between(...LONG_LIFE_MILLIS) : chance.below(LONGEST_LIFE_MILLIS))
  if (chance.oneIn(5)) {
    weather.stopped += 1
    await child.stopFor(chance.between(...STOP_MILLIS))
    await sleep(chance.below(LONGEST_LIFE_MILLIS))
  }
  if (chance.oneIn(4)) {
    child.terminate()
    const { how, words } = await child.ended
    weather.ended += 1
    if (how !== 0) weather.findings.push(failed(worker, how, words))
    const held = (await ledger.leases({ run_id: RUN, expired: false })).filter(
      ({ worker_id }) => worker_id === worker
    )
    for (const { step_id } of held) {
      weather.findings.push({
        code: "LEASE_KEPT",
        where: step_id,
        message: `${worker} ended and kept its lease`
      })
    }
    return
  }
  child.kill()
  const { how, words } = await child.ended
  weather.killed += 1
  if (how !== "SIGKILL") weather.findings.push(failed(worker, how, words))
}

/** Works what is left, until no step waits and none is leased. */
const calm = async (ledger: PromiseLedger): Promise<void> => {
  const options = { worker_id: "calm", run_id: RUN, ttl_seconds: LEASE_SECONDS, reap: true, untilEmpty: true }
  const isLeft = async () =>
    (await ledger.leases({ run_id: RUN, limit: 1 })).length > 0 ||
    (await ledger.waiting({ run_id: RUN, limit: 1 })).length > 0
  do {
    await ledger.work({ ...options, concurrency: 32 }, async () => ({ by: "calm" }))
    await sleep(100)
  } while (await isLeft())
}

const allEvents = async (ledger: PromiseLedger): Promise<ReadonlyArray<EventEnvelope>> => {
  const events: Array<EventEnvelope> = []
  for await (const event of ledger.events({ live: false })) events.push(event)
  return events
}

const notesIn = (folder: string): ReadonlyArray<Note> =>
  readdirSync(folder).flatMap((worker) =>
    readFileSync(join(folder, worker), "utf8")
      .split("\n")
      // The last line of a worker that was killed may be torn.
      .slice(0, -1)
      .map((line) => {
        const [what = "", step_id = "", token = ""] = line.split(" ")
        return { worker, what, step_id, token: Number(token) }
      })
  )

/** Raises a storm over workers until `kills` of them were killed, and judges it. */
export const workerStorm = async (
  { below, kills, seed }: { readonly below: string; readonly kills: number; readonly seed: number },
  children: Children,
  interrupted: AbortSignal
): Promise<WorkerStorm> => {
  const folder = mkdtempSync(join(below, "cassette-storm-"))
  const filename = join(folder, "ledger.db")
  const notes = join(folder, "notes")
  mkdirSync(notes)
  const ledger = await openLedger({ filename, durability: "normal", busyDeadline: "1 minute" })
  const weather: Weather = { killed: 0, stopped: 0, ended: 0, findings: [] }
  const over = new AbortController()
  const posting = keepPosting(ledger, over.signal)
  const place = async (name: string): Promise<void> => {
    const chance = chanceOf(seed, name)
    for (let life = 1; weather.killed < kills && !interrupted.aborted; life++) {
      const start = (worker: string) => [filename, join(notes, worker), worker]
      await live(ledger, children, start, `${name}-${life}`, chance, weather)
    }
  }
  try {
    await Promise.all(Array.from({ length: PLACES }, (_, index) => place(`w${index + 1}`)))
  } finally {
    over.abort()
    children.killAll()
  }
  const posted = await posting
  await calm(ledger)
  const { findings: audited, ...counts } = auditWorkers(posted, await allEvents(ledger), notesIn(notes))
  const laddered = (await ledger.verifyCassette({ pure: true })).findings.map(({ code, message, where }) => ({
    code: "LADDER" as const,
    where,
    message: `${code}: ${message}`
  }))
  await ledger.close()
  const findings = [...weather.findings, ...audited, ...laddered]
  const passed = findings.length === 0
  if (passed) rmSync(folder, { recursive: true, force: true })
  const { ended, killed, stopped } = weather
  return {
    verdict: passed ? "PASS" : "FAIL",
    seed,
    killed,
    stopped,
    ended,
    ...counts,
    findings,
    folder: passed ? undefined : folder
  }
}
