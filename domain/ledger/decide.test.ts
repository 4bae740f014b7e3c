// The decider without a database: every refusal in its order, every event with its exact text, every reply.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { givenState } from "../foundation/given-when-then.ts"
import type {
  PreparedClaim,
  PreparedCompletion,
  PreparedPost,
  PreparedRenewal,
  PreparedRequeue
} from "./commands.ts"
import { decideClaim, decidePost, type ExistingMessage, type Moment } from "./decide.ts"
import { decideCompletion, decideRenewal, decideRequeue } from "./decide-lease.ts"
import type { IdempotencyConflict } from "./errors.ts"
import { decodeEvent } from "./events.ts"
import { jobIdOf, messageIdAt } from "./ids.ts"
import type { ReceiptRow, StepRow } from "./rows.ts"
import {
  at,
  committedStep,
  envelopeAfter,
  jobId,
  leasedStep,
  messageId,
  momentAt,
  pendingStep,
  receipt,
  run,
  sha256,
  stepId
} from "./testing/samples.ts"

/** What a command on a step meets: the step, its receipt and the moment. */
interface Standing {
  readonly step?: StepRow
  readonly receipt?: ReceiptRow
  readonly moment: Moment
}

const givenPost = givenState({
  decide: (command: PreparedPost, { existing, moment }: { existing?: ExistingMessage; moment: Moment }) =>
    decidePost(command, existing, undefined, moment)
})
const givenClaim = givenState({
  decide: (command: PreparedClaim, { step, moment }: Standing) => decideClaim(command, step, moment)
})
const givenCompletion = givenState({
  decide: (command: PreparedCompletion, { step, receipt, moment }: Standing) =>
    decideCompletion(command, step, receipt, moment)
})
const givenRenewal = givenState({
  decide: (command: PreparedRenewal, { step, receipt, moment }: Standing) =>
    decideRenewal(command, step, receipt, moment)
})
const givenRequeue = givenState({
  decide: (command: PreparedRequeue, { step, receipt, moment }: Standing) =>
    decideRequeue(command, step, receipt, moment)
})

/** The last millisecond before the end of the sample's lease. */
const lastMoment = { ...momentAt(0), recorded_at: "2026-11-27T10:04:59.999Z" }

