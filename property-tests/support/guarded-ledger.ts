// The ledger as a file whose guards are mutated. CHECKs are off, since a pragma of any connection switches them off:
// what a guard lets through, only another guard may stop.

import type Database from "better-sqlite3"
import { databaseIn, dump, tries, type Attack } from "../../migrations/testing/attack.ts"
import { attacks } from "../../migrations/testing/attacks/index.ts"
import { honestEvents } from "../../migrations/testing/honest.ts"
import { insertEvent, rowAfter, type Fact } from "../../migrations/testing/ledger.ts"
import { emptyHead, head, type State } from "../../migrations/testing/states.ts"
import type { GuardedFile } from "./guarded-file.ts"

const noChecks = "PRAGMA ignore_check_constraints = ON"

const triggers = () => {
  const database = databaseIn("ledger")
  const rows = database
    .prepare<[], { readonly name: string; readonly sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name"
    )
    .all()
  database.close()
  return rows.map(({ name, sql }) => ({
    name,
    sql,
    selects: name === "tr_events_apply" || name.startsWith("tr_pending_")
  }))
}

// Without the schema, which the mutation itself has changed.
const rowsIn = (database: Database.Database) => dump(database).split("\n\n").slice(1).join("\n\n")

const fresh = (state: State, statements: ReadonlyArray<string>) => {
  const database = databaseIn(state)
  for (const text of [noChecks, ...statements]) database.exec(text)
  return database
}

// Every event is taken back, so that the next finds the ledger as it was.
const rowsAfter = (database: Database.Database, state: State, fact: Fact): string => {
  database.exec("BEGIN")
  try {
    database.exec(insertEvent(rowAfter(state === "empty" ? emptyHead : head, fact)))
    return rowsIn(database)
  } catch (thrown) {
    return `refused: ${(thrown as Error).message}`
  } finally {
    database.exec("ROLLBACK")
  }
}

function* honest(statements: ReadonlyArray<string>): Generator<string> {
  for (const [state, facts] of Map.groupBy(honestEvents, ([of]) => of)) {
    const database = fresh(state, statements)
    try {
      for (const [, fact] of facts) yield rowsAfter(database, state, fact)
    } finally {
      database.close()
    }
  }
}

/** The ledger's triggers, attacks and honest events. */
export const guardedLedger = (): GuardedFile<Attack> => ({
  triggers: triggers(),
  attacks,
  tries: (some, statements) => tries(some, [noChecks, ...statements]),
  honest,
  holds(expression) {
    const database = databaseIn("ledger")
    try {
      return database.prepare(`SELECT ${expression}`).pluck().get() === 1
    } finally {
      database.close()
    }
  }
})
