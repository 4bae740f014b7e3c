// What a person typed, as terms to look for: the text is never the syntax of a search engine. Words are found by the
// rule that documents were taken apart by; only quotation marks mean something, and an unpaired one means nothing.
import { MAX_COUNTED_TERMS, MAX_QUERY_TERMS, MAX_QUERY_UNITS } from "./limits.ts"
import { byText } from "./text-order.ts"
import { type Stem, wordsOf } from "./words.ts"

export interface Question {
  /** More than `MAX_QUERY_TERMS` only with `excess`: counts choose among them then. Different terms, in binary order: every sum over them is made in this order. */
  readonly terms: ReadonlyArray<string>
  /** Neighbouring words, each pair once. */
  readonly neighbours: ReadonlyArray<readonly [first: string, second: string]>
  /** Sequences of words that a chunk must hold as they stand. */
  readonly phrases: ReadonlyArray<ReadonlyArray<string>>
  /** Only of a question that asks for more than is looked for. */
  readonly excess?: Excess
}

/** What a question has too much of. */
interface Excess {
  /** The terms as they come first in the question: words, then identifiers. */
  readonly inOrder: ReadonlyArray<string>
  /** How many different terms are not among them. */
  readonly uncounted: number
  /** True when the end of the text was not read. */
  readonly isCut: boolean
}

const quoted = /"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»/gu

/** The question that a text asks; a text without words asks nothing and has no terms. */
export const questionOf = (text: string, stem: Stem): Question => {
  const asked = text.slice(0, MAX_QUERY_UNITS)
  const all = new Set<string>()
  const neighbours = new Map<string, readonly [string, string]>()
  const { identifiers, sequence } = wordsOf(asked, stem)
  for (const [index, { term }] of sequence.entries()) {
    all.add(term)
    const next = sequence[index + 1]?.term
    if (next !== undefined && next !== term) neighbours.set(`${term} ${next}`, [term, next])
  }
  for (const { term } of identifiers) all.add(term)
  const phrases = [...asked.matchAll(quoted)]
    .map(([, ...groups]) => wordsOf(groups.find((group) => group !== undefined) ?? "", stem))
    .map((words) => words.sequence.map(({ term }) => term))
    .filter((phrase) => phrase.length > 0)
  const isCut = asked.length < text.length
  if (all.size <= MAX_QUERY_TERMS && !isCut)
    return { terms: [...all].sort(byText), neighbours: [...neighbours.values()], phrases }
  const inOrder = [...all].slice(0, MAX_COUNTED_TERMS)
  return {
    terms: inOrder.toSorted(byText),
    neighbours: [...neighbours.values()],
    phrases,
    excess: { inOrder, uncounted: all.size - inOrder.length, isCut }
  }
}
