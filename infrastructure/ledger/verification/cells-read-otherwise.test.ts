/**
 * Cells that a driver makes more of than they are: bytes that read as an honest text, and numbers of another type. Each
 * is found, and named by its table, key and column.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { DisarmedLedger } from "../../testing/disarmed-ledger.ts"
import { makeLedgerFile, withLedger } from "../../testing/programs/ledger-program.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"

/** What is found after a change of the small history, whose message on position 11 holds the sign for no UTF-8. */
const foundAfter = Effect.fnUntraced(function* (change: string) {
  const filename = join(temporaryFolder(), "a.db")
  yield* makeLedgerFile(filename)
  const message = { run_id: "r3", source: "USER", payload: { text: "lost \ufffd" } } as const
  yield* withLedger(
    { filename },
    Ledger.use((ledger) => ledger.postMessage(message))
  )
  const bytes = new DisarmedLedger(readFileSync(filename)).changed((database) => database.exec(change))
  writeFileSync(filename, bytes)
  const { findings } = yield* withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => ledger.verifyCassette({ pure: true }))
  )
  return findings.map(({ code, where }) => `${code} ${where.replaceAll(/\d{13}_[0-9a-f]{16}/g, "ID")}`)
})

const illFormed = (column: string) =>
  `CAST(replace(CAST(${column} AS BLOB), CAST('\ufffd' AS BLOB), x'ff') AS TEXT)`

describe("a cell that reads like another", () => {
  it.live("an honest text with U+FFFD is no finding", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* foundAfter("SELECT 1"), [])
    })
  )

  it.live("bytes that are no UTF-8 are not the sign that stands for them", () =>
    Effect.gen(function* () {
      const found = yield* foundAfter(
        `UPDATE cassette_messages SET payload_json = ${illFormed("payload_json")} WHERE event_position = 11`
      )
      assert.deepStrictEqual(found, [
        "ROW_DIFFERS cassette_messages msg_ID payload_json",
        "TEXT_NOT_UTF8 cassette_messages msg_ID payload_json"
      ])
    })
  )

  it.live("neither are they in an event", () =>
    Effect.gen(function* () {
      const found = yield* foundAfter(`UPDATE events SET data = ${illFormed("data")} WHERE position = 11`)
      assert.include(found, "CHAIN_BROKEN event 11")
    })
  )

  it.live("nor in a key", () =>
    Effect.gen(function* () {
      const found = yield* foundAfter(
        "INSERT INTO cassette_meta VALUES ('\ufffd', '', 1); UPDATE cassette_meta SET key = CAST(x'ff' AS TEXT) WHERE key = '\ufffd'"
      )
      assert.deepStrictEqual(found, [
        "ROW_EXTRA cassette_meta x'efbfbd'",
        "TEXT_NOT_UTF8 cassette_meta \ufffd key"
      ])
    })
  )

  it.live.each([
    ["cassette_steps", "fencing_token", "cassette_steps step_ID.0001.00001 fencing_token"],
    ["events", "schema_version", "event 11 schema_version"],
    ["head", "size", "head size"]
  ])("a real number is not the integer that it equals: %s %s", ([table, column, where]) =>
    Effect.gen(function* () {
      const row = table === "head" ? "1" : `${table === "events" ? "position" : "event_position"} = 11`
      const found = yield* foundAfter(`UPDATE ${table} SET ${column} = CAST(${column} AS REAL) WHERE ${row}`)
      assert.deepStrictEqual(found, [`INTEGRITY ${where}`])
    })
  )

  it.live("a blob is not the text that it spells", () =>
    Effect.gen(function* () {
      const found = yield* foundAfter("UPDATE ledger_migrations SET name = CAST(name AS BLOB)")
      assert.include(found, "INTEGRITY ledger_migrations 2 name")
    })
  )
})
