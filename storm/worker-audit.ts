// What must hold after a storm over workers, from the log of the ledger and the notes of the workers: each step is done once,
// what a worker was told stands, and no handler began but under a lease of its own.
import type { EventEnvelope } from "../domain/ledger/event-envelope.ts"
import type { Finding } from "./finding.ts"

/** A line that a worker wrote: what it did, or was told, of a step and its first token. */
export interface Note {
  readonly worker: string
  readonly what: string
  readonly step_id: string
  readonly token: number
}

export interface WorkerAudit {
  readonly steps: number
  readonly renewals: number
  /** Handlers that outlasted a lease and whose first worker finished the step. */
  readonly outlasted: number
  readonly given_back: number
  readonly lost: number
  readonly findings: ReadonlyArray<Finding>
}

/** What the log says of one step. */
interface StepStory {
  /** The worker of every lease, by token. */
  readonly leases: Map<number, string>
  readonly claims: Set<number>
  requeues: number
  renewals: number
  completed: { readonly worker: string; readonly token: number; readonly long: boolean } | undefined
  completions: number
}

interface StepData {
  readonly step_id: string
  readonly worker_id: string
  readonly fencing_token: number
  readonly receipt?: { readonly long?: boolean }
}

const storiesOf = (events: ReadonlyArray<EventEnvelope>): ReadonlyMap<string, StepStory> => {
  const stories = new Map<string, StepStory>()
  for (const { data, type } of events) {
    if (type === "MessagePosted" || type === "LedgerCreated") continue
    const { fencing_token, receipt, step_id, worker_id } = JSON.parse(data) as StepData
    const story = stories.get(step_id) ?? {
      leases: new Map(),
      claims: new Set(),
      requeues: 0,
      renewals: 0,
      completed: undefined,
      completions: 0
    }
    stories.set(step_id, story)
    if (type === "StepClaimed" || type === "LeaseRenewed") story.leases.set(fencing_token, worker_id)
    if (type === "StepClaimed") story.claims.add(fencing_token)
    if (type === "LeaseRenewed") story.renewals += 1
    if (type === "StepRequeued") story.requeues += 1
    if (type === "StepCompleted") {
      story.completed = { worker: worker_id, token: fencing_token, long: receipt?.long === true }
      story.completions += 1
    }
  }
  return stories
}

const finding = (code: Finding["code"], where: string, message: string): Finding => ({ code, where, message })

/** Holds what one note says against the log. */
const noteFinding = (
  { step_id, token, what, worker }: Note,
  story: StepStory | undefined
): Finding | undefined => {
  if (story === undefined || (story.leases.get(token) !== worker && what !== "Lost")) {
    return finding(
      "LEASE_WITHOUT_TIME",
      step_id,
      `${worker} noted ${what} with token ${token}, which it never had`
    )
  }
  return what === "Completed" && story.completed?.worker !== worker
    ? finding(
        "ACKNOWLEDGED_BUT_LOST",
        step_id,
        `${worker} was told that its receipt stands; that of another does`
      )
    : undefined
}

/** Judges a storm over workers; `posted` are the ids of all steps. */
export const auditWorkers = (
  posted: ReadonlyArray<string>,
  events: ReadonlyArray<EventEnvelope>,
  notes: ReadonlyArray<Note>
): WorkerAudit => {
  const stories = storiesOf(events)
  const findings: Array<Finding> = []
  for (const step_id of posted) {
    const completions = stories.get(step_id)?.completions ?? 0
    if (completions === 1) continue
    findings.push(finding("NOT_ONE_RECEIPT", step_id, `it was completed ${completions} times`))
  }
  const begun = new Map<string, number>()
  for (const note of notes) {
    const found = noteFinding(note, stories.get(note.step_id))
    if (found !== undefined) findings.push(found)
    if (note.what === "Begun") begun.set(note.step_id, (begun.get(note.step_id) ?? 0) + 1)
  }
  for (const [step_id, times] of begun) {
    const requeues = stories.get(step_id)?.requeues ?? 0
    if (times <= 1 + requeues) continue
    const message = `handlers began ${times} times, and it was requeued ${requeues} times`
    findings.push(finding("STEP_LEASED_TWICE", step_id, message))
  }
  const all = [...stories.values()]
  const noted = (what: string) => notes.filter((note) => note.what === what).length
  return {
    steps: posted.length,
    renewals: all.reduce((sum, { renewals }) => sum + renewals, 0),
    outlasted: all.filter(
      ({ claims, completed, renewals }) => completed?.long && claims.size === 1 && renewals > 1
    ).length,
    given_back: noted("GivenBack"),
    lost: noted("Lost"),
    findings
  }
}
