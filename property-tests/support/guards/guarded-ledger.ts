// The ledger as a file whose guards are mutated. CHECKs are off, since a pragma of any connection switches them off:
// what a guard lets through, only another guard may stop.

import type Database from "better-sqlite3"
import { databaseIn, dump, tries, type Attack } from "../../../migrations/testing/attack.ts"
import { attacks } from "../../../migrations/testing/attacks/index.ts"
import { honestEvents } from "../../../migrations/testing/honest.ts"
import { insertEvent, rowAfter } from "../../../migrations/testing/ledger.ts"
import { headIn, type State } from "../../../migrations/testing/states.ts"
import { type GuardedFile, guardTriggersIn, outcomeOf } from "./guarded-file.ts"

const noChecks = "PRAGMA ignore_check_constraints = ON"

// Without the schema, which the mutation itself has changed.
const rowsIn = (database: Database.Database) => dump(database).split("\n\n").slice(1).join("\n\n")

const fresh = (state: State, statements: ReadonlyArray<string>) => {
  const database = databaseIn(state)
  for (const text of [noChecks, ...statements]) database.exec(text)
  return database
}

function* honest(statements: ReadonlyArray<string>): Generator<string> {
  for (const [state, facts] of Map.groupBy(honestEvents, ([of]) => of)) {
    const database = fresh(state, statements)
    try {
      for (const [, fact] of facts) {
        yield outcomeOf(database, insertEvent(rowAfter(headIn(state), fact)), rowsIn)
      }
    } finally {
      database.close()
    }
  }
}

/** The ledger's triggers, attacks and honest events. */
export const guardedLedger = (): GuardedFile<Attack> => {
  const database = databaseIn("ledger")
  const triggers = guardTriggersIn(
    database,
    (name) => name === "tr_events_apply" || name.startsWith("tr_pending_")
  )
  database.close()
  return {
    triggers,
    attacks,
    tries: (some, statements) => tries(some, [noChecks, ...statements]),
    honest,
    holds(expression) {
      const whole = databaseIn("ledger")
      try {
        return whole.prepare(`SELECT ${expression}`).pluck().get() === 1
      } finally {
        whole.close()
      }
    }
  }
}
