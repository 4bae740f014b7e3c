/**
 * The promises of the ledger tables, each in one plain example: raw SQL on a small ledger, and the words with which
 * it is refused. The whole suite of attacks is in adversary.test.ts.
 */
import type Database from "better-sqlite3"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { databaseIn, dump } from "./testing/attack.ts"
import { headOf, insertEvent, insertInto, literal, rowAfter, stepIdOf, type Fact } from "./testing/ledger.ts"
import { head, jobs, leaseEnd, legal, messages, nextPosition, now, steps, worker } from "./testing/states.ts"

let database: Database.Database
let before: string

beforeEach(() => {
  database = databaseIn("ledger")
  before = dump(database)
})

afterEach(() => {
  database.close()
})

const refuses = (sql: string, words: string) => {
  expect(() => database.exec(sql)).toThrow(words)
  expect(dump(database)).toBe(before)
}

const stepWhere = (step: string) => `WHERE step_id = ${literal(step)}`
const messageWhere = `WHERE message_id = ${literal(messages.plain)}`
const receiptWhere = `WHERE receipt_id = ${literal(`rcpt_${steps.committed.slice(5)}`)}`

const receipt = {
  receipt_id: `rcpt_${steps.leased.slice(5)}`,
  step_id: steps.leased,
  job_id: jobs.leased,
  worker_id: worker,
  fencing_token: 1,
  outcome: "SUCCESS",
  receipt_json: "{}",
  created_at: now,
  event_position: nextPosition
}

it("test_messages_append_only_trigger_blocks_update_delete", () => {
  refuses(`UPDATE cassette_messages SET payload_json = '{}' ${messageWhere}`, "append-only")
  refuses(`DELETE FROM cassette_messages ${messageWhere}`, "append-only")
})

it("test_receipts_append_only_trigger_blocks_update_delete", () => {
  refuses(`UPDATE cassette_receipts SET outcome = 'FAILURE' ${receiptWhere}`, "append-only")
  refuses(`DELETE FROM cassette_receipts ${receiptWhere}`, "append-only")
})

it("test_fsm_illegal_transition_blocked", () => {
  refuses(`UPDATE cassette_steps SET status = 'COMMITTED' ${stepWhere(steps.fresh)}`, "PENDING -> COMMITTED")
  refuses(`UPDATE cassette_steps SET status = 'PENDING' ${stepWhere(steps.leased)}`, "LEASED -> PENDING")
  refuses(`UPDATE cassette_steps SET status = 'LEASED' ${stepWhere(steps.committed)}`, "COMMITTED -> LEASED")
  refuses(
    `UPDATE cassette_steps SET status = 'PENDING' ${stepWhere(steps.committed)}`,
    "COMMITTED -> PENDING"
  )
  refuses(`UPDATE cassette_steps SET status = 'LEASED' ${stepWhere(steps.leased)}`, "LEASED -> LEASED")
})

it("test_receipt_requires_existing_step_job_fk", () => {
  const noStep = stepIdOf(messages.plain, 1, 9)
  const receiptOfNoStep = {
    ...receipt,
    receipt_id: `rcpt_${noStep.slice(5)}`,
    step_id: noStep,
    job_id: jobs.committed
  }
  refuses(insertInto("cassette_receipts", receiptOfNoStep), "append-only")

  // No statement passes the gate while the triggers stand; held open, the foreign keys are what refuses.
  database.close()
  database = databaseIn("openByComplete")
  before = dump(database)
  for (const foreignKeys of ["OFF", "ON"]) {
    database.pragma(`foreign_keys = ${foreignKeys}`)
    refuses(insertInto("cassette_receipts", receiptOfNoStep), "FOREIGN KEY")
    refuses(insertInto("cassette_receipts", { ...receipt, job_id: jobs.committed }), "FOREIGN KEY")
  }
  database.exec(insertInto("cassette_receipts", receipt))
  expect(dump(database)).not.toBe(before)
})

it("the declared foreign keys agree with every state", () => {
  expect(database.pragma("foreign_key_check")).toEqual([])
  expect(database.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }])
})

it("the triggers that these promises name are there", () => {
  const names = database
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .pluck()
    .all()
  expect(names).toEqual(
    expect.arrayContaining([
      "tr_messages_append_only_update",
      "tr_messages_append_only_delete",
      "tr_receipts_append_only_update",
      "tr_receipts_append_only_delete",
      "tr_steps_fsm_illegal_1",
      "tr_steps_fsm_illegal_2",
      "tr_steps_fsm_illegal_3",
      "tr_steps_lease_prevent_direct_set"
    ])
  )
})

