// The steps of one run as their events tell of them. Each step comes to its state by what is newest of it, so that the same event
// may be told twice, or be told here before it is read: nothing is undone by reading it late.
import type { JsonObject } from "../canonical/json.ts"
import { millisFromTimestamp } from "../canonical/timestamp.ts"
import type { LedgerEvent } from "../ledger/events.ts"
import { jobIdOf, stepIdOf } from "../ledger/ids.ts"
import type { Outcome } from "../ledger/rows.ts"

type StepStanding =
  | { readonly _tag: "Waiting" }
  | {
      readonly _tag: "Leased"
      readonly worker_id: string
      /** Milliseconds since 1970. */
      readonly ends: number
      /** Where its claim stands in the log; undefined where that was not read yet. */
      readonly claimed: number | undefined
    }
  | { readonly _tag: "Committed"; readonly outcome: Outcome; readonly receipt: JsonObject }

export interface JournalStep {
  readonly step_id: string
  readonly job_id: string
  readonly key: string | null
  readonly payload: JsonObject
  /** Where its message stands in the log; undefined where that was not read yet. */
  posted: number | undefined
  token: number
  standing: StepStanding
}

/** A message that was posted with one step. */
export interface PostedStep {
  readonly job_id: string
  readonly key: string | null
  readonly payload: JsonObject
  readonly posted: number | undefined
}

const COMMITTED = Number.POSITIVE_INFINITY

/** How new a standing is: a step waits with the token that its last lease had, and is leased with the next. */
const age = ({ standing, token }: JournalStep): number =>
  standing._tag === "Committed" ? COMMITTED : 2 * token + (standing._tag === "Waiting" ? 1 : 0)

export class RunJournal {
  /** Up to which event of the log the run was read. */
  position = 0
  /** In the order in which they were posted, as far as they were read. */
  readonly steps = new Map<string, JournalStep>()
  private readonly byKey = new Map<string, JournalStep>()

  /** The step of the message with a key. */
  withKey(key: string): JournalStep | undefined {
    return this.byKey.get(key)
  }

  /** A message was posted. */
  post({ job_id, key, payload, posted }: PostedStep): JournalStep {
    const step_id = stepIdOf(job_id, 1)
    const known = this.steps.get(step_id)
    if (known !== undefined) {
      known.posted ??= posted
      return known
    }
    const step: JournalStep = {
      step_id,
      job_id,
      key,
      payload,
      posted,
      token: 0,
      standing: { _tag: "Waiting" }
    }
    this.steps.set(step_id, step)
    if (key !== null) this.byKey.set(key, step)
    return step
  }

  /** A step was claimed, or its lease renewed. */
  lease(step: JournalStep, token: number, worker_id: string, ends: number, claimed?: number): void {
    const { standing } = step
    if (2 * token === age(step) && standing._tag === "Leased") {
      step.standing = { ...standing, claimed: standing.claimed ?? claimed }
    } else if (2 * token > age(step)) {
      step.token = token
      step.standing = { _tag: "Leased", worker_id, ends, claimed }
    }
  }

  /** A step waits again, after the lease with this token. */
  giveBack(step: JournalStep, token: number): void {
    if (2 * token + 1 <= age(step)) return
    step.token = token
    step.standing = { _tag: "Waiting" }
  }

  /** A step has its receipt. */
  complete(step: JournalStep, outcome: Outcome, receipt: JsonObject): void {
    if (step.standing._tag === "Committed") return
    step.standing = { _tag: "Committed", outcome, receipt }
  }

  /** Reads the next event of the run: its step; undefined for an event that was read before, or that is of no step. */
  read(event: LedgerEvent): JournalStep | undefined {
    if (event.position <= this.position) return undefined
    this.position = event.position
    if (event.type === "MessagePosted") {
      const { idempotency_key: key, message_id, payload } = event.data
      return this.post({ job_id: jobIdOf(message_id, 1), key, payload, posted: event.position })
    }
    if (event.type === "LedgerCreated" || event.type === "ThoughtRecorded") return undefined
    const step = this.steps.get(event.data.step_id)
    if (step === undefined) return undefined
    const { fencing_token } = event.data
    switch (event.type) {
      case "StepClaimed":
      case "LeaseRenewed": {
        const { lease_expires_at, worker_id } = event.data
        const { standing } = step
        const since =
          event.type === "LeaseRenewed" && standing._tag === "Leased" ? standing.claimed : event.position
        this.lease(step, fencing_token, worker_id, millisFromTimestamp(lease_expires_at), since)
        return step
      }
      case "StepRequeued":
        this.giveBack(step, fencing_token)
        return step
      case "StepCompleted":
        this.complete(step, event.data.outcome, event.data.receipt)
        return step
    }
  }

  /** The steps that wait, the oldest first. */
  waiting(): ReadonlyArray<JournalStep> {
    return [...this.steps.values()].filter(({ standing }) => standing._tag === "Waiting")
  }
}
