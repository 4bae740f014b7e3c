// The second projection: one event and the step it speaks of give the rows that it changes. It repeats what the
// database's triggers do, in another language and on purpose, so that verification can compare the two. It is
// pure and never used to write the ledger itself.
import * as Result from "effect/Result"
import { jcsTextOfRead } from "../canonical/jcs.ts"
import type { JsonObject } from "../canonical/json.ts"
import { refusalOrDefect } from "../canonical/writer.ts"
import { runOfStream, taskOfStream } from "./event-envelope.ts"
import type { LedgerEvent } from "./events.ts"
import { jobIdOf, jobIdOfStep, receiptIdOf, stepIdOf } from "./ids.ts"
import { DATABASE_VERSION } from "./limits.ts"
import type { LedgerRows, LedgerTable, StepRow } from "./rows.ts"
import { INITIAL_STEP_STATUS, nextStepStatus } from "./step-state-machine.ts"

/** One row to insert, or to put in place of the row with the same key. */
export type RowChange = {
  readonly [T in LedgerTable]: { readonly table: T; readonly row: LedgerRows[T] }
}[LedgerTable]

/** An event that cannot follow from the state before it. */
export interface FoldFault {
  readonly position: number
  readonly message: string
}

/** What `evolve` asks of the state that the events before have led to. */
export interface FoldState {
  /** A step as the events so far leave it. */
  readonly step: (stepId: string) => StepRow | undefined
  /** The id of the lowest waiting step of a run, or of one of its jobs. */
  readonly firstPending: (runId: string, jobId: string | undefined) => string | undefined
  /** The message that a key names in a run. */
  readonly messageOfKey: (runId: string, idempotencyKey: string) => string | undefined
  /** True where a thought with this id was recorded. */
  readonly hasThought: (id: string) => boolean
}

type EventOf<T extends LedgerEvent["type"]> = Extract<LedgerEvent, { type: T }>

/** The intent that a payload states, or the empty text. */
export const intentOf = (payload: JsonObject): string =>
  typeof payload["intent"] === "string" ? payload["intent"] : ""

const metaRows = (event: EventOf<"LedgerCreated">, version: number): ReadonlyArray<RowChange> =>
  (["db_version", "schema_version"] as const).map((key) => ({
    table: "cassette_meta",
    row: { key, value: String(version), event_position: event.position }
  }))

const messageRows = (event: EventOf<"MessagePosted">, runId: string): ReadonlyArray<RowChange> => {
  const { data, position: event_position, recorded_at: created_at } = event
  const { message_id, payload } = data
  const intents = data.jobs ?? [intentOf(payload)]
  const payload_json = jcsTextOfRead(payload)
  const steps = data.steps ?? [{ job: 1, payload }]
  const changes: Array<RowChange> = [
    {
      table: "cassette_messages",
      row: {
        message_id,
        run_id: runId,
        source: data.source,
        idempotency_key: data.idempotency_key,
        payload_json,
        created_at,
        event_position
      }
    }
  ]
  intents.forEach((intent, index) => {
    const ordinal = index + 1
    const job_id = jobIdOf(message_id, ordinal)
    changes.push({
      table: "cassette_jobs",
      row: { job_id, message_id, intent, ordinal, created_at, event_position }
    })
  })
  const born = new Map<number, number>()
  for (const step of steps) {
    const ordinal = (born.get(step.job) ?? 0) + 1
    born.set(step.job, ordinal)
    const job_id = jobIdOf(message_id, step.job)
    changes.push({
      table: "cassette_steps",
      row: {
        step_id: stepIdOf(job_id, ordinal),
        job_id,
        ordinal,
        status: INITIAL_STEP_STATUS,
        lease_owner: null,
        lease_expires_at: null,
        fencing_token: 0,
        payload_json: step.payload === payload ? payload_json : jcsTextOfRead(step.payload),
        created_at,
        run_id: runId,
        event_position
      }
    })
  }
  return changes
}

const claimed = (step: StepRow, event: EventOf<"StepClaimed">): ReadonlyArray<RowChange> => [
  {
    table: "cassette_steps",
    row: {
      ...step,
      status: "LEASED",
      lease_owner: event.data.worker_id,
      lease_expires_at: event.data.lease_expires_at,
      fencing_token: event.data.fencing_token,
      event_position: event.position
    }
  }
]

const completed = (step: StepRow, event: EventOf<"StepCompleted">): ReadonlyArray<RowChange> => [
  {
    table: "cassette_receipts",
    row: {
      receipt_id: receiptIdOf(step.step_id),
      step_id: step.step_id,
      job_id: jobIdOfStep(step.step_id),
      worker_id: event.data.worker_id,
      fencing_token: event.data.fencing_token,
      outcome: event.data.outcome,
      receipt_json: jcsTextOfRead(event.data.receipt),
      created_at: event.recorded_at,
      event_position: event.position
    }
  },
  { table: "cassette_steps", row: { ...step, status: "COMMITTED", event_position: event.position } }
]

const requeued = (step: StepRow, event: EventOf<"StepRequeued">): ReadonlyArray<RowChange> => [
  {
    table: "cassette_steps",
    row: {
      ...step,
      status: "PENDING",
      lease_owner: null,
      lease_expires_at: null,
      event_position: event.position
    }
  }
]

/** The new lease is the old one's with another end and the next token. */
const renewed = (step: StepRow, { data, position }: EventOf<"LeaseRenewed">): ReadonlyArray<RowChange> => [
  {
    table: "cassette_steps",
    row: {
      ...step,
      lease_expires_at: data.lease_expires_at,
      fencing_token: data.fencing_token,
      event_position: position
    }
  }
]

