/**
 * Cells that are not what their column promises: bytes that the driver reads as U+FFFD, more text than any writer
 * gives, keys that no page can begin behind. Verification names table, key and column, ends, and stays small; anyone who
 * reads the log is refused by a typed error.
 */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Ledger, type LedgerShape } from "../../../application/ledger/ledger.ts"
import { openServices } from "../../testing/ledgers.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { post, withLedger } from "../../testing/programs/ledger-program.ts"
import { tamper, withoutTypes } from "../../testing/tampering.ts"
import { keptFolder, temporaryFolder } from "../../testing/temporary-folder.ts"

const MARK = "a\ufffdb"

const sample = keptFolder()
const original = join(sample.folder, "original.db")

/** Every text that a caller chooses holds U+FFFD. */
const program = Effect.gen(function* () {
  const { ledger, thoughts } = yield* openServices({ filename: original })
  yield* ledger.postMessage({
    run_id: MARK,
    source: "USER",
    idempotency_key: MARK,
    payload: { intent: MARK, text: MARK }
  })
  const { fencing_token, step_id } = yield* ledger.claimStep({ run_id: MARK, worker_id: MARK })
  yield* ledger.completeStep({
    run_id: MARK,
    step_id,
    worker_id: MARK,
    fencing_token,
    outcome: "SUCCESS",
    receipt_payload: { text: MARK }
  })
  for (const id of ["i1", `i${MARK}`]) {
    yield* thoughts.createThoughtRecord({ id, type: "plan", task_id: MARK, agent_id: MARK, content: MARK })
  }
})

beforeAll(() => Effect.runPromise(Effect.scoped(program)))
afterAll(sample.remove)

const verified = (filename: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => ledger.verifyCassette({ pure: true }))
  )

const damaged = (change: ReadonlyArray<string> | ((database: Database.Database) => void)) => {
  const filename = join(temporaryFolder(), "a.db")
  copyFileSync(original, filename)
  tamper(filename, change)
  return filename
}

const wholeLog = (filename: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => Stream.runDrain(ledger.events({ live: false })))
  )

const columns: ReadonlyArray<readonly [table: string, column: string, condition: string]> = [
  ["events", "stream_id", "position = 2"],
  ["events", "data", "position = 2"],
  ["cassette_messages", "run_id", "1"],
  ["cassette_messages", "idempotency_key", "1"],
  ["cassette_messages", "payload_json", "1"],
  ["cassette_jobs", "intent", "1"],
  ["cassette_steps", "run_id", "1"],
  ["cassette_steps", "lease_owner", "1"],
  ["cassette_steps", "payload_json", "1"],
  ["cassette_receipts", "worker_id", "1"],
  ["cassette_receipts", "receipt_json", "1"],
  ["thought_records", "task_id", "id = 'i1'"],
  ["thought_records", "agent_id", "id = 'i1'"],
  ["thought_records", "content", "id = 'i1'"],
  ["thought_records", "id", "id <> 'i1'"]
]

describe("bytes that are not UTF-8 where U+FFFD is read", () => {
  it.live("the honest text passes", () =>
    Effect.map(verified(original), ({ findings }) => assert.deepStrictEqual(findings, []))
  )

  // One byte, and three bytes that are as long as U+FFFD itself.
  for (const bytes of ["FF", "F09F98"]) {
    it.live.each(columns)(`${bytes} in %s %s is found`, ([table, column, condition]) =>
      Effect.gen(function* () {
        const filename = damaged([
          `UPDATE ${table} SET ${column} = CAST(unhex(replace(hex(${column}), 'EFBFBD', '${bytes}')) AS TEXT) WHERE ${condition}`
        ])
        const { findings } = yield* verified(filename)
        const found = findings.find(({ code }) => code === "TEXT_NOT_UTF8")
        assert.match(found?.where ?? "", new RegExp(`${table === "events" ? "event 2" : table}.* ${column}$`))
        if (table !== "events") return
        assert.deepInclude(
          { ...(yield* Effect.flip(wholeLog(filename))) },
          { _tag: "StoreCorrupt", where: `event 2 ${column}` }
        )
        const refused = yield* Effect.flip(withLedger({ filename }, post("r", 1)))
        assert.deepInclude({ ...refused }, { _tag: "StoreCorrupt", code: "TEXT_NOT_UTF8" })
      })
    )
  }

  it.live("more keys of that kind than a page holds do not keep verification forever", () =>
    Effect.gen(function* () {
      const filename = damaged((database) => {
        const insert = database.prepare(
          "INSERT INTO cassette_meta VALUES (CAST(unhex('FF' || printf('%04X', ?)) AS TEXT), 'x', 1)"
        )
        for (let index = 0; index < 1_500; index++) insert.run(index)
      })
      const { findings } = yield* verified(filename)
      assert.include(
        findings.map(({ code }) => code),
        "TEXT_NOT_UTF8"
      )
    })
  )
})

