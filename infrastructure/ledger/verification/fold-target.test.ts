// A fold's rows are one set of tables, whether they stand in memory, in the temporary database or some here and some there.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { MemoryTables } from "../../../application/ledger/memory/memory-tables.ts"
import type { RowChange } from "../../../domain/ledger/evolve.ts"
import { LEDGER_TABLES } from "../../../domain/ledger/rows.ts"
import { openScratch } from "../../sqlite/connection/better-sqlite3-host.ts"
import { SpillingFold } from "./fold-target.ts"

const digits = fc.constantFrom("0000000000001", "0000000000002", "0000000000010", "\u{1f600}", "\uffff")
const job = fc.constantFrom("0001", "0002")
const runs = ["run-1", "run-2"] as const
const keys = ["key-1", "key-2"] as const

/** What a row holds that nothing is looked up by. */
const plain = { created_at: "2026-11-27T10:11:12.345Z", payload_json: "{}" }

const message = fc
  .tuple(digits, fc.constantFrom(...runs), fc.option(fc.constantFrom(...keys)), fc.nat())
  .map(([id, run_id, idempotency_key, event_position]): RowChange => {
    // A key names one message, as the fold sees to before it asks for the row.
    const message_id = `msg_${idempotency_key === null ? id : `${run_id}${idempotency_key}`}`
    const row = { ...plain, message_id, run_id, idempotency_key, source: "USER" as const, event_position }
    return { table: "cassette_messages", row }
  })

const step = fc
  .record({
    id: digits,
    job,
    run_id: fc.constantFrom(...runs),
    status: fc.constantFrom("PENDING", "LEASED", "COMMITTED"),
    event_position: fc.nat()
  })
  .map(({ event_position, id, job, run_id, status }): RowChange => {
    const job_id = `job_${id}.${job}`
    const lease = { lease_owner: null, lease_expires_at: null, fencing_token: 0 }
    const row = { ...plain, ...lease, step_id: `step_${id}.${job}.00001`, job_id, ordinal: 1 }
    return { table: "cassette_steps", row: { ...row, run_id, status, event_position } }
  })

const thoughtAt = (position: number): RowChange => ({
  table: "thought_records",
  row: {
    id: `thought-${position % 2 === 0 ? position : 1_000 - position}`,
    type: "plan",
    task_id: "task-1",
    agent_id: "agent-1",
    content: "",
    timestamp: "2026-04-17T00:00:00Z",
    prev_hash: "0",
    hash: "1",
    created_at: plain.created_at,
    event_position: position
  }
})

const history = fc
  .array(fc.oneof({ weight: 4, arbitrary: step }, message, fc.constant(undefined)), { maxLength: 40 })
  .map((changes) => changes.map((change, index) => change ?? thoughtAt(index + 1)))

const stepIds = ["0000000000001", "0000000000010", "\uffff"].map((id) => `step_${id}.0001.00001`)

/** Everything that a fold can be asked while it goes on. */
const answers = (fold: MemoryTables | SpillingFold) => ({
  steps: stepIds.map((id) => fold.step(id)),
  first: runs.flatMap((run) =>
    [undefined, "job_0000000000001.0001", "job_\u{1f600}.0002"].map((job) => fold.firstPending(run, job))
  ),
  keyed: runs.flatMap((run) => keys.map((key) => fold.messageOfKey(run, key))),
  thought: ["thought-2", "thought-999"].map((id) => fold.hasThought(id))
})

describe("the place to fold into", () => {
  it("answers alike, however much it holds in memory", () => {
    fc.assert(
      fc.property(history, fc.constantFrom(0, 600, 2_000, 6_000, 1_000_000), (changes, maxHeld) => {
        const scratch = openScratch()
        const fold = new SpillingFold(scratch, maxHeld)
        const expected = new MemoryTables()
        for (const change of changes) {
          fold.apply([change])
          expected.apply([change])
          expect(answers(fold)).toEqual(answers(expected))
        }
        for (const table of LEDGER_TABLES) expect([...fold.rows(table)]).toEqual([...expected.rows(table)])
        expect([...fold.thoughts()]).toEqual([...expected.thoughts()])
        scratch.close()
      }),
      { numRuns: 300, seed: 5 }
    )
  })
})
