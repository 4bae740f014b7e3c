// The life of a step, said three times (the table, the fold, the triggers), must be one: of any well-hashed
// events that are appended by raw SQL in any order, the database takes exactly those that the fold can follow,
// and both give the same rows.

import { isDeepStrictEqual } from "node:util"
import Database from "better-sqlite3"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { jcsText } from "../domain/canonical/jcs.ts"
import { timestampFromMillis } from "../domain/canonical/timestamp.ts"
import {
  EMPTY_HEAD,
  type EventEnvelope,
  eventHash,
  type Head,
  headOf
} from "../domain/ledger/event-envelope.ts"
import { decodeEvent } from "../domain/ledger/events.ts"
import { evolve } from "../domain/ledger/evolve.ts"
import { MemoryFold } from "../domain/ledger/testing/memory-fold.ts"
import { jobIdOf, messageIdAt, stepIdOf } from "../domain/ledger/ids.ts"
import type { StepRow } from "../domain/ledger/rows.ts"
import { nextStepStatus, type StepEventType, type StepStatus } from "../domain/ledger/step-state-machine.ts"
import { sha256 } from "../infrastructure/hashing/node-hashing.ts"
import { schema } from "../migrations/snapshots/0002.ts"
import { propParameters } from "./support/configuration.ts"
import { START } from "./support/ledger-system.ts"

describe("the table of transitions", () => {
  const status = fc.constantFrom<StepStatus>("PENDING", "LEASED", "COMMITTED")
  const event = fc.constantFrom<StepEventType>("StepClaimed", "StepCompleted", "StepRequeued", "LeaseRenewed")

  it("ends at COMMITTED, and reaches it only from LEASED", () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        let now: StepStatus = "PENDING"
        for (const event of events) {
          const next = nextStepStatus(now, event)
          if (next === undefined) continue
          expect(now).not.toBe("COMMITTED")
          if (next === "COMMITTED") expect([now, event]).toStrictEqual(["LEASED", "StepCompleted"])
          now = next
        }
      }),
      propParameters(5)
    )
  })

  it("knows one next status at most, and no event but the renewal of a lease that leaves a step as it is", () => {
    fc.assert(
      fc.property(status, event, (from, event) => {
        const next = nextStepStatus(from, event)
        if (event === "LeaseRenewed") expect(next).toBe(from === "LEASED" ? "LEASED" : undefined)
        else expect(next).not.toBe(from)
      }),
      propParameters(2)
    )
  })
})

const RUN = "run-1"

/** The specification's own example. */
const TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

/** An event as it is drawn: most of it relative to the step's state, so that about half of all are legal. */
interface Drawn {
  readonly type: StepEventType
  readonly step: number
  /** The event is about a step that is leased, if there is one and it is no claim. */
  readonly ofLeased: boolean
  readonly worker: string
  readonly tokenShift: number
  /** Milliseconds since the event before. */
  readonly later: number
  readonly lease: number
  readonly scope: string
  readonly cause: string
  readonly by: string
  readonly reason: string
  readonly asHolder: boolean
  readonly traceparent: string | undefined
  readonly stream: string
}

const mostly = <A>(value: A, ...others: ReadonlyArray<A>) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: fc.constantFrom(value, ...others) }
  )

const drawn: fc.Arbitrary<Drawn> = fc.record({
  type: fc.constantFrom<StepEventType>(
    "StepClaimed",
    "StepClaimed",
    "StepCompleted",
    "StepRequeued",
    "LeaseRenewed"
  ),
  step: fc.constantFrom(0, 0, 0, 1, 2),
  ofLeased: mostly(true, false),
  worker: fc.constantFrom("w1", "w2"),
  tokenShift: mostly(0, -1, 1, 2),
  later: fc.constantFrom(0, 0, 0, 1, 999, 1_000, 5_000),
  lease: mostly(5_000, 0, -1, 1, 1_000),
  scope: mostly("run", "job"),
  cause: fc.constantFrom("expired", "released", "forced"),
  by: fc.constantFrom("w1", "w2", "operator"),
  reason: mostly("stuck", ""),
  asHolder: mostly(true, false),
  traceparent: mostly(undefined, TRACE, TRACE.replace("4b", "4g")),
  stream: fc.oneof(
    { weight: 20, arbitrary: fc.constant(`run:${RUN}`) },
    { weight: 1, arbitrary: fc.constantFrom("run:run-2", "ledger", "run:") }
  )
})

