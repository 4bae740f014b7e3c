// The golden log of docs/spec/vectors/events.json: commands at its times write exactly its events, each hash is that of the
// envelope as the specification says, and its tables have its digests.
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import { eventVersions } from "../../domain/ledger/events.ts"
import { openServices } from "../../infrastructure/testing/ledgers.ts"

interface Vectors {
  readonly events: ReadonlyArray<EventEnvelope>
  readonly digests: Readonly<Record<string, string>>
}

const golden = JSON.parse(
  readFileSync(new URL("../../docs/spec/vectors/events.json", import.meta.url), "utf8")
) as Vectors

const trace = (span: string) => `00-4bf92f3577b34da6a3ce929d0e0e4736-${span}-01`

const written = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 10, 27, 10, 0, 0))
  const { ledger, thoughts } = yield* openServices({ ledgerId: "6f3d2c1e-0b7a-4e59-9d3c-2a1b0c9d8e7f" })
  const posted = yield* ledger.postMessage({
    run_id: "day",
    source: "USER",
    payload: { intent: "greet", name: "Zoë" },
    idempotency_key: "monday",
    claim: { worker_id: "ada", ttl_seconds: 60 },
    traceparent: trace("00f067aa0ba902b7")
  })
  yield* TestClock.adjust("30 seconds")
  const { lease } = yield* ledger.renewLease({ ...posted.lease!, ttl_seconds: 60 })
  yield* TestClock.adjust("45 seconds")
  const receipt_payload = { said: "Hello, Zoë!" }
  const traceparent = trace("00f067aa0ba902b8")
  yield* ledger.completeStep({ ...lease, receipt_payload, outcome: "SUCCESS", traceparent })
  yield* ledger.postMessage({
    run_id: "day",
    source: "PLANNER",
    payload: { intent: "tidy" },
    jobs: [
      { intent: "sort", steps: [{ n: 1 }, { n: 2 }] },
      { intent: "sweep", steps: [{ n: 3 }] }
    ]
  })
  const { step_id } = yield* ledger.claimAny({ worker_id: "grace", ttl_seconds: 10 })
  yield* TestClock.adjust("10 seconds")
  yield* ledger.requeueStep({ run_id: "day", step_id, reason: "its lease has ended" })
  yield* thoughts.createThoughtRecord({
    id: "t-1",
    type: "reflection",
    task_id: "day",
    agent_id: "ada",
    content: "Ask for less at once.",
    timestamp: "2026-11-27T10:01:25.000Z"
  })
  const events = yield* Stream.runCollect(ledger.events({ live: false }))
  return { events, report: yield* ledger.verifyCassette({ pure: true }) }
})

describe("docs/spec/vectors/events.json", () => {
  it.effect("is what commands write, byte for byte, and what its tables hold", () =>
    Effect.gen(function* () {
      const { events, report } = yield* written
      assert.deepStrictEqual(events, golden.events)
      assert.deepStrictEqual(report.digests, golden.digests)
      assert.strictEqual(report.verdict, "PASS")
    })
  )

  it("has every type of event, chained by hashes as they are specified", () => {
    const types = golden.events.map(({ type }) => type)
    assert.deepStrictEqual([...new Set(types)].sort(), Object.keys(eventVersions).sort())
    let previous = "0".repeat(64)
    for (const event of golden.events) {
      const { data, position, prev_hash, recorded_at, schema_version, stream_id, type } = event
      assert.strictEqual(prev_hash, previous)
      const envelope = [
        "cassette/event/1",
        position,
        type,
        stream_id,
        schema_version,
        data,
        recorded_at,
        prev_hash
      ]
      previous = hash("sha256", JSON.stringify(envelope))
      assert.strictEqual(event.hash, previous)
    }
  })
})
