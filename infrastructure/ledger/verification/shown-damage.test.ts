// What the history shows of a file that was changed behind the guards: the events stand, the tables are told apart from them, and an
// event that cannot be read is a sentence among the others.
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { History } from "../../../application/history/history.ts"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { Thoughts } from "../../../application/ledger/thoughts/thoughts.ts"
import { nodeHashingLayer } from "../../hashing/node-hashing.ts"
import {
  behindTheTriggers,
  claim,
  complete,
  openServices,
  post,
  rawSql,
  run,
  temporaryFile
} from "../../testing/ledgers.ts"

/** The history of a ledger with one finished step, after a change of its file. */
const afterChange = (table: string, sql: string) =>
  Effect.gen(function* () {
    const filename = yield* temporaryFile
    const { ledger, thoughts } = yield* openServices({ filename })
    yield* post(ledger)
    yield* complete(ledger, yield* claim(ledger))
    rawSql(filename, (database) =>
      behindTheTriggers(database, table, (open) => {
        open.exec(sql)
      })
    )
    return yield* History.pipe(
      Effect.provide(History.layerNoDeps),
      Effect.provideService(Ledger, ledger),
      Effect.provideService(Thoughts, thoughts),
      Effect.provide(nodeHashingLayer)
    )
  })

describe("a file that was changed behind the guards", () => {
  it.effect("shows a step as its events say, and what the table says otherwise", () =>
    Effect.gen(function* () {
      const history = yield* afterChange(
        "cassette_steps",
        "UPDATE cassette_steps SET lease_owner = 'mallory', status = 'LEASED'"
      )
      const shown = yield* history.show("2.1.1")
      assert.deepInclude(shown, { kind: "step", status: "COMMITTED" })
      assert.deepStrictEqual(shown.kind === "step" && shown.differs.map((text) => text.split(":")[0]), [
        "status",
        "lease_owner"
      ])
    })
  )

  it.effect("shows a payload as it was posted, also where the table has another", () =>
    Effect.gen(function* () {
      const history = yield* afterChange(
        "cassette_steps",
        "UPDATE cassette_steps SET payload_json = '{\"n\":2}'"
      )
      const shown = yield* history.show("2.1.1")
      assert.deepStrictEqual(shown.kind === "step" && shown.payload.whole, { intent: "work", n: 1 })
    })
  )

  it.effect("is damaged, and not without the message, where the message's event cannot be read", () =>
    Effect.gen(function* () {
      const history = yield* afterChange("events", `UPDATE events SET data = '{"x":1}' WHERE position = 2`)
      for (const id of ["msg_", "2.1.1", "job_"]) {
        assert.deepInclude(
          yield* Effect.flip(history.show(id)),
          { _tag: "StoreCorrupt", where: "event 2" },
          id
        )
      }
    })
  )

  it.effect("tells an event that cannot be read, and goes on", () =>
    Effect.gen(function* () {
      const history = yield* afterChange("events", `UPDATE events SET data = '{"x":1}' WHERE position = 3`)
      const entries = yield* Stream.runCollect(history.timeline({ run_id: run }))
      assert.deepStrictEqual(
        entries.map(({ position }) => position),
        [2, 3, 4]
      )
      assert.match(entries[1]?.sentence ?? "", /^this event cannot be read: data of StepClaimed/)
      const event = yield* history.show("3")
      assert.deepStrictEqual(event.kind === "event" && event.data.whole, { x: 1 })
    })
  )
})
