/**
 * A forger with patience: guards dropped and put back, rows and events changed alike, every hash made afresh. What no
 * honest writer would have written is found all the same, and named by its event.
 */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { jobIdOf, messageIdAt, stepIdOf } from "../../../domain/ledger/ids.ts"
import { computeHash } from "../../../domain/ledger/thoughts/thought-record.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import { makeLedgerFile, post, withLedger } from "../../testing/programs/ledger-program.ts"
import { rechain, tamper } from "../../testing/tampering.ts"
import { keptFolder, temporaryFolder } from "../../testing/temporary-folder.ts"

const sample = keptFolder()
const original = join(sample.folder, "original.db")
beforeAll(() => Effect.runPromise(makeLedgerFile(original)))
afterAll(sample.remove)

const verifyFile = (filename: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => ledger.verifyCassette({ pure: true }))
  )

interface Forgery {
  readonly change: ReadonlyArray<string>
  readonly position: number
  readonly code: string
  readonly message: string
}

const forgeries: Readonly<Record<string, Forgery>> = {
  "a claim out of turn": {
    change: [
      // Event 9 claims the message's last step; the one that was given back goes on waiting.
      `CREATE TEMP TABLE turn AS SELECT step_id, (SELECT step_id FROM cassette_steps WHERE status = 'PENDING' AND run_id = 'r1' AND step_id LIKE substr(leased.step_id, 1, 36) || '0002%') AS other FROM cassette_steps AS leased WHERE event_position = 9`,
      "UPDATE events SET data = json_set(data, '$.step_id', (SELECT other FROM turn), '$.fencing_token', 1) WHERE position = 9",
      "UPDATE cassette_steps SET status = 'LEASED', lease_owner = 'w3', fencing_token = 1, event_position = 9, lease_expires_at = (SELECT lease_expires_at FROM cassette_steps WHERE step_id = (SELECT step_id FROM turn)) WHERE step_id = (SELECT other FROM turn)",
      "UPDATE cassette_steps SET status = 'PENDING', lease_owner = NULL, fencing_token = 1, event_position = 8, lease_expires_at = NULL WHERE step_id = (SELECT step_id FROM turn)"
    ],
    position: 9,
    code: "FOLD_IMPOSSIBLE",
    message: "oldest waiting step is"
  },
  "a lease longer than a day": {
    change: [
      "UPDATE events SET data = json_set(data, '$.lease_expires_at', '2999-01-01T00:00:00.000Z') WHERE position = 9",
      "UPDATE cassette_steps SET lease_expires_at = '2999-01-01T00:00:00.000Z' WHERE event_position = 9"
    ],
    position: 9,
    code: "EVENT_INVALID",
    message: "the lease holds"
  },
  "a creation in another stream": {
    change: ["UPDATE events SET stream_id = 'run:r1' WHERE position = 1"],
    position: 1,
    code: "EVENT_INVALID",
    message: "no stream of such an event"
  },
  "a requeue without a reason": {
    change: ["UPDATE events SET data = json_set(data, '$.reason', '') WHERE position = 8"],
    position: 8,
    code: "EVENT_INVALID",
    message: "the reason"
  },
  "U+0000 in a receipt": {
    change: [
      "UPDATE events SET data = json_set(data, '$.receipt', json('{\"a\":\"\\u0000\"}')) WHERE position = 6",
      'UPDATE cassette_receipts SET receipt_json = \'{"a":"\\u0000"}\''
    ],
    position: 6,
    code: "EVENT_INVALID",
    message: "U+0000"
  }
}

