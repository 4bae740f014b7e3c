/**
 * Attacks that a set-up comes before, once more with each word that says how a statement treats a conflict: what the set-up wrote
 * must outlive them, also where a word takes a whole transaction back.
 */
import type { Attack } from "../attack.ts"

const WORDS = ["REPLACE", "IGNORE", "FAIL", "ABORT", "ROLLBACK"]

const withWord = (attack: Attack, word: string): Attack => ({
  ...attack,
  name: `${attack.name}, OR ${word}`,
  sql: attack.sql.replace(/^\w+/, `$& OR ${word}`),
  // A row that breaks a constraint may be passed over.
  silent: word === "IGNORE"
})

/** The attacks behind a set-up, with each word. */
export const withWords = (attacks: ReadonlyArray<Attack>): ReadonlyArray<Attack> =>
  attacks
    .filter(({ setup, sql }) => setup !== undefined && /^(?:INSERT INTO|UPDATE (?!OR\b))/.test(sql))
    .flatMap((attack) => WORDS.map((word) => withWord(attack, word)))
