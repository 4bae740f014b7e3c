// Exact BM25 over however many cassettes: counts are whole numbers that are summed over all of them first, terms are
// added in binary order, so a corpus gives the same scores to the last bit whether it lies in one file or in sixteen.
// Nothing here knows where counts come from.
import {
  ASIDE_SHARE,
  COMMON_TERM_CHUNKS,
  COMMON_TERM_SHARE,
  DOCUMENT_SHARE,
  PROXIMITY_SHARE,
  PROXIMITY_WORDS
} from "../limits.ts"
import type { Question } from "./query-text.ts"

const K1 = 0.8
const B = 0.75

/** What one cassette counts: chunks, their words together, and the chunks with each term (in the question's order). */
export interface Counts {
  readonly chunks: number
  readonly words: number
  readonly frequencies: ReadonlyArray<number>
  /** Its last index run has not come to its end. */
  readonly unfinished?: true
}

/** What every asked cassette needs to score its chunks. */
export interface Weights {
  /** Terms in binary order with their inverse document frequency; a driver brings chunks in. */
  readonly terms: ReadonlyArray<{ readonly term: string; readonly idf: number; readonly driver: boolean }>
  /** Mean number of words of a chunk. */
  readonly mean: number
}

/** The sum of what several cassettes count for `terms` terms. */
export const sumCounts = (counts: ReadonlyArray<Counts>, terms: number): Counts => ({
  chunks: counts.reduce((sum, { chunks }) => sum + chunks, 0),
  words: counts.reduce((sum, { words }) => sum + words, 0),
  frequencies: Array.from({ length: terms }, (_, index) =>
    counts.reduce((sum, { frequencies }) => sum + (frequencies[index] ?? 0), 0)
  )
})

/** Inverse document frequency of a term in `frequency` of `chunks` chunks. */
export const inverseFrequency = (chunks: number, frequency: number): number =>
  Math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))

/**
 * The weights of a question over the summed counts; terms that no chunk has are left out. Words that only hold the sentence
 * together bring nothing in beside others, and all of them count no more than a share of the least of those.
 */
export const weightsOf = (question: Question, { chunks, frequencies, words }: Counts): Weights => {
  const common = Math.max(COMMON_TERM_CHUNKS, COMMON_TERM_SHARE * chunks)
  const present = question.terms
    .map((term, index) => ({ term, frequency: frequencies[index] ?? 0, aside: question.aside.has(term) }))
    .filter(({ frequency }) => frequency > 0)
  const told = present.filter(({ aside }) => !aside)
  const deciding = told.length === 0 ? present : told
  const rarest = deciding.reduce(
    (least, { frequency }) => Math.min(least, frequency),
    Number.POSITIVE_INFINITY
  )
  const most = deciding.reduce((greatest, { frequency }) => Math.max(greatest, frequency), 0)
  const share = (ASIDE_SHARE * inverseFrequency(chunks, most)) / (present.length - told.length)
  const allCommon = rarest > common
  return {
    terms: present.map(({ aside, frequency, term }) => {
      const idf = inverseFrequency(chunks, frequency)
      return aside && told.length > 0
        ? { term, idf: Math.min(idf, share), driver: false }
        : { term, idf, driver: allCommon ? frequency === rarest : frequency <= common }
    }),
    mean: chunks === 0 ? 1 : Math.max(1, words) / chunks
  }
}

/**
 * The warning for a question of which the texts have function words alone: what those find is seldom what is meant.
 */
export const untellingNotices = (
  { aside, terms }: Question,
  { frequencies }: Pick<Counts, "frequencies">
): ReadonlyArray<string> => {
  const present = terms.filter((_, index) => (frequencies[index] ?? 0) > 0)
  return present.length > 0 && present.every((term) => aside.has(term))
    ? [
        "only function words of the question occur in any text, so what was found may have nothing to do with it"
      ]
    : []
}

/** How much the length of a text takes off what a word counts in it: 1 for a text of mean length. */
const lengthFactor = (length: number, mean: number): number => 1 - B + (B * length) / mean

