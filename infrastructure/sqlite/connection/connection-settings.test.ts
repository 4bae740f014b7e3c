/**
 * The settings that are in force on the writing connection, read back from SQLite, and what happens where the
 * write-ahead log cannot be had.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openLedgerFile } from "../../ledger/opening/ledger-file.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { configureForWriting, openScratch } from "./better-sqlite3-host.ts"

describe("the writing connection", () => {
  const synchronous = { full: 2, normal: 1 }

  for (const durability of ["full", "normal"] as const) {
    it.live(`with durability ${durability} has its settings in force`, () =>
      Effect.gen(function* () {
        const { host: connection } = yield* openLedgerFile({
          filename: join(temporaryFolder(), "a.db"),
          durability
        })
        const inForce = Object.fromEntries(
          [
            "journal_mode",
            "synchronous",
            "foreign_keys",
            "journal_size_limit",
            "busy_timeout",
            "temp_store",
            "secure_delete"
          ].map((name) => [name, connection.pragma(name)])
        )
        assert.deepStrictEqual(inForce, {
          journal_mode: "wal",
          synchronous: synchronous[durability],
          foreign_keys: 1,
          journal_size_limit: 67_108_864,
          busy_timeout: 0,
          temp_store: 2,
          secure_delete: 1
        })
      }).pipe(Effect.scoped)
    )
  }

  it("tells when there is no write-ahead log", () => {
    // A database without a file is such a place.
    const scratch = openScratch()
    assert.notStrictEqual(configureForWriting(scratch, "full"), "wal")
    scratch.close()
  })
})
