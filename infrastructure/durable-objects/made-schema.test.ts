// What an object's database should hold is what SQLite itself makes of the released statements.
import { expect, it } from "vitest"
import { schemaSteps } from "../ledger/schema-snapshots.ts"
import { openBytes } from "../sqlite/better-sqlite3-host.ts"
import type { SchemaObject } from "../sqlite/sql-host.ts"
import { madeInObject } from "./made-schema.ts"

const sorted = (schema: ReadonlyArray<SchemaObject>) =>
  schema.map((object) => JSON.stringify(object, ["type", "name", "table", "sql"])).sort()

it("the schema that is told is the one that SQLite makes", () => {
  const statements = schemaSteps().flatMap((step) => step.statements)
  const host = openBytes(Buffer.alloc(0))
  const made = host.facts.madeBy(statements)
  host.close()
  const told = madeInObject(statements)
  expect(sorted(told.schema)).toEqual(sorted(made.schema))
  expect(told.header).toEqual(made.header)
})
