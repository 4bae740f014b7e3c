/**
 * Verification against a forger who has the file: every finding code is provoked by one change behind the triggers'
 * back and must come with its place; a code that nothing provokes fails the completeness test.
 */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { Ledger } from "../../../application/ledger/ledger.ts"
import type { VerificationOptions } from "../../../application/ledger/verification/verification.ts"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { taskStream } from "../../../domain/ledger/event-envelope.ts"
import { type FindingCode, findingCodes } from "../../../domain/ledger/verification.ts"
import { computeHash } from "../../../domain/ledger/thoughts/thought-record.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import { openForReading } from "../../sqlite/connection/better-sqlite3-host.ts"
import { makeLedgerFile, post, withLedger } from "../../testing/programs/ledger-program.ts"
import { rechain, tamper, withoutTypes } from "../../testing/tampering.ts"
import { keptFolder, temporaryFolder } from "../../testing/temporary-folder.ts"
import { openLedgerFile } from "../opening/ledger-file.ts"
import { structureFindings } from "../opening/structure-findings.ts"
import { makeSqliteLedgerStore } from "../sqlite-ledger-store.ts"

const sample = keptFolder()
const original = join(sample.folder, "original.db")
beforeAll(() => Effect.runPromise(makeLedgerFile(original)))
afterAll(sample.remove)

const verifyFile = (filename: string, options: VerificationOptions = { pure: true }) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => ledger.verifyCassette(options))
  )

/** The ids of the sample: its history is the same each time, but not its hashes. */
const idsOf = (filename: string) => {
  const database = new Database(filename, { readonly: true })
  const one = (sql: string) => String(database.prepare(sql).pluck().get())
  const ids = {
    message: one("SELECT message_id FROM cassette_messages WHERE event_position = 3"),
    lastMessage: one("SELECT max(message_id) FROM cassette_messages"),
    committed: one("SELECT step_id FROM cassette_steps WHERE status = 'COMMITTED'"),
    committedRowid: one("SELECT rowid FROM cassette_steps WHERE status = 'COMMITTED'"),
    leased: one("SELECT step_id FROM cassette_steps WHERE status = 'LEASED'"),
    leaseEnd: one("SELECT lease_expires_at FROM cassette_steps WHERE status = 'LEASED'"),
    pending: one("SELECT min(step_id) FROM cassette_steps WHERE status = 'PENDING'"),
    receipt: one("SELECT receipt_id FROM cassette_receipts"),
    eventsSql: one("SELECT sql FROM sqlite_schema WHERE name = 'tr_events_apply'")
  }
  database.close()
  return ids
}
type Ids = ReturnType<typeof idsOf>

interface Tampering {
  readonly change: (ids: Ids) => ReadonlyArray<string> | ((database: Database.Database) => void)
  /** Where the finding must say that it was made. */
  readonly where: (ids: Ids) => string
  /** Done to the triggers, after they are back. */
  readonly afterwards?: (ids: Ids) => string
  readonly options?: (ids: Ids) => VerificationOptions
}

/** Does things, and makes the chain fit again afterwards. */
const forged =
  (...statements: ReadonlyArray<string>) =>
  (database: Database.Database) => {
    for (const statement of statements) database.exec(statement)
    rechain(database)
  }

const setData = (position: number, path: string, value: string) =>
  `UPDATE events SET data = json_set(data, '${path}', ${value}) WHERE position = ${position}`

const nothing: ReadonlyArray<string> = []

/** One thought more, in log, table and head alike, so that nothing but its own chain tells. */
const forgedThought = (forged: { readonly prev_hash?: string; readonly hash?: string }) => {
  const six = {
    id: "forged",
    type: "plan",
    task_id: "t",
    content: "",
    timestamp: "2026-04-17T00:00:00Z",
    prev_hash: "0".repeat(64),
    ...forged
  } as const
  const { hash = computeHash(sha256, six) } = forged
  const { content, id, prev_hash, task_id, timestamp, type } = six
  const data = jcsText({ agent_id: "a", content, hash, id, prev_hash, timestamp, type })
  const now = "2999-01-01T00:00:00.000Z"
  return (database: Database.Database) => {
    database
      .prepare("INSERT INTO events VALUES (11, 'ThoughtRecorded', ?, 1, ?, ?, '', '')")
      .run(taskStream(task_id), data, now)
    database
      .prepare("INSERT INTO thought_records VALUES (?, ?, ?, 'a', ?, ?, ?, ?, ?, 11)")
      .run(id, type, task_id, content, timestamp, prev_hash, hash, now)
    rechain(database)
  }
}