const thoughtRows = (event: EventOf<"ThoughtRecorded">, task_id: string): ReadonlyArray<RowChange> => {
  const { data, position: event_position, recorded_at: created_at } = event
  return [{ table: "thought_records", row: { ...data, task_id, created_at, event_position } }]
}

/** Jobs and steps come together; steps name the jobs in order, and every job has one. */
const postedFault = ({ data }: EventOf<"MessagePosted">): string | undefined => {
  if (data.jobs === undefined && data.steps === undefined) return undefined
  if (data.jobs === undefined || data.steps === undefined) return "jobs and steps do not come together"
  let job = 0
  for (const step of data.steps) {
    if (step.job !== job && step.job !== job + 1) return "steps do not name the jobs in order"
    job = step.job
  }
  return job === data.jobs.length ? undefined : "a job has no step, or a step has no job"
}

/** The key of a message that names none yet, or no key. */
const keyFault = (
  state: FoldState,
  { data: { idempotency_key } }: EventOf<"MessagePosted">,
  runId: string
): string | undefined => {
  const taken = idempotency_key === null ? undefined : state.messageOfKey(runId, idempotency_key)
  return taken === undefined ? undefined : `the idempotency key names ${taken} already`
}

/** Claims take the oldest waiting step of their scope. */
const orderFault = (state: FoldState, step: StepRow, event: EventOf<"StepClaimed">): string | undefined => {
  const { scope, step_id } = event.data
  const first = state.firstPending(step.run_id, scope === "run" ? undefined : step.job_id)
  return first === step_id ? undefined : `the ${scope}'s oldest waiting step is ${first ?? "none"}`
}

/** A new lease has the step's next token and an end that is to come. */
const newLeaseFault = (step: StepRow, event: EventOf<"StepClaimed" | "LeaseRenewed">): string | undefined => {
  if (event.data.fencing_token !== step.fencing_token + 1) return "the fencing token does not grow by one"
  return event.data.lease_expires_at <= event.recorded_at ? "the lease ends before it begins" : undefined
}

const leaseFault = (
  state: FoldState,
  step: StepRow,
  event: Exclude<LedgerEvent, { type: "LedgerCreated" | "MessagePosted" | "ThoughtRecorded" }>
) => {
  const { data } = event
  if (event.type === "StepClaimed") return newLeaseFault(step, event) ?? orderFault(state, step, event)
  const token = event.type === "LeaseRenewed" ? event.data.previous_token : data.fencing_token
  if (data.worker_id !== step.lease_owner || token !== step.fencing_token) {
    return "worker and token are not those of the lease"
  }
  const expired = step.lease_expires_at === null || event.recorded_at >= step.lease_expires_at
  if (event.type === "LeaseRenewed") return expired ? "the lease had expired" : newLeaseFault(step, event)
  if (event.type === "StepCompleted" && expired) return "the lease had expired"
  if (event.type === "StepRequeued" && event.data.cause === "expired" && !expired) {
    return "the lease had not expired"
  }
  if (event.type !== "StepRequeued") return undefined
  return event.data.cause === "forced" && event.data.reason === ""
    ? "a forced requeue gives no reason"
    : undefined
}

/**
 * The rows that `event` changes, given the state before it. An event that the state machine, the lease, the order of
 * claims, a key or id that is taken, or its own lists forbid is a fault, and so is a payload or receipt that has no
 * canonical text: JSON that raw SQL may bring in. `version` is that of the database whose rows are told.
 */
export const evolve = (
  state: FoldState,
  event: LedgerEvent,
  version: number = DATABASE_VERSION
): Result.Result<ReadonlyArray<RowChange>, FoldFault> => {
  const fault = (message: string) =>
    Result.fail({ position: event.position, message: `${event.type}: ${message}` })
  const written = (rows: () => ReadonlyArray<RowChange>) =>
    Result.orElse(Result.try({ try: rows, catch: refusalOrDefect }), (refusal) => fault(refusal.message))
  if (event.type === "LedgerCreated") {
    return event.position === 1
      ? Result.succeed(metaRows(event, version))
      : fault("the ledger exists already")
  }
  if (event.type === "ThoughtRecorded") {
    const taskId = taskOfStream(event.stream_id) ?? ""
    if (taskId === "") return fault(`stream ${event.stream_id} is not the stream of a task`)
    return state.hasThought(event.data.id)
      ? fault(`there is a record ${event.data.id} already`)
      : Result.succeed(thoughtRows(event, taskId))
  }
  const runId = runOfStream(event.stream_id)
  if (runId === undefined) return fault(`stream ${event.stream_id} is not the stream of a run`)
  if (event.type === "MessagePosted") {
    const posted = postedFault(event) ?? keyFault(state, event, runId)
    return posted === undefined ? written(() => messageRows(event, runId)) : fault(posted)
  }
  const step = state.step(event.data.step_id)
  if (step === undefined || step.run_id !== runId)
    return fault(`run ${runId} has no step ${event.data.step_id}`)
  if (nextStepStatus(step.status, event.type) === undefined) return fault(`the step is ${step.status}`)
  const lease = leaseFault(state, step, event)
  if (lease !== undefined) return fault(lease)
  switch (event.type) {
    case "StepClaimed":
      return Result.succeed(claimed(step, event))
    case "StepCompleted":
      return written(() => completed(step, event))
    case "StepRequeued":
      return Result.succeed(requeued(step, event))
    case "LeaseRenewed":
      return Result.succeed(renewed(step, event))
  }
}
