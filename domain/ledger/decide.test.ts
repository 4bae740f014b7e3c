// The decider without a database: every refusal in its order, every event with its exact text, every reply.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { PreparedCompletion, PreparedPost, PreparedRequeue } from "./commands.ts"
import { type Decided, decideClaim, decidePost, type ExistingMessage } from "./decide.ts"
import { decideCompletion, decideRequeue } from "./decide-lease.ts"
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

const decision = <Reply>(decided: Decided<Reply>) => Result.getOrThrow(decided)

const refusal = <Reply>(decided: Decided<Reply>) => {
  if (Result.isSuccess(decided)) throw new Error("it was not refused")
  return decided.failure
}

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
    const { events, reply } = decision(decidePost(command, undefined, undefined, moment))
    return {
      message_id: reply.message_id,
      source: command.source,
      payload_json: command.payload,
      data: events[0]?.data ?? ""
    }
  }

  it("makes one message and answers its only job", () => {
    expect(decision(decidePost(plain, undefined, undefined, moment))).toStrictEqual({
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
    expect(decision(decidePost(planned, undefined, undefined, moment))).toStrictEqual({
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
    const data = decision(decidePost(command, undefined, undefined, moment)).events[0]?.data ?? ""
    const head = { position: 1, hash: "0".repeat(64), recorded_at: at(0) }
    const event = decodeEvent({ ...envelopeAfter(head, "MessagePosted", {}), data })
    expect(Result.isSuccess(event)).toBe(true)
  })

  it.each([keyed, planned])(
    "answers the same ids for the same message again and writes nothing",
    (command) => {
      const first = decision(decidePost(command, undefined, undefined, moment))
      const again = decision(decidePost(command, stored(command), undefined, momentAt(500, 90)))
      expect(again).toStrictEqual({ events: [], reply: { ...first.reply, created: false } })
    }
  )

  it.each([
    ["another source", { ...keyed, source: "SYSTEM" as const }, ["source"]],
    ["another payload", { ...keyed, payload: `{"intent":"write"}` }, ["payload"]],
    [
      "another source and payload",
      { ...keyed, source: "WORKER" as const, payload: "{}" },
      ["source", "payload"]
    ],
    ["jobs of its own", { ...keyed, jobs: [{ intent: "read", steps: [`{"intent":"read"}`] }] }, ["jobs"]]
  ])("refuses the key for %s and names both hashes", (_name, command: PreparedPost, differs) => {
    const existing = stored(keyed)
    expect(refusal(decidePost(command, existing, undefined, momentAt(1, 9)))).toMatchObject({
      _tag: "IdempotencyConflict",
      run_id: run,
      idempotency_key: keyed.idempotency_key,
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
    expect(refusal(decidePost(command, stored(planned), undefined, moment))).toMatchObject({
      differs: ["jobs"]
    })
  })
})

describe("claiming", () => {
  const inRun = { run_id: run, job_id: undefined }
  const command = { place: inRun, worker_id: "worker-2", ttl_seconds: 300, traceparent: undefined }

  it("refuses when nothing waits", () => {
    expect(refusal(decideClaim(command, undefined, momentAt(1)))).toMatchObject({
      _tag: "NoPendingStep",
      run_id: run,
      job_id: null
    })
    expect(
      refusal(decideClaim({ ...command, place: { ...inRun, job_id: jobId } }, undefined, momentAt(1)))
    ).toMatchObject({
      job_id: jobId
    })
  })

  it("leases the step with the next token until the end of its time", () => {
    expect(decision(decideClaim(command, pendingStep, momentAt(1)))).toStrictEqual({
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
    const again = { ...pendingStep, fencing_token: 7 }
    const { events, reply } = decision(
      decideClaim({ ...command, place: { ...inRun, job_id: jobId } }, again, momentAt(1))
    )
    expect(reply.fencing_token).toBe(8)
    expect(events[0]?.data).toContain(`"scope":"job"`)
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

type Case = readonly [
  tag: string,
  PreparedCompletion,
  StepRow | undefined,
  ReceiptRow | undefined,
  seconds: number
]

describe("completing", () => {
  // Each case mends the fault of the one before and leaves all later ones.
  const cases: ReadonlyArray<Case> = [
    ["StepNotFound", wrongInEverything, undefined, undefined, 300],
    ["WrongRun", wrongInEverything, pendingStep, undefined, 300],
    ["NotLeased", inThisRun, pendingStep, undefined, 300],
    ["WrongWorker", inThisRun, leasedStep, undefined, 300],
    ["StaleFencingToken", byItsWorker, leasedStep, undefined, 300],
    ["LeaseExpired", right, leasedStep, undefined, 300]
  ]

  it.each(cases)("refuses with %s first", (tag, command, step, receipt, seconds) => {
    expect(refusal(decideCompletion(command, step, receipt, momentAt(seconds)))._tag).toBe(tag)
  })

  it("names both sides in every refusal", () => {
    const facts = cases.map(([, command, step, receipt, seconds]) =>
      refusal(decideCompletion(command, step, receipt, momentAt(seconds)))
    )
    expect(facts).toMatchObject([
      { step_id: stepId },
      { run_id: "another-run", actual_run_id: run },
      { status: "PENDING", receipt: null },
      { worker_id: "worker-9", lease_owner: "worker-1" },
      { fencing_token: 9, current_token: 1 },
      { lease_expires_at: at(300), now: at(300) }
    ])
  })

  it("tells a worker whose answer was lost whose receipt stands", () => {
    expect(refusal(decideCompletion(right, committedStep, receipt, momentAt(20)))).toMatchObject({
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
    const decided = decideCompletion({ ...right, fencing_token }, leasedStep, undefined, momentAt(1))
    expect(refusal(decided)._tag).toBe("StaleFencingToken")
  })

  it("takes the last millisecond before the lease's end", () => {
    const moment = { ...momentAt(0), recorded_at: "2026-11-27T10:04:59.999Z" }
    expect(decision(decideCompletion(right, leasedStep, undefined, moment))).toStrictEqual({
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
    const decide = (step: StepRow | undefined, runId = run) =>
      refusal(decideRequeue({ ...command, run_id: runId }, step, undefined, momentAt(300)))._tag
    expect(decide(undefined)).toBe("StepNotFound")
    expect(decide(leasedStep, "another-run")).toBe("WrongRun")
    expect(decide(pendingStep)).toBe("NotLeased")
    expect(refusal(decideRequeue(command, committedStep, receipt, momentAt(300)))).toMatchObject({
      status: "COMMITTED",
      receipt: { receipt_id: receipt.receipt_id }
    })
  })

  it("refuses before the lease has ended", () => {
    const moment = { ...momentAt(0), recorded_at: "2026-11-27T10:04:59.999Z" }
    expect(refusal(decideRequeue(plain, leasedStep, undefined, moment))).toMatchObject({
      _tag: "LeaseNotExpired",
      lease_owner: "worker-1",
      lease_expires_at: at(300),
      now: moment.recorded_at
    })
  })

  it.each([
    ["worker", { worker_id: "worker-2", fencing_token: 9 }, "WrongWorker"],
    ["token", { worker_id: "worker-1", fencing_token: 9 }, "StaleFencingToken"]
  ])("refuses a lease with another %s, even after its end", (_name, lease, tag) => {
    expect(refusal(decideRequeue({ ...byOwner, lease }, leasedStep, undefined, momentAt(300)))._tag).toBe(tag)
  })

  it.each([
    ["expired", plain, 300],
    ["released", byOwner, 1],
    ["released", byOwner, 300],
    ["forced", forced, 1],
    ["forced", forced, 300]
  ] as const)("has the cause %s", (cause, command, seconds) => {
    expect(decision(decideRequeue(command, leasedStep, undefined, momentAt(seconds)))).toStrictEqual({
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
