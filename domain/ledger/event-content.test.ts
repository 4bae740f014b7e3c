/** What no command would have written is told by the event itself, with any hash. */
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { jcs } from "../canonical/jcs.ts"
import { contentFault } from "./event-content.ts"
import { decodeEvent, type EventType } from "./events.ts"
import { at, messageId, run, stepId } from "./testing/samples.ts"

const lease = { fencing_token: 1, step_id: stepId, worker_id: "worker-1" }
const posted = { idempotency_key: null, message_id: messageId, payload: { a: 1 }, source: "USER" }
const claimed = { ...lease, lease_expires_at: at(300), scope: "run" }
const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
const renewed = {
  fencing_token: 2,
  lease_expires_at: at(300),
  previous_token: 1,
  step_id: stepId,
  worker_id: "worker-1"
}
const completed = { ...lease, outcome: "SUCCESS", receipt: { ok: true } }
const requeued = { ...lease, cause: "forced", reason: "stuck", requested_by: "operator" }
const thought = {
  agent_id: "a",
  content: "",
  hash: "0".repeat(64),
  id: "i",
  prev_hash: "0".repeat(64),
  timestamp: "2026-04-17T00:00:00Z",
  type: "plan"
}

const runStream = `run:${run}`

const fault = (
  type: EventType,
  value: object,
  stream_id = runStream,
  recorded_at: string = at(0)
): string | undefined => {
  const data = Result.getOrThrow(jcs(value, 80))
  const hash = "0".repeat(64)
  const envelope = {
    position: type === "LedgerCreated" ? 1 : 2,
    type,
    stream_id,
    schema_version: 1,
    data,
    recorded_at,
    prev_hash: hash,
    hash
  }
  return contentFault(Result.getOrThrow(decodeEvent(envelope)), data)
}

const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })

const mebibyte = "x".repeat(1_048_576)

describe("an event that a command would have written", () => {
  const honest: ReadonlyArray<readonly [EventType, object, string?]> = [
    ["LedgerCreated", { ledger_id: "l" }, "ledger"],
    ["MessagePosted", posted],
    ["MessagePosted", { ...posted, payload: { text: mebibyte.slice(20) } }],
    ["MessagePosted", { ...posted, payload: { text: "a backslash before u0000: \\u0000" } }],
    ["MessagePosted", { ...posted, payload: nested(64) }],
    ["MessagePosted", { ...posted, jobs: ["j"], steps: [{ job: 1, payload: nested(64) }] }],
    ["StepClaimed", claimed],
    ["StepClaimed", { ...claimed, lease_expires_at: at(1) }],
    ["StepClaimed", { ...claimed, lease_expires_at: at(86_400) }],
    ["StepCompleted", completed],
    ["MessagePosted", { ...posted, traceparent: trace }],
    ["StepClaimed", { ...claimed, traceparent: trace }],
    ["StepCompleted", { ...completed, traceparent: trace }],
    ["LeaseRenewed", renewed],
    ["LeaseRenewed", { ...renewed, lease_expires_at: at(86_400) }],
    ["StepRequeued", requeued],
    ["ThoughtRecorded", thought, "task:t"],
    ["ThoughtRecorded", { ...thought, content: mebibyte }, "task:t"]
  ]
  for (const [index, [type, data, stream]] of honest.entries()) {
    it(`${type} (case ${index + 1}) has no fault`, () => {
      expect(fault(type, data, stream)).toBeUndefined()
    })
  }
})

