// Verification against damage: a file is made, closed, damaged by raw SQL, and opened again. The layer always
// builds; commands refuse what opening can see, and verification names the place of what was done.
import { assert, describe, it } from "@effect/vitest"
import type Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { FindingCode } from "../../../domain/ledger/verification.ts"
import type { LedgerShape } from "../ledger.ts"
import {
  behindTheTriggers,
  claim,
  complete,
  openLedger,
  post,
  rawSql,
  run,
  temporaryFile,
  withLedger
} from "../../../infrastructure/testing/ledgers.ts"

/**
 * Two messages of a run and one of another. Step 1 is committed, step 2 leased, the other run's step waits:
 * events 2 to 4 are the messages, 5 and 6 the claims, 7 the completion.
 */
const fill = (ledger: LedgerShape) =>
  Effect.gen(function* () {
    yield* post(ledger, 1)
    yield* post(ledger, 2)
    yield* post(ledger, 3, "run-2")
    const first = yield* claim(ledger)
    yield* claim(ledger)
    yield* Effect.orDie(complete(ledger, first))
  })

/** A filled ledger's file after `damage`. */
const damagedFile = (damage: (database: Database.Database) => void) =>
  Effect.gen(function* () {
    const filename = yield* temporaryFile
    yield* withLedger({ filename }, fill)
    rawSql(filename, damage)
    return filename
  })

const behind = (table: string, sql: string) => (database: Database.Database) =>
  behindTheTriggers(database, table, () => database.exec(sql))

const findingsOf = (ledger: LedgerShape) =>
  Effect.map(ledger.verifyCassette({ pure: true }), ({ findings }) =>
    findings.map(({ code, where }) => [code, where] as const)
  )

describe("a sound ledger", () => {
  it.effect("passes, with its counts, digests and head", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* fill(ledger)
      const report = yield* ledger.verifyCassette()
      assert.strictEqual(report.verdict, "PASS")
      assert.deepStrictEqual(report.counts, {
        events: 7,
        cassette_meta: 2,
        cassette_messages: 3,
        cassette_jobs: 3,
        cassette_steps: 3,
        cassette_receipts: 1,
        thought_records: 0
      })
      const { hash, position } = yield* ledger.head
      assert.deepStrictEqual(report.head, { position, hash })
      for (const digest of Object.values(report.digests)) assert.match(digest, /^[0-9a-f]{64}$/)
    })
  )

  it.effect("has the same digests as another ledger with the same history", () =>
    Effect.gen(function* () {
      const reports = yield* Effect.forEach([1, 2], () =>
        withLedger({ ledgerId: "one" }, (ledger) =>
          Effect.andThen(fill(ledger), ledger.verifyCassette({ pure: true }))
        )
      )
      assert.deepStrictEqual(reports[0], reports[1])
    })
  )

  it.effect("climbs only the rungs that are asked for", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* fill(ledger)
      const report = yield* ledger.verifyCassette({ rungs: ["projections"] })
      assert.isUndefined(report.counts["events"])
      assert.strictEqual(report.counts["cassette_steps"], 3)
      assert.strictEqual(report.head.position, 7)
    })
  )

  it.effect("narrows to a run", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* fill(ledger)
      const { counts, verdict } = yield* ledger.verifyCassette({ runId: "run-2" })
      assert.strictEqual(verdict, "PASS")
      assert.deepStrictEqual(counts, {
        events: 1,
        cassette_messages: 1,
        cassette_jobs: 1,
        cassette_steps: 1,
        cassette_receipts: 0
      })
    })
  )
})

describe("a lease that has ended", () => {
  it.effect("fails from its last moment on, as of the clock or of a time, and not in a pure run", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* fill(ledger)
      const verdict = (options: Parameters<LedgerShape["verifyCassette"]>[0]) =>
        Effect.map(ledger.verifyCassette(options), (report) => report.findings.map(({ code }) => code))
      yield* TestClock.adjust("299999 millis")
      assert.deepStrictEqual(yield* verdict({}), [])
      assert.deepStrictEqual(yield* verdict({ now: "1970-01-01T00:05:00.000Z" }), ["LEASE_EXPIRED"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* verdict({}), ["LEASE_EXPIRED"])
      assert.deepStrictEqual(yield* verdict({ runId: run }), ["LEASE_EXPIRED"])
      assert.deepStrictEqual(yield* verdict({ runId: "run-2" }), [])
      assert.deepStrictEqual(yield* verdict({ pure: true }), [])
      assert.deepStrictEqual(yield* verdict({ now: "1970-01-01T00:04:59.999Z" }), [])
    })
  )
})

