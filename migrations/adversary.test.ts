/**
 * Raw SQL against a live ledger: every attack must be refused, and leave no trace anywhere in the file. The connections have
 * foreign keys off, as a plain shell has. Events are attacked with every tenth where a pragma changes something; a property takes
 * all of them, so that what a pragma can take away is known.
 */
import { describe, expect, it } from "vitest"
import { plainOutcomes, RECURSIVE_TRIGGERS, successes, successesUnchecked } from "./testing/adversary.ts"
import { type Attack, databaseIn, filledInsert, outcomesOf } from "./testing/attack.ts"
import { attackGroups, attacks } from "./testing/attacks/index.ts"

const some = (all: ReadonlyArray<Attack>): ReadonlyArray<Attack> =>
  all.filter(({ sql }, index) => index % 10 === 0 || !/\bINTO events\b/.test(sql))

describe("on a plain connection", () => {
  for (const [group, all] of Object.entries(attackGroups)) {
    it(`${all.length} attacks on ${group} are refused and leave no trace`, () => {
      const tried = all.flatMap((attack) => plainOutcomes().get(attack) ?? [])
      expect(tried.length).toBe(all.length)
      expect(successes(tried)).toEqual([])
    })
  }
})

describe("with recursive triggers", () => {
  for (const [group, all] of Object.entries(attackGroups)) {
    it(`attacks on ${group} are refused and leave no trace`, () => {
      expect(successes(outcomesOf(some(all), [RECURSIVE_TRIGGERS]))).toEqual([])
    })
  }
})

it("with CHECKs switched off nothing gets in but a malformed hash, which the chain shows", () => {
  expect(successesUnchecked(some(attacks))).toEqual([])
})

it("what fills the holes of an event's text is what SQLite reads in its literals", () => {
  const database = databaseIn("empty")
  const filled = attacks.flatMap(({ sql }) => {
    const { values } = filledInsert(sql) ?? {}
    return values === undefined ? [] : [{ values, literals: sql.slice(sql.indexOf(" VALUES (") + 9, -1) }]
  })
  expect(filled.length).toBeGreaterThan(attacks.length / 2)
  for (const { literals, values } of filled) {
    expect(database.prepare(`SELECT ${literals}`).raw().get()).toEqual(values)
  }
  database.close()
})

it("no two attacks have one name", () => {
  const names = attacks.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})