describe("forgeries with valid hashes", () => {
  for (const [name, { change, code, message, position }] of Object.entries(forgeries)) {
    it.effect(`${name} is found, named by its event`, () =>
      Effect.gen(function* () {
        const filename = join(temporaryFolder(), "forged.db")
        copyFileSync(original, filename)
        tamper(filename, (database: Database.Database) => {
          for (const statement of change) database.exec(statement)
          rechain(database)
        })
        const { findings } = yield* verifyFile(filename)
        // A claim that is left out of the fold leaves a step that differs; else nothing more is found.
        const rows = code === "FOLD_IMPOSSIBLE" ? 1 : 0
        assert.deepStrictEqual(
          findings.map((finding) => finding.code),
          [code, ...Array<string>(rows).fill("ROW_DIFFERS")]
        )
        assert.strictEqual(findings[0]?.where, `event ${position}`)
        assert.include(findings[0]?.message, message)
      })
    )
  }
})

/** Changes of a renewal, the event at position 11, in log and tables alike. */
const forgedRenewals: {
  readonly [what: string]: readonly [change: ReadonlyArray<string>, words: string]
} = {
  "by another worker": [
    [
      "UPDATE events SET data = json_set(data, '$.worker_id', 'w9') WHERE position = 11",
      "UPDATE cassette_steps SET lease_owner = 'w9' WHERE event_position = 11"
    ],
    "those of the lease"
  ],
  "of the token before": [
    ["UPDATE events SET data = json_set(data, '$.previous_token', 1) WHERE position = 11"],
    "those of the lease"
  ],
  "that leaves a token out": [
    [
      "UPDATE events SET data = json_set(data, '$.fencing_token', 4) WHERE position = 11",
      "UPDATE cassette_steps SET fencing_token = 4 WHERE event_position = 11"
    ],
    "grow by one"
  ],
  "after the old lease's end": [
    [
      "UPDATE events SET recorded_at = '2999-01-01T00:00:00.000Z', data = json_set(data, '$.lease_expires_at', '2999-01-01T00:05:00.000Z') WHERE position = 11",
      "UPDATE cassette_steps SET lease_expires_at = '2999-01-01T00:05:00.000Z' WHERE event_position = 11"
    ],
    "had expired"
  ],
  "that ends when it begins": [
    [
      "UPDATE events SET data = json_set(data, '$.lease_expires_at', recorded_at) WHERE position = 11",
      "UPDATE cassette_steps SET lease_expires_at = (SELECT recorded_at FROM events WHERE position = 11) WHERE event_position = 11"
    ],
    "ends before it begins"
  ],
  "of a step that waits": [
    [
      "UPDATE events SET data = json_set(data, '$.step_id', (SELECT step_id FROM cassette_steps WHERE status = 'PENDING' AND run_id = 'r1' ORDER BY step_id LIMIT 1)) WHERE position = 11"
    ],
    "the step is PENDING"
  ],
  "of a step that is committed": [
    [
      "UPDATE events SET data = json_set(data, '$.step_id', (SELECT step_id FROM cassette_steps WHERE status = 'COMMITTED')) WHERE position = 11"
    ],
    "the step is COMMITTED"
  ],
  "in another run": [["UPDATE events SET stream_id = 'run:r2' WHERE position = 11"], "run r2 has no step"]
}

const renewed = join(sample.folder, "renewed.db")
beforeAll(() => {
  copyFileSync(original, renewed)
  const renewal = Ledger.use((ledger) =>
    Effect.flatMap(ledger.leases(), ([lease]) => {
      if (lease === undefined) throw new Error("no step is leased")
      const { fencing_token, run_id, step_id, worker_id } = lease
      return ledger.renewLease({ fencing_token, run_id, step_id, worker_id })
    })
  )
  return Effect.runPromise(withLedger({ filename: renewed }, renewal))
})