describe("damage to the schema", () => {
  const cases: ReadonlyArray<readonly [string, string, FindingCode, string]> = [
    [
      "a dropped trigger",
      "DROP TRIGGER tr_steps_fsm_illegal_2",
      "TRIGGER_MISSING",
      "trigger tr_steps_fsm_illegal_2"
    ],
    ["a dropped table", "DROP TABLE cassette_receipts", "TABLE_MISSING", "table cassette_receipts"],
    ["a dropped index", "DROP INDEX ix_steps_claim", "SCHEMA_MISSING", "index ix_steps_claim"],
    ["an extra table", "CREATE TABLE extra (n)", "SCHEMA_EXTRA", "table extra"],
    [
      "an extra trigger",
      "CREATE TRIGGER extra AFTER INSERT ON events BEGIN SELECT 1; END",
      "SCHEMA_EXTRA",
      "trigger extra"
    ],
    [
      "a guard that guards nothing",
      `DROP TRIGGER tr_receipts_append_only_update;
       CREATE TRIGGER tr_receipts_append_only_update BEFORE UPDATE ON cassette_receipts BEGIN SELECT 1; END`,
      "SCHEMA_CHANGED",
      "trigger tr_receipts_append_only_update"
    ]
  ]

  it.effect.each(cases)("%s", ([, sql, code, where]) =>
    Effect.gen(function* () {
      const filename = yield* damagedFile((database) => database.exec(sql))
      const ledger = yield* openLedger({ filename })
      assert.deepInclude({ ...ledger.fault }, { code, where })
      const refused = yield* Effect.flip(ledger.claimStep({ run_id: "run-2", worker_id: "w" }))
      assert.deepInclude({ ...refused }, { _tag: "StoreCorrupt", code, where })
      assert.lengthOf(yield* ledger.messages(run), 2)
      assert.deepInclude(yield* findingsOf(ledger), [code, where])
      assert.strictEqual((yield* ledger.verifyCassette({ runId: "run-2" })).verdict, "FAIL")
    })
  )
})