// HISTORY_REWRITTEN is no change of a file but its difference from what was noted elsewhere.
const tamperings: {
  readonly [Code in Exclude<FindingCode, "FOREIGN_KEYS_OFF" | "HISTORY_REWRITTEN">]: Tampering
} = {
  INTEGRITY: {
    change: () => (database) => withoutTypes(database, "cassette_steps", "payload_json", "NULL"),
    where: () => "cassette_steps"
  },
  FOREIGN_KEY: {
    change: ({ committed }) => [
      `DELETE FROM cassette_jobs WHERE job_id = 'job_' || substr('${committed}', 6, 35)`
    ],
    where: ({ committedRowid }) => `cassette_steps rowid ${committedRowid}`
  },
  TABLE_MISSING: {
    change: () => nothing,
    afterwards: () => "DROP TABLE cassette_receipts",
    where: () => "table cassette_receipts"
  },
  TRIGGER_MISSING: {
    change: () => nothing,
    afterwards: () => "DROP TRIGGER tr_steps_fsm_illegal_2",
    where: () => "trigger tr_steps_fsm_illegal_2"
  },
  SCHEMA_MISSING: {
    change: () => ["DROP INDEX ix_steps_claim"],
    where: () => "index ix_steps_claim"
  },
  SCHEMA_CHANGED: {
    change: () => nothing,
    afterwards: ({ eventsSql }) =>
      `DROP TRIGGER tr_events_apply; ${eventsSql.replace("There is no projection", "There is not any projection")}`,
    where: () => "trigger tr_events_apply"
  },
  SCHEMA_EXTRA: {
    change: () => nothing,
    afterwards: () => "CREATE TRIGGER harmless AFTER UPDATE ON cassette_steps BEGIN SELECT 1; END",
    where: () => "trigger harmless"
  },
  MIGRATION_CHANGED: {
    change: () => ["UPDATE ledger_migrations SET checksum = 'another'"],
    where: () => "ledger_migrations 2 checksum"
  },
  TEXT_NOT_UTF8: {
    change: ({ leased }) => [
      `UPDATE cassette_steps SET lease_owner = CAST(x'ff' AS TEXT) WHERE step_id = '${leased}'`
    ],
    where: ({ leased }) => `cassette_steps ${leased} lease_owner`
  },
  CELL_TOO_LARGE: {
    change: ({ leased }) => [
      `UPDATE cassette_steps SET lease_owner = CAST(zeroblob(16777217) AS TEXT) WHERE step_id = '${leased}'`
    ],
    where: ({ leased }) => `cassette_steps ${leased} lease_owner`
  },
  HEAD_MISMATCH: {
    // The tail is cut, as if the last event had never been.
    change: ({ lastMessage }) => [
      "DELETE FROM events WHERE position = 10",
      ...["steps", "jobs", "messages"].map(
        (table) => `DELETE FROM cassette_${table} WHERE event_position = 10`
      ),
      `DELETE FROM cassette_messages WHERE message_id = '${lastMessage}'`
    ],
    where: () => "head"
  },
  CHAIN_BROKEN: {
    change: () => [setData(3, "$.payload.n", "100")],
    where: () => "event 3"
  },
  EVENT_INVALID: {
    change: () => forged(setData(9, "$.worker_id", "7")),
    where: () => "event 9"
  },
  DATA_NOT_CANONICAL: {
    change: () => forged("UPDATE events SET data = replace(data, '\":', '\" :') WHERE position = 3"),
    where: () => "event 3"
  },
  MESSAGE_ID_FORGED: {
    change: () =>
      forged("UPDATE events SET data = replace(data, '\"k1\"', '\"another\"') WHERE position = 3"),
    where: () => "event 3"
  },
  THOUGHT_CHAIN_BROKEN: {
    change: () => forgedThought({ prev_hash: "f".repeat(64) }),
    where: () => "thought_records forged"
  },
  THOUGHT_HASH_MISMATCH: {
    change: () => forgedThought({ hash: "f".repeat(64) }),
    where: () => "thought_records forged"
  },
  FOLD_IMPOSSIBLE: {
    change: () => forged(setData(7, "$.fencing_token", "9")),
    where: () => "event 7"
  },
  ROW_MISSING: {
    change: ({ lastMessage }) => [
      `DELETE FROM cassette_steps WHERE step_id LIKE 'step_' || substr('${lastMessage}', 5) || '%'`
    ],
    where: ({ lastMessage }) => `cassette_steps step_${lastMessage.slice(4)}.0001.00001`
  },
  ROW_EXTRA: {
    change: () => ["INSERT INTO cassette_meta VALUES ('note', 'mine', 1)"],
    where: () => "cassette_meta note"
  },
  ROW_DIFFERS: {
    change: ({ message }) => [
      `UPDATE cassette_messages SET payload_json = '{"n":100}' WHERE message_id = '${message}'`
    ],
    where: ({ message }) => `cassette_messages ${message} payload_json`
  },
  JSON_INVALID: {
    change: ({ receipt }) => [
      `UPDATE cassette_receipts SET receipt_json = '{"ok":tru' WHERE receipt_id = '${receipt}'`
    ],
    where: ({ receipt }) => `cassette_receipts ${receipt} receipt_json`
  },
  RECEIPT_MISSING: {
    change: ({ receipt }) => [`DELETE FROM cassette_receipts WHERE receipt_id = '${receipt}'`],
    where: ({ committed }) => `cassette_steps ${committed}`
  },
  RECEIPT_UNEXPECTED: {
    change: ({ committed }) => [`UPDATE cassette_steps SET status = 'LEASED' WHERE step_id = '${committed}'`],
    where: ({ receipt }) => `cassette_receipts ${receipt}`
  },
  RECEIPT_DISAGREES: {
    change: ({ receipt }) => [
      `UPDATE cassette_receipts SET worker_id = 'w9' WHERE receipt_id = '${receipt}'`
    ],
    where: ({ committed }) => `cassette_steps ${committed}`
  },
  LEASE_EXPIRED: {
    change: () => nothing,
    options: ({ leaseEnd }) => ({ now: leaseEnd }),
    where: ({ leased }) => `cassette_steps ${leased}`
  }
}

