/**
 * Raw SQL against a live ledger: every attack must be refused, and leave no trace anywhere in the file. The
 * connections have foreign keys off, as a plain shell has; each attack runs with recursive_triggers off and on, and
 * once with CHECKs switched off, so that what a pragma can take away is known.
 */
import { describe, expect, it } from "vitest"
import { outcomesOf, refusalsIn, type Tried } from "./testing/attack.ts"
import { attackGroups, attacks } from "./testing/attacks/index.ts"
import { snapshot } from "./testing/ledger.ts"

const refusals = refusalsIn(snapshot)

const connections = {
  "recursive_triggers off": [],
  "recursive_triggers on": ["PRAGMA recursive_triggers = ON"]
}

// What SQLite itself says to a row that breaks a rule. Anything else, such as a syntax error, would be a refusal of
// the attack's wording and prove nothing.
const ownWords =
  /^(CHECK|UNIQUE|NOT NULL) constraint failed: |^datatype mismatch$|^cannot store (REAL|TEXT) value in INTEGER column |^cannot modify pending(_rare)?_event because it is a view$/

const successes = (tried: ReadonlyArray<Tried>): ReadonlyArray<string> =>
  tried.flatMap(({ attack, changed, error }) => {
    if (changed) {
      return [`${attack.name}: left a trace`]
    }
    if (error === undefined) {
      return attack.silent === true ? [] : [`${attack.name}: was not refused`]
    }
    return refusals.includes(error) || ownWords.test(error)
      ? []
      : [`${attack.name}: failed for no rule: ${error}`]
  })

for (const [connection, pragmas] of Object.entries(connections)) {
  describe(connection, () => {
    for (const [group, some] of Object.entries(attackGroups)) {
      it(`${some.length} attacks on ${group} are refused and leave no trace`, () => {
        expect(successes(outcomesOf(some, pragmas))).toEqual([])
      })
    }
  })
}

it("with CHECKs switched off nothing gets in but a malformed hash, which the chain shows", () => {
  const tried = outcomesOf(attacks, ["PRAGMA ignore_check_constraints = ON"])
  const gotIn = tried.filter(({ changed }) => changed).map(({ attack }) => attack.name)
  expect(gotIn.filter((name) => !/ with hash "/.test(name))).toEqual([])
})

it("no two attacks have one name", () => {
  const names = attacks.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})
