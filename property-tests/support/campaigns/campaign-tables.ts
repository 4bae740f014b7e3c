// The tables of a ledger with their keys, as the tampering campaigns walk them: all that a database holds, so that a
// table which a later migration adds cannot be forgotten.

import Database from "better-sqlite3"
import { ledgerTables } from "../../../domain/ledger/rows.ts"

export type Value = string | number | null

export interface CampaignRow {
  readonly table: string
  readonly key: string
  readonly id: string | number
  readonly cells: Readonly<Record<string, Value>>
}

const keys: Readonly<Record<string, string>> = {
  events: "position",
  head: "one",
  ledger_migrations: "version",
  ...Object.fromEntries(Object.entries(ledgerTables).map(([table, { key }]) => [table, key]))
}

/** Every row of every table, in key order; throws for a table that has no key here. */
export const rowsOf = (bytes: Buffer): ReadonlyArray<CampaignRow> => {
  const database = new Database(Buffer.from(bytes))
  try {
    const tables = database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all()
    return tables.flatMap((table) => {
      const key = keys[table]
      if (key === undefined) throw new Error(`${table} has no key here: a new table belongs to the campaign`)
      return database
        .prepare<[], Record<string, Value>>(`SELECT * FROM "${table}" ORDER BY "${key}"`)
        .all()
        .map((cells) => ({ table, key, id: cells[key] ?? "", cells }))
    })
  } finally {
    database.close()
  }
}

/** How findings call a row. */
export const placeOf = ({ id, table }: Pick<CampaignRow, "id" | "table">): string => {
  if (table === "events") return `event ${id}`
  return table === "head" ? "head" : `${table} ${id}`
}