describe("a forged renewal with hashes that fit", () => {
  it.effect("(none is found where nothing is forged)", () =>
    Effect.gen(function* () {
      const { findings, head } = yield* verifyFile(renewed)
      assert.deepStrictEqual(findings, [])
      assert.strictEqual(head.position, 11)
    })
  )

  it.effect.each(Object.entries(forgedRenewals))("%s is found by the fold", ([, [change, words]]) =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "forged.db")
      copyFileSync(renewed, filename)
      tamper(filename, (database: Database.Database) => {
        for (const statement of change) database.exec(statement)
        rechain(database)
      })
      const { findings } = yield* verifyFile(filename)
      const fold = findings.find(({ code }) => code === "FOLD_IMPOSSIBLE")
      assert.strictEqual(fold?.where, "event 11")
      assert.include(fold?.message, words)
      // The step that was renewed is another than without the renewal. A lease without time is also wrong by itself.
      const others = new Set(findings.map(({ code, where }) => (where === "event 11" ? "event 11" : code)))
      assert.deepStrictEqual([...others], ["event 11", "ROW_DIFFERS"])
    })
  )
})

interface Forged {
  readonly type: string
  readonly stream_id?: string
  readonly data: string
  readonly recorded_at?: string
}

const NOW = "2999-01-01T00:00:00.000Z"

/** Appends events to log and head alone, with hashes that fit. */
const appended = (events: ReadonlyArray<Forged>) => (database: Database.Database) => {
  const insert = database.prepare(
    "INSERT INTO events VALUES ((SELECT max(position) + 1 FROM events), ?, ?, 1, ?, ?, '', '')"
  )
  for (const { data, recorded_at = NOW, stream_id = "run:r1", type } of events) {
    insert.run(type, stream_id, data, recorded_at)
  }
  rechain(database)
}

const set = (position: number, path: string, value: string) => (database: Database.Database) => {
  database.exec(`UPDATE events SET data = json_set(data, '${path}', ${value}) WHERE position = ${position}`)
  rechain(database)
}

const stream = (position: number, id: string) => (database: Database.Database) => {
  database.prepare("UPDATE events SET stream_id = ? WHERE position = ?").run(id, position)
  rechain(database)
}

const message = (
  fields: { readonly [key: string]: unknown } = {},
  { key = null, run = "r1" }: { readonly key?: string | null; readonly run?: string } = {}
): Forged => ({
  type: "MessagePosted",
  stream_id: `run:${run}`,
  data: jcsText({
    idempotency_key: key,
    message_id: messageIdAt(sha256, run, 11, key),
    payload: { n: 1 },
    source: "USER",
    ...fields
  })
})

/** The steps of the message at position 2: the first is committed, the second leased by w3 with token 2. */
const step = (job: number, ordinal: number) =>
  stepIdOf(jobIdOf(messageIdAt(sha256, "r1", 2, null), job), ordinal)

const claim = (fields: { readonly [key: string]: unknown }): Forged => ({
  type: "StepClaimed",
  data: jcsText({
    fencing_token: 1,
    lease_expires_at: "2999-01-01T00:05:00.000Z",
    scope: "run",
    step_id: step(2, 1),
    worker_id: "w1",
    ...fields
  })
})

const requeue = (fields: { readonly [key: string]: unknown }): Forged => ({
  type: "StepRequeued",
  data: jcsText({
    cause: "forced",
    fencing_token: 2,
    reason: "stuck",
    requested_by: "w1",
    step_id: step(1, 2),
    worker_id: "w3",
    ...fields
  })
})

const completion = (fields: { readonly [key: string]: unknown }): Forged => ({
  type: "StepCompleted",
  data: jcsText({
    fencing_token: 2,
    outcome: "SUCCESS",
    receipt: {},
    step_id: step(1, 2),
    worker_id: "w3",
    ...fields
  })
})

const renewal = (fields: { readonly [key: string]: unknown }): Forged => ({
  type: "LeaseRenewed",
  data: jcsText({
    fencing_token: 3,
    lease_expires_at: "2999-01-01T00:05:00.000Z",
    previous_token: 2,
    step_id: step(1, 2),
    worker_id: "w3",
    ...fields
  })
})

