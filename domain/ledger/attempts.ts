// The attempts at each step, folded from the events of its run: who held it, with which token, until when, and how that ended.
// A renewed lease goes on as the same attempt. The fold may begin anywhere: an attempt whose claim it did not see has none.
import type { LedgerEvent, RequeueCause } from "./events.ts"
import type { Outcome } from "./rows.ts"

/** An event, as far as an attempt names one. */
interface EventPlace {
  readonly position: number
  readonly at: string
}

interface AttemptEnd extends EventPlace {
  readonly how: Outcome | RequeueCause
  /** Why the step waits again, and who asked for that. */
  readonly reason?: string
  readonly requested_by?: string
}

export interface Attempt {
  readonly worker_id: string
  /** The newest token: each renewal gives another one. */
  readonly fencing_token: number
  /** Undefined where the fold began behind the claim. */
  readonly claimed: EventPlace | undefined
  readonly lease_expires_at: string | undefined
  readonly renewals: ReadonlyArray<
    EventPlace & { readonly fencing_token: number; readonly lease_expires_at: string }
  >
  /** Undefined while the lease is held. */
  readonly end: AttemptEnd | undefined
}

const placeOf = ({ position, recorded_at }: LedgerEvent): EventPlace => ({ position, at: recorded_at })

type Held = Omit<Attempt, "end">

/** The attempts of every step that the events name, in the order of their claims. */
export class Attempts {
  private readonly bySteps = new Map<string, Array<Attempt>>()

  of(stepId: string): ReadonlyArray<Attempt> {
    return this.bySteps.get(stepId) ?? []
  }

  /** The steps that have attempts, in the order in which they were first met. */
  stepIds(): Iterable<string> {
    return this.bySteps.keys()
  }

  /** Takes the next event of the run. */
  add(event: LedgerEvent): void {
    if (event.type === "StepClaimed") {
      const { fencing_token, lease_expires_at, step_id, worker_id } = event.data
      const claimed = { worker_id, fencing_token, lease_expires_at, claimed: placeOf(event), renewals: [] }
      this.attempts(step_id).push({ ...claimed, end: undefined })
    }
    if (event.type === "LeaseRenewed") {
      const { fencing_token, lease_expires_at, step_id, worker_id } = event.data
      const held = this.takeHeld(step_id, worker_id, event.data.previous_token)
      const renewals = [...held.renewals, { ...placeOf(event), fencing_token, lease_expires_at }]
      this.attempts(step_id).push({ ...held, fencing_token, lease_expires_at, renewals, end: undefined })
    }
    if (event.type === "StepCompleted") {
      const { fencing_token, outcome, step_id, worker_id } = event.data
      const held = this.takeHeld(step_id, worker_id, fencing_token)
      this.attempts(step_id).push({ ...held, end: { ...placeOf(event), how: outcome } })
    }
    if (event.type === "StepRequeued") {
      const { cause, fencing_token, reason, requested_by, step_id, worker_id } = event.data
      const held = this.takeHeld(step_id, worker_id, fencing_token)
      const end = { ...placeOf(event), how: cause, reason, requested_by }
      this.attempts(step_id).push({ ...held, end })
    }
  }

  private attempts(stepId: string): Array<Attempt> {
    const known = this.bySteps.get(stepId) ?? []
    this.bySteps.set(stepId, known)
    return known
  }

  /** Takes out the attempt that an event goes on with. */
  private takeHeld(stepId: string, worker_id: string, fencing_token: number): Held {
    const attempts = this.attempts(stepId)
    if (attempts.at(-1)?.end === undefined) {
      const held = attempts.pop()
      if (held !== undefined) return held
    }
    return { worker_id, fencing_token, claimed: undefined, lease_expires_at: undefined, renewals: [] }
  }
}
