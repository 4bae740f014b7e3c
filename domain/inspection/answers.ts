// What a page about a ledger is told, by the questions that it asks. Every answer says of which moment it is, and what is long
// comes with its size and its beginning.
import type { TimelineEntry } from "../history/timeline.ts"
import type { StoredText } from "./stored-text.ts"
import type { Attempt } from "../ledger/attempts.ts"
import type { Outcome } from "../ledger/rows.ts"
import type { StepStatus } from "../ledger/step-state-machine.ts"
import type { Finding } from "../ledger/verification.ts"

/** The head that an answer was read at, and the time of asking: ages are counted from it, never from a reader's clock. */
export interface Moment {
  readonly as_of: { readonly position: number; readonly hash: string; readonly time: string | null }
  readonly now: string
}

/** A page of a list; `next` is what the following page is asked with, null at the end. */
export interface Page<Item, Next> extends Moment {
  readonly items: ReadonlyArray<Item>
  readonly next: Next | null
}

/** A step by what a person calls it. */
export interface StepName {
  readonly run_id: string
  readonly step_id: string
  readonly ordinal: number
  /** What it is about, in a few words of its payload. */
  readonly what: string
}

/** The newest signed checkpoint that was named. */
export interface CheckpointSeen {
  readonly size: number
  readonly root: string
  /** The keys that signed it. */
  readonly signers: ReadonlyArray<string>
  /** Whether a trusted key signed it; null where no trust file was named. */
  readonly is_trusted: boolean | null
  /** Why it says nothing about this ledger. */
  readonly fault: string | null
  /** The time of the last event that it covers: a note has no date of its own. */
  readonly covers_until: string | null
}

export interface EndedLease extends StepName {
  readonly worker_id: string
  readonly fencing_token: number
  readonly lease_expires_at: string
}

/** A run with steps that wait: the oldest of them, and when the run had its newest event. */
export interface WaitingRun extends StepName {
  readonly created_at: string
  readonly last_at: string
}

export interface Stuck {
  readonly leases: ReadonlyArray<EndedLease>
  readonly waiting: ReadonlyArray<WaitingRun>
  /** More leases have ended, or more runs wait, than are listed. */
  readonly has_more: boolean
}

export interface FailedStep extends StepName {
  readonly outcome: Outcome
  readonly reason: string
  readonly worker_id: string
  readonly fencing_token: number
  readonly at: string
  readonly position: number
}

export interface RunItem {
  readonly run_id: string
  readonly intent: string
  readonly first_at: string
  readonly last_at: string
  readonly last_position: number
}

export interface Overview extends Moment {
  readonly kind: "ledger"
  /** The file's name, as it was given. */
  readonly file: string
  readonly ledger_id: string | null
  /** What forbids to trust the rest, found at opening. */
  readonly fault: Finding | null
  readonly warnings: ReadonlyArray<string>
  readonly checkpoint: CheckpointSeen | null
  readonly stuck: Stuck
  readonly failed: ReadonlyArray<FailedStep>
  readonly runs: ReadonlyArray<RunItem>
  readonly next_runs: number | null
  /** The configuration of the network that can be asked, if there is one. */
  readonly network: string | null
}

/** How many of a run's steps stand where; null where counting them would read too much. */
export interface RunCounts {
  readonly waiting: number
  readonly at_work: number
  readonly lease_ended: number
  readonly failed: number
  readonly done: number
}

export interface Run extends Moment {
  readonly run: RunItem
  readonly events: number
  readonly counts: RunCounts | null
}

/** A state of steps to list alone. */
export const STEP_FILTERS = ["failed", "ended", "leased", "waiting"] as const
export type StepFilter = (typeof STEP_FILTERS)[number]

export interface StepItem extends StepName {
  readonly job_id: string
  /** What the job is for. */
  readonly intent: string
  readonly status: StepStatus
  readonly outcome: Outcome | null
  readonly fencing_token: number
  readonly lease_owner: string | null
  readonly lease_expires_at: string | null
  readonly created_at: string
  readonly attempts: ReadonlyArray<Attempt>
  /** False where the attempts stand too far behind the message to look for them in a list. */
  readonly has_all_attempts: boolean
}

export interface ThoughtItem {
  readonly id: string
  readonly type: string
  readonly task_id: string
  readonly agent_id: string
  readonly at: string
  readonly position: number
  /** The thought, or how it begins. */
  readonly content: { readonly text: string; readonly is_cut: boolean }
}

/** A bar of the drawing, in milliseconds since its beginning. */
export interface Bar {
  readonly from: number
  readonly to: number
  /** The end of the lease, where one is drawn. */
  readonly lease: number | null
  readonly how: string
  /** How many attempts it stands for. */
  readonly count: number
}

export interface Lane {
  readonly label: string
  readonly step_id: string | null
  readonly bars: ReadonlyArray<Bar>
  /** Since when the step waits, if it does. */
  readonly waits_from: number | null
}

/** A run's time as a drawing: a lane for each step, or for each worker where there are many steps. */
export interface Drawing {
  readonly by: "step" | "worker"
  readonly from: string
  readonly length: number
  readonly lanes: ReadonlyArray<Lane>
  /** Lanes that are not drawn. */
  readonly left_off: number
  /** False where the run has more events than are drawn. */
  readonly is_whole: boolean
}

/** An event of a dossier as a sentence, with its data as they were handed over. */
export interface EvidenceEntry extends TimelineEntry {
  readonly data: StoredText
  /** Bodies were left out, and their hashes stand in their place. */
  readonly is_withheld: boolean
}

/** A text that was read, as a bundle holds it. */
export interface EvidenceText {
  readonly ref: string
  readonly slice: string
  readonly sha256: string
  /** Null where its bytes are not those that the bundle names. */
  readonly text: StoredText | null
}

/** A dossier or a bundle: the report of its own verification, and what it holds. */
export interface EvidenceSeen {
  readonly kind: "dossier" | "bundle"
  readonly file: string
  readonly now: string
  /** `UNSIGNED`: a dossier that is sound in itself, and whose signature was held against no trust file. */
  readonly verdict: "PASS" | "UNSIGNED" | "FAIL" | "INVALID"
  readonly findings: ReadonlyArray<{
    readonly code: string
    readonly where: string
    readonly message: string
  }>
  readonly findings_left_off: number
  /** What it says of itself, by what a person calls it. */
  readonly facts: ReadonlyArray<readonly [name: string, value: string]>
  readonly entries: ReadonlyArray<EvidenceEntry>
  readonly entries_left_off: number
  readonly texts: ReadonlyArray<EvidenceText>
}