const thought = (
  id: string,
  fields: { readonly task_id?: string; readonly content?: string } = {}
): Forged => {
  const six = {
    id,
    type: "plan",
    task_id: "t",
    content: "",
    timestamp: "2026-04-17T00:00:00Z",
    prev_hash: "0".repeat(64),
    ...fields
  } as const
  const { task_id, ...own } = six
  return {
    type: "ThoughtRecorded",
    stream_id: `task:${task_id}`,
    data: jcsText({ ...own, agent_id: "a", hash: computeHash(sha256, six) })
  }
}

/** Data that `jcsText` would not write: the payload's text is put in as it is. */
const rawPayload = (text: string): Forged => {
  const made = message()
  return { ...made, data: made.data.replace('{"n":1}', text) }
}

type Change = (database: Database.Database) => void

/** Changes of the log alone: the tables tell too, but what the log tells by itself is asked. */
const forgedLogs: {
  readonly [what: string]: readonly [Change, code: string, where: string, words: string]
} = {
  "a creation on a run's stream": [stream(1, "run:r1"), "EVENT_INVALID", "event 1", "no stream"],
  "a second creation": [
    appended([{ type: "LedgerCreated", stream_id: "ledger", data: '{"ledger_id":"x"}' }]),
    "EVENT_INVALID",
    "event 11",
    "position 1"
  ],
  "a message on a task's stream": [stream(10, "task:r2"), "EVENT_INVALID", "event 10", "no stream"],
  "a thought on a run's stream": [
    appended([{ ...thought("a"), stream_id: "run:t" }]),
    "EVENT_INVALID",
    "event 11",
    "no stream"
  ],
  "a run without a name": [appended([message({}, { run: "" })]), "EVENT_INVALID", "event 11", "no stream"],
  "an empty key": [
    appended([message({ idempotency_key: "" })]),
    "EVENT_INVALID",
    "event 11",
    "idempotency_key"
  ],
  "a worker with a control character": [
    set(9, "$.worker_id", "char(7)"),
    "EVENT_INVALID",
    "event 9",
    "worker_id"
  ],
  "a step of another run": [
    appended([{ ...completion({}), stream_id: "run:r2" }]),
    "FOLD_IMPOSSIBLE",
    "event 11",
    "run r2 has no step"
  ],
  "a claim out of order": [
    appended([claim({ step_id: stepIdOf(jobIdOf(messageIdAt(sha256, "r1", 3, "k1"), 1), 1) })]),
    "FOLD_IMPOSSIBLE",
    "event 11",
    "oldest waiting step"
  ],
  "a lease of a day and a second": [
    appended([claim({ lease_expires_at: "2999-01-02T00:00:01.000Z" })]),
    "EVENT_INVALID",
    "event 11",
    "whole seconds"
  ],
  "a lease that ends when it begins": [
    appended([claim({ lease_expires_at: NOW })]),
    "FOLD_IMPOSSIBLE",
    "event 11",
    "ends before it begins"
  ],
  "a token that jumps": [
    appended([claim({ fencing_token: 7 })]),
    "FOLD_IMPOSSIBLE",
    "event 11",
    "grow by one"
  ],
  "a completion after the lease": [appended([completion({})]), "FOLD_IMPOSSIBLE", "event 11", "had expired"],
  "a completion with another's token": [
    appended([completion({ fencing_token: 1 })]),
    "FOLD_IMPOSSIBLE",
    "event 11",
    "those of the lease"
  ],
  "a release with another token": [
    appended([requeue({ cause: "released", fencing_token: 1 })]),
    "FOLD_IMPOSSIBLE",
    "event 11",
    "those of the lease"
  ],
  "an expiry before its time": [
    set(8, "$.cause", "'expired'"),
    "FOLD_IMPOSSIBLE",
    "event 8",
    "had not expired"
  ],
  "a renewal for a day and a second": [
    appended([renewal({ lease_expires_at: "2999-01-02T00:00:01.000Z" })]),
    "EVENT_INVALID",
    "event 11",
    "whole seconds"
  ],
  "a renewal on a task's stream": [
    appended([{ ...renewal({}), stream_id: "task:t" }]),
    "EVENT_INVALID",
    "event 11",
    "no stream"
  ],
  "a renewal of no token": [
    appended([renewal({ previous_token: 0 })]),
    "EVENT_INVALID",
    "event 11",
    "previous_token"
  ],
  "a renewal that has a traceparent": [
    appended([renewal({ traceparent: `00-${"1".repeat(32)}-${"1".repeat(16)}-00` })]),
    "EVENT_INVALID",
    "event 11",
    "traceparent"
  ],
  "a message in no trace": [set(2, "$.traceparent", "'ff'"), "EVENT_INVALID", "event 2", "traceparent"],
  "a claim in a trace of zeros": [
    appended([claim({ traceparent: `00-${"0".repeat(32)}-${"1".repeat(16)}-00` })]),
    "EVENT_INVALID",
    "event 11",
    "traceparent"
  ],
  "a requeue with a blank reason": [
    appended([requeue({ reason: " \n" })]),
    "EVENT_INVALID",
    "event 11",
    "the reason"
  ],
  "U+0000 in a payload": [appended([rawPayload('{"a":"\\u0000"}')]), "EVENT_INVALID", "event 11", "U+0000"],
  "a time before the one before": [
    appended([{ ...message(), recorded_at: "2001-01-01T00:00:00.000Z" }]),
    "CHAIN_BROKEN",
    "event 11",
    "is before the time"
  ],
  "a key that names another message": [
    appended([message({}, { key: "k1" })]),
    "FOLD_IMPOSSIBLE",
    "event 11",
    "names msg_0000000000003_"
  ],
  "an id of a thought that is taken": [
    appended([thought("a"), thought("a", { task_id: "u" })]),
    "FOLD_IMPOSSIBLE",
    "event 12",
    "a record a already"
  ]
}