describe("what is done behind the triggers is found", () => {
  const provoked = new Set<FindingCode>()

  for (const [name, tampering] of Object.entries(tamperings)) {
    const code = name as FindingCode
    it.live(`${code}, with its place`, () =>
      Effect.gen(function* () {
        const filename = join(temporaryFolder(), "a.db")
        copyFileSync(original, filename)
        const ids = idsOf(filename)
        tamper(filename, tampering.change(ids))
        if (tampering.afterwards) {
          const database = new Database(filename)
          database.exec(tampering.afterwards(ids))
          database.close()
        }
        const report = yield* verifyFile(filename, tampering.options?.(ids))
        assert.strictEqual(report.verdict, "FAIL")
        const places = report.findings.map((finding) => `${finding.code} at ${finding.where}`)
        assert.include(places.join("\n"), `${code} at ${tampering.where(ids)}`)
        for (const { message } of report.findings) assert.isNotEmpty(message)
        provoked.add(code)
      })
    )
  }

  it("FOREIGN_KEYS_OFF, with its place", () => {
    const connection = openForReading(original)
    connection.pragma("foreign_keys = ON")
    assert.deepStrictEqual(
      structureFindings(connection, () => []),
      []
    )
    connection.pragma("foreign_keys = OFF")
    const [finding, ...others] = structureFindings(connection, () => [])
    connection.close()
    assert.deepStrictEqual(others, [])
    assert.deepInclude(finding, { code: "FOREIGN_KEYS_OFF", where: "connection" })
    provoked.add("FOREIGN_KEYS_OFF")
  })

  it.live("HISTORY_REWRITTEN, with its place", () =>
    Effect.gen(function* () {
      const expectHead = { position: 11, hash: "0".repeat(64) }
      const { findings } = yield* verifyFile(original, { pure: true, expectHead })
      assert.deepStrictEqual(
        findings.map(({ code, where }) => [code, where]),
        [["HISTORY_REWRITTEN", "event 11"]]
      )
      provoked.add("HISTORY_REWRITTEN")
    })
  )

  it("no code is left that nothing provokes", () => {
    assert.deepStrictEqual([...provoked].sort(), Object.keys(findingCodes).sort())
  })

  it.live("a value that only a CHECK forbids differs from what the events say", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      copyFileSync(original, filename)
      const { pending } = idsOf(filename)
      tamper(filename, [`UPDATE cassette_steps SET ordinal = 0 WHERE step_id = '${pending}'`])
      const { findings } = yield* verifyFile(filename)
      assert.deepStrictEqual(
        findings.map(({ code, where }) => `${code} at ${where}`),
        [`ROW_DIFFERS at cassette_steps ${pending} ordinal`]
      )
    })
  )

  it.live("a second row of head, which only a CHECK forbids, is found", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      copyFileSync(original, filename)
      tamper(filename, ["INSERT INTO head SELECT 2, size, hash FROM head"])
      const { findings } = yield* verifyFile(filename)
      assert.deepStrictEqual(
        findings.map(({ code, where }) => `${code} at ${where}`),
        ["HEAD_MISMATCH at head"]
      )
    })
  )

  it.live("a forger who rewrites log, head and tables alike is still seen by a hash that is known", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      copyFileSync(original, filename)
      const honest = yield* verifyFile(filename)
      tamper(
        filename,
        forged(
          setData(3, "$.payload.n", "100"),
          "UPDATE cassette_messages SET payload_json = '{\"n\":100}' WHERE event_position = 3",
          "UPDATE cassette_steps SET payload_json = '{\"n\":100}' WHERE run_id = 'r1' AND event_position = 3"
        )
      )
      const report = yield* verifyFile(filename)
      assert.strictEqual(report.verdict, "PASS", JSON.stringify(report.findings))
      assert.notStrictEqual(report.head.hash, honest.head.hash)
    })
  )

  it.live("values of a type that the columns cannot hold are findings, not defects", () =>
    Effect.gen(function* () {
      const columns = {
        events: ["type", "stream_id", "schema_version", "data", "recorded_at", "prev_hash", "hash"],
        head: ["size", "hash"],
        cassette_messages: ["message_id", "run_id", "payload_json", "event_position"],
        cassette_steps: ["step_id", "status", "lease_owner", "lease_expires_at", "fencing_token"],
        cassette_receipts: ["receipt_id", "step_id", "fencing_token", "receipt_json"]
      }
      // Each column gets one of them; a property, tampered-cells, puts each kind of value into columns that it draws.
      const values = ["x'00ff'", "NULL", "9e999"]
      const cells = Object.entries(columns).flatMap(([table, names]) =>
        names.map((column) => [table, column])
      )
      for (const [index, [table = "", column = ""]] of cells.entries()) {
        const value = values[index % values.length] ?? ""
        const filename = join(temporaryFolder(), "a.db")
        copyFileSync(original, filename)
        tamper(filename, (database) => withoutTypes(database, table, column, value))
        const report = yield* verifyFile(filename, { now: "2999-01-01T00:00:00.000Z" })
        assert.strictEqual(report.verdict, "FAIL", `${table} ${column} ${value}`)
      }
    })
  )
})

