/** Which journal modes a database may be written in; no file system here refuses the log, so the rule is tested alone. */
import { assert, describe, it } from "@effect/vitest"
import { journalFault } from "./journal-fault.ts"

describe("the journal mode", () => {
  it("is a write-ahead log, or none in memory; anything else is refused by name", () => {
    assert.isUndefined(journalFault("a.db", "wal"))
    assert.isUndefined(journalFault(":memory:", "memory", "memory"))
    for (const mode of ["delete", "truncate", "memory", "off"]) {
      const fault = journalFault("a.db", mode)
      assert.deepInclude({ ...fault }, { _tag: "StorageFailure", file: "a.db", code: "NO_WRITE_AHEAD_LOG" })
      assert.include(fault?.message, mode)
    }
  })
})