/** What one term adds to the score of a chunk that is looked at by itself. */
export const termScore = (idf: number, count: number, length: number, mean: number): number =>
  (idf * (count * (K1 + 1))) / (count + K1 * lengthFactor(length, mean))

/** How often each term of the weights stands in a text, and how many words that has. */
export interface Occurrences {
  readonly counts: ReadonlyArray<number>
  readonly length: number
}

/**
 * What the words of a question give a chunk: BM25 of what each counts in the chunk and in the whole document that it stands
 * in, each for its length, together before they are saturated. A chunk seldom has every word that its document is about,
 * and of two chunks with the same words the one of the document about them is meant. For a document of one chunk it is what
 * `termScore` adds up to.
 */
export const wordScore = ({ mean, terms }: Weights, chunk: Occurrences, document: Occurrences): number => {
  const ofChunk = (1 - DOCUMENT_SHARE) / lengthFactor(chunk.length, mean)
  const ofDocument = DOCUMENT_SHARE / lengthFactor(document.length, mean)
  return terms.reduce((sum, { idf }, index) => {
    const count = ofChunk * (chunk.counts[index] ?? 0) + ofDocument * (document.counts[index] ?? 0)
    return sum + (idf * (count * (K1 + 1))) / (count + K1)
  }, 0)
}

/** Where a term stands in a text of terms, as offsets of its first unit. */
const placesOf = (terms: string, term: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (let at = terms.indexOf(term); at !== -1; at = terms.indexOf(term, at + 1)) {
    const end = at + term.length
    if ((at === 0 || terms[at - 1] === " ") && (end === terms.length || terms[end] === " ")) places.push(at)
  }
  return places
}

/** How many terms lie between two places, the last one counted; more than is asked for as one more. */
const wordsBetween = (terms: string, from: number, to: number): number => {
  let words = 0
  for (let at = terms.indexOf(" ", from); at !== -1 && at < to; at = terms.indexOf(" ", at + 1)) {
    words += 1
    if (words > PROXIMITY_WORDS) break
  }
  return words
}

/** Of all places the nearest before and the nearest after tell: others are farther away. */
const closeness = (terms: string, first: ReadonlyArray<number>, second: ReadonlyArray<number>): number => {
  let best = 0
  let next = 0
  for (const place of first) {
    while (next < second.length && second[next]! < place) next++
    const after = second[next]
    const distance = after === undefined ? PROXIMITY_WORDS + 1 : wordsBetween(terms, place, after)
    if (distance === 1) return 1
    if (distance <= PROXIMITY_WORDS) best = Math.max(best, 0.5 / distance)
    const before = second[next - 1]
    const back = before === undefined ? PROXIMITY_WORDS + 1 : wordsBetween(terms, before, place)
    if (back <= PROXIMITY_WORDS) best = Math.max(best, 0.5 / back)
  }
  return best
}

/** How close each pair of neighbouring words of the question comes in a text of terms: 0, 0.5/distance or 1. */
export const closenesses = (neighbours: Question["neighbours"], terms: string): ReadonlyArray<number> => {
  const known = new Map<string, ReadonlyArray<number>>()
  const places = (term: string) => {
    const found = known.get(term) ?? placesOf(terms, term)
    known.set(term, found)
    return found
  }
  return neighbours.map(([first, second]) => {
    const ofFirst = places(first)
    return ofFirst.length === 0 ? 0 : closeness(terms, ofFirst, places(second))
  })
}

/** The bonus for words that stand close together: of each pair a share of the smaller inverse frequency times its closeness. */
export const proximityBonus = (
  neighbours: Question["neighbours"],
  weights: Weights,
  close: ReadonlyArray<number>
): number => {
  const idf = new Map(weights.terms.map((weight) => [weight.term, weight.idf]))
  return neighbours.reduce(
    (sum, [first, second], index) =>
      sum + PROXIMITY_SHARE * Math.min(idf.get(first) ?? 0, idf.get(second) ?? 0) * (close[index] ?? 0),
    0
  )
}
