// A run's time as bars: a lane for each step, or for each worker where there are more steps than fit on a page. What stands
// close together and went well is one bar; what did not is always a bar of its own.
import type { Attempt } from "../ledger/attempts.ts"
import { isTimestamp, millisFromTimestamp } from "../canonical/timestamp.ts"
import type { Bar, Drawing, Lane, StepName } from "./answers.ts"

/** Most steps that have a lane each. */
const MAX_STEP_LANES = 60

const MAX_WORKER_LANES = 40

/** Into how many parts a lane is divided where bars are joined. */
const PARTS = 1_000

/** A step with its attempts, for the drawing. */
export interface DrawnStep extends StepName {
  readonly created_at: string
  readonly attempts: ReadonlyArray<Attempt>
  readonly waits: boolean
}

/** A file that was tampered with may hold any text as a time. */
const millis = (time: string): number => (isTimestamp(time) ? millisFromTimestamp(time) : 0)

/** How an attempt that is open stands at a time. */
const stateAt = ({ end, lease_expires_at }: Attempt, now: string): string => {
  if (end !== undefined) return end.how
  return lease_expires_at !== undefined && lease_expires_at <= now ? "ended" : "leased"
}

const barOf = (attempt: Attempt, start: number, now: string): Bar => {
  const { claimed, end, lease_expires_at } = attempt
  const how = stateAt(attempt, now)
  const from = claimed === undefined ? start : millis(claimed.at)
  const until = end?.at ?? (how === "ended" ? (lease_expires_at ?? now) : now)
  const lease = lease_expires_at === undefined ? null : millis(lease_expires_at) - start
  return { from: from - start, to: Math.max(from, millis(until)) - start, lease, how, count: 1 }
}

/** Bars that went well and touch at this width become one. */
const joined = (bars: ReadonlyArray<Bar>, part: number): ReadonlyArray<Bar> => {
  const lane: Array<Bar> = []
  for (const bar of [...bars].sort((left, right) => left.from - right.from)) {
    const last = lane.at(-1)
    if (last !== undefined && last.how === bar.how && bar.from - last.to <= part) {
      lane[lane.length - 1] = { ...last, to: Math.max(last.to, bar.to), count: last.count + bar.count }
    } else lane.push({ ...bar, lease: null })
  }
  return lane
}

const workerLanes = (steps: ReadonlyArray<DrawnStep>, start: number, length: number, now: string) => {
  const workers = new Map<string, Array<Bar>>()
  for (const attempt of steps.flatMap(({ attempts }) => attempts)) {
    const bars = workers.get(attempt.worker_id) ?? []
    bars.push(barOf(attempt, start, now))
    workers.set(attempt.worker_id, bars)
  }
  return [...workers].map(([label, bars]): Lane => ({
    label,
    step_id: null,
    bars: joined(bars, length / PARTS),
    waits_from: null
  }))
}

const stepLane = (step: DrawnStep, start: number, now: string): Lane => {
  const since = step.attempts.at(-1)?.end?.at ?? step.created_at
  return {
    label: step.what,
    step_id: step.step_id,
    bars: step.attempts.map((attempt) => barOf(attempt, start, now)),
    waits_from: step.waits ? millis(since) - start : null
  }
}

/** The last moment that is drawn: of work that goes on, now. */
const endOf = (steps: ReadonlyArray<DrawnStep>, now: string): string =>
  steps
    .flatMap(({ attempts, created_at, waits }) =>
      [created_at].concat(
        waits || attempts.some(({ end }) => end === undefined) ? [now] : [],
        attempts.flatMap(({ end }) => (end === undefined ? [] : [end.at]))
      )
    )
    .reduce((latest, at) => (at > latest ? at : latest), "")

/** The drawing of these steps at a time. */
export const drawingOf = (
  steps: ReadonlyArray<DrawnStep>,
  now: string,
  isWhole: boolean
): Drawing | undefined => {
  if (steps.length === 0) return undefined
  const from = steps.reduce((first, { created_at }) => (created_at < first ? created_at : first), now)
  const start = millis(from)
  const length = Math.max(1, millis(endOf(steps, now)) - start)
  const bySteps = steps.length <= MAX_STEP_LANES
  const lanes = bySteps
    ? steps.map((step) => stepLane(step, start, now))
    : workerLanes(steps, start, length, now)
  const most = bySteps ? MAX_STEP_LANES : MAX_WORKER_LANES
  return {
    by: bySteps ? "step" : "worker",
    from,
    length,
    lanes: lanes.slice(0, most),
    left_off: Math.max(0, lanes.length - most),
    is_whole: isWhole
  }
}