describe("posting", () => {
  const plain: PreparedPost = {
    run_id: run,
    source: "USER",
    idempotency_key: null,
    payload: `{"intent":"read"}`,
    jobs: undefined,
    claim: undefined,
    traceparent: undefined
  }
  const keyed: PreparedPost = { ...plain, idempotency_key: "key \u2028" }
  const planned: PreparedPost = {
    ...keyed,
    source: "PLANNER",
    jobs: [
      { intent: "first", steps: [`{"n":1}`, `{"n":2}`] },
      { intent: `"quoted"`, steps: [`{}`] }
    ]
  }
  const moment = momentAt(0, 2)

  /** The message as the store would have it after the post. */
  const stored = (command: PreparedPost): ExistingMessage => {
    const { events, reply } = givenPost({ moment }).when(command).outcome()
    return {
      message_id: reply.message_id,
      source: command.source,
      payload_json: command.payload,
      data: events[0]?.data ?? ""
    }
  }

  it("makes one message and answers its only job", () => {
    givenPost({ moment })
      .when(plain)
      .thenDecides({
        events: [
          {
            type: "MessagePosted",
            stream_id: "run:run-1",
            data: `{"idempotency_key":null,"message_id":"${messageId}","payload":{"intent":"read"},"source":"USER"}`
          }
        ],
        reply: { message_id: messageId, job_id: jobId, job_ids: [jobId], created: true }
      })
  })

  it("lists jobs and steps flat, in order", () => {
    const id = messageIdAt(sha256, run, 2, "key \u2028")
    givenPost({ moment })
      .when(planned)
      .thenDecides({
        events: [
          {
            type: "MessagePosted",
            stream_id: "run:run-1",
            data:
              `{"idempotency_key":"key \u2028","jobs":["first","\\"quoted\\""],"message_id":"${id}",` +
              `"payload":{"intent":"read"},"source":"PLANNER","steps":[{"job":1,"payload":{"n":1}},` +
              `{"job":1,"payload":{"n":2}},{"job":2,"payload":{}}]}`
          }
        ],
        reply: {
          message_id: id,
          job_id: jobIdOf(id, 1),
          job_ids: [jobIdOf(id, 1), jobIdOf(id, 2)],
          created: true
        }
      })
  })

  it.each([plain, keyed, planned])("writes data that the Schema of events takes", (command) => {
    const { data } = stored(command)
    const head = { position: 1, hash: "0".repeat(64), recorded_at: at(0) }
    const event = decodeEvent({ ...envelopeAfter(head, "MessagePosted", {}), data })
    expect(Result.isSuccess(event)).toBe(true)
  })

  it.each([keyed, planned])(
    "answers the same ids for the same message again and writes nothing",
    (command) => {
      const { reply } = givenPost({ moment }).when(command).outcome()
      givenPost({ existing: stored(command), moment: momentAt(500, 90) })
        .when(command)
        .thenDecides({ events: [], reply: { ...reply, created: false } })
    }
  )

  it.each<readonly [string, PreparedPost, IdempotencyConflict["differs"]]>([
    ["another source", { ...keyed, source: "SYSTEM" as const }, ["source"]],
    ["another payload", { ...keyed, payload: `{"intent":"write"}` }, ["payload"]],
    [
      "another source and payload",
      { ...keyed, source: "WORKER" as const, payload: "{}" },
      ["source", "payload"]
    ],
    ["jobs of its own", { ...keyed, jobs: [{ intent: "read", steps: [`{"intent":"read"}`] }] }, ["jobs"]]
  ])("refuses the key for %s and names both hashes", (_name, command, differs) => {
    const existing = stored(keyed)
    givenPost({ existing, moment: momentAt(1, 9) })
      .when(command)
      .thenRefuses({
        _tag: "IdempotencyConflict",
        run_id: run,
        idempotency_key: "key \u2028",
        message_id: existing.message_id,
        differs,
        stored_source: "USER",
        given_source: command.source,
        stored_payload_hash: sha256(keyed.payload),
        given_payload_hash: sha256(command.payload)
      })
  })

  it.each([
    ["other steps", { ...planned, jobs: [{ intent: "first", steps: [`{"n":1}`] }] }],
    ["other intents", { ...planned, jobs: planned.jobs?.map((job) => ({ ...job, intent: "x" })) }],
    ["none", { ...planned, jobs: undefined }]
  ])("refuses the key for the same payload with jobs of %s", (_name, command) => {
    givenPost({ existing: stored(planned), moment })
      .when(command)
      .thenRefuses({ differs: ["jobs"] })
  })
})

describe("claiming", () => {
  const inRun = { run_id: run, job_id: undefined }
  const command = { place: inRun, worker_id: "worker-2", ttl_seconds: 300, traceparent: undefined }

  it("refuses when nothing waits", () => {
    const nothing = givenClaim({ moment: momentAt(1) })
    nothing.when(command).thenRefuses({ _tag: "NoPendingStep", run_id: run, job_id: null })
    nothing.when({ ...command, place: { ...inRun, job_id: jobId } }).thenRefuses({ job_id: jobId })
  })

  it("leases the step with the next token until the end of its time", () => {
    givenClaim({ step: pendingStep, moment: momentAt(1) })
      .when(command)
      .thenDecides({
        events: [
          {
            type: "StepClaimed",
            stream_id: "run:run-1",
            data:
              `{"fencing_token":1,"lease_expires_at":"${at(301)}","scope":"run",` +
              `"step_id":"${stepId}","worker_id":"worker-2"}`
          }
        ],
        reply: {
          step_id: stepId,
          job_id: jobId,
          message_id: messageId,
          ordinal: 1,
          payload: { op: "READ", refs: ["a"] },
          fencing_token: 1,
          lease_expires_at: at(301),
          lease: { run_id: run, worker_id: "worker-2", step_id: stepId, fencing_token: 1 }
        }
      })
  })

  it("names the scope of a job, and goes on from the last token", () => {
    const step = { ...pendingStep, fencing_token: 7 }
    const claimed = givenClaim({ step, moment: momentAt(1) }).when({
      ...command,
      place: { ...inRun, job_id: jobId }
    })
    claimed.thenDecidesPart({ reply: { fencing_token: 8 } })
    expect(claimed.outcome().events[0]?.data).toContain(`"scope":"job"`)
  })
})

const wrongInEverything: PreparedCompletion = {
  run_id: "another-run",
  step_id: stepId,
  worker_id: "worker-9",
  fencing_token: 9,
  outcome: "FAILURE",
  receipt: `{"why":"late"}`,
  traceparent: undefined
}
const inThisRun = { ...wrongInEverything, run_id: run }
const byItsWorker = { ...inThisRun, worker_id: "worker-1" }
const right: PreparedCompletion = { ...byItsWorker, fencing_token: 1 }

