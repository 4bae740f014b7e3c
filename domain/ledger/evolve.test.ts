// The second projection: the rows of each event, and every event that cannot follow as a fault.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { LedgerEvent } from "./events.ts"
import { evolve, type RowChange } from "./evolve.ts"
import { jobIdOf, stepIdOf } from "./ids.ts"
import type { StepRow } from "./rows.ts"
import { MemoryFold } from "./testing/memory-fold.ts"
import {
  at,
  committedStep,
  eventAt,
  jobId,
  leasedStep,
  messageId,
  pendingStep,
  receipt,
  run,
  stepId
} from "./testing/samples.ts"

/** A state with one step, or none. */
const stateWith = (step: StepRow | undefined): MemoryFold =>
  new MemoryFold().apply(step === undefined ? [] : [{ table: "cassette_steps", row: step }])

const rows = (step: StepRow | undefined, event: LedgerEvent): ReadonlyArray<RowChange> =>
  Result.getOrThrowWith(evolve(stateWith(step), event), (fault) => new Error(fault.message))

const faultOf = (step: StepRow | undefined, event: LedgerEvent): string => {
  const result = evolve(stateWith(step), event)
  if (Result.isSuccess(result)) throw new Error("it followed")
  expect(result.failure.position).toBe(event.position)
  return result.failure.message
}

const messageData = {
  idempotency_key: null,
  message_id: messageId,
  payload: { intent: "read" },
  source: "USER"
}
const lease = { fencing_token: 1, step_id: stepId, worker_id: "worker-1" }
const claimData = { ...lease, lease_expires_at: at(300), scope: "run" }
const completionData = { ...lease, outcome: "SUCCESS", receipt: { ok: true } }
const requeueData = { ...lease, cause: "expired", reason: "stuck", requested_by: "operator" }

const renewalData = {
  fencing_token: 2,
  lease_expires_at: at(500),
  previous_token: 1,
  step_id: stepId,
  worker_id: "worker-1"
}
const renewal = (data: object, seconds = 299) =>
  eventAt(4, seconds, "LeaseRenewed", { ...renewalData, ...data })
const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

const created = eventAt(1, 0, "LedgerCreated", { ledger_id: "ledger-1" }, "ledger")
const claimed = eventAt(3, 0, "StepClaimed", claimData)
const completed = eventAt(4, 10, "StepCompleted", completionData)

describe("the ledger's creation", () => {
  it("gives the versions", () => {
    expect(rows(undefined, created)).toStrictEqual([
      { table: "cassette_meta", row: { key: "db_version", value: "2", event_position: 1 } },
      { table: "cassette_meta", row: { key: "schema_version", value: "2", event_position: 1 } }
    ])
  })

  it("happens once", () => {
    const again = eventAt(2, 0, "LedgerCreated", { ledger_id: "ledger-2" }, "ledger")
    expect(faultOf(undefined, again)).toContain("exists already")
  })
})

