// One execution as the events of its turns' run tell of it: what it was started with, which deferreds have their value, how its
// last turn ended. Memory is only a cache of this: any process comes to the same by reading the run.
import type { JsonValue } from "../canonical/json.ts"
import type { LedgerEvent } from "../ledger/events.ts"
import { readTurnReceipt, type TurnReceipt } from "./receipts.ts"
import { type JournalStep, RunJournal } from "./run-journal.ts"
import { readWake, type Wake } from "./wakes.ts"

/** The end of the last turn that ran the body. */
export type TurnEnd = Extract<TurnReceipt, { readonly turn: "complete" | "suspended" | "died" }>

const isTurnEnd = (receipt: TurnReceipt): receipt is TurnEnd =>
  receipt.turn === "complete" || receipt.turn === "suspended" || receipt.turn === "died"

export class ExecutionJournal {
  readonly turns = new RunJournal()
  /** What it was started with; undefined before. */
  start: Extract<Wake, { readonly kind: "execute" }> | undefined
  /** The encoded exits of deferreds; the first one of each stands. */
  readonly deferreds = new Map<string, JsonValue>()
  /** An interruption was asked for; an unsafe one also cuts off a body that runs. */
  interrupted: "safe" | "unsafe" | undefined
  last: TurnEnd | undefined
  private readonly wakes = new Map<string, Wake>()
  private open = new Set<JournalStep>()
  private readonly unanswered = new Set<JournalStep>()

  /** Reads the next event of the run; false for one that was read before. */
  read(event: LedgerEvent): boolean {
    if (event.position <= this.turns.position) return false
    const step = this.turns.read(event)
    if (step === undefined) return true
    if (event.type === "MessagePosted") this.arrive(step)
    if (step.standing._tag === "Committed") this.end(step, step.standing.receipt)
    return true
  }

  /** What the message of a step says; undefined for one that no engine wrote. */
  wakeOf(step: JournalStep): Wake | undefined {
    return this.wakes.get(step.step_id)
  }

  /** The steps that wait or are leased, in the order in which they were posted. */
  openSteps(): ReadonlyArray<JournalStep> {
    return [...this.open]
  }

  /** Wakes that another program finished, with a receipt that tells of no turn. */
  unansweredSteps(): ReadonlyArray<JournalStep> {
    return [...this.unanswered]
  }

  /** The encoded result, once it is complete: it never changes. */
  get result(): JsonValue | undefined {
    return this.last?.turn === "complete" ? this.last.result : undefined
  }

  private arrive(step: JournalStep): void {
    this.open.add(step)
    const wake = readWake(step.payload)
    if (wake === undefined) return
    this.wakes.set(step.step_id, wake)
    switch (wake.kind) {
      case "execute":
        this.start ??= wake
        return
      case "deferred":
        if (!this.deferreds.has(wake.name)) this.deferreds.set(wake.name, wake.exit)
        return
      case "interrupt":
        this.interrupted ??= "safe"
        return
      case "interrupt-unsafe":
        this.interrupted = "unsafe"
        return
      default:
    }
  }

  private end(step: JournalStep, receipt: Parameters<typeof readTurnReceipt>[0]): void {
    this.open.delete(step)
    const ended = readTurnReceipt(receipt)
    if (ended === undefined && this.wakes.has(step.step_id)) this.unanswered.add(step)
    if (ended !== undefined && isTurnEnd(ended) && this.last?.turn !== "complete") this.last = ended
  }
}
