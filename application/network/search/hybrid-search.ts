// One search over several cassettes: by words, by vectors where there is an embedder, or by both joined. Where vectors
// cannot be used, a notice says why, and words go on alone.
import * as Effect from "effect/Effect"
import type { Hit, SearchMode } from "../../../domain/network/cassette.ts"
import { fuse } from "../../../domain/network/ranking/fusion.ts"
import type { ReadScope } from "../../../domain/network/index-requests.ts"
import { BEST_CANDIDATES } from "../../../domain/network/limits.ts"
import { type Question, questionOf } from "../../../domain/network/ranking/query-text.ts"
import { distinctTexts } from "../../../domain/network/ranking/ranking.ts"
import type { Stem } from "../../../domain/network/ranking/words.ts"
import type { QuerySession } from "./query-session.ts"
import type { EmbedderShape } from "../embedder.ts"
import { type FoundText, foundByWords, hitsOf, rankNetwork } from "./lexical-ranking.ts"
import type { NearText, NearTexts, VectorIndexShape } from "./vector-index.ts"

export interface Search {
  readonly hits: ReadonlyArray<Hit>
  /** How it was searched in the end. */
  readonly mode: SearchMode
  /** Why that is not what was asked for, if so, and what of a long question was left out. */
  readonly notices: ReadonlyArray<string>
}

/** What a network searches with. */
export interface SearchTools {
  readonly stem: Stem
  readonly embedder: EmbedderShape | undefined
  readonly vectors: VectorIndexShape
}

/** The texts nearest to the question over all cassettes, best first; none, with a notice, when it has no vector. */
const nearTexts = Effect.fnUntraced(function* (
  session: QuerySession,
  embedder: EmbedderShape,
  vectors: VectorIndexShape,
  text: string,
  limit: number,
  scope: ReadScope
): Effect.fn.Return<NearTexts> {
  const embedded = yield* Effect.result(embedder.embed([text]))
  if (embedded._tag === "Failure") return { texts: [], notices: [embedded.failure.message] }
  const vector = [...(embedded.success[0] ?? [])]
  return yield* vectors.nearest(session, { identity: embedder.identity, vector, limit, scope })
})

/** Texts that vectors found, in their order. */
export const foundByVectors = (texts: ReadonlyArray<NearText>): ReadonlyArray<FoundText> =>
  texts.map(({ hash, score }, index) => ({
    hash,
    score,
    score_kind: "cosine",
    parts: { vector: { score, rank: index + 1 } },
    best: undefined
  }))

const joined = (
  words: ReadonlyArray<FoundText>,
  vectors: ReadonlyArray<FoundText>
): ReadonlyArray<FoundText> => {
  const ofWords = new Map(words.map((text) => [text.hash, text]))
  const ofVectors = new Map(vectors.map((text) => [text.hash, text]))
  return fuse([...ofWords.keys()], [...ofVectors.keys()]).map(({ hash, score }) => {
    const word = ofWords.get(hash)
    const parts = { ...word?.parts, ...ofVectors.get(hash)?.parts }
    return { hash, score, score_kind: "hybrid", parts, best: word?.best }
  })
}

/** Why vectors that were wished for are not asked. */
const reasons = (
  embedder: EmbedderShape | undefined,
  phrases: Question["phrases"]
): ReadonlyArray<string> => [
  ...(embedder === undefined ? ["no embedder is configured"] : []),
  ...(phrases.length > 0 ? ["a phrase is looked for by words"] : [])
]

/** What is found where nothing is wanted (a limit of 0): nothing, and who would have answered. */
export const searchNothing = (session: QuerySession): Effect.Effect<Search> =>
  Effect.as(
    session.each(({ getStats }) => getStats),
    { hits: [], mode: "lexical", notices: [] }
  )

/** Searches; `limit` is 1 or more. Without a wish it is hybrid where there are vectors, else lexical. */
export const searchNetwork = Effect.fnUntraced(function* (
  session: QuerySession,
  { embedder, stem, vectors }: SearchTools,
  text: string,
  limit: number,
  scope: ReadScope,
  wish: SearchMode | undefined
): Effect.fn.Return<Search> {
  const { phrases, terms } = questionOf(text, stem)
  // A phrase must stand in a text, which no vector tells.
  const useful = wish !== "lexical" && terms.length > 0 && phrases.length === 0 ? embedder : undefined
  const depth = Math.max(BEST_CANDIDATES, limit)
  const near =
    useful === undefined ? undefined : yield* nearTexts(session, useful, vectors, text, depth, scope)
  const nearest = foundByVectors(near?.texts ?? [])
  const notices =
    near?.notices ?? (wish === undefined || wish === "lexical" ? [] : reasons(embedder, phrases))
  if (wish === "vector" && nearest.length > 0) {
    return { hits: yield* hitsOf(session, [], nearest.slice(0, limit), scope), mode: "vector", notices }
  }
  const wanted = nearest.length === 0 ? limit : depth
  const network = yield* rankNetwork(session, stem, text, { texts: wanted, ofEach: false }, scope)
  const words = foundByWords(distinctTexts(network.ranked, wanted))
  const found = nearest.length === 0 ? words : joined(words, nearest)
  return {
    hits: yield* hitsOf(session, network.texts, found.slice(0, limit), scope),
    mode: nearest.length === 0 ? "lexical" : "hybrid",
    notices: [
      ...notices,
      ...(nearest.length === 0 && notices.length > 0 ? ["searched by words alone"] : []),
      ...network.notices
    ]
  }
})
