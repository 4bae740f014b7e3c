// Executions as people look after them: which there are, how they stand and since when, and the two wakes that a person posts. It
// reads and posts through the ledger alone and runs no workflow; a program that has registered the workflow takes the turn.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { jcsTextOfRead } from "../../domain/canonical/jcs.ts"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import { type Body, jsonBody } from "../../domain/history/bodies.ts"
import { listed, type Listed, MAX_LISTED } from "../../domain/history/shown.ts"
import type { LedgerEvent } from "../../domain/ledger/events.ts"
import { ExecutionNotFound, ExecutionNotOpen } from "../../domain/workflow/errors.ts"
import {
  ExecutionView,
  executionText,
  siblingRun,
  TURNS_PREFIX,
  turnsRunOf
} from "../../domain/workflow/execution-view.ts"
import { ownerOfRun, wakeKey } from "../../domain/workflow/names.ts"
import { type JournalStep, RunJournal } from "../../domain/workflow/run-journal.ts"
import type { ExecutionStatus } from "../../domain/workflow/turn-decision.ts"
import { readAttempt, readClock, type Wake, wakePayload } from "../../domain/workflow/wakes.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import { decoded } from "../ledger/reading/decoded-event.ts"
import { traced } from "../foundation/telemetry.ts"

/** An execution in a list. */
export interface ExecutionSummary {
  /** `WORKFLOW/ID`, as every command takes it. */
  readonly execution: string
  readonly workflow: string
  readonly execution_id: string
  readonly status: ExecutionStatus
  /** Since when it stands so. */
  readonly since: string
  /** How many turns were claimed. */
  readonly turns: number
  /** Deferreds that a suspended body awaits. */
  readonly waits: ReadonlyArray<string>
}

type Standing = "waiting" | "leased" | "SUCCESS" | "FAILURE" | "ABORTED"

export interface ShownExecution extends ExecutionSummary {
  readonly runs: { readonly turns: string; readonly activities: string; readonly timers: string }
  readonly payload: Body | null
  /** Who is told when it is complete. */
  readonly parent: string | null
  /** What the last turn left: its encoded end. */
  readonly outcome: Body | null
  /** Deferreds that have their value. */
  readonly deferreds: Listed<string>
  readonly interrupted: "safe" | "unsafe" | null
  /** Attempts that were finished and that the last body did not ask for: its code has changed. */
  readonly unused: ReadonlyArray<string>
  /** The newest first. */
  readonly activities: Listed<{
    readonly name: string
    readonly attempt: number
    readonly standing: Standing
    readonly worker_id: string | null
    readonly step_id: string
  }>
  readonly clocks: Listed<{
    readonly name: string
    /** Milliseconds since 1970. */
    readonly due_millis: number
    readonly standing: Standing
    readonly step_id: string
  }>
}

type ShownAttempt = ShownExecution["activities"]["items"][number]
type ShownClock = ShownExecution["clocks"]["items"][number]

const PAGE = 1_000

/** Reads a run from its first event on. */
const readRun = Effect.fnUntraced(function* (
  ledger: LedgerShape,
  run_id: string,
  read: (event: LedgerEvent) => void
) {
  let after = 0
  while (true) {
    const page = yield* ledger.eventsAfter({ run_id, after, limit: PAGE })
    const last = page.at(-1)
    if (last === undefined) return after
    for (const envelope of page) read(yield* decoded(envelope))
    after = last.position
  }
})

const viewOf = Effect.fnUntraced(function* (ledger: LedgerShape, run_id: string) {
  const view = new ExecutionView()
  yield* readRun(ledger, run_id, (event) => view.read(event))
  return view
})

const summaryOf = (run_id: string, view: ExecutionView): ExecutionSummary => {
  const owner = ownerOfRun(run_id)
  const { start } = view.journal
  return {
    execution: executionText(run_id),
    workflow: start?.workflow ?? owner?.workflow ?? "",
    execution_id: start?.execution ?? owner?.execution ?? "",
    status: view.status ?? "early",
    since: view.since,
    turns: view.turns,
    waits: view.waits
  }
}

/** How many executions are named at a time. */
const NAMES = 100

/** All executions in the order of their runs, each read by itself. */
export const executions = (ledger: LedgerShape) =>
  Stream.paginate(
    undefined as string | undefined,
    Effect.fnUntraced(function* (after) {
      const runs = yield* ledger.ids({ kind: "run", prefix: TURNS_PREFIX, after, limit: NAMES })
      const named = runs.filter((run_id) => ownerOfRun(run_id) !== undefined)
      const summaries = yield* Effect.forEach(named, (run_id) =>
        Effect.map(viewOf(ledger, run_id), (view) => summaryOf(run_id, view))
      )
      const last = runs.at(-1)
      return [summaries, last === undefined ? Option.none() : Option.some<string | undefined>(last)] as const
    })
  )