describe("a cell of 17 MB", () => {
  it.live.each([
    ["events", "data", "position = 2"],
    ["events", "type", "position = 2"],
    ["cassette_steps", "payload_json", "1"],
    ["thought_records", "id", "id = 'i1'"],
    ["events", "hash", "position = 6"],
    ["head", "hash", "1"],
    ["ledger_migrations", "name", "1"],
    ["cassette_meta", "key", "key = 'db_version'"],
    ["cassette_messages", "message_id", "1"]
  ] as const)("in %s %s is a finding, and the report stays small", ([table, column, condition]) =>
    Effect.gen(function* () {
      const filename = damaged([`UPDATE ${table} SET ${column} = hex(zeroblob(8500000)) WHERE ${condition}`])
      const report = yield* verified(filename)
      assert.strictEqual(report.verdict, "FAIL")
      assert.isBelow(JSON.stringify(report).length, 100_000)
      if (table === "head" || table === "ledger_migrations") return
      const found = report.findings.filter(({ code }) => code === "CELL_TOO_LARGE")
      assert.include(found.map(({ where }) => where).join(), table === "events" ? "event" : table)
    })
  )
})

describe("an event with a value of another type", () => {
  it.live.each(["x'00ff'", "NULL", "1.5"])("%s refuses the log and its writer", (value) =>
    Effect.gen(function* () {
      const filename = damaged((database) => withoutTypes(database, "events", "data", value))
      assert.deepInclude(
        { ...(yield* Effect.flip(wholeLog(filename))) },
        { _tag: "StoreCorrupt", where: "event 6 data" }
      )
      const refused = yield* Effect.flip(withLedger({ filename }, post("r", 1)))
      assert.deepInclude({ ...refused }, { _tag: "StoreCorrupt", where: "event 6 data" })
    })
  )
})

describe("a row with a damaged cell", () => {
  const queries: Readonly<Record<string, (ledger: LedgerShape) => Effect.Effect<unknown, unknown>>> = {
    cassette_messages: (ledger) => ledger.messages(MARK),
    cassette_jobs: (ledger) =>
      Effect.flatMap(ledger.stepStates(MARK), ([step]) => ledger.jobStatus(step?.job_id ?? "")),
    cassette_steps: (ledger) => ledger.steps({ run_id: MARK }),
    cassette_receipts: (ledger) => ledger.receipts({ run_id: MARK })
  }

  it.live.each([
    ["cassette_messages", "payload_json"],
    ["cassette_messages", "source"],
    ["cassette_jobs", "intent"],
    ["cassette_steps", "payload_json"],
    ["cassette_steps", "fencing_token"],
    ["cassette_receipts", "receipt_json"],
    ["cassette_receipts", "outcome"]
  ] as const)("%s %s is no answer but damage with its place", ([table, column]) =>
    Effect.gen(function* () {
      // A table without rowids keeps its types.
      const filename = damaged(
        table === "cassette_jobs"
          ? ["UPDATE cassette_jobs SET intent = CAST(x'ff' AS TEXT)"]
          : (database) => withoutTypes(database, table, column, "x'00ff'")
      )
      const ask = (query: (ledger: LedgerShape) => Effect.Effect<unknown, unknown>) =>
        Effect.flip(withLedger({ filename, mode: "read" }, Ledger.use(query)))
      const asked = queries[table]
      assert.isDefined(asked)
      const error = yield* ask(asked ?? (() => Effect.void))
      assert.instanceOf(error, StoreCorrupt)
      assert.match(error.where, new RegExp(`^${table} .* ${column}$`))
      if (column === "fencing_token" || column === "outcome") {
        assert.instanceOf(yield* ask((ledger) => ledger.stepStates(MARK)), StoreCorrupt)
      }
    })
  )
})