describe("an event that no command would have written", () => {
  const forged: Readonly<Record<string, readonly [EventType, object, string, string?]>> = {
    "the ledger's creation in another stream": ["LedgerCreated", { ledger_id: "l" }, "no stream", runStream],
    "a message in the ledger's stream": ["MessagePosted", posted, "no stream", "ledger"],
    "a message in a task's stream": ["MessagePosted", posted, "no stream", "task:t"],
    "a run without a name": ["MessagePosted", posted, "no stream", "run:"],
    "a run's name with a line feed": ["StepClaimed", claimed, "no stream", "run:a\nb"],
    "a run's name that is too long": ["StepClaimed", claimed, "no stream", `run:${"r".repeat(257)}`],
    "a thought in a run's stream": ["ThoughtRecorded", thought, "no stream", runStream],
    "a task's name with a control character": ["ThoughtRecorded", thought, "no stream", "task:\u0085"],
    "U+0000 in a payload": ["MessagePosted", { ...posted, payload: { a: ["\u0000"] } }, "U+0000"],
    "U+0000 in a payload's key": ["MessagePosted", { ...posted, payload: { "a\u0000": 1 } }, "U+0000"],
    "U+0000 in a receipt": ["StepCompleted", { ...completed, receipt: { a: "\u0000" } }, "U+0000"],
    "a payload over the limit": ["MessagePosted", { ...posted, payload: { a: mebibyte } }, "payload is over"],
    "a step's payload over the limit": [
      "MessagePosted",
      { ...posted, jobs: ["j"], steps: [{ job: 1, payload: { a: mebibyte } }] },
      "the payload of step 1 is over"
    ],
    "a receipt over the limit": [
      "StepCompleted",
      { ...completed, receipt: { a: mebibyte } },
      "receipt is over"
    ],
    "a payload that is too deep": ["MessagePosted", { ...posted, payload: nested(65) }, "payload: "],
    "too many jobs": [
      "MessagePosted",
      { ...posted, jobs: Array(1_001).fill("j"), steps: [{ job: 1, payload: {} }] },
      "more than 1000 jobs"
    ],
    "too many steps": [
      "MessagePosted",
      { ...posted, jobs: ["j"], steps: Array.from({ length: 10_001 }, () => ({ job: 1, payload: {} })) },
      "more than 10000 steps"
    ],
    "data over the limit": [
      "MessagePosted",
      {
        ...posted,
        jobs: ["j"],
        steps: Array.from({ length: 17 }, () => ({ job: 1, payload: { a: mebibyte.slice(20) } }))
      },
      "data is over"
    ],
    "a payload's steps that are no steps of the job": [
      "MessagePosted",
      { ...posted, payload: { steps: [{}] } },
      "the payload's steps"
    ],
    "a payload's intent that is too long": [
      "MessagePosted",
      { ...posted, payload: { intent: "i".repeat(65_537) } },
      "an intent"
    ],
    "an intent that is too long": [
      "MessagePosted",
      { ...posted, jobs: ["i".repeat(65_537)], steps: [{ job: 1, payload: {} }] },
      "an intent"
    ],
    "a lease that ends when it begins": ["StepClaimed", { ...claimed, lease_expires_at: at(0) }, "0 s"],
    "a lease of a second more than a day": [
      "StepClaimed",
      { ...claimed, lease_expires_at: at(86_401) },
      "86401 s"
    ],
    "a lease of half seconds": ["StepClaimed", { ...claimed, lease_expires_at: at(1.5) }, "1.5 s"],
    "a renewal in the ledger's stream": ["LeaseRenewed", renewed, "no stream", "ledger"],
    "a renewal that ends when it begins": ["LeaseRenewed", { ...renewed, lease_expires_at: at(0) }, "0 s"],
    "a renewal of a second more than a day": [
      "LeaseRenewed",
      { ...renewed, lease_expires_at: at(86_401) },
      "86401 s"
    ],
    "a requeue without a reason": ["StepRequeued", { ...requeued, reason: " " }, "the reason"],
    "a reason that is too long": ["StepRequeued", { ...requeued, reason: "r".repeat(65_537) }, "the reason"],
    "a thought over the limit": [
      "ThoughtRecorded",
      { ...thought, content: `${mebibyte}x` },
      "thought",
      "task:t"
    ]
  }
  it.each(Object.entries(forged))("%s is a fault", (_, [type, data, message, stream]) => {
    expect(fault(type, data, stream)).toContain(message)
  })

  it("a claim at a time that is none is no fault here: the chain tells", () => {
    expect(fault("StepClaimed", claimed, runStream, "2999-99-99T00:00:00.000Z")).toBeUndefined()
  })
})
