// The corpus database as a file whose guards are mutated: the table of expansions, the only one in it that is guarded.

import type Database from "better-sqlite3"
import { attempt } from "../../../migrations/testing/attack.ts"
import {
  dumpExpansions,
  expansionAttacks,
  honestExpansions,
  storedExpansion
} from "../../../migrations/testing/expansions.ts"
import { type Answer, type GuardedFile, guardTriggersIn, outcomeOf } from "./guarded-file.ts"

const attacks = expansionAttacks.map(([, , sql]) => ({ sql }))

type Attack = (typeof attacks)[number]

function* tries(some: ReadonlyArray<Attack>, statements: ReadonlyArray<string>): Generator<Answer<Attack>> {
  for (const attack of some) {
    const database = storedExpansion(...statements)
    try {
      yield { ...attempt(database, attack, dumpExpansions(database), dumpExpansions), attack }
    } finally {
      database.close()
    }
  }
}

function* honest(statements: ReadonlyArray<string>): Generator<string> {
  let database: Database.Database
  try {
    database = storedExpansion(...statements)
  } catch (thrown) {
    yield `refused: ${(thrown as Error).message}`
    return
  }
  try {
    for (const write of honestExpansions) yield outcomeOf(database, write, dumpExpansions)
  } finally {
    database.close()
  }
}

/** The corpus database's triggers, attacks and honest writes. */
export const guardedCorpus = (): GuardedFile<Attack> => {
  const database = storedExpansion()
  const triggers = guardTriggersIn(database)
  database.close()
  return { triggers, attacks, tries, honest }
}
