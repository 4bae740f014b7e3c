// Ranks the chunks of several cassettes as if they lay in one: counts from all, weights back, the best of each; the best of
// all are judged again with their documents and a bonus for words that stand close, a document's further texts count
// less, and at last the texts come. A cassette that fails on the way is left out.
import * as Effect from "effect/Effect"
import type { Hit, HitParts, ScoreKind } from "../../../domain/network/cassette.ts"
import type {
  DescribedChunk,
  ReadScope,
  StoredPlace,
  StoredText
} from "../../../domain/network/index-requests.ts"
import {
  closenesses,
  proximityBonus,
  sumCounts,
  termScore,
  untellingNotices,
  type Weights,
  weightsOf,
  wordScore
} from "../../../domain/network/ranking/lexical.ts"
import { BEST_CANDIDATES, MAX_PLACES } from "../../../domain/network/limits.ts"
import { mostTelling } from "../../../domain/network/ranking/long-question.ts"
import { type Question, questionOf } from "../../../domain/network/ranking/query-text.ts"
import {
  bestTexts,
  byNetworkRank,
  distinctTexts,
  type Ranked,
  withRepeats
} from "../../../domain/network/ranking/ranking.ts"
import { byPlace, byText } from "../../../domain/network/text-order.ts"
import { lengthOf, weightedCount } from "../../../domain/network/ranking/term-counts.ts"
import { type Stem, termTexts } from "../../../domain/network/ranking/words.ts"
import type { QuerySession } from "./query-session.ts"
import type { StoreHit } from "../cassette.ts"

/** A hit of a store that is no index, and which store that is. */
interface SourcedHit extends StoreHit {
  readonly source: string
}

/** Ranked chunks of all cassettes, best first, with the texts of those stores that gave them with their hits. */
export interface RankedNetwork {
  readonly ranked: ReadonlyArray<Ranked>
  readonly texts: ReadonlyArray<SourcedHit>
  /** What of the question was left out. */
  readonly notices: ReadonlyArray<string>
}

const nothing: RankedNetwork = { ranked: [], texts: [], notices: [] }

/** A hit of a store that is no index, scored by its text as if it stood in one; where there is no index, by its rank. */
const scoredByText = (
  source: string,
  hit: StoreHit,
  rank: number,
  question: Question,
  weights: Weights,
  stem: Stem
): Ranked => {
  const { hash, path: place } = hit
  const found = { source, chunk: -1, path: place, hash, ordinal: 0, proximity: 0, repeats: 0 }
  if (weights.terms.length === 0) return { ...found, score: 1 / rank, lexical: 1 / rank, closeness: [] }
  const body = termTexts(hit.content, stem)
  const path = termTexts(hit.path, stem)
  const terms = {
    path: `${path.sequence} ${path.identifiers}`,
    heading: "",
    body: body.sequence,
    identifiers: body.identifiers
  }
  const length = lengthOf(terms)
  const counts = weights.terms.map(({ term }) => weightedCount(terms, term))
  const score = weights.terms.reduce(
    (sum, { idf }, index) => sum + termScore(idf, counts[index]!, length, weights.mean),
    0
  )
  // Nothing is known of a document but this text.
  const lexical = wordScore(weights, { counts, length }, { counts, length })
  return { ...found, score, lexical, closeness: closenesses(question.neighbours, body.sequence) }
}

const askStores = Effect.fnUntraced(function* (
  session: QuerySession,
  text: string,
  limit: number,
  score: (source: string, hit: StoreHit, rank: number) => Ranked
) {
  const found = yield* session.eachPlain((cassette) => cassette.query(text, limit))
  const ranked: Array<Ranked> = []
  const texts: Array<SourcedHit> = []
  for (const [source, hits] of found) {
    for (const [index, hit] of hits.entries()) {
      ranked.push(score(source, hit, index + 1))
      texts.push({ ...hit, source })
    }
  }
  return { ranked, texts }
})

