// Damage of a database is damage of the ledger where the ledger's file is read or written; a defect is thrown on.
import * as Effect from "effect/Effect"
import { assert, describe, it } from "@effect/vitest"
import { ClockFarBehindHead, StoreCorrupt } from "../../domain/ledger/errors.ts"
import { DatabaseDamaged } from "../sqlite/connection/database-damaged.ts"
import { ledgerFailure, retryOnLedger } from "./ledger-failures.ts"

const place = { code: "INTEGRITY", where: "page 3", finding: "it is torn" }
const malformed = Object.assign(new Error("database disk image is malformed"), { code: "SQLITE_CORRUPT" })
const clock = new ClockFarBehindHead({ now: "now", head_recorded_at: "later" })

const failing = (error: unknown) =>
  Effect.flip(
    retryOnLedger("a.db", 0, () => {
      throw error
    })
  )

describe("what work on a ledger throws", () => {
  const thrown = [
    [
      "damage of a database",
      new DatabaseDamaged(place),
      "The ledger is damaged (INTEGRITY at page 3: it is torn)"
    ],
    [
      "damage of a ledger",
      new StoreCorrupt(place),
      "The ledger is damaged (INTEGRITY at page 3: it is torn)"
    ],
    ["SQLite's word for damage", malformed, "The ledger is damaged (INTEGRITY at a.db: database disk image"]
  ] as const

  it.effect.each(thrown)("%s is damage of the ledger", ([, error, words]) =>
    Effect.gen(function* () {
      for (const failure of [ledgerFailure("a.db", error), yield* failing(error)]) {
        assert.strictEqual(failure._tag, "StoreCorrupt")
        assert.include("message" in failure ? failure.message : "", words)
      }
    })
  )

  it.effect("the ledger's own refusal passes through, and a defect stays one", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* failing(clock), clock)
      const defect = new Error("a fault of the program")
      assert.throws(() => ledgerFailure("a.db", defect), defect)
      assert.strictEqual((yield* Effect.exit(failing(defect)))._tag, "Failure")
    })
  )
})
