// The fold of a dossier's own events, by the rules that verify a ledger. It keeps no more than those rules ask for: steps that are
// not finished, keys, ids of thoughts. A step that is finished is forgotten, since nothing may follow; only the rows of a job
// that a bundle rides along for are kept.
import type { FoldState, RowChange } from "../ledger/evolve.ts"
import { jobIdOfStep, stepIdOf } from "../ledger/ids.ts"
import type { ReceiptRow, StepRow } from "../ledger/rows.ts"
import { SortedIds } from "../ledger/sorted-ids.ts"

/** What the events made of a job. */
export interface JobRows {
  readonly steps: Map<string, StepRow>
  readonly receipts: Array<ReceiptRow>
}

export class DossierFold implements FoldState {
  /** Of one run, since a dossier has no more. */
  private readonly open = new Map<string, StepRow>()
  private readonly waiting = new SortedIds()
  private readonly keys = new Map<string, string>()
  private readonly thoughts = new Set<string>()
  private readonly kept: ReadonlyMap<string, JobRows>
  private readonly isWhole: boolean
  private claimed: string | undefined

  /** Keeps the rows of `jobs`; `isWhole` says that all events of the run are there, and not those of some jobs alone. */
  constructor(jobs: Iterable<string>, isWhole: boolean) {
    this.kept = new Map([...jobs].map((job) => [job, { steps: new Map(), receipts: [] }]))
    this.isWhole = isWhole
  }

  /** Names the step that the next event claims. */
  claiming(stepId: string | undefined): void {
    this.claimed = stepId
  }

  /** What the events have made of a job whose rows are kept. */
  rowsOf(jobId: string): JobRows | undefined {
    return this.kept.get(jobId)
  }

  readonly step = (stepId: string): StepRow | undefined => this.open.get(stepId)

  /** Where only some jobs of a run are there, which of all its steps was the oldest cannot be judged. */
  readonly firstPending = (_: string, jobId: string | undefined): string | undefined => {
    if (jobId === undefined) return this.isWhole ? this.waiting.firstFrom("") : this.claimed
    const first = this.waiting.firstFrom(stepIdOf(jobId, 1))
    return first !== undefined && jobIdOfStep(first) === jobId ? first : undefined
  }

  readonly messageOfKey = (_: string, key: string): string | undefined => this.keys.get(key)

  readonly hasThought = (id: string): boolean => this.thoughts.has(id)

  apply(changes: ReadonlyArray<RowChange>): void {
    for (const change of changes) {
      switch (change.table) {
        case "cassette_messages":
          if (change.row.idempotency_key !== null)
            this.keys.set(change.row.idempotency_key, change.row.message_id)
          break
        case "cassette_steps":
          this.putStep(change.row)
          break
        case "cassette_receipts":
          this.kept.get(change.row.job_id)?.receipts.push(change.row)
          break
        case "thought_records":
          this.thoughts.add(change.row.id)
          break
        case "cassette_jobs":
        case "cassette_meta":
          break
      }
    }
  }

  private putStep(row: StepRow): void {
    const { job_id, status, step_id } = row
    const kept = this.kept.get(job_id)
    kept?.steps.set(step_id, row)
    if (status === "PENDING") this.waiting.add(step_id)
    else this.waiting.delete(step_id)
    if (status === "COMMITTED") this.open.delete(step_id)
    // No rule asks for a payload.
    else this.open.set(step_id, kept === undefined ? { ...row, payload_json: "" } : row)
  }
}
