// The sentences of a timeline, the durations in them, and events that cannot be read.
import { assert, describe, it } from "vitest"
import { jcsText } from "../canonical/jcs.ts"
import type { JsonObject } from "../canonical/json.ts"
import type { EventEnvelope } from "../ledger/event-envelope.ts"
import { durationText } from "./durations.ts"
import { Timeline } from "./timeline.ts"

const step_id = "step_0000000000002_00000000000000aa.0001.00003"

type Told = readonly [type: string, seconds: number, data: JsonObject]

const events = (...all: ReadonlyArray<Told>) => {
  const timeline = new Timeline()
  return all.map(([type, seconds, data], index) =>
    timeline.entry({
      position: index + 1,
      type,
      stream_id: type === "ThoughtRecorded" ? "task:r" : "run:r",
      schema_version: 1,
      data: jcsText(data),
      recorded_at: `2026-11-27T10:00:${String(seconds).padStart(2, "0")}.000Z`,
      prev_hash: "0".repeat(64),
      hash: "a".repeat(64)
    } satisfies EventEnvelope)
  )
}

const sentences = (...all: ReadonlyArray<Told>) => events(...all).map(({ sentence }) => sentence)

const claim = (token: number, seconds: number) =>
  [
    "StepClaimed",
    seconds,
    {
      fencing_token: token,
      lease_expires_at: `2026-11-27T10:00:${String(seconds + 10).padStart(2, "0")}.000Z`,
      scope: "run",
      step_id,
      worker_id: "w1"
    }
  ] as const

const complete = (seconds: number, outcome: string, receipt: JsonObject) =>
  ["StepCompleted", seconds, { fencing_token: 1, outcome, receipt, step_id, worker_id: "w1" }] as const

const requeue = (seconds: number, cause: string, reason: string) =>
  [
    "StepRequeued",
    seconds,
    { cause, fencing_token: 1, reason, requested_by: "boss", step_id, worker_id: "w1" }
  ] as const

const post = (data: JsonObject) =>
  ["MessagePosted", 0, { idempotency_key: null, message_id: "msg_1", source: "USER", ...data }] as const

describe("an entry", () => {
  it("names the span that recorded its event, if there is one", () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    const thought = ["ThoughtRecorded", 0, { traceparent }] as const
    assert.deepStrictEqual(
      events(
        post({ payload: {}, traceparent }),
        post({ payload: { traceparent } }),
        claim(1, 0),
        thought
      ).map((entry) => entry.traceparent),
      [traceparent, null, null, null]
    )
  })
})

describe("a sentence", () => {
  it("of a post says how much work it is, and which", () => {
    assert.deepStrictEqual(
      sentences(
        post({ payload: { intent: "greet", name: "Ada" } }),
        post({ payload: { op: "READ", refs: { symbol_id: "@A/b" } } }),
        post({
          payload: {},
          jobs: ["a", "b"],
          steps: [
            { job: 1, payload: {} },
            { job: 2, payload: {} }
          ]
        })
      ),
      ["USER posted 1 step: greet", "USER posted 1 step: READ @A/b", "USER posted 2 jobs and 2 steps: a, b"]
    )
  })

  it("of a completion says how long the step was held, and what came of it", () => {
    assert.deepStrictEqual(
      sentences(
        claim(1, 0),
        complete(3, "SUCCESS", { said: "hello" }),
        complete(9, "FAILURE", { reason: "no\nway" })
      ),
      [
        "w1 claimed step 2.1.3 with token 1, for 10.0 s",
        'w1 finished step 2.1.3 after 3.0 s with token 1: SUCCESS, {"said":"hello"}',
        "w1 finished step 2.1.3 with token 1: FAILURE, no …"
      ]
    )
  })

  it("of a failure takes the error's own words, and of a slice how much was read", () => {
    assert.deepStrictEqual(
      sentences(
        complete(1, "FAILURE", { error: { _tag: "Gone", message: "the file is gone" } }),
        complete(1, "SUCCESS", { bytes_read: 12, cache: "HIT", slice: "lines[0:2]" })
      ),
      [
        "w1 finished step 2.1.3 with token 1: FAILURE, Gone: the file is gone",
        "w1 finished step 2.1.3 with token 1: SUCCESS, 12 bytes of lines[0:2] (HIT)"
      ]
    )
  })

  it("of a requeue says whose lease ended, how, and why", () => {
    assert.deepStrictEqual(
      sentences(
        claim(1, 0),
        requeue(12, "expired", "w1 was killed"),
        claim(1, 20),
        requeue(22, "released", "going home"),
        claim(1, 30),
        requeue(31, "forced", "too slow"),
        requeue(40, "expired", "")
      ).filter((_, index) => index % 2 === 1 || index === 6),
      [
        "step 2.1.3 waits again: no answer came from w1, token 1, whose lease had ended 2.0 s before; boss asked for it: w1 was killed",
        "w1 gave step 2.1.3 back after 2.0 s, token 1: going home",
        "boss took step 2.1.3 away from w1 after 1.0 s, token 1: too slow",
        "step 2.1.3 waits again: no answer came from w1, token 1; boss asked for it"
      ]
    )
  })

  it("of a renewal goes on with the time of the claim", () => {
    const renew = {
      fencing_token: 2,
      lease_expires_at: "2026-11-27T10:00:30.000Z",
      previous_token: 1,
      step_id,
      worker_id: "w1"
    }
    const [, renewed, completed] = events(claim(1, 0), ["LeaseRenewed", 5, renew], complete(7, "SUCCESS", {}))
    assert.strictEqual(renewed?.sentence, "w1 renewed its lease of step 2.1.3 after 5.0 s: token 1 became 2")
    assert.strictEqual(completed?.took_millis, 7_000)
  })

  it("of a thought has its first line", () => {
    const thought = {
      agent_id: "a1",
      content: "read first\nthen write",
      hash: "b".repeat(64),
      id: "t1",
      prev_hash: "0".repeat(64),
      timestamp: "2026-11-27T10:00:00Z",
      type: "plan"
    }
    const [entry] = events(["ThoughtRecorded", 0, thought])
    assert.strictEqual(entry?.sentence, "a1 thought (plan): read first …")
    assert.strictEqual(entry?.about, "t1")
    assert.strictEqual(entry?.who, "a1")
  })

  it("of an event that cannot be read says so, and the timeline goes on", () => {
    const [unknown, broken, after] = events(["Moved", 0, {}], ["StepClaimed", 0, { step_id: 7 }], claim(1, 0))
    assert.match(unknown?.sentence ?? "", /^this event cannot be read: unknown event type "Moved"/)
    assert.match(broken?.sentence ?? "", /^this event cannot be read: data of StepClaimed/)
    assert.strictEqual(after?.fencing_token, 1)
  })
})

describe("a duration", () => {
  it("has two units at most", () => {
    const minute = 60_000
    assert.deepStrictEqual(
      [0, 58, 9_049, 59_999, minute, 95_000, 60 * minute, 333 * minute, 26 * 60 * minute].map(durationText),
      ["0 ms", "58 ms", "9.0 s", "59.9 s", "1 min", "1 min 35 s", "1 h", "5 h 33 min", "26 h"]
    )
  })
})
