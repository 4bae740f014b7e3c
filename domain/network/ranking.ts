// The order of hits over all cassettes: by score, then by path, text, place and cassette, so that equal scores have
// one order wherever the chunks lie. Equal texts are one hit. It orders and groups; it never scores.
import type { Candidate } from "./index-requests.ts"
import { byText } from "./text-order.ts"

/** The order of one cassette's candidates: best first. */
const byRank = (left: Candidate, right: Candidate): number =>
  right.score - left.score ||
  byText(left.path, right.path) ||
  byText(left.hash, right.hash) ||
  left.ordinal - right.ordinal

/** A candidate with the cassette it comes from and what neighbouring words added to its score. */
export interface Ranked extends Candidate {
  readonly source: string
  readonly proximity: number
}

/** The order over all cassettes. */
export const byNetworkRank = (left: Ranked, right: Ranked): number =>
  byRank(left, right) || byText(left.source, right.source)

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
