// Want of files, memory and room under the codes and words that it comes with.
import { assert, describe, it } from "@effect/vitest"
import { exhaustedFailure } from "./exhaustion.ts"
import { wantBehind } from "./want.ts"
import { fileFailure } from "./file-system.ts"
import { sqliteFailure } from "../sqlite/connection/sqlite-errors.ts"

const withCode = (code: string) => Object.assign(new Error("it failed"), { code })

describe("want of what every program shares", () => {
  it.each([
    ["EMFILE", "EMFILE", "ulimit -n"],
    ["ENFILE", "ENFILE", "ulimit -n"],
    ["ENOMEM", "ENOMEM", "no more memory"]
  ])("%s of the operating system is a failure that says what to do", (code, named, says) => {
    const failure = fileFailure("--db", "a.db", withCode(code))
    assert.deepInclude(failure, { _tag: "StorageFailure", code: named, file: "a.db" })
    assert.include(failure.message, says)
  })

  it.each(["SQLITE_NOMEM", "SQLITE_IOERR_NOMEM"])("%s is want of memory", (code) => {
    const failure = sqliteFailure("a.db", withCode(code))
    assert.deepInclude(failure, { _tag: "StorageFailure", code })
    assert.include(String((failure as Error).message), "no more memory")
  })

  it("a file that cannot be opened while others can is no want", () => {
    const failure = sqliteFailure("a.db", withCode("SQLITE_CANTOPEN"))
    assert.deepInclude(failure, { _tag: "StorageFailure", code: "SQLITE_CANTOPEN" })
    assert.isUndefined(exhaustedFailure("a.db", "EACCES"))
  })

  it("is found behind other errors, by code or by words, and not without end", () => {
    const loader = new Error("Cannot read package config a/package.json: too many open files.")
    const behind = new Error("outer", { cause: new Error("middle", { cause: withCode("EMFILE") }) })
    const circular: { cause?: unknown } = {}
    circular.cause = circular
    assert.strictEqual(wantBehind(loader), "open files")
    assert.strictEqual(wantBehind(behind), "open files")
    assert.strictEqual(wantBehind(new RangeError("Array buffer allocation failed")), "memory")
    assert.strictEqual(wantBehind(withCode("ENOSPC")), "disk")
    for (const other of [circular, undefined, "EMFILE", new Error("x"), withCode("EACCES")]) {
      assert.isUndefined(wantBehind(other))
    }
  })
})