/** A chunk that may be among the best, by number alone. */
interface Scored {
  readonly source: string
  readonly chunk: number
  readonly score: number
}

/** The best of a group with everything that equals the `count`-th of them. */
const bestWithEquals = (group: ReadonlyArray<Scored>, count: number): ReadonlyArray<Scored> => {
  const least = group.map(({ score }) => score).sort((left, right) => right - left)[count - 1] ?? 0
  return group.filter(({ score }) => score >= least)
}

/** What is known of chunks by cassette and number; null for one that is gone. */
type Descriptions = ReadonlyMap<string, Map<number, DescribedChunk | null>>

/** The chunks with what ranking must know of them, asked where it is not known; what is gone since is left out. */
const describeChunks = Effect.fnUntraced(function* (
  session: QuerySession,
  { neighbours }: Question,
  weights: Weights,
  scored: ReadonlyArray<Scored>,
  known: Descriptions,
  scope: ReadScope
) {
  const missing = scored.filter(({ chunk, source }) => known.get(source)?.has(chunk) === false)
  const bySource = Map.groupBy(missing, ({ source }) => source)
  if (missing.length > 0) {
    const answers = yield* session.eachIndex((cassette) => {
      const chunks = bySource.get(cassette.cassetteId)?.map(({ chunk }) => chunk)
      return chunks === undefined
        ? undefined
        : cassette.askIndex({ op: "describe", scope, weights, chunks, neighbours })
    })
    for (const [source, described] of answers) {
      for (const [index, { chunk }] of (bySource.get(source) ?? []).entries()) {
        known.get(source)?.set(chunk, described[index] ?? null)
      }
    }
  }
  return scored.flatMap(({ chunk, score, source }): ReadonlyArray<Ranked> => {
    const found = known.get(source)?.get(chunk)
    if (found === null || found === undefined) return []
    return [{ ...found, source, chunk, score, proximity: 0, repeats: 0 }]
  })
})

/**
 * How many of its best chunks a cassette describes before it is asked to: twice its share of all that are needed, which is
 * seldom too little where a corpus is divided by chance.
 */
const describedAtOnce = ({ ofEach, texts }: Wanted, cassettes: number): number =>
  ofEach ? texts : Math.min(texts, Math.ceil((2 * texts) / Math.max(1, cassettes)))

/** How many different texts are wanted: of all cassettes together, or of each. */
export interface Wanted {
  readonly texts: number
  readonly ofEach: boolean
  /** The hash of a text that is not looked for: its document counts as if it were not there. */
  readonly without?: string
}

/** Asks for the best chunks until there are enough different texts among them, or no more chunks. */
const askIndexes = Effect.fnUntraced(function* (
  session: QuerySession,
  question: Question,
  weights: Weights,
  wanted: Wanted,
  scope: ReadScope
) {
  if (!weights.terms.some(({ driver }) => driver)) return []
  const { neighbours, phrases } = question
  const { ofEach, texts } = wanted
  const atOnce = describedAtOnce(wanted, session.answering.length)
  for (let limit = texts; ; limit *= 4) {
    const request = { op: "best", scope, weights, phrases, limit, describe: atOnce, neighbours } as const
    const found = yield* session.eachIndex((cassette) => cassette.askIndex(request))
    const known = new Map(
      [...found].map(([source, { described }]) => [
        source,
        new Map<number, DescribedChunk | null>(described.map((each) => [each.chunk, each]))
      ])
    )
    const from = (source: string) =>
      ofEach
        ? (found.get(source)?.complete_from ?? 0)
        : [...found.values()].reduce((most, { complete_from }) => Math.max(most, complete_from ?? 0), 0)
    const scored = [...found].flatMap(([source, { chunks, scores }]) =>
      chunks
        .map((chunk, index): Scored => ({ source, chunk, score: scores[index] ?? 0 }))
        .filter(({ score }) => score >= from(source))
    )
    const groups = ofEach ? [...Map.groupBy(scored, ({ source }) => source).values()] : [scored]
    const isAll = [...found.values()].every(({ complete_from }) => complete_from === null)
    for (let count = texts; ; count *= 2) {
      const chosen = groups.flatMap((group) => bestWithEquals(group, count))
      const ranked = yield* describeChunks(session, question, weights, chosen, known, scope)
      const isEnough = groups.every((group) => {
        const own = ofEach ? ranked.filter(({ source }) => source === group[0]?.source) : ranked
        return distinctTexts(own, texts).length >= texts
      })
      if (isEnough || (isAll && chosen.length === scored.length)) return ranked
      if (chosen.length === scored.length) break
    }
  }
})

