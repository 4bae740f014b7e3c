/** What is judged of attacks that were tried, on a plain connection and on those where a pragma takes something away. */
import { outcomesOf, refusalsIn, type Attack, type Tried } from "./attack.ts"
import { attacks } from "./attacks/index.ts"
import { snapshot } from "./ledger.ts"

export const RECURSIVE_TRIGGERS = "PRAGMA recursive_triggers = ON"
export const CHECKS_OFF = "PRAGMA ignore_check_constraints = ON"

/** What names an attack by a hash that has no form of one: SQL lets it in where CHECKs are off, and the chain shows it. */
export const MALFORMED_HASH = / with hash "/

const refusals = new Set(refusalsIn(snapshot))

// What SQLite itself says to a row that breaks a rule. Anything else, such as a syntax error, would be a refusal of
// the attack's wording and prove nothing.
const ownWords =
  /^(CHECK|UNIQUE|NOT NULL) constraint failed: |^datatype mismatch$|^cannot store (REAL|TEXT) value in INTEGER column |^cannot modify pending(_rare)?_event because it is a view$/

/** The attacks that were not refused, or left a trace. */
export const successes = (tried: ReadonlyArray<Tried>): ReadonlyArray<string> =>
  tried.flatMap(({ attack, changed, error }) => {
    if (changed) {
      return [`${attack.name}: left a trace`]
    }
    if (error === undefined) {
      return attack.silent === true ? [] : [`${attack.name}: was not refused`]
    }
    return refusals.has(error) || ownWords.test(error) ? [] : [`${attack.name}: failed for no rule: ${error}`]
  })

/** The attacks that get in where CHECKs are switched off, without those with a malformed hash, which the chain shows. */
export const successesUnchecked = (some: ReadonlyArray<Attack>): ReadonlyArray<string> =>
  outcomesOf(some, [CHECKS_OFF])
    .filter(({ attack, changed }) => changed && !MALFORMED_HASH.test(attack.name))
    .map(({ attack }) => attack.name)

let plain: ReadonlyMap<Attack, Tried> | undefined

/** What came of each attack on a plain connection; they are tried once. */
export const plainOutcomes = (): ReadonlyMap<Attack, Tried> =>
  (plain ??= new Map(outcomesOf(attacks).map((tried) => [tried.attack, tried])))
