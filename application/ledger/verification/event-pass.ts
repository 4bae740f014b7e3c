// One reading of the log for several rungs: while the chain rung walks the events, each is parsed once, judged for itself and
// folded. It tells nothing: where anything is wrong, it is given up, and each rung reads for itself and says what it finds.
import * as Result from "effect/Result"
import type { Sha256 } from "../../../domain/canonical/sha256.ts"
import { judgedEvent } from "../../../domain/ledger/event-check.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { evolve } from "../../../domain/ledger/evolve.ts"
import type { FoldTarget } from "./ledger-evidence.ts"

/** Where the whole log is folded into, and the version of the database whose rows are folded. */
export interface FoldPlace {
  readonly target: FoldTarget
  readonly version: number
}

export class EventPass {
  private readonly sha256: Sha256
  private readonly place: FoldPlace | undefined
  private sound = true

  /** Folds into `place`, if there is one. */
  constructor(sha256: Sha256, place: FoldPlace | undefined) {
    this.sha256 = sha256
    this.place = place
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
    return this.sound ? this.place?.target : undefined
  }

  private takes(envelope: EventEnvelope): boolean {
    const { event, findings } = judgedEvent(this.sha256, envelope)
    if (event === undefined || findings.length > 0) return false
    if (this.place === undefined) return true
    const { target, version } = this.place
    try {
      const changes = evolve(target, event, version)
      if (Result.isSuccess(changes)) target.apply(changes.success)
      return Result.isSuccess(changes)
    } catch {
      // The projections rung meets it again, where it is told.
      return false
    }
  }
}