/** The candidates by all that is known of them: what words give in chunk and document, and the bonus for close ones. */
const judged = ({ neighbours }: Question, weights: Weights, candidates: ReadonlyArray<Ranked>) =>
  candidates
    .map((candidate): Ranked => {
      const proximity = proximityBonus(neighbours, weights, candidate.closeness)
      return Object.assign({}, candidate, { score: candidate.lexical + proximity, proximity })
    })
    .sort(byNetworkRank)

/** Asks and ranks; at least one text must be wanted. A question that no text asks is given beside its words. */
export const rankNetwork = Effect.fnUntraced(function* (
  session: QuerySession,
  stem: Stem,
  text: string,
  wanted: Wanted,
  scope: ReadScope,
  asked: Question = questionOf(text, stem)
): Effect.fn.Return<RankedNetwork> {
  const { terms } = asked
  if (terms.length === 0) {
    yield* session.each(({ getStats }) => getStats)
    return nothing
  }
  const counts = yield* session.eachIndex((cassette) => cassette.askIndex({ op: "count", scope, terms }))
  session.noteUnfinished(counts)
  const summed = sumCounts([...counts.values()], terms.length)
  const { frequencies, notices: cuts, question } = mostTelling(asked, summed.frequencies)
  const notices = [...cuts, ...untellingNotices(question, { frequencies })]
  const weights = weightsOf(question, { ...summed, frequencies })
  const texts = Math.max(BEST_CANDIDATES, wanted.texts)
  const indexed = yield* askIndexes(session, question, weights, { ...wanted, texts }, scope)
  const stores = yield* askStores(session, text, wanted.texts, (source, hit, rank) =>
    scoredByText(source, hit, rank, question, weights, stem)
  )
  const answered = new Set(session.answering.map(({ cassetteId }) => cassetteId))
  const all = [...indexed, ...stores.ranked].filter(({ source }) => answered.has(source)).sort(byNetworkRank)
  // How many more there are depends on how a corpus is divided.
  const best = wanted.ofEach
    ? [...Map.groupBy(all, ({ source }) => source).values()].flatMap((own) => bestTexts(own, texts))
    : bestTexts(all, texts)
  const others = best.filter(({ hash }) => hash !== wanted.without)
  return { ranked: withRepeats(judged(question, weights, others)), texts: stores.texts, notices }
})

/** A text with the cassette that has it. */
interface SourcedText extends StoredText {
  readonly source: string
}

/** A text of a store that is no index, in the places of its hits; the one that is wanted is the first. */
const foundOf = (hits: ReadonlyArray<SourcedHit>, best: Ranked | undefined): ReadonlyArray<SourcedText> =>
  [...Map.groupBy(hits, ({ source }) => source)].map(([source, own]) => {
    const places = own
      .map(({ chunk_id, path }): StoredPlace => ({
        chunk_id,
        path,
        type: "",
        ordinal: 0,
        kind: "paragraph",
        heading_path: []
      }))
      .sort((left, right) => byText(left.path, right.path))
    const first = places.filter(({ path }) => source === best?.source && path === best.path)
    const { content, hash } = own[0]!
    return {
      source,
      hash,
      content,
      line_start: null,
      line_end: null,
      places: [...new Set([...first, ...places])],
      place_count: places.length
    }
  })

