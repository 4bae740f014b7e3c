// The state at an earlier position is folded from the events alone and must be what the tables held then.
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { timestampFromMillis } from "../../../domain/canonical/timestamp.ts"
import type { LedgerShape } from "../ledger.ts"
import {
  behindTheTriggers,
  claim,
  complete,
  openLedger,
  post,
  rawSql,
  run,
  temporaryFile
} from "../../../infrastructure/testing/ledgers.ts"

/** What the tables hold now, through the queries. */
const tablesOf = (ledger: LedgerShape, runId: string) =>
  Effect.gen(function* () {
    return {
      messages: yield* ledger.messages(runId),
      steps: yield* ledger.steps({ run_id: runId }),
      receipts: yield* ledger.receipts({ run_id: runId })
    }
  })

describe("the state at a position", () => {
  it.effect("is what the tables held after that event", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const seen: Array<{ position: number; tables: Effect.Success<ReturnType<typeof tablesOf>> }> = []
      const see = Effect.gen(function* () {
        seen.push({ position: (yield* ledger.head).position, tables: yield* tablesOf(ledger, run) })
      })
      yield* see
      yield* post(ledger, 1)
      yield* see
      yield* post(ledger, 2, "another-run")
      yield* see
      yield* ledger.postMessage({ run_id: run, source: "USER", payload: { steps: [{ n: 1 }, { n: 2 }] } })
      yield* see
      const first = yield* claim(ledger)
      yield* see
      yield* ledger.requeueStep({ run_id: run, step_id: first.step_id, reason: "x", force: true })
      yield* see
      yield* complete(ledger, yield* claim(ledger))
      yield* see
      for (const { position, tables } of seen) {
        const {
          jobs: _jobs,
          position: at,
          thoughts,
          ...state
        } = yield* ledger.stateAt({ position, runId: run })
        assert.strictEqual(at, position)
        assert.deepStrictEqual(thoughts, [])
        assert.deepStrictEqual(state, tables)
      }
      const { position: newest } = yield* ledger.head
      const whole = yield* ledger.stateAt({ position: newest })
      assert.deepStrictEqual([whole.messages.length, whole.jobs.length, whole.steps.length], [3, 3, 4])
      const nothing = yield* ledger.stateAt({ position: 0 })
      assert.deepStrictEqual(
        [nothing.messages, nothing.jobs, nothing.steps, nothing.receipts],
        [[], [], [], []]
      )
    })
  )

  it.effect("at a time is that after the newest event up to it", () =>
    Effect.gen(function* () {
      const ledger = yield* openLedger()
      const start = yield* Clock.currentTimeMillis
      // Two events in each of three seconds.
      for (let second = 1; second <= 3; second++) {
        yield* TestClock.setTime(start + second * 1_000)
        yield* post(ledger, second)
        yield* post(ledger, second + 10)
      }
      const at = (millis: number) => ledger.stateAt({ time: timestampFromMillis(start + millis) })
      const positions = yield* Effect.forEach([-1, 0, 999, 1_000, 1_001, 2_999, 3_000, 9_000], at)
      assert.deepStrictEqual(
        positions.map(({ messages, position }) => [position, messages.length]),
        [
          [0, 0],
          [1, 0],
          [1, 0],
          [3, 2],
          [3, 2],
          [5, 4],
          [7, 6],
          [7, 6]
        ]
      )
      const third = yield* at(2_000)
      assert.deepStrictEqual(third, yield* ledger.stateAt({ position: 5 }))
      const refused = yield* Effect.flip(ledger.stateAt({ time: "2026-11-27" }))
      assert.strictEqual(refused._tag, "InvalidInput")
    })
  )

  it.effect("asks the events, not the tables", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const ledger = yield* openLedger({ filename })
      yield* post(ledger, 7)
      rawSql(filename, (database) =>
        behindTheTriggers(database, "cassette_messages", () =>
          database.exec(`UPDATE cassette_messages SET payload_json = '{}'`)
        )
      )
      const state = yield* ledger.stateAt({ position: 2 })
      assert.deepStrictEqual(
        state.messages.map(({ payload_json }) => payload_json),
        [`{"intent":"work","n":7}`]
      )
    })
  )

  it.effect("cannot be told when an event cannot follow from those before it", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const ledger = yield* openLedger({ filename })
      yield* post(ledger)
      yield* complete(ledger, yield* claim(ledger))
      rawSql(filename, (database) =>
        behindTheTriggers(database, "events", () =>
          database.exec(
            `UPDATE events SET data = replace(data, '"worker-1"', '"worker-2"') WHERE position = 3`
          )
        )
      )
      assert.lengthOf((yield* ledger.stateAt({ position: 3 })).steps, 1)
      const refused = yield* Effect.flip(ledger.stateAt({ position: 4 }))
      assert.deepInclude({ ...refused }, { _tag: "StoreCorrupt", code: "FOLD_IMPOSSIBLE", where: "event 4" })
    })
  )
})
