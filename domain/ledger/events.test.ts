// Events are decoded strictly, since what is stored is forever: unknown types, versions, keys and values are
// faults that name the position, and older data is lifted by upcasters in order.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import type { EventEnvelope } from "./event-envelope.ts"
import {
  decodeEvent,
  eventDataSchemas,
  type EventType,
  eventVersions,
  JsonObjectSchema,
  upcast,
  type Upcaster,
  upcasters
} from "./events.ts"
import { at, envelopeAfter, messageId, stepId } from "./testing/samples.ts"

const head = { position: 6, hash: "0".repeat(64), recorded_at: at(0) }

const samples: { readonly [T in EventType]: Readonly<Record<string, unknown>> } = {
  LeaseRenewed: {
    fencing_token: 2,
    lease_expires_at: at(600),
    previous_token: 1,
    step_id: stepId,
    worker_id: "worker-1"
  },
  LedgerCreated: { ledger_id: "ledger-1" },
  MessagePosted: { idempotency_key: null, message_id: messageId, payload: { intent: "x" }, source: "USER" },
  StepClaimed: {
    fencing_token: 1,
    lease_expires_at: at(300),
    scope: "run",
    step_id: stepId,
    worker_id: "worker-1"
  },
  StepCompleted: {
    fencing_token: 1,
    outcome: "SUCCESS",
    receipt: {},
    step_id: stepId,
    worker_id: "worker-1"
  },
  StepRequeued: {
    cause: "forced",
    fencing_token: 1,
    reason: "",
    requested_by: "operator",
    step_id: stepId,
    worker_id: "worker-1"
  },
  ThoughtRecorded: {
    agent_id: "agent-1",
    content: "",
    hash: "f".repeat(64),
    id: "thought-1",
    prev_hash: "0".repeat(64),
    timestamp: "2026-04-17T00:00:00Z",
    type: "plan"
  }
}
const types = Object.keys(samples) as ReadonlyArray<EventType>

const decoded = (type: string, data: unknown, fields: Partial<EventEnvelope> = {}) =>
  decodeEvent({ ...envelopeAfter(head, type, data), ...fields })

const faultOf = (type: string, data: unknown, fields: Partial<EventEnvelope> = {}): string => {
  const result = decoded(type, data, fields)
  if (Result.isSuccess(result)) throw new Error(`${type} was decoded`)
  expect(result.failure.position).toBe(7)
  return result.failure.message
}

