/**
 * Backups: a consistent copy while another process writes, never over an existing file, and nothing left of a copy
 * that could not be finished.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { startChild } from "../../testing/programs/child-process.ts"
import { makeLedgerFile, withLedger } from "../../testing/programs/ledger-program.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { backupTo } from "./ledger-backup.ts"
import { openLedgerFile } from "../opening/ledger-file.ts"

const backup = (filename: string, target: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) => ledger.backup(target))
  )

const reportOf = (filename: string) =>
  withLedger(
    { filename, mode: "read" },
    Ledger.use((ledger) =>
      Effect.map(ledger.verifyCassette({ pure: true }), (report) => ({
        ...report,
        ledgerId: ledger.ledgerId
      }))
    )
  )

describe("a backup", () => {
  it.live("is the same ledger, content and all", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      yield* makeLedgerFile(filename)
      yield* backup(filename, join(folder, "copy.db"))
      assert.deepStrictEqual(yield* reportOf(join(folder, "copy.db")), yield* reportOf(filename))
      // And it can be written on.
      yield* makeLedgerFile(join(folder, "copy.db"))
      assert.strictEqual((yield* reportOf(join(folder, "copy.db"))).verdict, "PASS")
    })
  )

  it.live("made while another process writes is one moment of it", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      yield* makeLedgerFile(filename)
      const child = startChild(["write", filename])
      const next = Effect.promise(() => child.line()) as Effect.Effect<number>
      for (let n = 0; n < 3; n++) {
        const before = yield* next
        const target = join(folder, `copy-${n}.db`)
        yield* backup(filename, target)
        const report = yield* reportOf(target)
        assert.strictEqual(report.verdict, "PASS", JSON.stringify(report.findings))
        assert.isAtLeast(report.head.position, before)
        let written = before
        while (written <= report.head.position) written = yield* next
      }
      child.process.stdin?.end()
      assert.strictEqual(yield* Effect.promise(() => child.ended), 0)
    })
  )

  it.live("never overwrites, and needs its folder", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      yield* makeLedgerFile(filename)
      const target = join(folder, "kept.txt")
      writeFileSync(target, "kept")
      mkdirSync(join(folder, "inner"))
      for (const [path, says] of [
        [target, "the file exists; a backup never overwrites"],
        [filename, "the file exists; a backup never overwrites"],
        [`${filename}-journal`, "kept beside"],
        [`${filename}.merkle`, "kept beside"],
        [join(folder, "inner"), "the file exists; a backup never overwrites"],
        [join(folder, "none", "copy.db"), "there is no folder"],
        [join(target, "copy.db"), "there is no folder"]
      ] as const) {
        const error = yield* Effect.flip(backup(filename, path))
        assert.strictEqual(error._tag, "InvalidInput")
        assert.include(error.message, says)
      }
      assert.strictEqual(readFileSync(target, "utf8"), "kept")
      assert.deepStrictEqual(readdirSync(folder).sort(), ["a.db", "inner", "kept.txt"])
    })
  )

  it.live("that cannot be finished leaves no file", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      const target = join(folder, "copy.db")
      yield* makeLedgerFile(filename)
      const error = yield* Effect.scoped(
        Effect.gen(function* () {
          const file = yield* openLedgerFile({ filename, mode: "read" })
          // The disk is full as soon as the copy has begun.
          const failing = () => {
            const reader = file.openSnapshot()
            return {
              ...reader,
              run: () => {
                // A process that is killed now leaves nothing under the name.
                assert.isFalse(existsSync(target))
                throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" })
              }
            }
          }
          return yield* Effect.flip(backupTo({ ...file, openSnapshot: failing }, target))
        })
      )
      assert.strictEqual(error._tag, "StorageFull")
      assert.deepStrictEqual(readdirSync(folder), ["a.db"])
    })
  )

  it.live("of a damaged page fails with its name and leaves no file", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const filename = join(folder, "a.db")
      const target = join(folder, "copy.db")
      yield* makeLedgerFile(filename)
      const bytes = readFileSync(filename)
      // The second page is the root of the events.
      bytes.fill(0xff, 4_096, 8_192)
      writeFileSync(filename, bytes)
      const error = yield* Effect.flip(backup(filename, target))
      assert.strictEqual(error._tag, "StoreCorrupt")
      assert.deepStrictEqual(readdirSync(folder), ["a.db"])
    })
  )
})
