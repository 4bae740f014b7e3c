// Thoughts on the SQLite adapter: what a record is made of, which chain it belongs to, what is refused, what lists
// answer, and that thoughts and work share one writer and one log.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Failed } from "../commands/command-group.ts"
import { openServices, post, rawSql, temporaryFile } from "../../../infrastructure/testing/ledgers.ts"
import { makeManualClock, withClock } from "../../../interfaces/test-kit/manual-clock.ts"
import type { InvalidInput } from "../../../domain/foundation/errors.ts"
import { MAX_THOUGHT_BYTES, ZERO_HASH } from "../../../domain/ledger/limits.ts"
import type { ThoughtInput } from "../../../domain/ledger/thoughts/commands.ts"
import type { DuplicateId } from "../../../domain/ledger/thoughts/errors.ts"
import {
  computeHash,
  THOUGHT_TYPES,
  type ThoughtRecord
} from "../../../domain/ledger/thoughts/thought-record.ts"
import { sha256 } from "../../../infrastructure/hashing/node-hashing.ts"
import type { ThoughtsShape } from "./thoughts.ts"

const input: ThoughtInput = { type: "plan", task_id: "t1", agent_id: "a1", content: "hello" }

type Created = Effect.Effect<ThoughtRecord, InvalidInput | Failed<DuplicateId>>

const thoughts = Effect.map(openServices(), (services) => services.thoughts)

const create = (service: ThoughtsShape, more: Partial<ThoughtInput> = {}): Effect.Effect<ThoughtRecord> =>
  Effect.orDie(service.createThoughtRecord({ ...input, ...more }))

/** The path of the one issue with which an input is refused. */
const refusedAt = (wrong: object) =>
  Effect.gen(function* () {
    const service = yield* thoughts
    const created: Created = service.createThoughtRecord(wrong as ThoughtInput)
    const error = yield* Effect.flip(created)
    assert.strictEqual(error._tag, "InvalidInput")
    assert.lengthOf(yield* service.listThoughtRecords(), 0)
    return (error as InvalidInput).issues.map(({ path }) => path)
  })

