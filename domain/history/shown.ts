// What is shown of one object of the history: the object as the events say it, what belongs to it by id, and where the tables say
// something else.
import type { Attempt } from "../ledger/attempts.ts"
import type { Outcome, Source } from "../ledger/rows.ts"
import type { StepStatus } from "../ledger/step-state-machine.ts"
import type { ThoughtType } from "../ledger/thoughts/thought-record.ts"
import type { Body } from "./bodies.ts"
import type { TimelineEntry } from "./timeline.ts"

/** Most items of a list inside an answer. */
export const MAX_LISTED = 100

/** The newest events that are shown with a run. */
export const NEWEST_EVENTS = 20

/** The first items of a list. */
export interface Listed<Item> {
  readonly items: ReadonlyArray<Item>
  /** There are more. */
  readonly more: boolean
}

/** The first of some items, of which one more than may be listed was read. */
export const listed = <Item>(items: ReadonlyArray<Item>, most = MAX_LISTED): Listed<Item> => ({
  items: items.slice(0, most),
  more: items.length > most
})

/** Where in the log something stands. */
export interface LogPlace {
  readonly position: number
  readonly recorded_at: string
  readonly hash: string
}

/** How many steps stand where. */
interface WorkCounts {
  readonly pending: number
  readonly leased: number
  readonly committed: number
}

/** How a job stands. */
export interface ShownJobState extends WorkCounts {
  readonly job_id: string
  readonly intent: string
  readonly outcomes: { readonly [outcome: string]: number }
}

/** A message with its payload and its jobs. */
export interface ShownMessage {
  readonly kind: "message"
  readonly message_id: string
  readonly run_id: string
  readonly source: Source
  readonly idempotency_key: string | null
  readonly traceparent: string | null
  readonly posted: LogPlace
  readonly payload: Body
  readonly jobs: Listed<ShownJobState>
}

/** A step in a list. */
export interface ShownStepState {
  readonly step_id: string
  readonly status: StepStatus
  readonly gist: string
  readonly fencing_token: number
  readonly outcome: Outcome | null
}

/** A job with its steps. */
export interface ShownJob extends ShownJobState {
  readonly kind: "job"
  readonly ordinal: number
  readonly message_id: string
  readonly run_id: string
  readonly posted: LogPlace
  readonly steps: Listed<ShownStepState>
}

/** A thought that was recorded while an attempt ran: its task has the run's name, its agent is the attempt's worker. */
export interface ThoughtDuring {
  readonly id: string
  readonly position: number
  readonly type: ThoughtType
  readonly gist: string
}

/** One attempt at a step, with the thoughts that were recorded meanwhile. */
export interface ShownAttempt extends Attempt {
  readonly thoughts: ReadonlyArray<ThoughtDuring>
}

export interface ShownReceiptBody {
  readonly receipt_id: string
  readonly outcome: Outcome
  readonly worker_id: string
  readonly fencing_token: number
  readonly traceparent: string | null
  readonly completed: LogPlace
  readonly receipt: Body
}

/** A step with all its attempts. */
export interface ShownStep {
  readonly kind: "step"
  readonly step_id: string
  /** Its numbers: message, job and step. */
  readonly short_id: string
  readonly ordinal: number
  readonly job_id: string
  readonly message_id: string
  readonly run_id: string
  readonly status: StepStatus
  readonly fencing_token: number
  readonly lease_owner: string | null
  readonly lease_expires_at: string | null
  /** A lease that is held although its end has passed: the step waits again once it is requeued. */
  readonly lease_ended: boolean
  readonly posted: LogPlace
  readonly payload: Body
  readonly attempts: ReadonlyArray<ShownAttempt>
  /** There are earlier attempts: they are many. */
  readonly earlier_attempts: boolean
  readonly receipt: ShownReceiptBody | null
  /** Where the tables say something else than the events. */
  readonly differs: ReadonlyArray<string>
}

/** A receipt with the step that it ended. */
export interface ShownReceipt extends ShownReceiptBody {
  readonly kind: "receipt"
  readonly step_id: string
  readonly job_id: string
  readonly message_id: string
  readonly run_id: string
}

/** An event as a sentence, with its place in the chain and its data. */
export interface ShownEvent extends TimelineEntry {
  readonly kind: "event"
  readonly schema_version: number
  readonly prev_hash: string
  readonly data: Body
}

/** A thought with its place in its task's chain. */
export interface ShownThought {
  readonly kind: "thought"
  readonly id: string
  readonly type: ThoughtType
  readonly task_id: string
  readonly agent_id: string
  readonly timestamp: string
  readonly recorded: LogPlace
  readonly prev_hash: string
  readonly hash: string
  readonly content: Body
}

/** The work of a run, counted. */
interface RunWork extends WorkCounts {
  readonly messages: number
  readonly jobs: number
  readonly expired_leases: number
}

/** The work of a run with more events is not counted: that reads all its steps. */
export const COUNTED_EVENTS = 100_000

/** A run: its work, its leases, its newest events. */
export interface ShownRun {
  readonly kind: "run"
  readonly run_id: string
  readonly events: number
  /** null for a run with more than `COUNTED_EVENTS` events. */
  readonly work: RunWork | null
  readonly oldest_pending_step: string | null
  readonly first: LogPlace
  /** The newest events of the run and of the thoughts of its name, the newest in front. */
  readonly newest: Listed<TimelineEntry>
  readonly held: Listed<{
    readonly step_id: string
    readonly worker_id: string
    readonly fencing_token: number
    readonly lease_expires_at: string
    readonly expired: boolean
  }>
  readonly failed: Listed<{
    readonly step_id: string
    readonly outcome: Outcome
    readonly worker_id: string
    readonly position: number
    readonly reason: string
  }>
}

/** One thing of a ledger with all that belongs to it, told apart by `kind`. */
export type Shown = ShownMessage | ShownJob | ShownStep | ShownReceipt | ShownEvent | ShownThought | ShownRun
