// The opening check while others write: what it reads must be of one moment, or a sound ledger would be closed for
// writing because another program appended between two of its reads.
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { eventHash } from "../../../domain/ledger/event-envelope.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import {
  type Connection,
  openForReading,
  openForWriting
} from "../../sqlite/connection/better-sqlite3-host.ts"
import { makeLedgerFile } from "../../testing/programs/ledger-program.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { insertEvent, selectHead } from "../statements/compiled/ledger-statements.ts"
import { checkFile } from "./ledger-file.ts"

/** Appends one honest event on a connection of its own, as another process would. */
const appendElsewhere = (filename: string): void => {
  const writer = openForWriting(filename)
  const head = selectHead.first(writer, {})
  assert.isDefined(head)
  const position = head.position + 1
  const unhashed = {
    position,
    type: "MessagePosted",
    stream_id: "run:theirs",
    schema_version: 1,
    data: `{"idempotency_key":null,"message_id":"msg_${String(position).padStart(13, "0")}_0123456789abcdef","payload":{},"source":"USER"}`,
    recorded_at: head.recorded_at ?? "",
    prev_hash: head.hash
  }
  insertEvent.run(writer, { ...unhashed, hash: eventHash(sha256, unhashed) })
  writer.close()
}

/** A connection beside which another appends right after every read. */
const disturbed = (connection: Connection, filename: string): Connection => ({
  ...connection,
  all: <Row>(sql: string, parameters?: Parameters<Connection["all"]>[1]) => {
    const rows = connection.all<Row>(sql, parameters)
    appendElsewhere(filename)
    return rows
  }
})

describe("the opening check", () => {
  it.live("sees one moment, however much others append meanwhile", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* makeLedgerFile(filename)
      const reader = openForReading(filename)
      const { fault, head } = checkFile(disturbed(reader, filename), filename)
      assert.isUndefined(fault)
      assert.strictEqual(head.position, 10)
      assert.isAbove(selectHead.first(reader, {})?.position ?? 0, 10)
      reader.close()
    })
  )

  it.live.each([
    ["thought_records", "events", /table \w+: its root page \d+ is that of table \w+ too/],
    ["idx_trail_prev", "ix_events_stream", /index \w+: its root page \d+ is that of index \w+ too/],
    ["thought_records", undefined, /table thought_records: its root page 0, of \d+ pages|its root page is 0/]
  ] as const)("refuses a file with a false root page: %s", ([name, other, said]) =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      yield* makeLedgerFile(filename)
      const database = new Database(filename)
      database.unsafeMode(true)
      database.pragma("writable_schema = ON")
      database
        .prepare(
          "UPDATE sqlite_schema SET rootpage = coalesce((SELECT rootpage FROM sqlite_schema WHERE name = ?), 0) WHERE name = ?"
        )
        .run(other ?? null, name)
      database.close()
      const reader = openForReading(filename)
      const { fault } = checkFile(reader, filename)
      assert.match(`${fault?.where}: ${fault?.message}`, said)
      reader.close()
    })
  )
})
