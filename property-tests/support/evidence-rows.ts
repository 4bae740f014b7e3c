// What a store has acknowledged, as one text a row: events, receipts, texts that were read.

import Database from "better-sqlite3"
import type { StoreName } from "./damage/honest-files.ts"

const evidence: Readonly<Record<StoreName, string>> = {
  ledger: "SELECT position || ' ' || hash FROM events NOT INDEXED ORDER BY rowid",
  corpus:
    "SELECT run_id || ' ' || symbol_id || ' ' || slice || ' ' || payload_hash FROM expansions NOT INDEXED ORDER BY rowid",
  cassette: "SELECT receipt_index || ' ' || receipt_hash FROM write_receipts NOT INDEXED ORDER BY rowid"
}

/**
 * The evidence in a file, read from both ends: a damaged page between them, which the verdict judges, hides no row behind
 * it.
 */
export const evidenceIn = (file: string, store: StoreName): ReadonlyArray<string> => {
  const database = new Database(file)
  const rows = new Set<string>()
  for (const order of ["ASC", "DESC"]) {
    try {
      for (const row of database.prepare<[], string>(`${evidence[store]} ${order}`).pluck().iterate())
        rows.add(row)
    } catch {
      // Here the damaged page begins.
    }
  }
  database.close()
  return [...rows]
}
