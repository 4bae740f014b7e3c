// Reading from the end of the log, and finding runs without reading it: the file and the ledger in memory answer alike.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { memoryPorts } from "../../application/ledger/memory/memory-ports.ts"
import { Ledger } from "../../application/ledger/ledger.ts"
import { LedgerReader } from "../../application/ledger/reading/ledger-reader.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../keys/ed25519.ts"
import { nodeRandomIdsLayer } from "./thoughts/node-random-ids.ts"
import { sqliteLedgerLayer } from "./sqlite-ledger.ts"

const host = Layer.mergeAll(nodeHashingLayer, nodeRandomIdsLayer, nodeSigningLayer)
const stores = {
  sqlite: Ledger.layerNoDeps.pipe(Layer.provideMerge(sqliteLedgerLayer({ filename: ":memory:" }))),
  memory: Ledger.layerNoDeps.pipe(Layer.provideMerge(memoryPorts), Layer.provideMerge(host))
}

/** Events 2 and 4 belong to the run `b`, 3 and 5 to `a`, 6 to a run with a name behind all letters. */
const runs = ["b", "a", "b", "a", "\u{10ffff}"]

const posted = Effect.forEach(runs, (run_id, n) =>
  Ledger.use((ledger) => ledger.postMessage({ run_id, source: "USER", payload: { n } }))
)

describe.each(Object.entries(stores))("on the store %s", (_, layer) => {
  it.effect("events are read from the newest on, of all and of one stream, page by page", () =>
    Effect.gen(function* () {
      const reader = yield* LedgerReader
      yield* posted
      const positions = (...of: Parameters<typeof reader.eventsBefore>) =>
        Effect.map(reader.eventsBefore(...of), (events) => events.map(({ position }) => position))
      assert.deepStrictEqual(yield* positions(Number.MAX_SAFE_INTEGER, 10), [6, 5, 4, 3, 2, 1])
      assert.deepStrictEqual(yield* positions(5, 2), [4, 3])
      assert.deepStrictEqual(yield* positions(1, 2), [])
      assert.deepStrictEqual(yield* positions(9, 5, "run:b"), [4, 2])
      assert.deepStrictEqual(yield* positions(4, 5, "run:b"), [2])
      assert.deepStrictEqual(yield* reader.eventsBefore(7, 6), (yield* reader.events(0, 6)).toReversed())
    }).pipe(Effect.provide(layer))
  )

  it.effect("runs are found in the order of their ids, with their newest event, page by page", () =>
    Effect.gen(function* () {
      const reader = yield* LedgerReader
      assert.deepStrictEqual(yield* reader.runPlaces({ after: "", limit: 10 }), [])
      yield* posted
      const places = (after: string, limit: number) =>
        Effect.map(reader.runPlaces({ after, limit }), (found) =>
          found.map(({ position, run_id }) => [run_id, position])
        )
      assert.deepStrictEqual(yield* places("", 2), [
        ["a", 5],
        ["b", 4]
      ])
      assert.deepStrictEqual(yield* places("b", 2), [["\u{10ffff}", 6]])
      const [first] = yield* reader.runPlaces({ after: "", limit: 1 })
      const [newest] = yield* reader.events(4, 1)
      assert.strictEqual(first?.recorded_at, newest?.recorded_at)
    }).pipe(Effect.provide(layer))
  )

  it.effect("the events of a stream are counted", () =>
    Effect.gen(function* () {
      const reader = yield* LedgerReader
      yield* posted
      assert.strictEqual(yield* reader.streamLength("run:a"), 2)
      assert.strictEqual(yield* reader.streamLength("run:c"), 0)
    }).pipe(Effect.provide(layer))
  )
})
