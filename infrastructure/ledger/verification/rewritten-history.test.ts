// Histories that were cut or rewritten with patience, so that the file alone tells nothing, against what was noted
// elsewhere: the head, a trusted point, a signed checkpoint. And what verification from a trusted point passes over.
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeCheckpoint } from "../../../application/ledger/proofs/checkpoint.ts"
import { Ledger } from "../../../application/ledger/ledger.ts"
import type { VerificationOptions } from "../../../application/ledger/verification/verification.ts"
import { Thoughts } from "../../../application/ledger/thoughts/thoughts.ts"
import { LEDGER_TABLES } from "../../../domain/ledger/rows.ts"
import type { TrustFile } from "../../../domain/evidence/trust.ts"
import type { TrustedPoint } from "../../../domain/ledger/verification.ts"
import { generateKeyFiles, loadSigningKey } from "../../keys/key-files.ts"
import { post, smallHistory, withLedger } from "../../testing/programs/ledger-program.ts"
import { rechain, tamper } from "../../testing/tampering.ts"
import { keptFolder, temporaryFolder } from "../../testing/temporary-folder.ts"
import { sqliteLedgerLayer } from "../sqlite-ledger.ts"

const { folder, remove } = keptFolder()
afterAll(remove)
const original = join(folder, "l.db")

const services = (filename: string, mode: "write" | "read" = "write") =>
  Thoughts.layerNoDeps.pipe(
    Layer.provideMerge(Ledger.layerWith()),
    Layer.provideMerge(sqliteLedgerLayer({ filename, mode }))
  )

const think = (task_id: string, n: number) =>
  Thoughts.use((thoughts) =>
    thoughts.createThoughtRecord({ type: "plan", task_id, agent_id: "a", content: `${n}` })
  )

/** Fourteen events: the small history with thoughts of two tasks, and then one more post in r2 and thought in t2. */
const POINT = 12
let point: TrustedPoint
let head: TrustedPoint
let note: string
let trust: TrustFile

beforeAll(async () => {
  const program = Effect.gen(function* () {
    const ledger = yield* Ledger
    yield* smallHistory
    yield* think("t1", 1)
    yield* think("t2", 2)
    point = yield* ledger.head
    yield* post("r2", 4)
    yield* think("t2", 3)
    head = yield* ledger.head
    const key = join(folder, "key.pem")
    const { public_key } = yield* generateKeyFiles(key)
    const ledgers = [ledger.ledgerId ?? ""]
    trust = { keys: [{ name: "ops", public_key, scope: { ledgers }, enabled: true }] }
    note = (yield* makeCheckpoint({ key: yield* loadSigningKey(key), keyName: "ops" })).note
  })
  await Effect.runPromise(program.pipe(Effect.provide(services(original))))
})

type Change = ReadonlyArray<string> | ((database: Database.Database) => void)

/** What verification says of a copy that was changed; projections and triggers are as good as before. */
const verifyChanged = (change: Change, options: VerificationOptions) =>
  Effect.suspend(() => {
    const filename = join(temporaryFolder(), "l.db")
    copyFileSync(original, filename)
    tamper(filename, change)
    return withLedger(
      { filename, mode: "read" },
      Ledger.use((ledger) => ledger.verifyCassette({ pure: true, ...options }))
    )
  })

const findings = (change: Change, options: VerificationOptions = {}) =>
  Effect.map(verifyChanged(change, options), (report) =>
    report.findings.map(({ code, where }) => `${code} ${where}`)
  )

/** Cuts the newest two events with all that they made, as a patient forger would. */
const cutTail = (database: Database.Database): void => {
  for (const table of ["thought_records", "cassette_steps", "cassette_jobs", "cassette_messages"]) {
    database.exec(`DELETE FROM ${table} WHERE event_position > ${POINT}`)
  }
  database.exec(`DELETE FROM events WHERE position > ${POINT}`)
  rechain(database)
}

/** Rewrites what was posted last, in its event, its rows and all hashes from there on. */
const rewriteEvent = (database: Database.Database): void => {
  database.exec("UPDATE events SET data = replace(data, '\"n\":4', '\"n\":5') WHERE position = 13")
  for (const table of ["cassette_messages", "cassette_steps"]) {
    database.exec(`UPDATE ${table} SET payload_json = '{"n":5}' WHERE event_position = 13`)
  }
  rechain(database)
}

const emptyLog = (database: Database.Database): void => {
  for (const table of [
    "thought_records",
    "cassette_receipts",
    "cassette_steps",
    "cassette_jobs",
    "cassette_messages"
  ]) {
    database.exec(`DELETE FROM ${table}`)
  }
  database.exec("DELETE FROM events WHERE position > 1")
  rechain(database)
}

