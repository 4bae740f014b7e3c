/** A backup that takes a ledger's place: what is refused, what is kept, and what a program meets that has the file open. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeLedgerFile, post, withLedger } from "../../testing/programs/ledger-program.ts"
import { headOf, ledgerWithBackup } from "../../testing/restoring.ts"
import { folderState, temporaryFolder } from "../../testing/temporary-folder.ts"
import { restoreLedger } from "./ledger-restore.ts"

const made = Effect.suspend(() => ledgerWithBackup(temporaryFolder()))

describe("a restore", () => {
  it.live.each(["missing", "damaged", "no database", "empty"])("of a file that is %s works", (state) =>
    Effect.gen(function* () {
      const { backup, before, filename } = yield* made
      if (state === "missing") rmSync(filename)
      else if (state === "damaged") writeFileSync(filename, readFileSync(filename).fill(0xff, 4_096))
      else writeFileSync(filename, state === "empty" ? "" : "no database")
      const bytes = state === "missing" ? undefined : readFileSync(filename)
      const { kept } = yield* restoreLedger({ backup, filename })
      assert.deepStrictEqual(yield* headOf(filename), before)
      assert.deepStrictEqual(
        kept.map((name) => readFileSync(name)),
        bytes === undefined ? [] : [bytes]
      )
      yield* withLedger({ filename }, post("later", 1))
    })
  )

  it.live("that costs events is refused until it is asked for, and stops a program that has the file", () =>
    Effect.gen(function* () {
      const { backup, before, filename, folder } = yield* made
      yield* withLedger(
        { filename },
        Effect.gen(function* () {
          yield* post("later", 1)
          const newer = yield* headOf(filename)
          const refused = yield* Effect.flip(restoreLedger({ backup, filename }))
          assert.deepInclude({ ...refused }, { _tag: "RestoreRefused", code: "NEWER_EVENTS" })
          assert.isFalse(readdirSync(folder).some((name) => name.includes("replaced")))
          const { kept } = yield* restoreLedger({ backup, filename, discardNewer: true })
          assert.deepInclude({ ...(yield* Effect.flip(post("later", 2))) }, { code: "FILE_REPLACED" })
          assert.deepStrictEqual(yield* headOf(filename), before)
          assert.strictEqual(kept.length, 1)
          const other = join(temporaryFolder(), "kept.db")
          writeFileSync(other, readFileSync(kept[0]!))
          assert.deepStrictEqual(yield* headOf(other), newer)
        })
      )
      assert.deepStrictEqual(yield* headOf(filename), before)
    })
  )

  it.live("of another ledger's backup, a damaged one, or another history changes nothing", () =>
    Effect.gen(function* () {
      const { backup, filename, folder } = yield* made
      const damaged = join(temporaryFolder(), "damaged.db")
      writeFileSync(damaged, readFileSync(backup).fill(0xff, 8_192, 12_288))
      const fork = join(temporaryFolder(), "fork.db")
      writeFileSync(fork, readFileSync(backup))
      yield* withLedger({ filename: fork }, post("fork", 1))
      yield* withLedger({ filename }, post("own", 1))
      const others = join(temporaryFolder(), "others.db")
      yield* makeLedgerFile(others)
      const state = folderState(folder)
      for (const [from, code] of [
        [others, "WrongLedger"],
        [damaged, "BACKUP_DAMAGED"],
        [fork, "HISTORIES_DIFFER"],
        [filename, "InvalidInput"]
      ] as const) {
        const error = yield* Effect.flip(restoreLedger({ backup: from, filename }))
        assert.strictEqual("code" in error ? error.code : error._tag, code)
        assert.deepStrictEqual(folderState(folder), state)
      }
      assert.isTrue(existsSync(filename))
    })
  )
})
