// Ranks the chunks of several cassettes as if they lay in one: counts from all, weights back, the best of each, a bonus
// for words that stand close on the best of all, and at last the texts. Whoever fails on the way is left out.
import * as Effect from "effect/Effect"
import type { Hit } from "../../domain/network/cassette.ts"
import type { Scope, StoredChunk } from "../../domain/network/index-requests.ts"
import {
  closenesses,
  proximityBonus,
  sumCounts,
  termScore,
  type Weights,
  weightsOf
} from "../../domain/network/lexical.ts"
import { BEST_CANDIDATES } from "../../domain/network/limits.ts"
import { type Question, questionOf } from "../../domain/network/query-text.ts"
import { byNetworkRank, type Ranked } from "../../domain/network/ranking.ts"
import { lengthOf, weightedCount } from "../../domain/network/term-counts.ts"
import { type Stem, termTexts } from "../../domain/network/words.ts"
import type { Asking } from "./asking.ts"
import type { StoreHit } from "./cassette.ts"

/** Ranked chunks of all cassettes, best first, with the texts of those stores that gave them with their hits. */
export interface RankedNetwork {
  readonly ranked: ReadonlyArray<Ranked>
  readonly texts: ReadonlyMap<string, StoreHit>
}

const nothing: RankedNetwork = { ranked: [], texts: new Map() }

/** A hit of a store that is no index, scored by its text as if it stood in one; where there is no index, by its rank. */
const scoredByText = (
  source: string,
  hit: StoreHit,
  rank: number,
  question: Question,
  weights: Weights,
  stem: Stem
): Ranked => {
  const found = { source, chunk: -1, path: hit.path, hash: hit.hash, ordinal: 0 }
  if (weights.terms.length === 0) return { ...found, score: 1 / rank, proximity: 0 }
  const body = termTexts(hit.content, stem)
  const path = termTexts(hit.path, stem)
  const terms = {
    path: `${path.sequence} ${path.identifiers}`,
    heading: "",
    body: body.sequence,
    identifiers: body.identifiers
  }
  const length = lengthOf(terms)
  const score = weights.terms.reduce((sum, { idf, term }) => {
    const count = weightedCount(terms, term)
    return count === 0 ? sum : sum + termScore(idf, count, length, weights.mean)
  }, 0)
  const close = closenesses(question.neighbours, body.sequence)
  const proximity = proximityBonus(question.neighbours, weights, close)
  return { ...found, score: score + proximity, proximity }
}

const askStores = Effect.fnUntraced(function* (
  asking: Asking,
  text: string,
  limit: number,
  score: (source: string, hit: StoreHit, rank: number) => Ranked
) {
  const found = yield* asking.each((cassette) =>
    cassette.askIndex === undefined ? cassette.query(text, limit) : undefined
  )
  const ranked: Array<Ranked> = []
  const texts = new Map<string, StoreHit>()
  for (const [source, hits] of found) {
    for (const [index, hit] of hits.entries()) {
      ranked.push(score(source, hit, index + 1))
      texts.set(`${source} ${hit.hash}`, hit)
    }
  }
  return { ranked, texts }
})

const askIndexes = Effect.fnUntraced(function* (
  asking: Asking,
  question: Question,
  weights: Weights,
  limit: number,
  scope: Scope
) {
  if (!weights.terms.some(({ driver }) => driver)) return []
  const { phrases } = question
  const found = yield* asking.each((cassette) =>
    cassette.askIndex?.({ op: "best", scope, weights, phrases, limit })
  )
  return [...found].flatMap(([source, candidates]) =>
    candidates.map((candidate): Ranked => ({ ...candidate, source, proximity: 0 }))
  )
})