describe("createThoughtRecord", () => {
  it.effect("creates a genesis record with prev_hash === ZERO_HASH", () =>
    Effect.gen(function* () {
      const record = yield* create(yield* thoughts)
      assert.strictEqual(record.prev_hash, ZERO_HASH)
    })
  )

  it.effect("second record in same task links prev_hash to first.hash", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const first = yield* create(service)
      const second = yield* create(service)
      assert.strictEqual(second.prev_hash, first.hash)
      assert.notStrictEqual(second.hash, first.hash)
    })
  )

  it.effect("two tasks have independent chains — both start at ZERO_HASH", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const first = yield* create(service)
      const other = yield* create(service, { task_id: "t2" })
      const second = yield* create(service)
      assert.deepStrictEqual([first.prev_hash, other.prev_hash], [ZERO_HASH, ZERO_HASH])
      assert.strictEqual(second.prev_hash, first.hash)
    })
  )

  it.effect("mints a UUID v4 shaped id by default", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
      const ids = [(yield* create(service)).id, (yield* create(service)).id]
      for (const id of ids) assert.match(id, form)
      assert.notStrictEqual(ids[0], ids[1])
    })
  )

  it.effect("mints an ISO-8601 timestamp by default", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      yield* TestClock.adjust("1500 millis")
      assert.strictEqual((yield* create(service)).timestamp, "1970-01-01T00:00:01.500Z")
    })
  )

  it.effect("preserves all 4 thought types round-trip", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      for (const type of THOUGHT_TYPES) {
        const { id } = yield* create(service, { type })
        assert.strictEqual((yield* service.getThoughtRecord(id))?.type, type)
      }
      assert.lengthOf(THOUGHT_TYPES, 4)
    })
  )

  it.effect("preserves agent_id in the stored record", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const { id } = yield* create(service, { agent_id: "agent ☕ 7" })
      assert.strictEqual((yield* service.getThoughtRecord(id))?.agent_id, "agent ☕ 7")
    })
  )

  it.effect("accepts empty-string content", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const { id } = yield* create(service, { content: "" })
      assert.strictEqual((yield* service.getThoughtRecord(id))?.content, "")
    })
  )

  it.effect("produces the pinned hash for the canonical fixed input", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const record = yield* service.createThoughtRecord(input, {
        idFn: () => "r1",
        nowFn: () => "2026-04-17T00:00:00Z"
      })
      assert.strictEqual(record.hash, "6a2f9597f563d5515cfa69891a51806d0f93bfbe222997d3ba37c365ceee3f1a")
      assert.strictEqual(record.prev_hash, ZERO_HASH)
    })
  )

  it.effect("the returned hash matches schema.computeHash over the 6-field subset", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      yield* create(service)
      const record = yield* create(service, { content: "é\u007f\u2028😀 \\u0000" })
      assert.strictEqual(record.hash, computeHash(sha256, record))
    })
  )

  it.effect("Schema rejects missing type", () =>
    Effect.gen(function* () {
      const { type: _left, ...rest } = input
      assert.deepStrictEqual(yield* refusedAt(rest), ["/type"])
    })
  )

  it.effect("Schema rejects empty task_id", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refusedAt({ ...input, task_id: "" }), ["/task_id"])
    })
  )

  it.effect("Schema rejects empty agent_id", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refusedAt({ ...input, agent_id: "" }), ["/agent_id"])
    })
  )

  it.effect("Schema rejects invalid type value", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refusedAt({ ...input, type: "idea" }), ["/type"])
    })
  )

  it.effect.each([
    [{ content: "\ud800" }, "/content"],
    [{ content: "a\u0000b" }, "/content"],
    [{ content: 7 }, "/content"],
    [{ content: "a".repeat(MAX_THOUGHT_BYTES + 1) }, "/content"],
    [{ task_id: "é".repeat(129) }, "/task_id"],
    [{ task_id: "a\nb" }, "/task_id"],
    [{ id: "" }, "/id"],
    [{ id: "x".repeat(257) }, "/id"],
    [{ timestamp: "" }, "/timestamp"],
    [{ timestamp: "2026-04-17" }, "/timestamp"],
    [{ timestamp: "2026-04-17T00:00:00" }, "/timestamp"],
    [{ timestamp: "2026-02-30T00:00:00Z" }, "/timestamp"],
    [{ mood: "good" }, "/mood"]
  ] as ReadonlyArray<readonly [object, string]>)("refuses $0 and writes nothing", ([more, path]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refusedAt({ ...input, ...more }), [path])
    })
  )

  it.effect("holds what idFn and nowFn give to the same rules", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const noId = yield* Effect.flip(service.createThoughtRecord(input, { idFn: () => "" }))
      const noTime = yield* Effect.flip(service.createThoughtRecord(input, { nowFn: () => "noon" }))
      assert.deepStrictEqual([noId._tag, noTime._tag], ["InvalidInput", "InvalidInput"])
    })
  )

  it.effect("takes content of exactly the limit, and gives it back", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const content = `é${"\n".repeat(MAX_THOUGHT_BYTES - 2)}`
      const { id } = yield* create(service, { content })
      assert.strictEqual((yield* service.getThoughtRecord(id))?.content, content)
    })
  )

  it.effect("keeps a supplied id and time as they were given", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const timestamp = "2026-04-17T09:30:00.5+02:00"
      const record = yield* create(service, { id: "mine", timestamp })
      assert.deepInclude({ ...record }, { id: "mine", timestamp })
      assert.deepStrictEqual(yield* service.getThoughtRecord("mine"), record)
    })
  )

  it.effect("refuses an id that exists, in whichever task, and writes nothing", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      yield* create(service, { id: "mine" })
      for (const task_id of ["t1", "t2"]) {
        const error = yield* Effect.flip(service.createThoughtRecord({ ...input, id: "mine", task_id }))
        assert.deepInclude({ ...error }, { _tag: "DuplicateId", id: "mine", task_id: "t1" })
      }
      assert.lengthOf(yield* service.listThoughtRecords(), 1)
    })
  )

  it.effect("links records that wait together in one commit", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const tasks = ["t1", "t2", "t1", "t2", "t1"]
      yield* Effect.forEach(tasks, (task_id) => create(service, { task_id }), { concurrency: "unbounded" })
      assert.deepInclude({ ...(yield* service.verifyChain()) }, { valid: true, record_count: 5 })
    })
  )

  it.live("finds the end of a chain by its place in the log and not by times", () =>
    Effect.gen(function* () {
      const { ledger, thoughts } = yield* openServices()
      const clock = makeManualClock(1_000_000)
      for (const [seconds, timestamp] of [
        [5, "2026-04-17T00:00:05Z"],
        [1, "2026-04-17T00:00:01Z"],
        [5, "2026-04-17T00:00:05Z"]
      ] as const) {
        clock.set(1_000_000 + seconds * 1000)
        yield* withClock(clock)(create(thoughts, { timestamp }))
      }
      const records = yield* thoughts.listThoughtRecords({ task_id: "t1" })
      assert.deepStrictEqual(
        records.map((record) => record.prev_hash),
        [ZERO_HASH, ...records.slice(0, -1).map((record) => record.hash)]
      )
      assert.strictEqual((yield* ledger.verifyCassette({ pure: true })).verdict, "PASS")
    })
  )
})