describe("a message", () => {
  it("gives itself, its job and its step", () => {
    const event = eventAt(2, 0, "MessagePosted", messageData)
    const payload_json = `{"intent":"read"}`
    expect(rows(undefined, event)).toStrictEqual([
      {
        table: "cassette_messages",
        row: {
          message_id: messageId,
          run_id: run,
          source: "USER",
          idempotency_key: null,
          payload_json,
          created_at: at(0),
          event_position: 2
        }
      },
      {
        table: "cassette_jobs",
        row: {
          job_id: jobId,
          message_id: messageId,
          intent: "read",
          ordinal: 1,
          created_at: at(0),
          event_position: 2
        }
      },
      { table: "cassette_steps", row: { ...pendingStep, payload_json } }
    ])
  })

  it.each([[{}], [{ intent: 7 }], [{ intent: null }], [{ intent: { a: 1 } }]])(
    "with payload %j has an empty intent",
    (payload) => {
      const changes = rows(undefined, eventAt(2, 0, "MessagePosted", { ...messageData, payload }))
      expect(changes[1]?.row).toMatchObject({ intent: "" })
    }
  )

  it("numbers jobs and, in each, steps", () => {
    const event = eventAt(2, 0, "MessagePosted", {
      ...messageData,
      jobs: ["a", ""],
      steps: [
        { job: 1, payload: { n: 1 } },
        { job: 1, payload: { n: 2 } },
        { job: 2, payload: { n: 3 } }
      ]
    })
    const changes = rows(undefined, event)
    const of = (table: RowChange["table"]) =>
      changes.flatMap((change) => (change.table === table ? [change.row] : []))
    const second = jobIdOf(messageId, 2)
    expect(of("cassette_jobs")).toMatchObject([
      { job_id: jobId, intent: "a", ordinal: 1 },
      { job_id: second, intent: "", ordinal: 2 }
    ])
    expect(of("cassette_steps")).toMatchObject([
      { step_id: stepIdOf(jobId, 1), ordinal: 1, payload_json: `{"n":1}` },
      { step_id: stepIdOf(jobId, 2), ordinal: 2, payload_json: `{"n":2}` },
      { step_id: stepIdOf(second, 1), ordinal: 1, payload_json: `{"n":3}` }
    ])
  })

  const step = (job: number) => ({ job, payload: {} })

  it.each([
    ["jobs without steps", { jobs: ["a"] }, "do not come together"],
    ["steps without jobs", { steps: [step(1)] }, "do not come together"],
    ["a gap", { jobs: ["a", "b", "c"], steps: [step(1), step(3)] }, "in order"],
    ["a step back", { jobs: ["a", "b"], steps: [step(1), step(2), step(1)] }, "in order"],
    ["a first job that is not 1", { jobs: ["a", "b"], steps: [step(2)] }, "in order"],
    ["a job without a step", { jobs: ["a", "b"], steps: [step(1)] }, "a job has no step"],
    ["a step without a job", { jobs: ["a"], steps: [step(1), step(2)] }, "a step has no job"]
  ])("cannot have %s", (_name, lists, words) => {
    expect(faultOf(undefined, eventAt(2, 0, "MessagePosted", { ...messageData, ...lists }))).toContain(words)
  })

  it("stands in the stream of a run", () => {
    expect(faultOf(undefined, eventAt(2, 0, "MessagePosted", messageData, "ledger"))).toContain(
      "stream ledger"
    )
  })
})

describe("a step", () => {
  it("is leased by a claim", () => {
    expect(rows(pendingStep, claimed)).toStrictEqual([{ table: "cassette_steps", row: leasedStep }])
  })

  it("gets its receipt and keeps its lease as evidence when it is completed", () => {
    expect(rows(leasedStep, completed)).toStrictEqual([
      { table: "cassette_receipts", row: receipt },
      { table: "cassette_steps", row: committedStep }
    ])
  })

  it("has the next token and a new end when its lease is renewed, and the same owner", () => {
    expect(rows(leasedStep, renewal({}))).toStrictEqual([
      {
        table: "cassette_steps",
        row: { ...leasedStep, fencing_token: 2, lease_expires_at: at(500), event_position: 4 }
      }
    ])
  })

  it("has the same rows in a trace as without one", () => {
    const traced = (event: LedgerEvent, data: object, seconds: number) =>
      eventAt(event.position, seconds, event.type, { ...data, traceparent })
    const posted = eventAt(2, 0, "MessagePosted", messageData)
    expect(rows(undefined, traced(posted, messageData, 0))).toStrictEqual(rows(undefined, posted))
    expect(rows(pendingStep, traced(claimed, claimData, 0))).toStrictEqual(rows(pendingStep, claimed))
    expect(rows(leasedStep, traced(completed, completionData, 10))).toStrictEqual(rows(leasedStep, completed))
  })

  it.each([
    ["expired", 300],
    ["released", 10],
    ["forced", 10]
  ])("waits again, with its token, when it was %s", (cause, seconds) => {
    const event = eventAt(5, seconds, "StepRequeued", { ...requeueData, cause })
    expect(rows(leasedStep, event)).toStrictEqual([
      { table: "cassette_steps", row: { ...pendingStep, fencing_token: 1, event_position: 5 } }
    ])
  })
})

