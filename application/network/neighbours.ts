// The texts that are most like a given one, which is named by its hash or a symbol: by vectors where there are usable
// ones, else by the text's most telling terms. The text itself is never among them, and one that the caller may not see
// is not found, in the same words as one that does not exist.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Scope, SymbolText } from "../../domain/network/index-requests.ts"
import { sumCounts } from "../../domain/network/lexical.ts"
import { MAX_SYMBOL_CANDIDATES } from "../../domain/network/limits.ts"
import { distinctTexts } from "../../domain/network/ranking.ts"
import {
  AmbiguousNetworkSymbol,
  type InvalidNetworkSymbol,
  NetworkSymbolDamaged,
  NetworkSymbolNotFound
} from "../../domain/network/symbol-errors.ts"
import { isMeantAsSymbol, parseSymbol, type SymbolKind, symbolOf } from "../../domain/network/symbols.ts"
import { tellingTerms, termsOfText } from "../../domain/network/telling-terms.ts"
import { identityText } from "../../domain/network/vectors.ts"
import type { Asking } from "./asking.ts"
import { foundByVectors, type Search, type SearchTools } from "./network-search.ts"
import { foundByWords, hitsOf, rankNetwork } from "./network-query.ts"
import type { VectorQuestion } from "./vector-index.ts"

/** A text whose neighbours are looked for. */
export interface NamedText {
  readonly hash: string
  readonly content: string
  /** How many chunks have it, 1 at least. */
  readonly places: number
}

/** How a text can fail to be the one that is meant. */
export type NamingError =
  | AmbiguousNetworkSymbol
  | InvalidNetworkSymbol
  | NetworkSymbolDamaged
  | NetworkSymbolNotFound

/** What a name may stand for: a symbol says it, bare digits may be anything. */
const kindsOf = (
  name: string
): Result.Result<
  { readonly kinds: ReadonlyArray<SymbolKind>; readonly prefix: string },
  InvalidNetworkSymbol
> =>
  isMeantAsSymbol(name)
    ? Result.map(parseSymbol(name), ({ kind, prefix }) => ({ kinds: [kind], prefix }))
    : Result.map(parseSymbol(symbolOf("chunk", name)), ({ prefix }) => ({
        kinds: ["chunk", "memory", "document"],
        prefix
      }))

const unansweredOf = (asking: Asking) =>
  Object.entries(asking.answers()).flatMap(([cassette_id, { reason = "", status }]) =>
    status === "ok" ? [] : [{ cassette_id, reason }]
  )

/** The one text that a hash, its first digits or a symbol names. */
export const namedText = Effect.fnUntraced(function* (
  asking: Asking,
  name: string,
  scope: Scope
): Effect.fn.Return<NamedText, NamingError> {
  const { kinds, prefix } = yield* Effect.fromResult(kindsOf(name))
  const found = new Map<string, SymbolKind>()
  for (const kind of kinds) {
    const limit = MAX_SYMBOL_CANDIDATES + 1
    const answers = yield* asking.each((cassette) =>
      cassette.askIndex?.({ op: "prefixed", scope, kind, prefixes: [prefix], limit })
    )
    for (const hash of [...answers.values()].flat(2)) if (!found.has(hash)) found.set(hash, kind)
  }
  const [only, ...others] = [...found].sort()
  const way = [name]
  if (only === undefined) {
    return yield* new NetworkSymbolNotFound({ symbol: name, way, unanswered: unansweredOf(asking) })
  }
  if (others.length > 0) {
    const candidates = [only, ...others].map(([hash, kind]) => symbolOf(kind, hash))
    return yield* new AmbiguousNetworkSymbol({
      symbol: name,
      way,
      candidates: candidates.slice(0, MAX_SYMBOL_CANDIDATES),
      has_more: candidates.length > MAX_SYMBOL_CANDIDATES
    })
  }
  const [hash, kind] = only
  const answers = yield* asking.each((cassette) =>
    cassette.askIndex?.({ op: "texts", scope, kind, hashes: [hash] })
  )
  const texts: ReadonlyArray<readonly [source: string, text: SymbolText]> = [...answers].flatMap(
    ([source, each]) => each.map((text) => [source, text] as const)
  )
  if (texts.length === 0) {
    return yield* new NetworkSymbolNotFound({ symbol: name, way, unanswered: unansweredOf(asking) })
  }
  const content = texts.map(([, text]) => text.content).find((each) => each !== null)
  if (content === undefined || content === null) {
    const cassettes = texts.map(([source]) => source)
    return yield* new NetworkSymbolDamaged({ symbol: name, way, cassettes })
  }
  return { hash, content, places: texts.reduce((sum, [, text]) => sum + text.places.length, 0) }
})

/** The text's own vector, or why there is none. */
const vectorOf = Effect.fnUntraced(function* (
  named: Asking,
  { embedder }: SearchTools,
  { hash }: NamedText,
  scope: Scope
): Effect.fn.Return<Result.Result<Pick<VectorQuestion, "identity" | "vector">, string>> {
  if (embedder === undefined) return Result.fail("no embedder is configured")
  const { identity } = embedder
  const answers = yield* named.each((cassette) =>
    cassette.askIndex?.({ op: "vector", scope, identity, hash })
  )
  const vector = [...answers.values()].find((each) => each !== null)
  return vector == null
    ? Result.fail(`the text has no vector of ${identityText(identity)}`)
    : Result.succeed({ identity, vector })
})

const byTerms = Effect.fnUntraced(function* (
  asking: Asking,
  { stem }: SearchTools,
  { content, hash, places }: NamedText,
  limit: number,
  scope: Scope
) {
  const counts = termsOfText(content, stem)
  const terms = [...counts.keys()]
  const answers = yield* asking.each((cassette) => cassette.askIndex?.({ op: "count", scope, terms }))
  const { chunks, frequencies } = sumCounts([...answers.values()], terms.length)
  const telling = tellingTerms(counts, frequencies, chunks, places)
  const question = { terms: telling, neighbours: [], phrases: [] }
  const wanted = { texts: limit + 1, ofEach: false }
  const network = yield* rankNetwork(asking, stem, telling.join(" "), wanted, scope, question)
  const others = network.ranked.filter((candidate) => candidate.hash !== hash)
  return { found: foundByWords(distinctTexts(others, limit)), texts: network.texts }
})

/** The neighbours of a text that `named` found, among the texts of those that are asked; `limit` is 1 or more. */
export const neighboursOf = Effect.fnUntraced(function* (
  asking: Asking,
  named: Asking,
  tools: SearchTools,
  text: NamedText,
  limit: number,
  scope: Scope
): Effect.fn.Return<Search> {
  const vector = yield* vectorOf(named, tools, text, scope)
  const near = Result.isSuccess(vector)
    ? yield* tools.vectors.nearest(asking, { ...vector.success, limit: limit + 1, scope })
    : { texts: [], notices: [vector.failure] }
  const { notices } = near
  const others = near.texts.filter(({ hash }) => hash !== text.hash)
  if (others.length > 0) {
    const found = foundByVectors(others.slice(0, limit))
    return { hits: yield* hitsOf(asking, new Map(), found, scope), mode: "vector", notices }
  }
  const words = yield* byTerms(asking, tools, text, limit, scope)
  return {
    hits: yield* hitsOf(asking, words.texts, words.found, scope),
    mode: "lexical",
    notices: [...notices, "searched by the text's most telling words"]
  }
})