it("every source may post, and a step may end in every outcome", () => {
  const accepts = (fact: Fact, change: object) => {
    const other = databaseIn("ledger")
    other.exec(insertEvent(rowAfter(head, { ...fact, data: { ...(fact.data as object), ...change } })))
    expect(headOf(other).size).toBe(nextPosition)
    other.close()
  }
  for (const source of ["USER", "PLANNER", "SYSTEM", "WORKER"]) {
    accepts(legal.post, { source })
    accepts(legal.postPlanned, { source })
  }
  for (const outcome of ["SUCCESS", "FAILURE", "ABORTED"]) {
    accepts(legal.complete, { outcome })
  }
})

describe("a legal event gives the same rows", () => {
  const rowsWith = (fact: Fact, pragma: string): string => {
    const other = databaseIn("ledger")
    other.exec(`PRAGMA ${pragma}`)
    other.exec(insertEvent(rowAfter(head, fact)))
    const rows = dump(other)
    other.close()
    return rows
  }

  it.each([
    "foreign_keys = ON",
    "recursive_triggers = ON",
    "reverse_unordered_selects = ON",
    "defer_foreign_keys = ON",
    "case_sensitive_like = ON"
  ])("with PRAGMA %s", (pragma) => {
    for (const fact of Object.values(legal)) {
      expect(rowsWith(fact, pragma)).toBe(rowsWith(fact, "foreign_keys = OFF"))
    }
  })
})

describe("adversarial", () => {
  it("Direct UPDATE on messages (blocked)", () => {
    refuses(`UPDATE cassette_messages SET source = 'SYSTEM' ${messageWhere}`, "append-only")
    refuses(`UPDATE OR REPLACE cassette_messages SET idempotency_key = 'k1' ${messageWhere}`, "append-only")
  })

  it("Direct UPDATE on receipts (blocked)", () => {
    refuses(`UPDATE cassette_receipts SET receipt_json = '{"ok":false}' ${receiptWhere}`, "append-only")
    refuses(`UPDATE OR IGNORE cassette_receipts SET worker_id = 'thief' ${receiptWhere}`, "append-only")
  })

  it("Direct DELETE on messages (blocked)", () => {
    refuses("DELETE FROM cassette_messages", "append-only")
  })

  it("Direct DELETE on receipts (blocked)", () => {
    refuses("DELETE FROM cassette_receipts", "append-only")
  })

  it("Direct FSM jumps (blocked)", () => {
    refuses(
      `UPDATE cassette_steps SET status = 'COMMITTED', lease_owner = 'thief', lease_expires_at = ${literal(leaseEnd)}, fencing_token = 1 ${stepWhere(steps.fresh)}`,
      "PENDING -> COMMITTED"
    )
    refuses(
      `UPDATE cassette_steps SET status = 'PENDING', lease_owner = NULL, lease_expires_at = NULL ${stepWhere(steps.expired)}`,
      "LEASED -> PENDING"
    )
    refuses(
      `UPDATE cassette_steps SET status = 'LEASED', fencing_token = 2 ${stepWhere(steps.committed)}`,
      "COMMITTED -> LEASED"
    )
    // The edge itself is legal, but no event says that it happened.
    refuses(
      `UPDATE cassette_steps SET status = 'LEASED', lease_owner = 'thief', lease_expires_at = ${literal(leaseEnd)}, fencing_token = 1, event_position = ${nextPosition} ${stepWhere(steps.fresh)}`,
      "only by the event that is pending"
    )
  })

  it("Direct lease field changes (blocked)", () => {
    for (const step of Object.values(steps)) {
      for (const set of [
        "lease_owner = 'thief'",
        `lease_expires_at = ${literal(leaseEnd.replace("2026", "2030"))}`,
        "fencing_token = fencing_token + 1"
      ]) {
        refuses(`UPDATE cassette_steps SET ${set} ${stepWhere(step)}`, "Lease fields can only be set")
      }
    }
    refuses(
      `UPDATE cassette_steps SET lease_owner = NULL, lease_expires_at = NULL ${stepWhere(steps.leased)}`,
      "Lease fields can only be set"
    )
  })
})
