// Joins what words found with what vectors found, by rank: their scores are of two kinds and cannot be added. The list
// of vectors counts as much as it agrees with the list of words.

/** How much a rank counts less than the one before: the constant of reciprocal rank fusion. */
const RANK_OFFSET = 60

/** How many of the first texts two lists are compared by. */
const AGREEMENT_DEPTH = 10

/** A text with its rank (from 1) in each list that has it. */
export interface FusedText {
  readonly hash: string
  readonly score: number
  readonly lexical_rank: number | undefined
  readonly vector_rank: number | undefined
}

/**
 * Joins two lists of texts, best first. The list of words counts fully, that of vectors as much as it agrees with it
 * on the first ten, so that a weak list of vectors cannot spoil a good one of words; a missing list leaves the other.
 */
export const fuse = (
  lexical: ReadonlyArray<string>,
  vector: ReadonlyArray<string>
): ReadonlyArray<FusedText> => {
  const first = new Set(lexical.slice(0, AGREEMENT_DEPTH))
  const shared = vector.slice(0, AGREEMENT_DEPTH).filter((hash) => first.has(hash)).length
  const depth = Math.min(AGREEMENT_DEPTH, lexical.length, vector.length)
  const weight = depth === 0 ? 1 : (1 + shared) / (1 + depth)
  const ranks = (list: ReadonlyArray<string>) => new Map(list.map((hash, index) => [hash, index + 1]))
  const [ofWords, ofVectors] = [ranks(lexical), ranks(vector)]
  const part = (rank: number | undefined, share: number) =>
    rank === undefined ? 0 : share / (RANK_OFFSET + rank)
  return [...new Set([...lexical, ...vector])]
    .map((hash): FusedText => {
      const [lexical_rank, vector_rank] = [ofWords.get(hash), ofVectors.get(hash)]
      return { hash, score: part(lexical_rank, 1) + part(vector_rank, weight), lexical_rank, vector_rank }
    })
    .sort((left, right) => right.score - left.score)
}