describe("a history that was changed with patience", () => {
  const changes: ReadonlyArray<readonly [string, (database: Database.Database) => void]> = [
    ["its tail cut", cutTail],
    ["its newest events rewritten", rewriteEvent],
    ["its log emptied but for the birth", emptyLog]
  ]

  it.live.each(changes)("with %s passes when nothing was noted", ([, change]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* findings(change), [])
    })
  )

  it.live.each(changes)("with %s is found by the head that was noted", ([, change]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* findings(change, { expectHead: head }), ["HISTORY_REWRITTEN event 14"])
    })
  )

  it.live.each(changes)("with %s is found by a signed checkpoint", ([, change]) =>
    Effect.gen(function* () {
      const checkpoint = { note, trust }
      assert.deepStrictEqual(yield* findings(change, { checkpoint }), ["HISTORY_REWRITTEN checkpoint"])
      // Narrowed, the checkpoint rung reads for itself.
      const rungs = ["structure", "steps"] as const
      assert.deepStrictEqual(yield* findings(change, { checkpoint, rungs }), ["HISTORY_REWRITTEN checkpoint"])
    })
  )

  it.live("with no log at all is found by a checkpoint", () =>
    Effect.gen(function* () {
      const found = yield* findings(
        (database) => {
          emptyLog(database)
          database.exec("DELETE FROM events; DELETE FROM cassette_meta")
          rechain(database)
        },
        { checkpoint: { note, trust } }
      )
      assert.include(found, "HISTORY_REWRITTEN checkpoint")
    })
  )

  it.live("without the table of events is still a report", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "l.db")
      copyFileSync(original, filename)
      const database = new Database(filename)
      database.exec("DROP TABLE events")
      database.close()
      const options = { checkpoint: { note, trust }, since: point, expectHead: head, pure: true }
      const report = yield* withLedger(
        { filename, mode: "read" },
        Ledger.use((ledger) => ledger.verifyCassette(options))
      )
      const found = report.findings.map(({ code, where }) => `${code} ${where}`)
      assert.include(found, "TABLE_MISSING table events")
      // Everything that needs the table stops at the same damage, and is told together.
      assert.isTrue(found.some((line) => line.startsWith("INTEGRITY ") && line.includes("expected_head")))
      assert.strictEqual(report.rungs.at(-1)?.name, "checkpoint")
      assert.isAbove(report.rungs.at(-1)?.findings ?? 0, 0)
    })
  )

  it.live("before a trusted point is found at that point", () =>
    Effect.gen(function* () {
      const older = (database: Database.Database) => {
        database.exec("UPDATE events SET data = replace(data, '\"n\":1', '\"n\":9') WHERE position = 3")
        rechain(database)
      }
      const report = yield* verifyChanged(older, { since: point })
      assert.deepInclude(report.findings[0], { code: "HISTORY_REWRITTEN", where: `event ${POINT}` })
      // Nothing is left out on the word of a point that does not stand.
      assert.deepStrictEqual(
        report.rungs.filter(({ since }) => since !== null),
        []
      )
      assert.include(
        report.findings.map(({ code }) => code),
        "ROW_DIFFERS"
      )
    })
  )

  it.live("under the hash of a trusted point is found at that point", () =>
    Effect.gen(function* () {
      const change = [`UPDATE events SET schema_version = 2 WHERE position = ${POINT}`]
      assert.deepStrictEqual(
        (yield* findings(change, { since: point }))[0],
        `HISTORY_REWRITTEN event ${POINT}`
      )
      assert.include(yield* findings(change, { expectHead: point }), `HISTORY_REWRITTEN event ${POINT}`)
    })
  )
})

describe("an honest history", () => {
  it.live("bears out everything that was noted, and the report names every rung", () =>
    Effect.gen(function* () {
      const report = yield* verifyChanged([], { since: point, expectHead: head, checkpoint: { note, trust } })
      assert.deepStrictEqual(report.findings, [])
      const whole = { findings: 0, since: null, run_id: null }
      const narrowed = { findings: 0, since: POINT, run_id: null }
      assert.deepStrictEqual(report.rungs, [
        { name: "since", ...whole },
        { name: "structure", ...whole },
        { name: "chain", ...narrowed },
        { name: "events", ...narrowed },
        { name: "thoughts", ...narrowed },
        { name: "projections", ...narrowed },
        { name: "steps", ...whole },
        { name: "expected_head", ...whole },
        { name: "checkpoint", ...whole }
      ])
      // The two events after the point; r2 with its three messages, and the two thoughts of t2.
      assert.deepStrictEqual(report.counts, {
        events: 2,
        cassette_meta: 0,
        cassette_messages: 3,
        cassette_jobs: 3,
        cassette_steps: 3,
        cassette_receipts: 0,
        thought_records: 2
      })
      assert.deepStrictEqual(report.digests, {})
      assert.deepStrictEqual({ ...report.head }, { position: head.position, hash: head.hash })
    })
  )

  it.live("is whole from the beginning on, and empty from the head on", () =>
    Effect.gen(function* () {
      const counts = (options: VerificationOptions) =>
        Effect.map(verifyChanged([], options), ({ counts, verdict }) => ({ ...counts, verdict }))
      const beginning = yield* counts({ since: { position: 0, hash: "0".repeat(64) } })
      assert.deepStrictEqual(beginning, yield* counts({}))
      const nothing = yield* counts({ since: head })
      assert.deepStrictEqual(nothing, {
        verdict: "PASS",
        ...Object.fromEntries(["events", ...LEDGER_TABLES].map((name) => [name, 0]))
      })
    })
  )

  it.live("names a run as what every rung is narrowed to", () =>
    Effect.gen(function* () {
      const report = yield* verifyChanged([], { runId: "r2", since: point })
      assert.deepStrictEqual(
        report.rungs.map(({ name, run_id, since }) => [name, since, run_id]),
        [
          ["since", null, null],
          ["structure", null, "r2"],
          ["chain", null, "r2"],
          ["events", null, "r2"],
          ["projections", null, "r2"],
          ["steps", null, "r2"]
        ]
      )
      assert.strictEqual(report.counts["cassette_messages"], 3)
    })
  )
})