describe("decoding an event", () => {
  it.each(types)("takes %s with exactly its keys", (type) => {
    expect(Result.getOrThrow(decoded(type, samples[type]))).toStrictEqual({
      type,
      position: 7,
      stream_id: "run:run-1",
      recorded_at: at(0),
      data: samples[type]
    })
  })

  it("takes a message with jobs and steps", () => {
    const data = { ...samples.MessagePosted, jobs: ["a", ""], steps: [{ job: 1, payload: { n: 1 } }] }
    expect(Result.getOrThrow(decoded("MessagePosted", data)).data).toStrictEqual(data)
  })

  it.each(types)("refuses %s with one key more or less", (type) => {
    expect(faultOf(type, { ...samples[type], more: 1 })).toMatch(new RegExp(`^data of ${type}: `))
    for (const key of Object.keys(samples[type])) {
      const { [key]: _left, ...rest } = samples[type]
      expect(faultOf(type, rest)).toContain(key)
    }
  })

  it.each(types)("refuses %s with any value of another type", (type) => {
    for (const key of Object.keys(samples[type])) {
      for (const wrong of [[], true, 1.5])
        expect(faultOf(type, { ...samples[type], [key]: wrong })).toContain(key)
    }
  })

  const wrongValues: ReadonlyArray<readonly [EventType, string, unknown]> = [
    ["LedgerCreated", "ledger_id", ""],
    ["LedgerCreated", "ledger_id", "a\nb"],
    ["MessagePosted", "idempotency_key", ""],
    ["MessagePosted", "idempotency_key", "é".repeat(129)],
    ["MessagePosted", "source", "user"],
    ["MessagePosted", "payload", null],
    ["MessagePosted", "jobs", []],
    ["MessagePosted", "steps", []],
    ["MessagePosted", "steps", [{ job: 0, payload: {} }]],
    ["MessagePosted", "steps", [{ job: 1, payload: {}, more: 1 }]],
    ["StepClaimed", "fencing_token", 0],
    ["StepClaimed", "fencing_token", 2 ** 53],
    ["StepClaimed", "lease_expires_at", "2026-11-27T10:00:00Z"],
    ["StepClaimed", "lease_expires_at", "2026-02-30T10:00:00.000Z"],
    ["StepClaimed", "scope", "message"],
    ["StepCompleted", "outcome", "OK"],
    ["StepCompleted", "receipt", "text"],
    ["StepRequeued", "cause", "bored"],
    ["StepRequeued", "reason", "a\u0000b"],
    ["StepRequeued", "requested_by", ""],
    ["ThoughtRecorded", "agent_id", ""],
    ["ThoughtRecorded", "content", "a\u0000b"],
    ["ThoughtRecorded", "hash", "F".repeat(64)],
    ["ThoughtRecorded", "id", "a\nb"],
    ["ThoughtRecorded", "prev_hash", "0".repeat(63)],
    ["ThoughtRecorded", "timestamp", "2026-04-17T00:00:00"],
    ["ThoughtRecorded", "type", "idea"]
  ]

  it.each(wrongValues)("refuses %s with %s %j", (type, key, value) => {
    expect(faultOf(type, { ...samples[type], [key]: value })).toContain(key)
  })

  it.each(["Unknown", "ledgercreated", "", "constructor", "toString", "__proto__"])(
    "refuses the type %j",
    (type) => {
      expect(faultOf(type, {})).toBe(`unknown event type ${JSON.stringify(type)}`)
    }
  )

  it.each([0, -1, 1.5, 2, Number.NaN])("refuses the schema version %s", (schema_version) => {
    expect(faultOf("StepClaimed", samples.StepClaimed, { schema_version })).toBe(
      `StepClaimed has no schema version ${schema_version}`
    )
  })

  it.each(["", "{", "{}x", "undefined"])("refuses data %j, which is not JSON", (data) => {
    expect(faultOf("StepClaimed", {}, { data })).toMatch(/^data of StepClaimed is not JSON/)
  })

  it.each(["null", "[]", "1", `"text"`])("refuses data %s, which is no object", (data) => {
    expect(faultOf("StepClaimed", {}, { data })).toMatch(/^data of StepClaimed: /)
  })
})

describe("upcasting", () => {
  // A toy history: version 1 had `who`, version 2 renamed it to `worker`, version 3 made it a list.
  const rename: Upcaster = (data) => ({ worker: (data as { who: string }).who })
  const list: Upcaster = (data) => ({ workers: [(data as { worker: string }).worker] })
  const lifts = [rename, list]

  it.each([
    [1, { who: "w" }],
    [2, { worker: "w" }],
    [3, { workers: ["w"] }]
  ])("lifts version %i to the newest", (version, data) => {
    expect(upcast(lifts, version, data)).toStrictEqual({ workers: ["w"] })
  })

  it("gives data of the newest version back as it is", () => {
    const data = { workers: ["w"] }
    expect(upcast(lifts, 3, data)).toBe(data)
    expect(upcast([], 1, data)).toBe(data)
  })

  it("has one upcaster less than there are versions, for every type", () => {
    for (const type of types) expect(upcasters[type].length).toBe(eventVersions[type] - 1)
    expect(Object.keys(eventVersions).toSorted()).toStrictEqual(Object.keys(eventDataSchemas).toSorted())
  })
})

describe("a JSON object", () => {
  it.each([{}, { a: [1] }, Object.create(null) as unknown])("is %j", (value) => {
    expect(Schema.is(JsonObjectSchema)(value)).toBe(true)
  })

  it.each([null, [], "text", 1, new Date(0), new Map(), undefined, () => ({})])("is not %s", (value) => {
    expect(Schema.is(JsonObjectSchema)(value)).toBe(false)
  })
})
