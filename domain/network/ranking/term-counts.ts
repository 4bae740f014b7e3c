// How often a term stands in a chunk, and how long the chunk is: the numbers that ranking works with. The terms of a
// chunk are texts in which terms are separated by single blanks. Counts are whole numbers, so that sums are exact.
import { BODY_WEIGHT, HEADING_WEIGHT, PATH_WEIGHT } from "../limits.ts"

/** A chunk's terms: of its path, of its headings, of its text, and the identifiers of all three. */
export interface ChunkTerms {
  readonly path: string
  readonly heading: string
  readonly body: string
  readonly identifiers: string
}

const occurrences = (terms: string, term: string): number => {
  let count = 0
  for (let at = terms.indexOf(term); at !== -1; at = terms.indexOf(term, at + term.length)) {
    const end = at + term.length
    if ((at === 0 || terms[at - 1] === " ") && (end === terms.length || terms[end] === " ")) count += 1
  }
  return count
}

/** How often the term counts in the chunk. */
export const weightedCount = ({ body, heading, identifiers, path }: ChunkTerms, term: string): number =>
  PATH_WEIGHT * occurrences(path, term) +
  HEADING_WEIGHT * occurrences(heading, term) +
  BODY_WEIGHT * (occurrences(body, term) + occurrences(identifiers, term))

const split = (terms: string): ReadonlyArray<string> => (terms === "" ? [] : terms.split(" "))

/** How often every term counts in the chunk. */
export const weightedCounts = ({
  body,
  heading,
  identifiers,
  path
}: ChunkTerms): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  const add = (terms: string, weight: number): void => {
    for (const term of split(terms)) counts.set(term, (counts.get(term) ?? 0) + weight)
  }
  add(path, PATH_WEIGHT)
  add(heading, HEADING_WEIGHT)
  add(body, BODY_WEIGHT)
  add(identifiers, BODY_WEIGHT)
  return counts
}

const wordsIn = (terms: string): number => {
  let words = terms === "" ? 0 : 1
  for (let at = terms.indexOf(" "); at !== -1; at = terms.indexOf(" ", at + 1)) words += 1
  return words
}

/** A chunk's length in words, 1 at least: 0 says that there is no such chunk. */
export const lengthOf = ({ body, heading }: ChunkTerms): number =>
  Math.max(1, wordsIn(heading) + wordsIn(body))

/** How often terms count in a chunk: pairs of a term's place in a list, which many chunks share, and of its count. */
export interface TermPairs {
  readonly list: ReadonlyArray<string>
  readonly pairs: Uint32Array
}

/** Counts the terms of one chunk after another, as `weightedCounts` does, while they are found. */
export class TermCounter {
  private readonly list: Array<string> = []
  private readonly places = new Map<string, number>()
  /** By place; 0 for what is not in this chunk. */
  private readonly counts: Array<number> = []
  private seen: Array<number> = []

  add(terms: ReadonlyArray<string>, weight: number): void {
    for (const term of terms) {
      const place = this.placeOf(term)
      if (this.counts[place] === 0) this.seen.push(place)
      this.counts[place]! += weight
    }
  }

  /** The counts of the chunk whose terms were added; the next one begins. */
  take(): TermPairs {
    const { counts, list, seen } = this
    const pairs = new Uint32Array(2 * seen.length)
    for (const [index, place] of seen.entries()) {
      pairs[2 * index] = place
      pairs[2 * index + 1] = counts[place]!
      counts[place] = 0
    }
    this.seen = []
    return { list, pairs }
  }

  private placeOf(term: string): number {
    const known = this.places.get(term)
    if (known !== undefined) return known
    const place = this.list.push(term) - 1
    this.places.set(term, place)
    this.counts.push(0)
    return place
  }
}
