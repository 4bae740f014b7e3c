// The terms of a text that tell most about it: often in the text, seldom elsewhere. What stands in no other text tells
// nothing about neighbours.
import { inverseFrequency } from "./lexical.ts"
import { MAX_TELLING_TERMS, MAX_TEXT_TERMS } from "../limits.ts"
import { byText } from "../text-order.ts"
import { type Stem, wordsOf } from "./words.ts"

/** How often each term stands in a text; of a very long one the first different ones. */
export const termsOfText = (text: string, stem: Stem): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  const { identifiers, sequence } = wordsOf(text, stem)
  for (const { term } of [...sequence, ...identifiers]) {
    const known = counts.get(term)
    if (known !== undefined || counts.size < MAX_TEXT_TERMS) counts.set(term, (known ?? 0) + 1)
  }
  return counts
}

/**
 * The most telling terms, in binary order: those with the highest count times inverse frequency. `frequencies` are in
 * the order of the counts; a term in no more than `own` chunks stands nowhere else.
 */
export const tellingTerms = (
  counts: ReadonlyMap<string, number>,
  frequencies: ReadonlyArray<number>,
  chunks: number,
  own: number
): ReadonlyArray<string> =>
  [...counts]
    .map(([term, count], index) => ({ term, count, frequency: frequencies[index] ?? 0 }))
    .filter(({ frequency }) => frequency > own)
    .map(({ count, frequency, term }) => ({ term, weight: count * inverseFrequency(chunks, frequency) }))
    .sort((left, right) => right.weight - left.weight || byText(left.term, right.term))
    .slice(0, MAX_TELLING_TERMS)
    .map(({ term }) => term)
    .sort(byText)