/** Adds the bonus for close words to the best of all; everything after them keeps its place. */
const withProximity = Effect.fnUntraced(function* (
  asking: Asking,
  question: Question,
  weights: Weights,
  ranked: ReadonlyArray<Ranked>
) {
  if (question.neighbours.length === 0) return ranked
  const best = ranked.slice(0, BEST_CANDIDATES)
  const chunksOf = (source: string) => best.filter((each) => each.source === source).map(({ chunk }) => chunk)
  const close = yield* asking.each((cassette) => {
    const chunks = chunksOf(cassette.cassetteId)
    return chunks.length === 0
      ? undefined
      : cassette.askIndex?.({ op: "closeness", chunks, neighbours: question.neighbours })
  })
  const next = new Map<string, number>()
  const withBonus = (candidate: Ranked): Ranked => {
    const index = next.get(candidate.source) ?? 0
    next.set(candidate.source, index + 1)
    const closest = close.get(candidate.source)?.[index] ?? []
    const proximity = proximityBonus(question.neighbours, weights, closest)
    return { ...candidate, score: candidate.score + proximity, proximity }
  }
  return [...best.map(withBonus), ...ranked.slice(BEST_CANDIDATES)]
})

/** Asks and ranks; `limit` is how many different texts are wanted, 1 or more. */
export const rankNetwork = Effect.fnUntraced(function* (
  asking: Asking,
  stem: Stem,
  text: string,
  limit: number,
  scope: Scope
): Effect.fn.Return<RankedNetwork> {
  const question = questionOf(text, stem)
  const { terms } = question
  if (terms.length === 0) {
    yield* asking.each(({ getStats }) => getStats)
    return nothing
  }
  const counts = yield* asking.each((cassette) => cassette.askIndex?.({ op: "count", scope, terms }))
  const weights = weightsOf(question, sumCounts([...counts.values()], terms.length))
  const wanted = Math.max(BEST_CANDIDATES, limit)
  const indexed = (yield* askIndexes(asking, question, weights, wanted, scope)).sort(byNetworkRank)
  const close = yield* withProximity(asking, question, weights, indexed)
  const stores = yield* askStores(asking, text, limit, (source, hit, rank) =>
    scoredByText(source, hit, rank, question, weights, stem)
  )
  const answered = new Set(asking.answering.map(({ cassetteId }) => cassetteId))
  return {
    ranked: [...close, ...stores.ranked].filter(({ source }) => answered.has(source)).sort(byNetworkRank),
    texts: stores.texts
  }
})

interface Found extends StoredChunk {
  readonly source: string
}

const foundOf = (source: string, hit: StoreHit): Found => ({
  ...hit,
  source,
  type: "",
  ordinal: 0,
  kind: "paragraph",
  heading_path: []
})

/** The hits of ranked texts in their order, each with all of its places. */
export const hitsOf = Effect.fnUntraced(function* (
  asking: Asking,
  { texts }: RankedNetwork,
  wanted: ReadonlyArray<Ranked>,
  scope: Scope
): Effect.fn.Return<ReadonlyArray<Hit>> {
  const hashes = wanted.map(({ hash }) => hash)
  if (hashes.length === 0) return []
  const answers = yield* asking.each((cassette) => cassette.askIndex?.({ op: "places", scope, hashes }))
  const byHash = new Map<string, Array<Found>>()
  const add = (found: Found): void => {
    byHash.set(found.hash, [...(byHash.get(found.hash) ?? []), found])
  }
  for (const [source, chunks] of answers) for (const chunk of chunks) add({ ...chunk, source })
  for (const [key, hit] of texts) add(foundOf(key.slice(0, key.indexOf(" ")), hit))
  return wanted.flatMap((ranked, index): ReadonlyArray<Hit> => {
    const found = byHash.get(ranked.hash) ?? []
    const isBest = (each: Found) =>
      each.source === ranked.source && each.path === ranked.path && each.ordinal === ranked.ordinal
    const best = found.find(isBest)
    // It was withdrawn since it was ranked.
    if (best === undefined) return []
    const { content, hash, kind, type, ...place } = best
    const lexical = { score: ranked.score - ranked.proximity, proximity: ranked.proximity, rank: index + 1 }
    return [
      {
        ...place,
        hash,
        content,
        kind,
        type,
        score: ranked.score,
        score_kind: "bm25",
        parts: { lexical },
        places: [best, ...found.filter((each) => each !== best)].map(
          ({ chunk_id, heading_path, ordinal, path, source }) => ({
            source,
            path,
            chunk_id,
            ordinal,
            heading_path
          })
        )
      }
    ]
  })
})