const emptyLedger = (() => {
  const database = new Database(":memory:")
  database.exec(schema)
  const bytes = database.serialize()
  database.close()
  return bytes
})()

const message = messageIdAt(sha256, RUN, 2, null)
const steps = [
  stepIdOf(jobIdOf(message, 1), 1),
  stepIdOf(jobIdOf(message, 1), 2),
  stepIdOf(jobIdOf(message, 2), 1)
]

const envelope = (
  head: Head,
  type: string,
  stream_id: string,
  data: unknown,
  millis: number
): EventEnvelope => {
  const unhashed = {
    position: head.position + 1,
    type,
    stream_id,
    schema_version: 1,
    data: jcsText(data),
    recorded_at: timestampFromMillis(millis),
    prev_hash: head.hash
  }
  return { ...unhashed, hash: eventHash(sha256, unhashed) }
}

/** A database and a fold that are given the same events. */
class Both {
  readonly database = new Database(emptyLedger)
  readonly #insert = this.database.prepare(
    "INSERT INTO events VALUES (@position, @type, @stream_id, @schema_version, @data, @recorded_at, @prev_hash, @hash)"
  )
  readonly #folded = new MemoryFold()
  head = EMPTY_HEAD

  get folded(): ReadonlyMap<string, StepRow> {
    return this.#folded.tables.cassette_steps
  }

  /** Whether the fold can follow, and why not. */
  #fold(event: EventEnvelope): string {
    const decoded = decodeEvent(event)
    if (Result.isFailure(decoded)) return decoded.failure.message
    const changes = evolve(this.#folded, decoded.success)
    if (Result.isFailure(changes)) return changes.failure.message
    this.#folded.apply(changes.success)
    return "follows"
  }

  append(event: EventEnvelope): boolean {
    const rows = () =>
      this.database.prepare<[], StepRow>("SELECT * FROM cassette_steps ORDER BY step_id").all()
    let refusal: string | undefined
    try {
      this.#insert.run(event)
      this.head = headOf(event)
    } catch (error) {
      refusal = (error as Error).message
    }
    const verdict = this.#fold(event)
    const shown = `${event.type} ${event.data} at ${event.recorded_at}: the fold says ${verdict}, the database ${refusal ?? "takes it"}`
    expect(refusal === undefined, shown).toBe(verdict === "follows")
    const [stored, folded] = [rows(), [...this.folded.values()]]
    if (!isDeepStrictEqual(stored, folded)) expect(stored, shown).toStrictEqual(folded)
    return refusal === undefined
  }
}

const dataOf = (drawn: Drawn, step: StepRow | undefined, step_id: string, millis: number) => {
  const token = step?.fencing_token ?? 0
  const holder = (drawn.asHolder ? step?.lease_owner : undefined) ?? drawn.worker
  const trace = drawn.traceparent === undefined ? {} : { traceparent: drawn.traceparent }
  const lease = { step_id, worker_id: holder, fencing_token: Math.max(1, token + drawn.tokenShift) }
  switch (drawn.type) {
    case "StepClaimed":
      return {
        step_id,
        worker_id: drawn.worker,
        fencing_token: Math.max(1, token + 1 + drawn.tokenShift),
        lease_expires_at: timestampFromMillis(millis + drawn.lease),
        scope: drawn.scope,
        ...trace
      }
    case "StepCompleted":
      return { ...lease, outcome: "SUCCESS", receipt: { n: drawn.later }, ...trace }
    case "LeaseRenewed":
      return {
        step_id,
        worker_id: holder,
        previous_token: lease.fencing_token,
        fencing_token: lease.fencing_token + 1,
        lease_expires_at: timestampFromMillis(millis + drawn.lease)
      }
    case "StepRequeued":
      return { ...lease, cause: drawn.cause, reason: drawn.reason, requested_by: drawn.by }
  }
}

/** Events of one type from which a share of legal ones can be told. */
const ENOUGH = 200