describe("getThoughtRecord", () => {
  it.effect("returns null for missing id", () =>
    Effect.gen(function* () {
      assert.isNull(yield* (yield* thoughts).getThoughtRecord("missing"))
    })
  )

  it.effect("returns full 8-field record after insert", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const created = yield* create(service)
      const found = yield* service.getThoughtRecord(created.id)
      assert.deepStrictEqual(found, created)
      assert.deepStrictEqual(Object.keys(found ?? {}), [
        "id",
        "type",
        "task_id",
        "agent_id",
        "content",
        "timestamp",
        "prev_hash",
        "hash"
      ])
    })
  )

  it.effect("returns the correct record across multiple tasks", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      const records = yield* Effect.forEach(["t1", "t2", "t3", "t2"], (task_id) =>
        create(service, { task_id })
      )
      for (const record of records) assert.deepStrictEqual(yield* service.getThoughtRecord(record.id), record)
    })
  )
})

describe("listThoughtRecords", () => {
  const filled = Effect.gen(function* () {
    const service = yield* thoughts
    for (const [index, task_id] of ["t1", "t2", "t1", "t2", "t1"].entries()) {
      yield* create(service, { id: `r${index + 1}`, task_id })
    }
    return service
  })
  const idsOf = (service: ThoughtsShape, options?: Parameters<ThoughtsShape["listThoughtRecords"]>[0]) =>
    Effect.map(service.listThoughtRecords(options), (records) => records.map(({ id }) => id))

  it.effect("empty DB returns empty array", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* (yield* thoughts).listThoughtRecords(), [])
    })
  )

  it.effect("no filter returns all records", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* idsOf(yield* filled), ["r1", "r2", "r3", "r4", "r5"])
    })
  )

  it.effect("task_id filter returns only matching records", () =>
    Effect.gen(function* () {
      const service = yield* filled
      assert.deepStrictEqual(yield* idsOf(service, { task_id: "t2" }), ["r2", "r4"])
      assert.deepStrictEqual(yield* idsOf(service, { task_id: "unknown" }), [])
    })
  )

  it.effect("orders results by insertion order (ASC)", () =>
    Effect.gen(function* () {
      const service = yield* thoughts
      // One time for all, and ids that sort the other way.
      for (const id of ["z", "m", "a"]) yield* create(service, { id, timestamp: "2026-04-17T00:00:00Z" })
      assert.deepStrictEqual(yield* idsOf(service), ["z", "m", "a"])
      assert.deepStrictEqual(yield* idsOf(service, { task_id: "t1" }), ["z", "m", "a"])
    })
  )

  it.effect("limit clamps result length", () =>
    Effect.gen(function* () {
      const service = yield* filled
      assert.deepStrictEqual(yield* idsOf(service, { limit: 2 }), ["r1", "r2"])
      assert.lengthOf(yield* idsOf(service, { limit: 100 }), 5)
    })
  )

  it.effect("task_id + limit combine", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* idsOf(yield* filled, { task_id: "t1", limit: 2 }), ["r1", "r3"])
    })
  )

  it.effect("listed chain has intact prev_hash linkage (each prev_hash === previous.hash)", () =>
    Effect.gen(function* () {
      const records = yield* (yield* filled).listThoughtRecords({ task_id: "t1" })
      assert.lengthOf(records, 3)
      for (const [index, record] of records.entries()) {
        assert.strictEqual(record.prev_hash, records[index - 1]?.hash ?? ZERO_HASH)
      }
    })
  )

  it.effect("goes on behind a record, in either direction", () =>
    Effect.gen(function* () {
      const service = yield* filled
      assert.deepStrictEqual(yield* idsOf(service, { after: "r3" }), ["r4", "r5"])
      assert.deepStrictEqual(yield* idsOf(service, { after: "r1", task_id: "t1", limit: 1 }), ["r3"])
      assert.deepStrictEqual(yield* idsOf(service, { descending: true, limit: 2 }), ["r5", "r4"])
      assert.deepStrictEqual(yield* idsOf(service, { descending: true, after: "r4" }), ["r3", "r2", "r1"])
      const backwards = { descending: true, after: "r5", task_id: "t1" }
      assert.deepStrictEqual(yield* idsOf(service, backwards), ["r3", "r1"])
    })
  )

  it.effect("refuses to go on behind a record that does not exist", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip((yield* filled).listThoughtRecords({ after: "r9" }))
      assert.deepInclude({ ...error }, { _tag: "ThoughtNotFound", id: "r9" })
    })
  )

  it.effect.each([{ limit: 0 }, { limit: 1.5 }, { task_id: "" }, { since: 1 }])("refuses %j", (options) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip((yield* filled).listThoughtRecords(options))
      assert.strictEqual(error._tag, "InvalidInput")
    })
  )
})

