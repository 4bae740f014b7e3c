/**
 * A connection of another program can carry TEMP triggers, which no schema shows and no guard of the file forbids: one
 * that skips rows leaves half of an event. Verification finds what is missing.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { eventHash } from "../../../domain/ledger/event-envelope.ts"
import { messageIdAt } from "../../../domain/ledger/ids.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import { makeLedgerFile, withLedger } from "../../testing/programs/ledger-program.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"

/** Appends a message as an honest writer would, on a connection that drops the rows of one table. */
const appendWithout = (filename: string, table: string) => {
  const database = new Database(filename)
  try {
    database.exec(`CREATE TEMP TRIGGER skip BEFORE INSERT ON main.${table} BEGIN SELECT RAISE(IGNORE); END`)
    const head = database.prepare<[], { size: number; hash: string }>("SELECT size, hash FROM head").get()
    const position = (head?.size ?? 0) + 1
    const unhashed = {
      position,
      type: "MessagePosted",
      stream_id: "run:r1",
      schema_version: 1,
      data: jcsText({
        idempotency_key: null,
        message_id: messageIdAt(sha256, "r1", position, null),
        payload: { n: 1 },
        source: "USER"
      }),
      recorded_at: "2999-01-01T00:00:00.000Z",
      prev_hash: head?.hash ?? ""
    }
    database
      .prepare(
        "INSERT INTO events VALUES (@position, @type, @stream_id, @schema_version, @data, @recorded_at, @prev_hash, @hash)"
      )
      .run({ ...unhashed, hash: eventHash(sha256, unhashed) })
  } finally {
    database.close()
  }
}

describe("a TEMP trigger that skips rows", () => {
  it.live("leaves an event without its steps, and verification finds them missing", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* makeLedgerFile(filename)
      appendWithout(filename, "cassette_steps")
      const { findings } = yield* withLedger(
        { filename, mode: "read" },
        Ledger.use((ledger) => ledger.verifyCassette({ pure: true }))
      )
      assert.deepStrictEqual(
        findings.map(({ code, where }) => `${code} ${where.slice(0, 33)}`),
        ["ROW_MISSING cassette_steps step_0000000000011"]
      )
    })
  )
})
