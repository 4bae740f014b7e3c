// What is known of every step's leases from the answers alone: who was given which token, whether it was given back or used. It
// records and judges nothing.
import { type GivenLease, leaseIn, type One } from "../law.ts"

export interface StepLeases {
  /** The newest token that was given; 0 before the first. */
  readonly token: number
  /** The newest lease, until it is completed or requeued. */
  readonly held: GivenLease | undefined
  readonly isDone: boolean
}

const NEVER_LEASED: StepLeases = { token: 0, held: undefined, isDone: false }

export class LeaseBook {
  private readonly steps = new Map<string, StepLeases>()

  of(stepId: string): StepLeases {
    return this.steps.get(stepId) ?? NEVER_LEASED
  }

  get completed(): number {
    return [...this.steps.values()].filter(({ isDone }) => isDone).length
  }

  /** Takes down what an answer says. */
  record(one: One): void {
    const lease = leaseIn(one)
    if (lease !== undefined) {
      const { isDone } = this.of(lease.step_id)
      this.steps.set(lease.step_id, { token: lease.fencing_token, held: lease, isDone })
    }
    const { answer, command } = one
    if (answer.tag !== "done" || (command.kind !== "complete" && command.kind !== "requeue")) return
    const { isDone, token } = this.of(command.step_id)
    const ends = command.kind === "complete"
    this.steps.set(command.step_id, { token, held: undefined, isDone: isDone || ends })
  }
}