describe("determinism", () => {
  it.effect("the same thoughts at the same times make the same log", () =>
    Effect.gen(function* () {
      const hashes = yield* Effect.forEach([1, 2], () =>
        Effect.scoped(
          Effect.gen(function* () {
            const { ledger, thoughts } = yield* openServices({ ledgerId: "one" })
            yield* create(thoughts, { id: "r1" })
            yield* create(thoughts, { id: "r2" })
            return (yield* ledger.head).hash
          })
        )
      )
      assert.strictEqual(hashes[0], hashes[1])
    })
  )
})

describe("thoughts and work", () => {
  it.effect("stand in one log, written by one writer", () =>
    Effect.gen(function* () {
      const { ledger, thoughts } = yield* openServices()
      yield* Effect.all([post(ledger), create(thoughts, { id: "r1" }), post(ledger)], {
        concurrency: "unbounded"
      })
      const events = yield* Stream.runCollect(ledger.events({ live: false }))
      assert.deepStrictEqual(
        [...events].map(({ stream_id, type }) => `${type} ${stream_id}`),
        [
          "LedgerCreated ledger",
          "MessagePosted run:run-1",
          "ThoughtRecorded task:t1",
          "MessagePosted run:run-1"
        ]
      )
      const report = yield* ledger.verifyCassette()
      assert.deepInclude(report, { verdict: "PASS" })
      assert.strictEqual(report.counts["thought_records"], 1)
      // A thought belongs to its task: the verification of a run reads none.
      assert.notProperty((yield* ledger.verifyCassette({ runId: "run-1" })).counts, "thought_records")
      const state = yield* ledger.stateAt({ position: 3 })
      assert.deepStrictEqual(
        state.thoughts.map(({ event_position, id }) => [id, event_position]),
        [["r1", 3]]
      )
    })
  )

  it.effect("are refused together when the ledger is damaged, and can still be read", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      yield* Effect.scoped(Effect.flatMap(openServices({ filename }), ({ thoughts }) => create(thoughts)))
      rawSql(filename, (database) => database.exec("DROP TRIGGER tr_thoughts_append_only_delete"))
      const { thoughts } = yield* openServices({ filename })
      const error = yield* Effect.flip(thoughts.createThoughtRecord(input))
      assert.strictEqual(error._tag, "StoreCorrupt")
      assert.lengthOf(yield* thoughts.listThoughtRecords(), 1)
    })
  )
})
