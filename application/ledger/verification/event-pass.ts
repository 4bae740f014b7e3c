// One reading of the log for several rungs: while the chain rung walks the events, each is parsed once, judged for itself and
// folded. It tells nothing: where anything is wrong, it is given up, and each rung reads for itself and says what it finds.
import * as Result from "effect/Result"
import type { Sha256 } from "../../../domain/canonical/sha256.ts"
import { judgedEvent } from "../../../domain/ledger/event-check.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { evolve } from "../../../domain/ledger/evolve.ts"
import type { FoldTarget } from "./ledger-evidence.ts"

export class EventPass {
  private readonly sha256: Sha256
  private readonly target: FoldTarget | undefined
  private sound = true

  /** Folds into `target`, if there is one. */
  constructor(sha256: Sha256, target: FoldTarget | undefined) {
    this.sha256 = sha256
    this.target = target
  }

  /** Takes the next event. */
  add(envelope: EventEnvelope): void {
    if (this.sound) this.sound = this.takes(envelope)
  }

  /** The chain rung has found something, so that no other rung may build upon this reading. */
  giveUp(): void {
    this.sound = false
  }

  /** True when every event that the chain rung has read was found to be good. */
  get judged(): boolean {
    return this.sound
  }

  /** What the whole log was folded into. */
  get folded(): FoldTarget | undefined {
    return this.sound ? this.target : undefined
  }

  private takes(envelope: EventEnvelope): boolean {
    const { event, findings } = judgedEvent(this.sha256, envelope)
    if (event === undefined || findings.length > 0) return false
    if (this.target === undefined) return true
    try {
      const changes = evolve(this.target, event)
      if (Result.isSuccess(changes)) this.target.apply(changes.success)
      return Result.isSuccess(changes)
    } catch {
      // The projections rung meets it again, where it is told.
      return false
    }
  }
}