/** How many executions stand where, among the first ones; and those that a person must look at. */
export interface ExecutionCounts {
  readonly counts: { readonly [Status in ExecutionStatus]?: number }
  /** The suspended execution that has stood still for the longest time. */
  readonly longest_suspended: ExecutionSummary | null
  /** Executions that stopped at a failure or died. */
  readonly stopped: ReadonlyArray<ExecutionSummary>
  /** There are more executions than were read. */
  readonly more: boolean
}

/** Most executions that are counted, and most that are named. */
const MOST_COUNTED = 1_000
const MOST_NAMED = 5

/** The executions at a glance. */
export const executionCounts = traced("cassette.workflow.executionCounts")(function* (ledger: LedgerShape) {
  const all = yield* Stream.runCollect(Stream.take(executions(ledger), MOST_COUNTED + 1))
  const read = all.slice(0, MOST_COUNTED)
  const counts: { [Status in ExecutionStatus]?: number } = {}
  for (const { status } of read) counts[status] = (counts[status] ?? 0) + 1
  const suspended = read.filter(({ status }) => status === "suspended")
  const [longest] = suspended.toSorted((left, right) => (left.since < right.since ? -1 : 1))
  const stopped = read.filter(({ status }) => status === "failed" || status === "died")
  return {
    counts,
    longest_suspended: longest ?? null,
    stopped: stopped.slice(0, MOST_NAMED),
    more: all.length > MOST_COUNTED
  } satisfies ExecutionCounts
})

/** The execution that a person names, which must be there. */
const named = Effect.fnUntraced(function* (ledger: LedgerShape, text: string) {
  const run_id = turnsRunOf(text)
  if (ownerOfRun(run_id) === undefined) return yield* new ExecutionNotFound({ execution: text })
  const view = yield* viewOf(ledger, run_id)
  return view.status === undefined ? yield* new ExecutionNotFound({ execution: text }) : { run_id, view }
})

const standingOf = ({ standing }: JournalStep): Standing => {
  if (standing._tag === "Committed") return standing.outcome
  return standing._tag === "Leased" ? "leased" : "waiting"
}

const attemptOf = (step: JournalStep): ReadonlyArray<ShownAttempt> => {
  const attempt = readAttempt(step.payload)
  if (attempt === undefined) return []
  const { standing, step_id } = step
  const worker_id = standing._tag === "Leased" ? standing.worker_id : null
  return [{ name: attempt.name, attempt: attempt.attempt, standing: standingOf(step), worker_id, step_id }]
}

const clockOf = (step: JournalStep): ReadonlyArray<ShownClock> => {
  const clock = readClock(step.payload)
  return clock === undefined
    ? []
    : [{ name: clock.name, due_millis: clock.due, standing: standingOf(step), step_id: step.step_id }]
}

const newestSteps = Effect.fnUntraced(function* (ledger: LedgerShape, run_id: string) {
  const journal = new RunJournal()
  yield* readRun(ledger, run_id, (event) => journal.read(event))
  return [...journal.steps.values()].toReversed()
})

/** One execution with its activities and clocks. */
export const showExecution = traced("cassette.workflow.showExecution")(function* (
  ledger: LedgerShape,
  sha256: Sha256,
  text: string,
  isFull: boolean
) {
  const { run_id, view } = yield* named(ledger, text)
  const { deferreds, interrupted = null, start } = view.journal
  const runs = {
    turns: run_id,
    activities: siblingRun(run_id, "activity"),
    timers: siblingRun(run_id, "timer")
  }
  const activities = yield* newestSteps(ledger, runs.activities)
  const clocks = yield* newestSteps(ledger, runs.timers)
  const { outcome } = view
  return {
    ...summaryOf(run_id, view),
    runs,
    payload: start === undefined ? null : jsonBody(sha256, jcsTextOfRead(start.payload), isFull),
    parent: start?.parent === undefined ? null : `${start.parent.workflow}/${start.parent.execution}`,
    outcome: outcome === undefined ? null : jsonBody(sha256, jcsTextOfRead(outcome), isFull),
    deferreds: listed([...deferreds.keys()].slice(0, MAX_LISTED + 1)),
    interrupted,
    unused: view.unused,
    activities: listed(activities.flatMap(attemptOf).slice(0, MAX_LISTED + 1)),
    clocks: listed(clocks.flatMap(clockOf).slice(0, MAX_LISTED + 1))
  } satisfies ShownExecution
})

/** The wakes that a person posts. */
export type PersonsWake = Extract<Wake, { readonly kind: "resume" | "interrupt" | "interrupt-unsafe" }>

/** Posts a wake to an execution that is open; a program that has registered its workflow takes the turn. */
export const wakeExecution = traced("cassette.workflow.wakeExecution")(function* (
  ledger: LedgerShape,
  sha256: Sha256,
  text: string,
  wake: PersonsWake
) {
  const { run_id, view } = yield* named(ledger, text)
  const { status } = view
  if (status === "complete" || status === "early") {
    return yield* new ExecutionNotOpen({ execution: executionText(run_id), status })
  }
  const { created, message_id } = yield* ledger.postMessage({
    run_id,
    source: "USER",
    payload: wakePayload(wake),
    idempotency_key: wakeKey(sha256, wake)
  })
  return { ...summaryOf(run_id, view), message_id, created }
})