describe("the same damage in several cells", () => {
  it.live("is a finding for each of them", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      copyFileSync(original, filename)
      for (const column of ["prev_hash", "hash"]) {
        tamper(filename, (database) => withoutTypes(database, "events", column, "x'00ff'"))
      }
      const { findings } = yield* verifyFile(filename)
      const places = findings.filter(({ message }) => message.startsWith("the value is of type blob"))
      assert.deepStrictEqual(
        places.map(({ where }) => where.replace(/\d+/, "N")),
        ["event N prev_hash", "event N hash"]
      )
      // SQLite's own lines, which tell the column alone, give way to these.
      assert.deepStrictEqual(
        findings.filter(({ where }) => where === "database"),
        []
      )
    })
  )
})

describe("JSON that has no canonical text", () => {
  const payloads = { "an infinite number": "1e400", "deep nesting": `${"[".repeat(80)}${"]".repeat(80)}` }

  it.live.each(Object.entries(payloads))("%s, with a hash that fits, is found", ([, value]) =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      copyFileSync(original, filename)
      tamper(
        filename,
        forged(`UPDATE events SET data = replace(data, '"n":1}', '"n":${value}}') WHERE position = 3`)
      )
      const codes = (yield* verifyFile(filename)).findings.map(({ code, where }) => `${code} ${where}`)
      assert.includeMembers(codes, ["DATA_NOT_CANONICAL event 3", "FOLD_IMPOSSIBLE event 3"])
      const error = yield* Effect.flip(
        withLedger(
          { filename, mode: "read" },
          Ledger.use((ledger) => ledger.stateAt({ position: 3 }))
        )
      )
      assert.deepInclude({ ...error }, { _tag: "StoreCorrupt", code: "FOLD_IMPOSSIBLE", where: "event 3" })
    })
  )
})

