// What a person typed, as terms to look for: the text is never the syntax of a search engine. Words are found by the
// rule that documents were taken apart by; only quotation marks mean something, and an unpaired one means nothing. Words that
// only hold a sentence together are told apart from those that say what is looked for.
import { functionWordPlaces } from "./function-words.ts"
import { MAX_COUNTED_TERMS, MAX_QUERY_TERMS, MAX_QUERY_UNITS } from "../limits.ts"
import { byText } from "../text-order.ts"
import { type Stem, wordsOf, writtenWords } from "./words.ts"

export interface Question {
  /** More than `MAX_QUERY_TERMS` only with `excess`: counts choose among them then. Different terms, in binary order: every sum over them is made in this order. */
  readonly terms: ReadonlyArray<string>
  /** Those of the terms that only hold the sentence together: they decide nothing while others are found. */
  readonly aside: ReadonlySet<string>
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
/** What is quoted, as a phrase or as code. */
const meantWords = new RegExp(`${quoted.source}|\`[^\`]*\``, "gu")

/** The units of a text that lie in these stretches of it, as ones. */
const marked = (
  text: string,
  stretches: ReadonlyArray<{ readonly start: number; readonly end: number }>
): Uint8Array => {
  const marks = new Uint8Array(text.length)
  for (const { end, start } of stretches) marks.fill(1, start, end)
  return marks
}

/** Where words stand that only hold the sentence together; what stands in quotation marks is meant as it is. */
const asideIn = (text: string): Uint8Array => {
  const meant = marked(
    text,
    [...text.matchAll(meantWords)].map(({ 0: found, index }) => ({ start: index, end: index + found.length }))
  )
  const words = writtenWords(text)
  const places = functionWordPlaces(
    words.map(({ start, written }) => (meant[start] === 0 ? written : "")),
    /[?？؟]\s*$/u.test(text)
  )
  return marked(
    text,
    words.filter((_, place) => places.has(place))
  )
}

/** The question that a text asks; a text without words asks nothing and has no terms. */
export const questionOf = (text: string, stem: Stem): Question => {
  const asked = text.slice(0, MAX_QUERY_UNITS).normalize("NFC")
  const { identifiers, sequence } = wordsOf(asked, stem)
  const words = [...sequence, ...identifiers]
  const isAside = asideIn(asked)
  const told = new Set(words.filter(({ start }) => isAside[start] === 0).map(({ term }) => term))
  const all = new Set(words.map(({ term }) => term))
  const aside = new Set([...all].filter((term) => !told.has(term)))
  const neighbours = new Map<string, readonly [string, string]>()
  for (const [index, { term }] of sequence.entries()) {
    const next = sequence[index + 1]?.term
    if (next !== undefined && next !== term) neighbours.set(`${term} ${next}`, [term, next])
  }
  const phrases = [...asked.matchAll(quoted)]
    .map(([, ...groups]) => wordsOf(groups.find((group) => group !== undefined) ?? "", stem))
    .map((words) => words.sequence.map(({ term }) => term))
    .filter((phrase) => phrase.length > 0)
  const isCut = text.length > MAX_QUERY_UNITS
  const common = { aside, neighbours: [...neighbours.values()], phrases }
  if (all.size <= MAX_QUERY_TERMS && !isCut) return { terms: [...all].sort(byText), ...common }
  const inOrder = [...all].slice(0, MAX_COUNTED_TERMS)
  return {
    terms: inOrder.toSorted(byText),
    ...common,
    excess: { inOrder, uncounted: all.size - inOrder.length, isCut }
  }
}
