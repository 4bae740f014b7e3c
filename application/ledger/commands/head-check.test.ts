// What the writer refuses to append to: a history that was forged or cut while it was open, and a head that is
// dated absurdly. And the time of new events when the clock goes back.
import { assert, describe, it } from "@effect/vitest"
import type Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { timestampFromMillis } from "../../../domain/canonical/timestamp.ts"
import { type EventEnvelope, eventHash } from "../../../domain/ledger/event-envelope.ts"
import { messageIdAt } from "../../../domain/ledger/ids.ts"
import { MAX_HEAD_LEAD_MILLIS } from "../../../domain/ledger/limits.ts"
import { sha256 } from "../../../infrastructure/hashing/node-hashing.ts"
import { clockWarning } from "./head-check.ts"
import {
  behindTheTriggers,
  openLedger,
  post,
  rawSql,
  run,
  temporaryFile,
  withLedger
} from "../../../infrastructure/testing/ledgers.ts"
import { makeManualClock, withClock } from "../../../interfaces/test-kit/manual-clock.ts"

const start = Date.UTC(2026, 10, 27)

/** Appends a well-shaped message by raw SQL, as another program would; `forge` changes it before the insert. */
const appendRaw = (
  database: Database.Database,
  forge: (event: EventEnvelope) => Partial<EventEnvelope> = () => ({})
) => {
  const head = database
    .prepare<[], { position: number; hash: string; recorded_at: string }>(
      "SELECT position, hash, recorded_at FROM events ORDER BY position DESC LIMIT 1"
    )
    .get()
  if (head === undefined) throw new Error("there is no event")
  const position = head.position + 1
  const unhashed = {
    position,
    type: "MessagePosted",
    stream_id: `run:${run}`,
    schema_version: 1,
    data: jcsText({
      idempotency_key: null,
      message_id: messageIdAt(sha256, run, position, null),
      payload: { raw: position },
      source: "SYSTEM"
    }),
    recorded_at: head.recorded_at,
    prev_hash: head.hash
  }
  const event = { ...unhashed, hash: eventHash(sha256, unhashed) }
  database
    .prepare(
      "INSERT INTO events VALUES (@position, @type, @stream_id, @schema_version, @data, @recorded_at, @prev_hash, @hash)"
    )
    .run({ ...event, ...forge(event) })
}