describe("an event that cannot follow", () => {
  const requeued = eventAt(5, 300, "StepRequeued", requeueData)
  const cases: ReadonlyArray<readonly [string, StepRow | undefined, LedgerEvent, string]> = [
    ["a claim of no step", undefined, claimed, `run run-1 has no step ${stepId}`],
    ["a completion of no step", undefined, completed, "has no step"],
    ["a requeue of no step", undefined, requeued, "has no step"],
    ["a claim of another run's step", { ...pendingStep, run_id: "run-2" }, claimed, "has no step"],
    [
      "a claim outside a run's stream",
      pendingStep,
      eventAt(3, 0, "StepClaimed", claimData, "task:1"),
      "not the stream of a run"
    ],
    ["a claim of a leased step", leasedStep, claimed, "the step is LEASED"],
    ["a claim of a committed step", committedStep, claimed, "the step is COMMITTED"],
    ["a completion of a waiting step", pendingStep, completed, "the step is PENDING"],
    ["a completion of a committed step", committedStep, completed, "the step is COMMITTED"],
    ["a requeue of a waiting step", pendingStep, requeued, "the step is PENDING"],
    ["a requeue of a committed step", committedStep, requeued, "the step is COMMITTED"],
    [
      "a token that stays",
      { ...pendingStep, fencing_token: 1 },
      claimed,
      "the fencing token does not grow by one"
    ],
    [
      "a token that jumps",
      pendingStep,
      eventAt(3, 0, "StepClaimed", { ...claimData, fencing_token: 2 }),
      "the fencing token does not grow by one"
    ],
    [
      "a lease that ends when it begins",
      pendingStep,
      eventAt(3, 300, "StepClaimed", claimData),
      "the lease ends before it begins"
    ],
    [
      "a completion by another worker",
      leasedStep,
      eventAt(4, 10, "StepCompleted", { ...completionData, worker_id: "worker-2" }),
      "worker and token"
    ],
    [
      "a completion with another token",
      leasedStep,
      eventAt(4, 10, "StepCompleted", { ...completionData, fencing_token: 2 }),
      "worker and token"
    ],
    [
      "a completion at the lease's end",
      leasedStep,
      eventAt(4, 300, "StepCompleted", completionData),
      "the lease had expired"
    ],
    [
      "a requeue of another worker's lease",
      leasedStep,
      eventAt(5, 300, "StepRequeued", { ...requeueData, worker_id: "worker-2" }),
      "worker and token"
    ],
    [
      "an expiry before the lease's end",
      leasedStep,
      eventAt(5, 299, "StepRequeued", requeueData),
      "the lease had not expired"
    ],
    ["a renewal of no step", undefined, renewal({}), "has no step"],
    ["a renewal of another run's step", { ...leasedStep, run_id: "run-2" }, renewal({}), "has no step"],
    ["a renewal of a waiting step", pendingStep, renewal({}), "the step is PENDING"],
    ["a renewal of a committed step", committedStep, renewal({}), "the step is COMMITTED"],
    ["a renewal by another worker", leasedStep, renewal({ worker_id: "worker-2" }), "worker and token"],
    [
      "a renewal of another lease",
      leasedStep,
      renewal({ previous_token: 2, fencing_token: 3 }),
      "worker and token"
    ],
    ["a renewal under the same token", leasedStep, renewal({ fencing_token: 1 }), "does not grow by one"],
    ["a renewal whose token jumps", leasedStep, renewal({ fencing_token: 3 }), "does not grow by one"],
    ["a renewal at the lease's end", leasedStep, renewal({}, 300), "the lease had expired"],
    [
      "a renewal that ends when it begins",
      leasedStep,
      renewal({ lease_expires_at: at(299) }),
      "the lease ends before it begins"
    ],
    [
      "force without a reason",
      leasedStep,
      eventAt(5, 10, "StepRequeued", { ...requeueData, cause: "forced", reason: "" }),
      "no reason"
    ]
  ]

  it.each(cases)("is a fault: %s", (_name, step, event, words) => {
    expect(faultOf(step, event)).toContain(words)
  })
})
