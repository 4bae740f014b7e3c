/**
 * A schema that another program changes while the ledger is open: a version that is not known and a guard that is gone end writing
 * at the next command, and nothing of it is stored. What other tools keep for themselves does not.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { post, withLedger } from "../../testing/programs/ledger-program.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { trialLedgerVersion } from "../../testing/trial-versions.ts"
import { openForWriting } from "../../sqlite/connection/better-sqlite3-host.ts"
import { lookThrough } from "../../sqlite/files/wal-leftovers.ts"
import { migrate } from "./migration-runner.ts"
import { schemaSteps } from "./schema-snapshots.ts"

/** Another program's connection. */
const beside = (filename: string, sql: string): void => {
  const database = new Database(filename)
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}

const opened = <A, E>(use: (filename: string) => Effect.Effect<A, E, Ledger>) =>
  Effect.suspend(() => {
    const filename = join(temporaryFolder(), "a.db")
    return withLedger({ filename }, Effect.andThen(post("r", 1), use(filename)))
  })

const position = Effect.gen(function* () {
  const ledger = yield* Ledger
  return (yield* ledger.head).position
})

describe("while a ledger is open", () => {
  it.live("a newer program carries it over: the older one writes no more", () =>
    opened((filename) =>
      Effect.gen(function* () {
        const before = yield* position
        lookThrough(openForWriting(filename), (newer) =>
          migrate(newer, [...schemaSteps(), trialLedgerVersion()], {
            ledgerId: "unused",
            createdAt: "unused"
          })
        )
        for (const _again of [1, 2]) {
          const error = yield* Effect.flip(post("r", 2))
          assert.deepInclude({ ...error }, { _tag: "StoreNewerThanProgram", version: 3, supported: 2 })
        }
        assert.strictEqual(yield* position, before)
      })
    )
  )

  it.live("a guard is taken away: nothing is written until it is back", () =>
    opened((filename) =>
      Effect.gen(function* () {
        const before = yield* position
        const guard = lookThrough(openForWriting(filename), (other) =>
          other.all<{ sql: string }>(
            "SELECT sql FROM sqlite_schema WHERE name = 'tr_receipts_append_only_delete'"
          )
        )[0]?.sql
        beside(filename, "DROP TRIGGER tr_receipts_append_only_delete")
        const error = yield* Effect.flip(post("r", 2))
        assert.deepInclude({ ...error }, { _tag: "StoreCorrupt", code: "TRIGGER_MISSING" })
        assert.strictEqual(yield* position, before)
        beside(filename, guard ?? "")
        yield* post("r", 2)
        assert.strictEqual(yield* position, before + 1)
      })
    )
  )

  it.live("statistics and the tables of another tool come in: writing goes on", () =>
    opened((filename) =>
      Effect.gen(function* () {
        beside(filename, "ANALYZE; CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
        yield* post("r", 2)
        yield* post("r", 3)
      })
    )
  )
})
