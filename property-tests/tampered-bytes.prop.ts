// Tampering campaign, bytes: single bytes of the file are turned over at random. What changes the content, the schema or
// SQLite's ability to read is found or refused, and the rows that read otherwise are named; what changes nothing, as in
// free space, may pass. The file has free pages, and its header and their list get a share of their own. PROP_RUNS says
// how many.

import { readFileSync, writeFileSync } from "node:fs"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { withLedger } from "../infrastructure/testing/ledgers.ts"
import { withoutLog } from "../infrastructure/testing/disarmed-ledger.ts"
import { dumpOf } from "../infrastructure/testing/logical-dump.ts"
import { type CampaignLedger, makeCampaignLedger } from "./support/campaigns/campaign-ledger.ts"
import { placeOf, rowsOf } from "./support/campaigns/campaign-tables.ts"
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

/** The same ledger with pages in the list of free ones. */
const withFreePages = (bytes: Buffer): Buffer => {
  const database = new Database(withoutLog(bytes))
  try {
    database.exec("CREATE TABLE freed (content BLOB)")
    const insert = database.prepare("INSERT INTO freed VALUES (zeroblob(4000))")
    for (let row = 0; row < 5; row++) insert.run()
    database.exec("DROP TABLE freed")
    const freed = database.serialize()
    bytes.copy(freed, 18, 18, 20)
    return freed
  } finally {
    database.close()
  }
}

/** Where the header keeps the first page of the list of free pages. */
const FIRST_FREE_OFFSET = 32

describe("a byte that is turned over", () => {
  it("is found and its rows are named, or it is refused, or it has changed nothing", async () => {
    const original = withFreePages(readFileSync(ledger.filename))
    const before = dumpOf(ledger.filename)
    const filename = ledger.path("turned.db")
    const list = (original.readUInt32BE(FIRST_FREE_OFFSET) - 1) * original.readUInt16BE(16)
    expect(list).toBeGreaterThan(0)
    const outcomes = { found: 0, named: 0, refused: 0, harmless: 0 }
    // Half of them in the first page, where the header and the schema's root are, and in the list of free pages.
    const place = fc.oneof(
      { weight: 3, arbitrary: fc.nat({ max: original.length - 1 }) },
      { weight: 1, arbitrary: fc.nat({ max: 4_095 }) },
      { weight: 1, arbitrary: fc.nat({ max: 99 }) },
      { weight: 1, arbitrary: fc.integer({ min: list, max: list + 31 }) }
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
