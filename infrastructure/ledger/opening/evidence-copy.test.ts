/**
 * A private copy of evidence is of one moment: when the original changes while it is copied, the copy is made again,
 * and after a few tries there is an error instead of a torn copy.
 */
import { appendFileSync, copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { evidenceCopy } from "./evidence-copy.ts"

/** A database with a log, of texts, since nothing here is opened. */
const original = (): string => {
  const filename = join(temporaryFolder(), "a.db")
  writeFileSync(filename, "pages")
  writeFileSync(`${filename}-wal`, "log")
  return filename
}

describe("a copy of evidence", () => {
  it.live("is made again when a checkpoint came between the database and its log", () =>
    Effect.gen(function* () {
      const filename = original()
      let copies = 0
      const copyFile = (from: string, to: string) => {
        copyFileSync(from, to)
        copies += 1
        if (copies !== 1) return
        appendFileSync(filename, " and more")
        rmSync(`${filename}-wal`)
      }
      const { file, warnings } = yield* evidenceCopy(filename, "is odd", copyFile)
      assert.strictEqual(readFileSync(file, "utf8"), "pages and more")
      assert.isFalse(existsSync(`${file}-wal`))
      assert.deepStrictEqual(warnings, [`${filename} is odd: a private copy of it was examined`])
    }).pipe(Effect.scoped)
  )

  it.live("of a file that never rests is StorageFailure, and leaves nothing", () =>
    Effect.gen(function* () {
      const filename = original()
      let folder = ""
      const copyFile = (from: string, to: string) => {
        copyFileSync(from, to)
        folder = dirname(to)
        appendFileSync(filename, "!")
      }
      const error = yield* Effect.flip(Effect.scoped(evidenceCopy(filename, "is odd", copyFile)))
      assert.deepInclude({ ...error }, { _tag: "StorageFailure", code: "COPY_TORN", file: filename })
      assert.strictEqual(readFileSync(filename, "utf8"), `pages${"!".repeat(10)}`)
      assert.isFalse(existsSync(folder))
    })
  )
})
