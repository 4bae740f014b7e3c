// Tampering campaign, rows: behind the guards every row of every table is deleted, put in once more under another key,
// and exchanged with its neighbour; verification names what is gone, what is too much and what has moved.

import type Database from "better-sqlite3"
import { afterAll, beforeAll, describe, it } from "vitest"
import { DisarmedLedger } from "../infrastructure/testing/disarmed-ledger.ts"
import { type CampaignLedger, makeCampaignLedger } from "./support/campaigns/campaign-ledger.ts"
import { CampaignScore } from "./support/campaigns/campaign-score.ts"
import { type CampaignRow, placeOf, rowsOf, type Value } from "./support/campaigns/campaign-tables.ts"

let ledger: CampaignLedger
let disarmed: DisarmedLedger
let rows: ReadonlyArray<CampaignRow>
beforeAll(async () => {
  ledger = await makeCampaignLedger()
  disarmed = new DisarmedLedger(ledger.bytes)
  rows = rowsOf(ledger.bytes)
})
afterAll(() => ledger.close())

const deleted = (database: Database.Database, { id, key, table }: CampaignRow): void => {
  database.prepare(`DELETE FROM "${table}" WHERE "${key}" = ?`).run(id)
}

const inserted = (database: Database.Database, table: string, cells: Readonly<Record<string, Value>>) => {
  const names = Object.keys(cells)
  const values = Object.values(cells).map((value) => (typeof value === "number" ? BigInt(value) : value))
  database.prepare(`INSERT INTO "${table}" VALUES (${names.map(() => "?").join(", ")})`).run(...values)
}

/** What names a deleted row: an event that is gone shows in the one after it, or in the head. */
const placesOfDeleted = (row: CampaignRow): ReadonlyArray<string> => {
  if (row.table !== "events") return [placeOf(row)]
  return [row.id === ledger.events.length ? "head" : `event ${Number(row.id) + 1}`]
}

/** The columns in which two rows can never be equal. */
const unique: Readonly<Record<string, ReadonlyArray<string>>> = {
  cassette_messages: ["idempotency_key"],
  thought_records: ["prev_hash", "hash"]
}

/** Rows that hold the same but for their keys: exchanging these changes nothing. */
const sameBesideKey = (left: CampaignRow, right: CampaignRow): boolean =>
  Object.entries(left.cells).every(([column, value]) => column === left.key || value === right.cells[column])

const swapped = (database: Database.Database, left: CampaignRow, right: CampaignRow): void => {
  deleted(database, left)
  deleted(database, right)
  inserted(database, left.table, { ...left.cells, [left.key]: right.id })
  inserted(database, left.table, { ...right.cells, [left.key]: left.id })
}

describe("a row", () => {
  it("that is deleted is found and named", async () => {
    const score = new CampaignScore("deleted rows")
    for (const row of rows) {
      const bytes = disarmed.changed((database) => deleted(database, row))
      await score.judge(`${placeOf(row)} deleted`, ledger.verify(bytes), placesOfDeleted(row))
    }
    score.end(rows.length)
  })

  it("that is put in once more under another key is found and named", async () => {
    const score = new CampaignScore("added rows")
    for (const row of rows) {
      const { cells, key, table } = row
      const ids = typeof row.id === "number" ? [row.id + 100, 0, -row.id] : [`${row.id}x`, `0${row.id}`]
      for (const id of ids) {
        const others = (unique[table] ?? []).map((column) => [column, cells[column] && `${cells[column]}x`])
        const copy = { ...cells, ...Object.fromEntries(others), [key]: id }
        const bytes = disarmed.changed((database) => inserted(database, table, copy))
        await score.judge(`${placeOf(row)} again as ${id}`, ledger.verify(bytes), [placeOf({ table, id })])
      }
    }
    score.end(rows.length * 2)
  })

  it("that has exchanged its key with its neighbour is found, and both are named", async () => {
    const score = new CampaignScore("exchanged rows")
    for (const [index, right] of rows.entries()) {
      const left = rows[index - 1]
      if (left === undefined || left.table !== right.table || sameBesideKey(left, right)) continue
      const bytes = disarmed.changed((database) => swapped(database, left, right))
      await score.judge(`${placeOf(left)} and ${right.id}`, ledger.verify(bytes), [
        placeOf(left),
        placeOf(right)
      ])
    }
    score.end(ledger.events.length)
  })
})
