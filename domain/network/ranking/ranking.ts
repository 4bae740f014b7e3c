// The order of hits over all cassettes: by score, then by path, text, place and cassette, so that equal scores have
// one order wherever the chunks lie. Equal texts are one hit, and what a document has beside its best text counts less.
// It never looks at words.
import type { Candidate } from "../index-requests.ts"
import { REPEAT_SHARE } from "../limits.ts"
import { byText } from "../text-order.ts"

/** The order of one cassette's candidates: best first. */
const byRank = (left: Candidate, right: Candidate): number =>
  right.score - left.score ||
  byText(left.path, right.path) ||
  byText(left.hash, right.hash) ||
  left.ordinal - right.ordinal

/** A candidate with the cassette it comes from and what its score is made of. */
export interface Ranked extends Candidate {
  readonly source: string
  /** What words that stand close together add. */
  readonly proximity: number
  /** How many other texts of the same document come before; each took its share off the sum of both. */
  readonly repeats: number
}

/** The order over all cassettes. */
export const byNetworkRank = (left: Ranked, right: Ranked): number =>
  byRank(left, right) || byText(left.source, right.source)

/** The candidates down to the one that completes `texts` different texts, in the given order. */
export const bestTexts = (ranked: ReadonlyArray<Ranked>, texts: number): ReadonlyArray<Ranked> => {
  const seen = new Set<string>()
  for (const [index, { hash }] of ranked.entries()) {
    seen.add(hash)
    if (seen.size >= texts) return ranked.slice(0, index + 1)
  }
  return ranked
}

/**
 * The candidates in their final order: of each document the best text keeps its score, and each further one has
 * `REPEAT_SHARE` of it once more than the one before. They are given best first.
 */
export const withRepeats = (ranked: ReadonlyArray<Ranked>): ReadonlyArray<Ranked> => {
  const documents = new Map<string, { readonly texts: Set<string>; share: number }>()
  const shared = ranked.map((candidate): Ranked => {
    const key = `${candidate.source} ${candidate.path}`
    const document = documents.get(key) ?? { texts: new Set(), share: 1 }
    documents.set(key, document)
    const { share, texts } = document
    const repeats = texts.size
    if (!texts.has(candidate.hash)) {
      texts.add(candidate.hash)
      document.share = share * REPEAT_SHARE
    }
    return repeats === 0 ? candidate : { ...candidate, score: candidate.score * share, repeats }
  })
  return shared.sort(byNetworkRank)
}

/** The first candidate of each text, in the given order, at most `limit`. */
export const distinctTexts = <Found extends Candidate>(
  ranked: ReadonlyArray<Found>,
  limit: number
): ReadonlyArray<Found> => {
  const seen = new Set<string>()
  const first: Array<Found> = []
  for (const candidate of ranked) {
    if (first.length >= limit) break
    if (seen.has(candidate.hash)) continue
    seen.add(candidate.hash)
    first.push(candidate)
  }
  return first
}