describe("rows that were changed behind the triggers' back", () => {
  const message = "msg_0000000000002_%"
  const cases: ReadonlyArray<readonly [string, string, string, FindingCode, RegExp, RegExp]> = [
    [
      "a payload",
      "cassette_messages",
      `UPDATE cassette_messages SET payload_json = '{}' WHERE message_id LIKE '${message}'`,
      "ROW_DIFFERS",
      /^cassette_messages msg_0000000000002_[0-9a-f]{16} payload_json$/,
      /the events say .*\(event 2\)$/
    ],
    [
      "a token",
      "cassette_steps",
      "UPDATE cassette_steps SET fencing_token = 9 WHERE status = 'LEASED'",
      "ROW_DIFFERS",
      /^cassette_steps step_0000000000003_[0-9a-f]{16}\.0001\.00001 fencing_token$/,
      /^stored 9, the events say 1 \(event 6\)$/
    ],
    [
      "a status",
      "cassette_steps",
      "UPDATE cassette_steps SET status = 'PENDING' WHERE status = 'COMMITTED'",
      "ROW_DIFFERS",
      /^cassette_steps step_0000000000002_[0-9a-f]{16}\.0001\.00001 status$/,
      /^stored "PENDING", the events say "COMMITTED" \(event 7\)$/
    ],
    [
      "an outcome",
      "cassette_receipts",
      "UPDATE cassette_receipts SET outcome = 'FAILURE'",
      "ROW_DIFFERS",
      /^cassette_receipts rcpt_0000000000002_[0-9a-f]{16}\.0001\.00001 outcome$/,
      /\(event 7\)$/
    ],
    [
      "a version",
      "cassette_meta",
      "UPDATE cassette_meta SET event_position = 7 WHERE key = 'schema_version'",
      "ROW_DIFFERS",
      /^cassette_meta schema_version event_position$/,
      /\(event 1\)$/
    ],
    [
      "a receipt that vanished",
      "cassette_receipts",
      "DELETE FROM cassette_receipts",
      "ROW_MISSING",
      /^cassette_receipts rcpt_0000000000002_/,
      /^event 7 demands this row$/
    ],
    [
      "a job that was never posted",
      "cassette_jobs",
      `INSERT INTO cassette_jobs SELECT substr(job_id, 1, 35) || '0002', message_id, 'x', 2, created_at, event_position
       FROM cassette_jobs WHERE event_position = 2`,
      "ROW_EXTRA",
      /^cassette_jobs job_0000000000002_[0-9a-f]{16}\.0002$/,
      /^no event made this row$/
    ]
  ]

  it.effect.each(cases)(
    "%s is found with table, key, column and event",
    ([, table, sql, code, where, words]) =>
      Effect.gen(function* () {
        const filename = yield* damagedFile(behind(table, sql))
        const ledger = yield* openLedger({ filename })
        assert.isUndefined(ledger.fault)
        const report = yield* ledger.verifyCassette({ pure: true })
        assert.strictEqual(report.verdict, "FAIL")
        const finding = report.findings.find((found) => found.code === code)
        assert.match(finding?.where ?? "", where)
        assert.match(finding?.message ?? "", words)
        // Another run's rows are as they were, unless the row belongs to no run.
        const other = yield* ledger.verifyCassette({ pure: true, runId: "run-2" })
        assert.strictEqual(other.verdict, "PASS")
      })
  )

  it.effect("closes the ledger when it is opened with full verification", () =>
    Effect.gen(function* () {
      const filename = yield* damagedFile(
        behind("cassette_receipts", "UPDATE cassette_receipts SET outcome = 'FAILURE'")
      )
      const ledger = yield* openLedger({ filename, verifyOnOpen: "full" })
      const refused = yield* Effect.flip(ledger.claimStep({ run_id: "run-2", worker_id: "w" }))
      assert.deepInclude({ ...refused }, { _tag: "StoreCorrupt", code: "ROW_DIFFERS" })
    })
  )

  it.effect("is found by the steps rung too when receipts and steps disagree", () =>
    Effect.gen(function* () {
      const codes = (table: string, sql: string) =>
        Effect.gen(function* () {
          const ledger = yield* openLedger({ filename: yield* damagedFile(behind(table, sql)) })
          const { findings } = yield* ledger.verifyCassette({ pure: true, rungs: ["steps"] })
          return findings.map(({ code }) => code)
        })
      assert.deepStrictEqual(yield* codes("cassette_receipts", "DELETE FROM cassette_receipts"), [
        "RECEIPT_MISSING"
      ])
      assert.deepStrictEqual(
        yield* codes(
          "cassette_steps",
          "UPDATE cassette_steps SET status = 'LEASED' WHERE status = 'COMMITTED'"
        ),
        ["RECEIPT_UNEXPECTED"]
      )
      assert.deepStrictEqual(
        yield* codes("cassette_receipts", "UPDATE cassette_receipts SET worker_id = 'somebody'"),
        ["RECEIPT_DISAGREES"]
      )
    })
  )
})

describe("events that were changed behind the triggers' back", () => {
  const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<readonly [FindingCode, string]>]> = [
    [
      "data",
      `UPDATE events SET data = replace(data, '"n":1', '"n":9') WHERE position = 2`,
      [["CHAIN_BROKEN", "event 2"]]
    ],
    [
      "a time",
      "UPDATE events SET recorded_at = '1970-01-01T00:00:00.001Z' WHERE position = 3",
      [
        ["CHAIN_BROKEN", "event 3"],
        ["CHAIN_BROKEN", "event 4"]
      ]
    ],
    [
      "spaces",
      `UPDATE events SET data = replace(data, ':', ': ') WHERE position = 2`,
      [["DATA_NOT_CANONICAL", "event 2"]]
    ],
    ["a type", "UPDATE events SET type = 'Unknown' WHERE position = 6", [["EVENT_INVALID", "event 6"]]],
    ["the newest event", "DELETE FROM events WHERE position = 7", [["HEAD_MISMATCH", "head"]]],
    [
      "an event in the middle",
      "DELETE FROM events WHERE position = 4",
      [
        ["CHAIN_BROKEN", "event 5"],
        ["CHAIN_BROKEN", "events"]
      ]
    ]
  ]

  it.effect.each(cases)("%s", ([, sql, expected]) =>
    Effect.gen(function* () {
      const ledger = yield* openLedger({ filename: yield* damagedFile(behind("events", sql)) })
      const refused = yield* Effect.flip(ledger.claimStep({ run_id: "run-2", worker_id: "w" }))
      assert.strictEqual(refused._tag, "StoreCorrupt")
      const findings = yield* findingsOf(ledger)
      for (const finding of expected) assert.deepInclude(findings, finding)
    })
  )
})
