/**
 * The one rule of the ledger that is a CHECK alone: an event's hash is 64 lower-case hex digits. Every other CHECK
 * repeats a guard. Each of its conditions is weakened in turn, and then a malformed hash must get in.
 */
import Database from "better-sqlite3"
import { expect, it } from "vitest"
import { insertEvent, rowAfter, snapshot } from "./testing/ledger.ts"
import { mutantsOf } from "../property-tests/support/guards/mutants.ts"
import { head, legal, states } from "./testing/states.ts"

const [, check = ""] = /constraint "events_hash_is_hex" check \((.*)\)\) strict/.exec(snapshot) ?? []

const asGuard = `CREATE TRIGGER "t" BEFORE INSERT ON "events"
WHEN NOT (${check})
BEGIN
  SELECT RAISE(ABORT, 'no');
END`

/** The conditions with one of them weakened each. */
const weakened = mutantsOf(asGuard, false).flatMap(
  ({ statements }) => /\nWHEN NOT \((.*)\)\nBEGIN/.exec(statements[1] ?? "")?.[1] ?? []
)

// No text has more characters than bytes, so that each length bounds the other on one side.
const bounded = new Set([
  check.replace('length("hash") = 64', 'length("hash") >= 64'),
  check.replace("AS BLOB)) = 64", "AS BLOB)) <= 64")
])

const good = "f".repeat(64)
const malformed = [
  ...["/", ":", "`", "g"].flatMap((char) =>
    [0, 31, 63].map((index) => `${good.slice(0, index)}${char}${good.slice(index + 1)}`)
  ),
  "",
  `${good}f`,
  `${good}\u0000`,
  `${good.slice(1)}\u0000`
]

/** Which of these hashes an event can be stored under, in a ledger with this schema. */
const storedUnder = (hashes: ReadonlyArray<string>, schema: string): ReadonlyArray<string> => {
  const database = new Database(":memory:")
  for (const text of [schema, ...states.ledger]) database.exec(text)
  const stored = hashes.filter((hash) => {
    database.exec("SAVEPOINT one")
    try {
      database.exec(insertEvent(rowAfter(head, legal.post, { hash })))
      return true
    } catch {
      return false
    } finally {
      database.exec("ROLLBACK TO one")
    }
  })
  database.close()
  return stored
}

it("an event is stored under a well-formed hash alone", () => {
  expect(storedUnder([good, ...malformed], snapshot)).toEqual([good])
})

it.each(weakened.filter((condition) => condition !== check && !bounded.has(condition)))(
  "a malformed hash gets in with %s",
  (condition) => {
    expect(
      storedUnder(
        malformed,
        snapshot.replace(check, () => condition)
      )
    ).not.toEqual([])
  }
)

it("its three conditions are weakened, and the pattern in its parts", () => {
  expect(weakened.filter((condition) => bounded.has(condition)).length).toBe(2)
  expect(weakened.length).toBeGreaterThan(8)
})
