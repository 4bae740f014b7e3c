// Tampering campaign, bytes: single bytes of the file are turned over at random. What changes the content, the schema or
// SQLite's ability to read is found or refused, and the rows that read otherwise are named; what changes nothing, as in
// free space, may pass. PROP_RUNS says how many.

import { readFileSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { withLedger } from "../application/ledger/testing/ledgers.ts"
import { withoutLog } from "../infrastructure/testing/disarmed-ledger.ts"
import { dumpOf } from "../infrastructure/testing/logical-dump.ts"
import { type CampaignLedger, makeCampaignLedger } from "./support/campaign-ledger.ts"
import { placeOf, rowsOf } from "./support/campaign-tables.ts"
import { propParameters, propSeed } from "./support/configuration.ts"

let ledger: CampaignLedger
beforeAll(async () => {
  ledger = await makeCampaignLedger()
})
afterAll(() => ledger.close())

/** Errors of opening and reading that say that the file is not what it was. */
const REFUSALS = ["NotALedger", "StoreCorrupt", "StorageFailure", "StoreNewerThanProgram"]

const outcomeOf = (filename: string) =>
  withLedger({ filename, mode: "read" }, (opened) => opened.verifyCassette({ pure: true })).pipe(
    Effect.match({
      onFailure: (error) => ({ refused: error._tag, report: undefined }),
      onSuccess: (report) => ({ refused: undefined, report })
    }),
    Effect.runPromise
  )

/** The rows that read otherwise than in the original, or undefined where SQLite cannot read them. */
const changedRows = (bytes: Buffer): ReadonlyArray<string> | undefined => {
  const textOf = (row: ReturnType<typeof rowsOf>[number]) => JSON.stringify(row)
  try {
    const before = new Set(rowsOf(ledger.bytes).map(textOf))
    return rowsOf(withoutLog(bytes))
      .filter((row) => !before.has(textOf(row)))
      .map(placeOf)
  } catch {
    return undefined
  }
}

describe("a byte that is turned over", () => {
  it("is found and its rows are named, or it is refused, or it has changed nothing", async () => {
    const original = readFileSync(ledger.filename)
    const before = dumpOf(ledger.filename)
    const filename = ledger.path("turned.db")
    const outcomes = { found: 0, named: 0, refused: 0, harmless: 0 }
    // A quarter of them in the first page, where the header and the schema's root are.
    const place = fc.oneof(
      { weight: 3, arbitrary: fc.nat({ max: original.length - 1 }) },
      { weight: 1, arbitrary: fc.nat({ max: 4_095 }) }
    )
    await fc.assert(
      fc.asyncProperty(place, fc.integer({ min: 1, max: 255 }), async (position, bits) => {
        const bytes = Buffer.from(original)
        bytes.writeUInt8(bytes.readUInt8(position) ^ bits, position)
        writeFileSync(filename, bytes)
        const { refused, report } = await outcomeOf(filename)
        if (refused !== undefined) {
          outcomes.refused += 1
          expect(REFUSALS).toContain(refused)
        } else if (report?.verdict === "FAIL") {
          outcomes.found += 1
          const rows = changedRows(bytes)
          if (rows === undefined || rows.length === 0) return
          outcomes.named += 1
          // Damage that stops a rung is named by itself; else every row that reads otherwise is.
          const stopped = report.findings.some(({ code }) => code === "INTEGRITY")
          for (const row of stopped ? [] : rows) {
            expect(
              report.findings.some(({ where }) => `${where} `.startsWith(`${row} `)),
              row
            ).toBe(true)
          }
        } else {
          outcomes.harmless += 1
          expect(dumpOf(filename)).toBe(before)
        }
      }),
      propParameters(2)
    )
    console.log(`turned bytes: ${JSON.stringify(outcomes)} (seed ${propSeed})`)
    expect(outcomes.found + outcomes.refused).toBeGreaterThan(0)
  })
})
