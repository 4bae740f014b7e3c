// What an object's database should hold is what SQLite itself makes of the released statements.
import { expect, it } from "vitest"
import * as ledgerQueries from "../ledger/statements/compiled/ledger-queries.ts"
import * as ledgerStatements from "../ledger/statements/compiled/ledger-statements.ts"
import { schemaSteps } from "../ledger/opening/schema-snapshots.ts"
import { openBytes } from "../sqlite/connection/better-sqlite3-host.ts"
import type { SchemaObject } from "../sqlite/connection/sql-host.ts"
import { trialLedgerStatements, trialLedgerVersion } from "../testing/trial-versions.ts"
import { madeInObject } from "./made-schema.ts"

const sorted = (schema: ReadonlyArray<SchemaObject>) =>
  schema.map((object) => JSON.stringify(object, ["type", "name", "table", "sql"])).sort()

// https://developers.cloudflare.com/durable-objects/platform/limits/#sql-storage-limits
it("the schema and the statements are within what the platform takes", () => {
  const statements = schemaSteps().flatMap((step) => step.statements)
  const patterns = statements.flatMap((text) => [...text.matchAll(/\b(?:GLOB|LIKE) '([^']*)'/gi)])
  expect(patterns.length).toBeGreaterThan(0)
  for (const [, pattern = ""] of patterns) expect(Buffer.byteLength(pattern), pattern).toBeLessThanOrEqual(50)
  for (const text of statements)
    expect(Buffer.byteLength(text), text.slice(0, 80)).toBeLessThanOrEqual(100_000)
  for (const { names, sql } of [...Object.values(ledgerStatements), ...Object.values(ledgerQueries)]) {
    expect(names.length, sql).toBeLessThanOrEqual(100)
    expect(Buffer.byteLength(sql), sql.slice(0, 80)).toBeLessThanOrEqual(100_000)
  }
})

const versions = [
  ["of today", schemaSteps()],
  ["of a later release", [...schemaSteps(), trialLedgerVersion()]],
  [
    "that has lost a table with all that hung on it",
    [...schemaSteps(), trialLedgerVersion([...trialLedgerStatements, 'DROP TABLE "trial_notes"'])]
  ]
] as const

it.each(versions)("the schema %s that is told is the one that SQLite makes", (_name, steps) => {
  const statements = steps.flatMap((step) => step.statements)
  const host = openBytes(Buffer.alloc(0))
  const made = host.facts.madeBy(statements)
  host.close()
  const told = madeInObject(statements)
  expect(sorted(told.schema)).toEqual(sorted(made.schema))
  expect(told.header).toEqual(made.header)
})