/** A text to be shown: how it was found, and where its best place is when words found it. */
export interface FoundText {
  readonly hash: string
  readonly score: number
  readonly score_kind: ScoreKind
  readonly parts: HitParts
  readonly best: Ranked | undefined
}

/** Texts that words found, in their order. */
export const foundByWords = (ranked: ReadonlyArray<Ranked>): ReadonlyArray<FoundText> =>
  ranked.map((best, index) => ({
    hash: best.hash,
    score: best.score,
    score_kind: "bm25",
    parts: {
      lexical: {
        score: best.lexical,
        proximity: best.proximity,
        repeats: best.repeats,
        rank: index + 1
      }
    },
    best
  }))

interface FoundPlace extends StoredPlace {
  readonly source: string
}

interface Placed {
  readonly text: SourcedText
  readonly places: ReadonlyArray<FoundPlace>
}

/** The text where it stands best; undefined when it was withdrawn since it was found. */
const bestOf = ({ best }: FoundText, found: ReadonlyArray<Placed>): Placed | undefined =>
  best === undefined
    ? found.toSorted((left, right) => byPlace(left.places[0]!, right.places[0]!))[0]
    : found.find(
        ({ places: [first], text: { source } }) =>
          source === best.source && first?.path === best.path && first.ordinal === best.ordinal
      )

const hitOf = (text: FoundText, found: ReadonlyArray<SourcedText>): ReadonlyArray<Hit> => {
  const placed = found.map((each): Placed => ({
    text: each,
    places: each.places.map((place) => ({ ...place, source: each.source }))
  }))
  const best = bestOf(text, placed)
  const first = best?.places[0]
  if (best === undefined || first === undefined) return []
  const { content, hash, line_end, line_start, memory } = best.text
  const { chunk_id, heading_path, kind, ordinal, path, source, type } = first
  const others = placed
    .flatMap(({ places }) => places)
    .filter((place) => place !== first)
    .sort(byPlace)
  return [
    {
      chunk_id,
      path,
      ordinal,
      heading_path,
      line_start,
      line_end,
      source,
      hash,
      content,
      kind,
      type,
      score: text.score,
      score_kind: text.score_kind,
      parts: text.parts,
      ...(memory === undefined ? {} : { memory }),
      places: [first, ...others]
        .slice(0, MAX_PLACES)
        .map(({ chunk_id, heading_path, ordinal, path, source }) => ({
          source,
          path,
          chunk_id,
          ordinal,
          heading_path
        })),
      place_count: found.reduce((sum, { place_count }) => sum + place_count, 0)
    }
  ]
}

/** The hits of found texts in their order, each with the first of its places. */
export const hitsOf = Effect.fnUntraced(function* (
  session: QuerySession,
  stored: ReadonlyArray<SourcedHit>,
  wanted: ReadonlyArray<FoundText>,
  scope: ReadScope
): Effect.fn.Return<ReadonlyArray<Hit>> {
  if (wanted.length === 0) return []
  const answers = yield* session.eachIndex(({ askIndex, cassetteId }) =>
    askIndex({
      op: "places",
      scope,
      texts: wanted.map(({ best, hash }) => ({
        hash,
        first: best?.source === cassetteId ? { path: best.path, ordinal: best.ordinal } : null
      })),
      limit: MAX_PLACES
    })
  )
  const indexed = Map.groupBy(
    [...answers].flatMap(([source, texts]) => texts.map((text): SourcedText => ({ ...text, source }))),
    ({ hash }) => hash
  )
  const others = Map.groupBy(stored, ({ hash }) => hash)
  return wanted.flatMap((text) =>
    hitOf(text, [...(indexed.get(text.hash) ?? []), ...foundOf(others.get(text.hash) ?? [], text.best)])
  )
})
