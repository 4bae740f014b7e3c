/**
 * Version 2 of the database: the event log, the ledger tables that only the log can write, and their guards.
 * (Version 1 is the format without a log.) The statements of a released version must never change.
 */
import type { Migration } from "../statements.ts"
import { guards } from "./guards.ts"
import { projections } from "./projections.ts"
import { tables } from "./tables.ts"
import { thoughtGuards, thoughtProjections, thoughtTables } from "./thoughts.ts"

/** Creates the event log and the ledger tables, empty, with every guard in place. */
export const ledger: Migration = {
  version: 2,
  name: "0002-ledger",
  statements: () => [
    ...tables(),
    ...thoughtTables(),
    ...guards(),
    ...thoughtGuards(),
    ...projections(),
    ...thoughtProjections()
  ]
}