describe("completing", () => {
  // Each case mends the fault of the one before and leaves all later ones.
  const cases = [
    [{}, wrongInEverything, { _tag: "StepNotFound", step_id: stepId }],
    [
      { step: pendingStep },
      wrongInEverything,
      { _tag: "WrongRun", run_id: "another-run", actual_run_id: run }
    ],
    [{ step: pendingStep }, inThisRun, { _tag: "NotLeased", status: "PENDING", receipt: null }],
    [
      { step: leasedStep },
      inThisRun,
      { _tag: "WrongWorker", worker_id: "worker-9", lease_owner: "worker-1" }
    ],
    [{ step: leasedStep }, byItsWorker, { _tag: "StaleFencingToken", fencing_token: 9, current_token: 1 }],
    [{ step: leasedStep }, right, { _tag: "LeaseExpired", lease_expires_at: at(300), now: at(300) }]
  ] as const

  it.each(cases)("refuses the first fault and names both sides: %#", (standing, command, refusal) => {
    givenCompletion({ ...standing, moment: momentAt(300) })
      .when(command)
      .thenRefuses(refusal)
  })

  it("tells a worker whose answer was lost whose receipt stands", () => {
    givenCompletion({ step: committedStep, receipt, moment: momentAt(20) })
      .when(right)
      .thenRefuses({
        _tag: "NotLeased",
        status: "COMMITTED",
        receipt: {
          receipt_id: receipt.receipt_id,
          worker_id: "worker-1",
          fencing_token: 1,
          outcome: "SUCCESS",
          receipt_hash: sha256(receipt.receipt_json)
        }
      })
  })

  it.each([0, 2])("refuses the token %i as much as a later one", (fencing_token) => {
    givenCompletion({ step: leasedStep, moment: momentAt(1) })
      .when({ ...right, fencing_token })
      .thenRefuses({ _tag: "StaleFencingToken" })
  })

  it("takes the last millisecond before the lease's end", () => {
    givenCompletion({ step: leasedStep, moment: lastMoment })
      .when(right)
      .thenDecides({
        events: [
          {
            type: "StepCompleted",
            stream_id: "run:run-1",
            data:
              `{"fencing_token":1,"outcome":"FAILURE","receipt":{"why":"late"},` +
              `"step_id":"${stepId}","worker_id":"worker-1"}`
          }
        ],
        reply: { receipt_id: receipt.receipt_id }
      })
  })
})

describe("renewing", () => {
  const held = { run_id: run, step_id: stepId, worker_id: "worker-1", fencing_token: 1 }
  const renew: PreparedRenewal = { ...held, ttl_seconds: 60 }

  it("gives the next token and a new end, from now on", () => {
    givenRenewal({ step: leasedStep, moment: momentAt(299) })
      .when(renew)
      .thenDecides({
        events: [
          {
            type: "LeaseRenewed",
            stream_id: "run:run-1",
            data:
              `{"fencing_token":2,"lease_expires_at":"${at(359)}","previous_token":1,` +
              `"step_id":"${stepId}","worker_id":"worker-1"}`
          }
        ],
        reply: {
          step_id: stepId,
          fencing_token: 2,
          lease_expires_at: at(359),
          lease: { ...held, fencing_token: 2 }
        }
      })
  })

  it("may end sooner than the lease that it ends", () => {
    givenRenewal({ step: leasedStep, moment: momentAt(1) })
      .when({ ...renew, ttl_seconds: 1 })
      .thenDecidesPart({ reply: { lease_expires_at: at(2) } })
  })

  const refusals = [
    ["StepNotFound", {}, {}],
    ["WrongRun", { step: pendingStep }, { run_id: "another-run" }],
    ["NotLeased", { step: pendingStep }, { worker_id: "worker-9" }],
    ["NotLeased", { step: committedStep, receipt }, { worker_id: "worker-9" }],
    ["WrongWorker", { step: leasedStep }, { worker_id: "worker-9", fencing_token: 9 }],
    ["StaleFencingToken", { step: leasedStep }, { fencing_token: 0 }],
    ["StaleFencingToken", { step: leasedStep }, { fencing_token: 2 }],
    ["LeaseExpired", { step: leasedStep }, {}]
  ] as const
  it.each(refusals)("is refused as a completion is: %s (%#)", (_tag, standing, given) => {
    givenRenewal({ ...standing, moment: momentAt(300) })
      .when({ ...renew, ...given })
      .thenRefuses({ _tag })
  })
})

