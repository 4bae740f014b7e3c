// The cassette as a file whose guards are mutated: what attacks find in it is made under whole guards, and what honest
// writers write, from the first row on, under the mutant's.

import Database from "better-sqlite3"
import { attempt } from "../../../migrations/testing/attack.ts"
import { type CassetteAttack, cassetteAttacks } from "../../../migrations/testing/cassette-attacks.ts"
import { honestStates, honestWrites } from "../../../migrations/testing/cassette-honest.ts"
import { cassetteSchema, dumpCassette, openCassette } from "../../../migrations/testing/cassette.ts"
import { type Answer, type GuardedFile, guardTriggersIn, outcomeOf } from "./guarded-file.ts"

const stateOf = ({ first = "", memories = "shared", mutability, unborn = false }: CassetteAttack) =>
  `${unborn} ${mutability} ${memories} ${first}`

const images = new Map<string, Buffer>()

const imageOf = (attack: CassetteAttack): Buffer => {
  const made = images.get(stateOf(attack))
  if (made !== undefined) return made
  const database = openCassette(cassetteSchema, attack)
  const image = database.serialize()
  database.close()
  images.set(stateOf(attack), image)
  return image
}

const open = (attack: CassetteAttack, statements: ReadonlyArray<string>) => {
  const database = new Database(imageOf(attack))
  database.pragma("foreign_keys = OFF")
  for (const text of statements) database.exec(text)
  return { database, before: dumpCassette(database) }
}

function* tries(
  attacks: ReadonlyArray<CassetteAttack>,
  statements: ReadonlyArray<string>
): Generator<Answer<CassetteAttack>> {
  for (const group of Map.groupBy(attacks, stateOf).values()) {
    let opened = open(group[0] as CassetteAttack, statements)
    try {
      for (const attack of group) {
        const outcome = attempt(opened.database, attack, opened.before, dumpCassette)
        if (outcome.changed) {
          opened.database.close()
          opened = open(attack, statements)
        }
        yield { ...outcome, attack }
      }
    } finally {
      opened.database.close()
    }
  }
}

function* honest(statements: ReadonlyArray<string>): Generator<string> {
  const schema = [cassetteSchema, ...statements].join(";\n")
  for (const state of honestStates) {
    let database: Database.Database
    try {
      database = openCassette(schema, state)
    } catch (thrown) {
      yield `refused: ${(thrown as Error).message}`
      continue
    }
    try {
      yield dumpCassette(database)
      for (const write of honestWrites(state)) yield outcomeOf(database, write, dumpCassette)
    } finally {
      database.close()
    }
  }
}

/** The cassette's triggers, attacks and honest writes. */
export const guardedCassette = (): GuardedFile<CassetteAttack> => {
  const database = new Database(":memory:")
  database.exec(cassetteSchema)
  const triggers = guardTriggersIn(database)
  database.close()
  return { triggers, attacks: cassetteAttacks, tries, honest }
}