describe("a newest event whose time is none", () => {
  it.live("is a finding and closes the ledger, though its hash fits", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      copyFileSync(original, filename)
      tamper(
        filename,
        forged("UPDATE events SET recorded_at = '2999-99-99T00:00:00.000Z' WHERE position = 10")
      )
      const report = yield* verifyFile(filename, {})
      assert.deepInclude(report.findings, {
        code: "CHAIN_BROKEN",
        where: "event 10",
        message: "recorded_at is not a time of the one form"
      })
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          assert.deepStrictEqual(yield* ledger.warnings, [])
          assert.strictEqual((yield* Effect.flip(post("r1", 50)))._tag, "StoreCorrupt")
        })
      )
    })
  )
})

describe("damage that the opening check finds", () => {
  it.live.each(["sqliteXstat", "sqlite-stat1", "SQLITE9STATfoo"])("does not hide as %s", (name) =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      copyFileSync(original, filename)
      tamper(filename, [`CREATE TRIGGER "${name}" BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END`])
      const report = yield* verifyFile(filename)
      assert.deepInclude(report.findings[0], { code: "SCHEMA_EXTRA", where: `trigger ${name}` })
    })
  )

  it.live("that swallows events once the ledger is open lets nothing be acknowledged", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      copyFileSync(original, filename)
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          tamper(filename, ["CREATE TRIGGER late BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END"])
          const error = yield* Effect.flip(post("r1", 50))
          assert.deepInclude(
            { ...error },
            { _tag: "StoreCorrupt", code: "SCHEMA_EXTRA", where: "trigger late" }
          )
        })
      )
    })
  )

  it.live("that swallows events where no schema is watched lets nothing be acknowledged", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      copyFileSync(original, filename)
      const { assertSchema: _, ...database } = yield* openLedgerFile({ filename })
      const store = yield* makeSqliteLedgerStore(database)
      tamper(filename, ["CREATE TRIGGER late BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END"])
      const swallowed = store.transact((unit) => {
        for (const event of unit.eventsAfter(9, 1))
          unit.append({ ...event, position: 11, prev_hash: event.hash, hash: "0".repeat(64) })
      })
      assert.deepInclude({ ...(yield* Effect.flip(swallowed)) }, { _tag: "StoreCorrupt", where: "event 11" })
    }).pipe(Effect.scoped)
  )

  it.live.each([0, -10, "9007199254740993", "9223372036854775807"])(
    "an event at position %s is found, and verification ends",
    (position) =>
      Effect.gen(function* () {
        const filename = join(temporaryFolder(), "a.db")
        copyFileSync(original, filename)
        tamper(filename, [
          `INSERT INTO events SELECT ${position}, type, stream_id, schema_version, data, recorded_at, prev_hash, hash FROM events WHERE position = 3`
        ])
        const codes = (yield* verifyFile(filename)).findings.map(({ code }) => code)
        assert.include(codes, "CHAIN_BROKEN")
        const streamed = yield* Effect.exit(
          withLedger(
            { filename, mode: "read" },
            Ledger.use((ledger) => Stream.runDrain(Stream.take(ledger.events({ live: false }), 100)))
          )
        )
        // The stream asks for what comes after position 0, so it never meets the events before.
        assert.strictEqual(Exit.isFailure(streamed), Number(position) > 0)
      })
  )

  it.live("closes the ledger for writing, and reading goes on", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      copyFileSync(original, filename)
      tamper(filename, (database) => withoutTypes(database, "events", "data", "x'00ff'"))
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          assert.deepInclude(ledger.fault, { code: "INTEGRITY", where: "event 10 data" })
          const error = yield* Effect.flip(post("r1", 50))
          assert.strictEqual(error._tag, "StoreCorrupt")
          assert.include(error.message, "INTEGRITY at event 10 data")
          assert.strictEqual((yield* ledger.steps({ run_id: "r1" })).length, 4)
          assert.strictEqual((yield* ledger.verifyCassette()).verdict, "FAIL")
        })
      )
    })
  )
})