describe("a forged log with hashes that fit", () => {
  it.live.each(Object.entries(forgedLogs))("%s is found", ([, [change, code, where, words]]) =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      copyFileSync(original, filename)
      tamper(filename, change)
      const report = yield* withLedger(
        { filename, mode: "read" },
        Ledger.use((ledger) => ledger.verifyCassette({ pure: true }))
      )
      const found = report.findings.filter((finding) => finding.code === code && finding.where === where)
      assert.include(
        found.map((finding) => finding.message).join("\n"),
        words,
        JSON.stringify(report.findings).slice(0, 2_000)
      )
      if (code === "FOLD_IMPOSSIBLE") return
      // What can be said of the event alone closes the ledger for writing.
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          const refused = yield* Effect.flip(post("r1", 50))
          assert.deepInclude({ ...refused }, { _tag: "StoreCorrupt", code, where })
        })
      )
    })
  )
})

describe("an honest history at every limit", () => {
  it.effect("has no finding", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "honest.db")
      let deep: unknown = "bottom"
      for (let level = 0; level < 63; level++) deep = [deep]
      yield* withLedger(
        { filename },
        Ledger.use((ledger) =>
          Effect.gen(function* () {
            yield* post("r", 1)
            yield* ledger.postMessage({
              run_id: "r".repeat(256),
              source: "USER",
              payload: { deep: deep as never, slash: "\\\n", text: "x".repeat(1_048_576 - 400) }
            })
            const job = { intent: "", steps: [{ deep: deep as never }] as const }
            yield* ledger.postMessage({ run_id: "s", source: "USER", payload: {}, jobs: [job] })
            const claimed = yield* ledger.claimStep({
              run_id: "r".repeat(256),
              worker_id: "w",
              ttl_seconds: 86_400
            })
            yield* ledger.completeStep({
              run_id: "r".repeat(256),
              step_id: claimed.step_id,
              worker_id: "w",
              fencing_token: 1,
              receipt_payload: { deep: deep as never },
              outcome: "SUCCESS"
            })
          })
        )
      )
      assert.deepStrictEqual((yield* verifyFile(filename)).findings, [])
    })
  )
})
