// What a report says of a damaged file names no store: a corpus or a cassette is no ledger.
import { expect, it } from "vitest"
import { failureIn } from "./inspection.ts"

it("damage names the file and what is wrong, also of a corpus or a cassette", () => {
  const malformed = Object.assign(new Error("database disk image is malformed"), { code: "SQLITE_CORRUPT" })
  expect(failureIn("one.db", malformed).message).toBe(
    "The database is damaged (INTEGRITY at one.db: database disk image is malformed)"
  )
})
