/** A ledger's file beside a log that is not its own: SQLite would take the log, since it goes by the path alone. */
import { cpSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { makeLedgerFile, post, withLedger } from "../../testing/programs/ledger-program.ts"
import { beside, besideOlderLog } from "../../testing/older-log.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"

/** A ledger with a log that its file does not have yet, and a backup from before that log. */
const withLog = Effect.gen(function* () {
  const folder = temporaryFolder()
  const busy = join(folder, "busy.db")
  yield* makeLedgerFile(busy)
  const older = join(folder, "older.db")
  cpSync(busy, older)
  // This much is moved into the file when its writer closes it, and is in no log any more.
  yield* withLedger(
    { filename: busy },
    Effect.forEach([11, 12, 13, 14, 15, 16], (n) => post("moved", n))
  )
  // A reader keeps the log from being moved into the file.
  const reader = new Database(busy)
  reader.exec("BEGIN; SELECT count(*) FROM events")
  for (const n of [1, 2, 3, 4, 5]) yield* withLedger({ filename: busy }, post("log", n))
  const file = join(folder, "file.db")
  cpSync(busy, file)
  cpSync(`${busy}-wal`, `${file}-wal`)
  reader.close()
  return { folder, file, older, log: `${file}-wal` }
})

const posted = (filename: string) =>
  withLedger({ filename }, post("r", 99)).pipe(
    Effect.match({ onFailure: ({ message }): string => message, onSuccess: () => "posted" })
  )

describe("a log beside a ledger's file", () => {
  it.live("of a later time than the backup that was copied there is named, and nothing is written", () =>
    Effect.gen(function* () {
      const { folder, log, older } = yield* withLog
      const filename = beside(folder, older, log)
      assert.match(yield* posted(filename), /l\.db-wal: it is not the log of this file \(/)
      assert.isTrue(readFileSync(filename).equals(readFileSync(older)))
    })
  )

  it.live("of another ledger is named, although it may hold every page", () =>
    Effect.gen(function* () {
      const { folder, log } = yield* withLog
      const other = join(folder, "other.db")
      yield* makeLedgerFile(other)
      const filename = beside(folder, other, log)
      const said = yield* posted(filename)
      assert.match(said, /l\.db-wal: it is not the log of this file \(/)
      assert.isTrue(readFileSync(filename).equals(readFileSync(other)))
    })
  )

  it.live("of the same ledger's past is named, although both together are a sound ledger", () =>
    Effect.gen(function* () {
      const { filename, newer } = yield* Effect.promise(() =>
        besideOlderLog((file, round) =>
          Effect.runPromise(Effect.asVoid(withLedger({ filename: file }, post("log", round))))
        )
      )
      assert.match(
        yield* posted(filename),
        /l\.db-wal: it is not the log of this file \(.*the log is older\)/
      )
      assert.isTrue(readFileSync(filename).equals(readFileSync(newer)))
      const report = yield* withLedger(
        { filename, mode: "read" },
        Ledger.use((ledger) => ledger.verifyCassette({ pure: true }))
      )
      assert.deepStrictEqual(
        report.findings.map(({ code, where }) => `${code} ${where}`),
        [`INTEGRITY ${filename}-wal`]
      )
    })
  )

  it.live("of its own is taken, also when both were copied in the other order", () =>
    Effect.gen(function* () {
      const { file, folder, log } = yield* withLog
      assert.strictEqual(yield* posted(beside(folder, file, log)), "posted")
    })
  )
})
