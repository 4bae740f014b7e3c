// The audit of a storm over workers finds each fault that it is there for: histories and notes that are wrong on purpose.
import { describe, expect, it } from "vitest"
import type { EventEnvelope } from "../domain/ledger/event-envelope.ts"
import { auditWorkers, type Note } from "./worker-audit.ts"

const step_id = "step_1"

const event = (type: string, data: object): EventEnvelope => ({
  position: 1,
  type,
  stream_id: "run:workers",
  schema_version: 1,
  data: JSON.stringify({ step_id, ...data }),
  recorded_at: "",
  prev_hash: "",
  hash: ""
})

const claimed = (worker_id: string, fencing_token: number) =>
  event("StepClaimed", { worker_id, fencing_token })
const completed = (worker_id: string, fencing_token: number) =>
  event("StepCompleted", { worker_id, fencing_token, receipt: { long: true } })
const requeued = (worker_id: string, fencing_token: number) =>
  event("StepRequeued", { worker_id, fencing_token })
const renewed = (worker_id: string, fencing_token: number) =>
  event("LeaseRenewed", { worker_id, fencing_token })

const note = (worker: string, what: string, token: number): Note => ({ worker, what, step_id, token })

const codesOf = (events: ReadonlyArray<EventEnvelope>, notes: ReadonlyArray<Note>) =>
  auditWorkers([step_id], events, notes).findings.map(({ code }) => code)

describe("the audit of workers", () => {
  it("passes a step that was renewed, and one that was done again behind a requeue", () => {
    const once = [claimed("a", 1), renewed("a", 2), renewed("a", 3), completed("a", 3)]
    const report = auditWorkers([step_id], once, [note("a", "Begun", 1), note("a", "Completed", 1)])
    expect(report).toMatchObject({ findings: [], renewals: 2, outlasted: 1 })
    const again = [claimed("a", 1), requeued("a", 1), claimed("b", 2), completed("b", 2)]
    expect(codesOf(again, [note("a", "Begun", 1), note("b", "Begun", 2), note("a", "Lost", 1)])).toEqual([])
  })

  it.each([
    ["a step without a receipt", [claimed("a", 1)], [], "NOT_ONE_RECEIPT"],
    ["two receipts", [claimed("a", 1), completed("a", 1), completed("a", 1)], [], "NOT_ONE_RECEIPT"],
    [
      "a handler that began twice without a requeue",
      [claimed("a", 1), completed("a", 1)],
      [note("a", "Begun", 1), note("a", "Begun", 1)],
      "STEP_LEASED_TWICE"
    ],
    [
      "a handler that began under a lease of another",
      [claimed("a", 1), completed("a", 1)],
      [note("b", "Begun", 1)],
      "LEASE_WITHOUT_TIME"
    ],
    [
      "a receipt that was acknowledged to one and stands from another",
      [claimed("a", 1), requeued("a", 1), claimed("b", 2), completed("b", 2)],
      [note("a", "Completed", 1)],
      "ACKNOWLEDGED_BUT_LOST"
    ]
  ] as const)("finds %s", (_, events, notes, code) => {
    expect(codesOf(events, notes)).toEqual([code])
  })
})
