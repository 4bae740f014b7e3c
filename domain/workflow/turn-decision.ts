// What an execution's steps ask for next: a turn, an end without a turn, or nothing. The total order of the log decides between
// processes: of two turns that were claimed, the earlier claim stands while its lease runs.
import type { ExecutionJournal } from "./execution-journal.ts"
import type { Dismissal } from "./receipts.ts"
import type { JournalStep } from "./run-journal.ts"
import { isExplicit } from "./wakes.ts"

export type NextTurn =
  /** Nothing waits. */
  | { readonly _tag: "Nothing" }
  /** A turn runs, in this process or another, until its lease ends (milliseconds since 1970) at the latest. */
  | { readonly _tag: "Running"; readonly until: number }
  /** The lease of a turn has ended: its step is to be requeued. */
  | { readonly _tag: "Expired"; readonly step: JournalStep }
  /** Steps that wait and bring no turn. */
  | { readonly _tag: "Dismiss"; readonly as: Dismissal; readonly steps: ReadonlyArray<JournalStep> }
  /** The step is the next turn. */
  | { readonly _tag: "Turn"; readonly step: JournalStep }
  /** Another program finished a wake without a turn: the execution is to be woken again. */
  | { readonly _tag: "Unanswered" }

const asksExplicitly = (journal: ExecutionJournal, step: JournalStep): boolean => {
  const wake = journal.wakeOf(step)
  return wake !== undefined && isExplicit(wake)
}

/** How a step ends without a turn; undefined for one that is a turn. */
export const dismissalOf = (journal: ExecutionJournal, step: JournalStep): Dismissal | undefined => {
  const { last, start } = journal
  if (last?.turn === "complete") return "late"
  if (start === undefined) return "early"
  if ((step.posted ?? Number.POSITIVE_INFINITY) <= (last?.seen ?? 0)) return "merged"
  const failed = last?.turn === "suspended" && last.failed
  return failed && !asksExplicitly(journal, step) ? "ignored" : undefined
}

/** True when another program finished a wake that no turn has seen. */
const isUnanswered = (journal: ExecutionJournal): boolean =>
  journal.unansweredSteps().some((step) => dismissalOf(journal, step) === undefined)

/** What is to be done with an execution now. */
export const nextTurn = (journal: ExecutionJournal, now: number): NextTurn => {
  const waiting: Array<JournalStep> = []
  let until: number | undefined
  for (const step of journal.openSteps()) {
    if (step.standing._tag === "Waiting") waiting.push(step)
    if (step.standing._tag !== "Leased") continue
    if (step.standing.ends <= now) return { _tag: "Expired", step }
    until = Math.max(until ?? 0, step.standing.ends)
  }
  if (until !== undefined) return { _tag: "Running", until }
  const turn = waiting.find((step) => dismissalOf(journal, step) === undefined)
  if (turn !== undefined) return { _tag: "Turn", step: turn }
  const as = waiting[0] && dismissalOf(journal, waiting[0])
  if (as === undefined) return { _tag: isUnanswered(journal) ? "Unanswered" : "Nothing" }
  return { _tag: "Dismiss", as, steps: waiting.filter((step) => dismissalOf(journal, step) === as) }
}

/** True when another turn was claimed before this one and may still run: this one is given back. */
export const isHeldElsewhere = (journal: ExecutionJournal, mine: JournalStep, now: number): boolean => {
  const claimed = mine.standing._tag === "Leased" ? mine.standing.claimed : undefined
  if (claimed === undefined) return false
  return journal.openSteps().some(({ standing, step_id }) => {
    if (standing._tag !== "Leased" || step_id === mine.step_id) return false
    return standing.claimed !== undefined && standing.claimed < claimed && standing.ends > now
  })
}

/** What a body did until it suspended. */
export interface SuspendedBody {
  /** Up to which event its execution was read when it began. */
  readonly startedAt: number
  /** It stopped at a failure: only a person wakes it. */
  readonly failed: boolean
  /** The deferreds that it awaits, and those that it completed by itself. */
  readonly awaited: { readonly has: (name: string) => boolean }
  readonly completed: { readonly has: (name: string) => boolean }
}

/**
 * True when a body that suspended must run again in the same turn: something woke it after it began. A deferred that the body
 * completed by itself wakes it only where the body awaits it.
 */
export const isWokenAgain = (journal: ExecutionJournal, body: SuspendedBody): boolean =>
  journal.openSteps().some((step) => {
    if (step.standing._tag !== "Waiting" || (step.posted ?? 0) <= body.startedAt) return false
    const wake = journal.wakeOf(step)
    if (wake === undefined) return false
    if (body.failed) return isExplicit(wake)
    return wake.kind !== "deferred" || body.awaited.has(wake.name) || !body.completed.has(wake.name)
  })

/** What a person is told of an execution. */
export const EXECUTION_STATUSES = [
  "early",
  "ready",
  "running",
  "suspended",
  "failed",
  "died",
  "complete"
] as const
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number]

/** How an execution stands. */
export const executionStatus = (journal: ExecutionJournal): ExecutionStatus => {
  const { last, start } = journal
  if (last?.turn === "complete") return "complete"
  if (start === undefined) return "early"
  const open = journal.openSteps()
  if (open.some(({ standing }) => standing._tag === "Leased")) return "running"
  const failed = last?.turn === "suspended" && last.failed
  if (open.some((step) => !failed || asksExplicitly(journal, step)) || isUnanswered(journal)) return "ready"
  if (last?.turn === "died") return "died"
  return failed ? "failed" : "suspended"
}
