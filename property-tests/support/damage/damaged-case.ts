// One damaged file from a seed and a number: kinds and stores take turns, so that every kind meets every store, and the
// rest is chosen by dice.

import { Dice, seededThrow } from "../hostile/dice.ts"
import { type HonestFile, STORES } from "./honest-files.ts"
import { walDamage } from "./log-damage.ts"
import {
  bitDamage,
  cellDamage,
  type Damaged,
  freelistDamage,
  lengthDamage,
  runDamage
} from "./page-damage.ts"
import { statementDamage } from "./sql-damage.ts"

const kinds = Object.entries({
  ...bitDamage,
  ...runDamage,
  ...lengthDamage,
  ...freelistDamage,
  ...cellDamage,
  ...statementDamage,
  ...walDamage
})

export interface DamagedCase extends Damaged {
  readonly number: number
  readonly kind: string
  readonly honest: HonestFile
}

/** Shapes that are tried until one has a place for the damage. */
const MOST_TRIES = 40

/** The case with this number; undefined when no file was found that can be damaged so. */
export const makeCase = (
  files: ReadonlyArray<HonestFile>,
  seed: number,
  number: number
): DamagedCase | undefined => {
  const dice = new Dice(seededThrow(seed, number))
  const [kind, damage] = kinds[number % kinds.length]!
  const store = STORES[Math.floor(number / kinds.length) % STORES.length]
  const own = files.filter((file) => file.store === store)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const honest = dice.pick(own)
    const sameShape = files.filter((file) => file.shape === honest.shape && file !== honest)
    const damaged = damage({ dice, honest, other: dice.pick(sameShape) })
    if (damaged !== undefined) return { ...damaged, number, kind, honest }
  }
  return undefined
}
