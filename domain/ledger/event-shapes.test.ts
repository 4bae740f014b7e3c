// The plain checks of events' data against the Schemas, which say what an event is: both take the same values.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isEventData } from "./event-shapes.ts"
import { eventDataSchemas, type EventType } from "./events.ts"

const types = Object.keys(eventDataSchemas) as ReadonlyArray<EventType>

const takes = (type: EventType, data: unknown): boolean =>
  Result.isSuccess(
    Schema.decodeUnknownResult(eventDataSchemas[type] as Schema.Decoder<unknown>, {
      onExcessProperty: "error"
    })(data)
  )

const time = "2026-11-27T10:11:12.345Z"
const hash = "0123456789abcdef".repeat(4)
const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

/** Values that one check or another takes, and those right beside them. */
const values: ReadonlyArray<unknown> = [
  ["", "a", "a\u0000", "a\nb", "\ud800", "é".repeat(128), "é".repeat(129), "__proto__"],
  ["USER", "user", "SUCCESS", "OK", "run", "job", "step", "expired", "forced", "bored", "plan", "idea"],
  [time, "2026-02-30T10:11:12.345Z", "2026-11-27T10:11:12Z", "2026-11-27T10:11:12.5+02:00"],
  [hash, hash.toUpperCase(), hash.slice(1), traceparent, `ff${traceparent.slice(2)}`],
  [0, 1, -1, 1.5, 2 ** 53 - 1, 2 ** 53, null, true, [], {}, { a: 1 }],
  [["a", ""], ["a", 1], ["\u0000"], [{ job: 1, payload: {} }], [{ job: 0, payload: {} }]],
  [[{ job: 1, payload: [] }], [{ job: 1 }], [{ job: 1, payload: {}, more: 1 }], [{}, null]]
].flat(1)

const lease = { fencing_token: 1, step_id: "step", worker_id: "worker-1" }
const honest: { readonly [T in EventType]: Readonly<Record<string, unknown>> } = {
  LeaseRenewed: { ...lease, lease_expires_at: time, previous_token: 1 },
  LedgerCreated: { ledger_id: "ledger-1" },
  MessagePosted: { idempotency_key: null, message_id: "", payload: {}, source: "USER" },
  StepClaimed: { ...lease, lease_expires_at: time, scope: "run" },
  StepCompleted: { ...lease, outcome: "SUCCESS", receipt: {} },
  StepRequeued: { ...lease, cause: "forced", reason: "", requested_by: "operator" },
  ThoughtRecorded: {
    agent_id: "agent-1",
    content: "",
    hash,
    id: "thought-1",
    prev_hash: hash,
    timestamp: "2026-04-17T00:00:00Z",
    type: "plan"
  }
}

const keys = [...new Set(Object.values(honest).flatMap(Object.keys)), "jobs", "steps", "traceparent", "more"]

describe("the plain checks of events' data", () => {
  it.each(types)("take an honest %s, and each single value as its Schema does", (type) => {
    expect(isEventData(type, honest[type])).toBe(true)
    let taken = 0
    for (const key of keys) {
      for (const value of values) {
        const data = { ...honest[type], [key]: value }
        expect([key, value, isEventData(type, data)]).toEqual([key, value, takes(type, data)])
        taken += Number(isEventData(type, data))
      }
      const { [key]: _left, ...rest } = honest[type]
      expect(isEventData(type, rest)).toBe(takes(type, rest))
    }
    expect(taken).toBeGreaterThan(0)
  })

  it("take any object as its Schema does", () => {
    const changes = fc.dictionary(
      fc.constantFrom(...keys, "__proto__"),
      fc.oneof(fc.constantFrom(...values), fc.jsonValue()),
      { maxKeys: 3 }
    )
    const type = fc.constantFrom(...types)
    fc.assert(
      fc.property(type, type, changes, fc.jsonValue(), (as, base, changed, other) => {
        for (const data of [{ ...honest[base], ...changed }, other]) {
          expect(isEventData(as, data)).toBe(takes(as, data))
        }
      }),
      { numRuns: 2_000, seed: 11 }
    )
  })

  it("take no type that is not known", () => {
    expect(isEventData("Unknown", {})).toBe(false)
    expect(isEventData("__proto__", {})).toBe(false)
  })
})