describe("verification since a trusted point", () => {
  const sinceFindings = (change: Change) => findings(change, { since: point })

  it.live("finds what was changed after it", () =>
    Effect.gen(function* () {
      const changed = yield* sinceFindings(["UPDATE events SET stream_id = 'run:r3' WHERE position = 13"])
      assert.include(changed, "CHAIN_BROKEN event 13")
    })
  )

  it.live.each([
    [
      "an old message",
      "UPDATE cassette_messages SET source = 'SYSTEM' WHERE event_position = 4",
      "ROW_DIFFERS"
    ],
    [
      "an old step",
      "UPDATE cassette_steps SET created_at = '2026-01-01T00:00:00.000Z' WHERE event_position = 4",
      "ROW_DIFFERS"
    ],
    ["an old job", "UPDATE cassette_jobs SET intent = 'x' WHERE event_position = 4", "ROW_DIFFERS"],
    ["a missing job", "DELETE FROM cassette_jobs WHERE event_position = 10", "ROW_MISSING"],
    ["an old thought", "UPDATE thought_records SET agent_id = 'b' WHERE event_position = 12", "ROW_DIFFERS"],
    [
      "a forged thought of no stream",
      "INSERT INTO thought_records SELECT 'x', type, 't9', agent_id, content, timestamp, prev_hash, 'x', created_at, 15 FROM thought_records WHERE event_position = 11",
      "ROW_EXTRA"
    ],
    ["a later meta row", "INSERT INTO cassette_meta VALUES ('x', 'y', 15)", "ROW_EXTRA"]
  ] as const)("finds %s of a stream that has an event after it", ([, sql, code]) =>
    Effect.gen(function* () {
      const found = yield* sinceFindings([sql])
      assert.strictEqual(found.at(-1)?.split(" ")[0], code, found.join("; "))
    })
  )

  it.live.each([
    ["a message of another run", "UPDATE cassette_messages SET source = 'SYSTEM' WHERE event_position = 3"],
    ["a thought of another task", "UPDATE thought_records SET agent_id = 'b' WHERE event_position = 11"],
    ["an event before it", "UPDATE events SET data = replace(data, '\"n\":1', '\"n\":9') WHERE position = 3"]
  ] as const)("passes over %s, which whole verification finds", ([, sql]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sinceFindings([sql]), [])
      assert.notDeepEqual(yield* findings([sql]), [])
    })
  )

  it.live("with a checkpoint still recomputes what the checkpoint covers", () =>
    Effect.gen(function* () {
      const change = ["UPDATE events SET data = replace(data, '\"n\":1', '\"n\":9') WHERE position = 3"]
      const found = yield* findings(change, { since: point, checkpoint: { note, trust } })
      assert.deepStrictEqual(found, ["CHAIN_BROKEN event 3"])
    })
  )
})

describe("what is no evidence", () => {
  it.live("is an error and not a verdict", () =>
    Effect.gen(function* () {
      const tagOf = (options: VerificationOptions) =>
        Effect.map(Effect.flip(verifyChanged([], options)), ({ _tag }) => _tag)
      const other: TrustFile = { keys: [] }
      assert.strictEqual(yield* tagOf({ checkpoint: { note, trust: other } }), "CheckpointUntrusted")
      assert.strictEqual(yield* tagOf({ checkpoint: { note: "x", trust } }), "NotACheckpoint")
      const forged = { note: note.replace("\n14\n", "\n13\n"), trust }
      assert.strictEqual(yield* tagOf({ checkpoint: forged }), "CheckpointUntrusted")
      for (const bad of [
        { position: -1, hash: head.hash },
        { position: 1.5, hash: head.hash },
        { position: 1, hash: "00" }
      ]) {
        assert.strictEqual(yield* tagOf({ since: bad }), "InvalidInput")
        assert.strictEqual(yield* tagOf({ expectHead: bad }), "InvalidInput")
      }
    })
  )
})