describe("triggers and fold", () => {
  it("take the same events and make the same rows of them", () => {
    const taken: Record<string, number> = {}
    const tried: Record<string, number> = {}
    const add = (counts: Record<string, number>, name: string) => (counts[name] = (counts[name] ?? 0) + 1)
    fc.assert(
      fc.property(fc.array(drawn, { minLength: 10, maxLength: 40, size: "max" }), (events) => {
        const both = new Both()
        try {
          let millis = START
          both.append(envelope(both.head, "LedgerCreated", "ledger", { ledger_id: "l" }, millis))
          const posted = {
            idempotency_key: null,
            jobs: ["a", "b"],
            message_id: message,
            payload: {},
            source: "USER",
            steps: [1, 1, 2].map((job) => ({ job, payload: {} }))
          }
          both.append(envelope(both.head, "MessagePosted", `run:${RUN}`, posted, millis))
          for (const drawn of events) {
            const leased = [...both.folded.values()].find(({ status }) => status === "LEASED")
            const aimed = drawn.ofLeased && drawn.type !== "StepClaimed" ? leased?.step_id : undefined
            const step_id = aimed ?? steps[drawn.step] ?? ""
            millis += drawn.later
            const data = dataOf(drawn, both.folded.get(step_id), step_id, millis)
            if (both.append(envelope(both.head, drawn.type, drawn.stream, data, millis)))
              add(taken, drawn.type)
            add(tried, drawn.type)
          }
        } finally {
          both.database.close()
        }
      }),
      propParameters()
    )
    console.log("events of each type taken, and tried", taken, tried)
    // The events must be neither all legal nor all illegal, those of each type either, or nothing has been compared. A type
    // that came seldom says nothing.
    const all = { taken: 0, tried: 0 }
    for (const [type, count] of Object.entries(tried)) {
      all.taken += taken[type] ?? 0
      all.tried += count
      if (count < ENOUGH) continue
      const share = (taken[type] ?? 0) / count
      expect(share, type).toBeGreaterThan(0.02)
      expect(share, type).toBeLessThan(0.95)
    }
    expect(all.taken / all.tried).toBeGreaterThan(0.05)
    expect(all.taken / all.tried).toBeLessThan(0.95)
  })
})

/** A traceparent, or a text that is nearly one: a character, a length or an id of it is another. */
const nearlyTrace = fc
  .record({
    parts: fc.tuple(
      ...[2, 32, 16, 2].map((length) =>
        fc.oneof(
          {
            weight: 12,
            arbitrary: fc.string({
              unit: fc.constantFrom(..."0123456789abcdef"),
              minLength: length,
              maxLength: length
            })
          },
          {
            weight: 1,
            arbitrary: fc.constantFrom(
              "0".repeat(length),
              "f".repeat(length),
              "0".repeat(length - 1),
              "0".repeat(length + 1)
            )
          }
        )
      )
    ),
    at: fc.nat({ max: 56 }),
    char: fc.option(fc.constantFrom(..."0f-gG/:`_ \u0000é\u0664"), { freq: 2, nil: undefined }),
    instead: fc.nat({ max: 2 })
  })
  .map(({ at, char, instead, parts }) => {
    const text = parts.join("-")
    return char === undefined ? text : text.slice(0, at) + char + text.slice(at + instead)
  })

describe("a traceparent", () => {
  it("is one for the triggers where it is one for the fold, in a message with jobs and without", () => {
    const counts = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(nearlyTrace, fc.boolean(), fc.boolean(), (traceparent, isPlanned, isKeyed) => {
        const both = new Both()
        try {
          both.append(envelope(both.head, "LedgerCreated", "ledger", { ledger_id: "l" }, START))
          const posted = {
            idempotency_key: isKeyed ? "k" : null,
            message_id: message,
            payload: {},
            source: "USER",
            traceparent,
            ...(isPlanned ? { jobs: ["a"], steps: [{ job: 1, payload: {} }] } : {})
          }
          const isTaken = both.append(envelope(both.head, "MessagePosted", `run:${RUN}`, posted, START))
          counts[isTaken ? "taken" : "refused"] += 1
        } finally {
          both.database.close()
        }
      }),
      propParameters(10)
    )
    expect(counts.taken).toBeGreaterThan(counts.refused / 20)
    expect(counts.refused).toBeGreaterThan(counts.taken / 20)
  })
})
