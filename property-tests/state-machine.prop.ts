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
  const event = fc.constantFrom<StepEventType>("StepClaimed", "StepCompleted", "StepRequeued")

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

  it("knows one next status at most, and no event that leaves a step as it is", () => {
    fc.assert(
      fc.property(status, event, (from, event) => {
        expect(nextStepStatus(from, event)).not.toBe(from)
      }),
      propParameters(2)
    )
  })
})

const RUN = "run-1"

/** An event as it is drawn: most of it relative to the step's state, so that about half of all are legal. */
interface Drawn {
  readonly type: StepEventType
  readonly step: number
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
  worker: fc.constantFrom("w1", "w2"),
  tokenShift: mostly(0, -1, 1, 2),
  later: fc.constantFrom(0, 0, 1, 999, 1_000, 5_000),
  lease: mostly(1_000, 0, -1, 1),
  scope: mostly("run", "job"),
  cause: fc.constantFrom("expired", "released", "forced"),
  by: fc.constantFrom("w1", "w2", "operator"),
  reason: mostly("stuck", ""),
  asHolder: mostly(true, false),
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
  const lease = { step_id, worker_id: holder, fencing_token: Math.max(1, token + drawn.tokenShift) }
  switch (drawn.type) {
    case "StepClaimed":
      return {
        step_id,
        worker_id: drawn.worker,
        fencing_token: Math.max(1, token + 1 + drawn.tokenShift),
        lease_expires_at: timestampFromMillis(millis + drawn.lease),
        scope: drawn.scope
      }
    case "StepCompleted":
      return { ...lease, outcome: "SUCCESS", receipt: { n: drawn.later } }
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

describe("triggers and fold", () => {
  it("take the same events and make the same rows of them", () => {
    let taken = 0
    let tried = 0
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
            const step_id = steps[drawn.step] ?? ""
            millis += drawn.later
            const data = dataOf(drawn, both.folded.get(step_id), step_id, millis)
            if (both.append(envelope(both.head, drawn.type, drawn.stream, data, millis))) taken += 1
            tried += 1
          }
        } finally {
          both.database.close()
        }
      }),
      propParameters()
    )
    // The events must be neither all legal nor all illegal, or nothing has been compared.
    expect(taken / tried).toBeGreaterThan(0.05)
    expect(taken / tried).toBeLessThan(0.95)
  })
})