describe("a trace", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  const post: PreparedPost = {
    run_id: run,
    source: "USER",
    idempotency_key: "k",
    payload: "{}",
    jobs: undefined,
    claim: { worker_id: "worker-1", ttl_seconds: 10 },
    traceparent
  }
  const posted = () =>
    givenPost({ moment: momentAt(0, 2) })
      .when(post)
      .outcome()

  it("stands in the events of a post with a claim, and of a completion", () => {
    const completed = givenCompletion({ step: leasedStep, moment: momentAt(1) })
      .when({ ...right, traceparent })
      .outcome()
    const traces = [...posted().events, ...completed.events].map(({ data, type }) => [
      type,
      (JSON.parse(data) as { traceparent: string }).traceparent
    ])
    expect(traces).toEqual(
      ["MessagePosted", "StepClaimed", "StepCompleted"].map((type) => [type, traceparent])
    )
  })

  it.each([undefined, traceparent.replace("-01", "-00")])("does not tell messages apart: %s", (again) => {
    const { events, reply } = posted()
    const { job_id, job_ids, message_id } = reply
    const existing = { message_id, source: "USER", payload_json: "{}", data: events[0]?.data ?? "" }
    givenPost({ existing, moment: momentAt(9, 5) })
      .when({ ...post, claim: undefined, traceparent: again })
      .thenDecides({ events: [], reply: { message_id, job_id, job_ids, created: false } })
  })
})

describe("requeueing", () => {
  const plain: PreparedRequeue = {
    run_id: run,
    step_id: stepId,
    reason: "stuck",
    requested_by: "operator",
    lease: undefined,
    force: false
  }
  const byOwner = {
    ...plain,
    requested_by: "worker-1",
    lease: { worker_id: "worker-1", fencing_token: 1 }
  }
  const forced = { ...plain, force: true }
  const ways = [
    ["by expiry", plain],
    ["by its owner", byOwner],
    ["by force", forced]
  ] as const

  it.each(ways)("refuses %s: no step, another run, not leased", (_name, command) => {
    const moment = momentAt(300)
    const elsewhere = { ...command, run_id: "another-run" }
    givenRequeue({ moment }).when(command).thenRefuses({ _tag: "StepNotFound" })
    givenRequeue({ step: leasedStep, moment }).when(elsewhere).thenRefuses({ _tag: "WrongRun" })
    givenRequeue({ step: pendingStep, moment }).when(command).thenRefuses({ _tag: "NotLeased" })
    givenRequeue({ step: committedStep, receipt, moment })
      .when(command)
      .thenRefuses({ status: "COMMITTED", receipt: { receipt_id: receipt.receipt_id } })
  })

  it("refuses before the lease has ended", () => {
    givenRequeue({ step: leasedStep, moment: lastMoment })
      .when(plain)
      .thenRefuses({
        _tag: "LeaseNotExpired",
        lease_owner: "worker-1",
        lease_expires_at: at(300),
        now: lastMoment.recorded_at
      })
  })

  it.each([
    ["worker", { worker_id: "worker-2", fencing_token: 9 }, "WrongWorker"],
    ["token", { worker_id: "worker-1", fencing_token: 9 }, "StaleFencingToken"]
  ] as const)("refuses a lease with another %s, even after its end", (_name, lease, tag) => {
    givenRequeue({ step: leasedStep, moment: momentAt(300) })
      .when({ ...byOwner, lease })
      .thenRefuses({ _tag: tag })
  })

  it.each([
    ["expired", plain, 300],
    ["released", byOwner, 1],
    ["released", byOwner, 300],
    ["forced", forced, 1],
    ["forced", forced, 300]
  ] as const)("has the cause %s", (cause, command, seconds) => {
    givenRequeue({ step: leasedStep, moment: momentAt(seconds) })
      .when(command)
      .thenDecides({
        events: [
          {
            type: "StepRequeued",
            stream_id: "run:run-1",
            data:
              `{"cause":"${cause}","fencing_token":1,"reason":"stuck",` +
              `"requested_by":"${command.requested_by}","step_id":"${stepId}","worker_id":"worker-1"}`
          }
        ],
        reply: { step_id: stepId, status: "PENDING", fencing_token: 1, cause }
      })
  })
})
