// How an execution stands, for people: its status and since when, what it waits for, and how it ended; and how people write its name.
import type { JsonValue } from "../canonical/json.ts"
import type { LedgerEvent } from "../ledger/events.ts"
import { ExecutionJournal } from "./execution-journal.ts"
import { ownerOfRun, RUN_KINDS, type RunKind } from "./names.ts"
import { type ExecutionStatus, executionStatus } from "./turn-decision.ts"

/** The beginning of the ids of all runs of turns. */
export const TURNS_PREFIX = "workflow/"

/** An execution as people write it: the id of its run of turns, with or without the word in front. */
export const turnsRunOf = (text: string): string =>
  ownerOfRun(text)?.kind === "workflow" ? text : `${TURNS_PREFIX}${text}`

/** As `turnsRunOf` is read: `WORKFLOW/ID`. */
export const executionText = (turnsRun: string): string => turnsRun.slice(TURNS_PREFIX.length)

/** The run of another kind of the same execution. */
export const siblingRun = (turnsRun: string, kind: RunKind): string => `${kind}/${executionText(turnsRun)}`

/** All runs of an execution, by its run of turns; a run that is no execution's stands alone. */
export const runsOfExecution = (run_id: string): ReadonlyArray<string> =>
  ownerOfRun(run_id)?.kind === "workflow" ? RUN_KINDS.map((kind) => siblingRun(run_id, kind)) : [run_id]

/** Follows an execution through the events of its run of turns, and remembers since when it stands as it does. */
export class ExecutionView {
  readonly journal = new ExecutionJournal()
  status: ExecutionStatus | undefined
  /** The time of the event with which the status came. */
  since = ""
  turns = 0

  read(event: LedgerEvent): void {
    if (!this.journal.read(event)) return
    if (event.type === "StepClaimed") this.turns += 1
    const status = executionStatus(this.journal)
    if (status === this.status) return
    this.status = status
    this.since = event.recorded_at
  }

  /** The deferreds that the last body awaits and that have no value yet. */
  get waits(): ReadonlyArray<string> {
    const { deferreds, last } = this.journal
    return last?.turn === "suspended" ? last.waits.filter((name) => !deferreds.has(name)) : []
  }

  /** Attempts that the newest turn did not ask for although they were finished. */
  get unused(): ReadonlyArray<string> {
    return this.journal.last?.unused ?? []
  }

  /** What the last turn left: the encoded result of one that ended or suspended, the cause of one that died. */
  get outcome(): JsonValue | undefined {
    const { last } = this.journal
    return last?.turn === "died" ? last.cause : last?.result
  }
}