describe("an event that another program appended", () => {
  it.effect("is appended to when it is honest", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const ledger = yield* openLedger({ filename })
      rawSql(filename, (database) => appendRaw(database))
      const posted = yield* post(ledger)
      assert.include(posted.message_id, "msg_0000000000003_")
      assert.deepStrictEqual((yield* ledger.verifyCassette({ pure: true })).findings, [])
    })
  )

  it.effect("is never appended to when its hash is forged; queries and verification work", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const ledger = yield* openLedger({ filename })
      yield* post(ledger)
      rawSql(filename, (database) => appendRaw(database, () => ({ hash: "f".repeat(64) })))
      rawSql(filename, (database) => appendRaw(database))
      for (const attempt of [1, 2]) {
        const refused = yield* Effect.flip(
          ledger.postMessage({ run_id: run, source: "USER", payload: { attempt } })
        )
        assert.deepInclude({ ...refused }, { _tag: "StoreCorrupt", code: "CHAIN_BROKEN", where: "event 3" })
      }
      assert.strictEqual((yield* ledger.head).position, 4)
      assert.lengthOf(yield* ledger.messages(run), 3)
      const report = yield* ledger.verifyCassette({ pure: true })
      assert.strictEqual(report.verdict, "FAIL")
      assert.deepStrictEqual(
        report.findings.map(({ code, where }) => [code, where]),
        [["CHAIN_BROKEN", "event 3"]]
      )
    })
  )

  it.effect("closes a ledger that is opened later as well", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* withLedger({ filename }, (ledger) => post(ledger))
      rawSql(filename, (database) => appendRaw(database, () => ({ hash: "f".repeat(64) })))
      const ledger = yield* openLedger({ filename })
      assert.deepInclude({ ...ledger.fault }, { code: "CHAIN_BROKEN", where: "event 3" })
      const refused = yield* Effect.flip(ledger.claimStep({ run_id: run, worker_id: "w" }))
      assert.strictEqual(refused._tag, "StoreCorrupt")
      assert.lengthOf(yield* ledger.messages(run), 2)
    })
  )

  it.effect("bears an id that verification recomputes", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const ledger = yield* openLedger({ filename })
      rawSql(filename, (database) =>
        appendRaw(database, (event) => {
          const forged = { ...event, data: event.data.replace(/_[0-9a-f]{16}"/, `_${"0".repeat(16)}"`) }
          return { ...forged, hash: eventHash(sha256, forged) }
        })
      )
      const report = yield* ledger.verifyCassette({ pure: true })
      assert.deepStrictEqual(
        report.findings.map(({ code, where }) => [code, where]),
        [["MESSAGE_ID_FORGED", "event 2"]]
      )
    })
  )
})

describe("a history that was cut while the ledger was open", () => {
  it.effect("is not appended to", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const ledger = yield* openLedger({ filename })
      yield* post(ledger)
      yield* post(ledger)
      rawSql(filename, (database) => {
        behindTheTriggers(database, "events", () => database.exec("DELETE FROM events WHERE position = 3"))
        behindTheTriggers(database, "head", () =>
          database.exec("UPDATE head SET size = 2, hash = (SELECT hash FROM events WHERE position = 2)")
        )
      })
      const refused = yield* Effect.flip(ledger.postMessage({ run_id: run, source: "USER", payload: {} }))
      assert.deepInclude({ ...refused }, { _tag: "StoreCorrupt", code: "HEAD_MISMATCH", where: "event 2" })
    })
  )

  it.effect("is noticed when it was rewritten up to the same position", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const ledger = yield* openLedger({ filename })
      yield* post(ledger)
      rawSql(filename, (database) =>
        behindTheTriggers(database, "head", () => database.exec(`UPDATE head SET hash = '${"a".repeat(64)}'`))
      )
      const refused = yield* Effect.flip(ledger.postMessage({ run_id: run, source: "USER", payload: {} }))
      assert.deepInclude({ ...refused }, { _tag: "StoreCorrupt", code: "HEAD_MISMATCH", where: "event 2" })
    })
  )
})

describe("a clock that goes back", () => {
  it.effect("dates new events like the newest, never before it", () => {
    const clock = makeManualClock(start)
    return Effect.gen(function* () {
      const ledger = yield* openLedger()
      yield* post(ledger)
      for (const millis of [start - 1, start - 3_600_000, start + 1, start - 86_400_000]) {
        clock.set(millis)
        yield* post(ledger)
      }
      const state = yield* ledger.stateAt({ position: (yield* ledger.head).position })
      assert.deepStrictEqual(
        state.messages.map(({ created_at }) => created_at),
        [start, start, start, start + 1, start + 1].map(timestampFromMillis)
      )
      assert.deepStrictEqual((yield* ledger.verifyCassette({ pure: true })).findings, [])
    }).pipe(withClock(clock))
  })

  it.effect("is warned about from a minute on", () => {
    const clock = makeManualClock(start)
    return Effect.gen(function* () {
      const ledger = yield* openLedger()
      clock.set(start - 60_000)
      assert.deepStrictEqual(yield* ledger.warnings, [])
      assert.deepStrictEqual((yield* ledger.verifyCassette()).warnings, [])
      clock.set(start - 60_001)
      assert.lengthOf(yield* ledger.warnings, 1)
      const report = yield* ledger.verifyCassette()
      assert.strictEqual(report.verdict, "PASS")
      assert.include(report.warnings[0], "behind the newest event")
      assert.deepStrictEqual((yield* ledger.verifyCassette({ pure: true })).warnings, [])
    }).pipe(withClock(clock))
  })

  it.effect("by 366 days is still written, by a millisecond more is refused", () => {
    const clock = makeManualClock(start)
    return Effect.gen(function* () {
      const ledger = yield* openLedger()
      clock.set(start - MAX_HEAD_LEAD_MILLIS)
      yield* post(ledger)
      clock.set(start - MAX_HEAD_LEAD_MILLIS - 1)
      const refused = yield* Effect.flip(ledger.postMessage({ run_id: run, source: "USER", payload: {} }))
      assert.deepInclude(
        { ...refused },
        { _tag: "ClockFarBehindHead", head_recorded_at: timestampFromMillis(start) }
      )
      assert.strictEqual((yield* ledger.head).position, 2)
      clock.set(start)
      yield* post(ledger)
    }).pipe(withClock(clock))
  })

  it("is no matter for an empty log", () => {
    const head = { position: 0, hash: "0".repeat(64), recorded_at: undefined }
    assert.isUndefined(clockWarning(head, 0))
  })
})
