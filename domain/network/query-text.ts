// What a person typed, as terms to look for: the text is never the syntax of a search engine. Words are found by the
// rule that documents were taken apart by; only quotation marks mean something, and an unpaired one means nothing.
import { MAX_QUERY_TERMS, MAX_QUERY_UNITS } from "./limits.ts"
import { byText } from "./text-order.ts"
import { type Stem, wordsOf } from "./words.ts"

export interface Question {
  /** Different terms, in binary order: every sum over them is made in this order. */
  readonly terms: ReadonlyArray<string>
  /** Neighbouring words, each pair once. */
  readonly neighbours: ReadonlyArray<readonly [first: string, second: string]>
  /** Sequences of words that a chunk must hold as they stand. */
  readonly phrases: ReadonlyArray<ReadonlyArray<string>>
}

const quoted = /"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»/gu

/** The question that a text asks; a text without words asks nothing and has no terms. */
export const questionOf = (text: string, stem: Stem): Question => {
  const asked = text.slice(0, MAX_QUERY_UNITS)
  const terms = new Set<string>()
  const neighbours = new Map<string, readonly [string, string]>()
  const { identifiers, sequence } = wordsOf(asked, stem)
  for (const [index, { term }] of sequence.entries()) {
    if (terms.size < MAX_QUERY_TERMS) terms.add(term)
    const next = sequence[index + 1]?.term
    if (next !== undefined && next !== term) neighbours.set(`${term} ${next}`, [term, next])
  }
  for (const { term } of identifiers) if (terms.size < MAX_QUERY_TERMS) terms.add(term)
  const phrases = [...asked.matchAll(quoted)]
    .map(([, ...groups]) => wordsOf(groups.find((group) => group !== undefined) ?? "", stem))
    .map((words) => words.sequence.map(({ term }) => term))
    .filter((phrase) => phrase.length > 0)
  return {
    terms: [...terms].sort(byText),
    neighbours: [...neighbours.values()].filter(([first, second]) => terms.has(first) && terms.has(second)),
    phrases
  }
}
