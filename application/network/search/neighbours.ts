// The texts that are most like a given one, which is named by its hash or a symbol: by vectors where there are usable
// ones, else by the text's most telling terms. The text itself is never among them, and one that the caller may not see
// is not found, in the same words as one that does not exist.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ReadScope } from "../../../domain/network/index-requests.ts"
import { sumCounts } from "../../../domain/network/ranking/lexical.ts"
import { MAX_SYMBOL_CANDIDATES } from "../../../domain/network/limits.ts"
import { distinctTexts } from "../../../domain/network/ranking/ranking.ts"
import {
  type InvalidNetworkSymbol,
  NetworkSymbolNotFound,
  type SymbolError
} from "../../../domain/network/symbols/symbol-errors.ts"
import {
  isMeantAsSymbol,
  parseSymbol,
  type SymbolKind,
  symbolOf
} from "../../../domain/network/symbols/symbols.ts"
import { tellingTerms, termsOfText } from "../../../domain/network/ranking/distinctive-terms.ts"
import { identityText } from "../../../domain/network/vectors.ts"
import type { QuerySession } from "./query-session.ts"
import { foundByVectors, type Search, type SearchTools } from "./hybrid-search.ts"
import { foundByWords, hitsOf, rankNetwork } from "./lexical-ranking.ts"
import { type FoundTarget, hashesOf, hashMeant, lookUpSymbols } from "../symbols/symbol-lookup.ts"
import { withUnanswered } from "../symbols/symbol-resolution.ts"
import type { VectorQuestion } from "./vector-index.ts"

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

const lookUp = Effect.fnUntraced(function* (
  session: QuerySession,
  name: string,
  scope: ReadScope
): Effect.fn.Return<FoundTarget, SymbolError> {
  const { kinds, prefix } = yield* Effect.fromResult(kindsOf(name))
  const found = new Map<string, string>()
  for (const kind of kinds) {
    const hashes = yield* hashesOf(session, kind, [prefix], MAX_SYMBOL_CANDIDATES + 1, scope)
    for (const hash of hashes.get(prefix) ?? []) {
      if (!found.has(hash)) found.set(hash, symbolOf(kind, hash))
    }
  }
  const trail = [name]
  const nameOf = (hash: string) => found.get(hash) ?? hash
  const symbol = nameOf(
    yield* Effect.fromResult(hashMeant({ prefix, symbol: name, trail }, found.keys(), nameOf))
  )
  const { targets } = yield* lookUpSymbols(session, [symbol], 1, scope)
  return targets.get(symbol) ?? (yield* new NetworkSymbolNotFound({ symbol: name, trail, unanswered: [] }))
})

/** The one text that a hash, its first digits or a symbol names. */
export const namedText = (
  session: QuerySession,
  name: string,
  scope: ReadScope
): Effect.Effect<FoundTarget, SymbolError> =>
  Effect.mapError(lookUp(session, name, scope), (error) => withUnanswered(error, session.answers()))

/** The text's own vector, or why there is none: a network without an embedder knows words alone, and nothing is amiss. */
const vectorOf = Effect.fnUntraced(function* (
  named: QuerySession,
  { embedder }: SearchTools,
  { hash }: FoundTarget,
  scope: ReadScope
): Effect.fn.Return<Result.Result<Pick<VectorQuestion, "identity" | "vector">, string | undefined>> {
  if (embedder === undefined) return Result.fail(undefined)
  const { identity } = embedder
  const answers = yield* named.eachFile((cassette) =>
    cassette.askIndex({ op: "vector", scope, identity, hash })
  )
  const vector = [...answers.values()].find((each) => each !== null)
  return vector == null
    ? Result.fail(`the text has no vector of ${identityText(identity)}`)
    : Result.succeed({ identity, vector })
})

const byTerms = Effect.fnUntraced(function* (
  session: QuerySession,
  { stem }: SearchTools,
  { content, hash, place_count }: FoundTarget,
  limit: number,
  scope: ReadScope
) {
  const counts = termsOfText(content, stem)
  const terms = [...counts.keys()]
  const answers = yield* session.eachIndex((cassette) => cassette.askIndex({ op: "count", scope, terms }))
  const { chunks, frequencies } = sumCounts([...answers.values()], terms.length)
  const telling = tellingTerms(counts, frequencies, chunks, place_count)
  const question = { terms: telling, aside: new Set<string>(), neighbours: [], phrases: [] }
  const wanted = { texts: limit + 1, ofEach: false, without: hash }
  const network = yield* rankNetwork(session, stem, telling.join(" "), wanted, scope, question)
  return { found: foundByWords(distinctTexts(network.ranked, limit)), texts: network.texts }
})

/** The neighbours of a text that `named` found, among the texts of those that are asked; `limit` is 1 or more. */
export const neighboursOf = Effect.fnUntraced(function* (
  session: QuerySession,
  named: QuerySession,
  tools: SearchTools,
  text: FoundTarget,
  limit: number,
  scope: ReadScope
): Effect.fn.Return<Search> {
  const vector = yield* vectorOf(named, tools, text, scope)
  const near = Result.isSuccess(vector)
    ? yield* tools.vectors.nearest(session, { ...vector.success, limit: limit + 1, scope })
    : { texts: [], notices: vector.failure === undefined ? [] : [vector.failure] }
  const { notices } = near
  const others = near.texts.filter(({ hash }) => hash !== text.hash)
  if (others.length > 0) {
    const found = foundByVectors(others.slice(0, limit))
    return { hits: yield* hitsOf(session, [], found, scope), mode: "vector", notices }
  }
  const words = yield* byTerms(session, tools, text, limit, scope)
  return {
    hits: yield* hitsOf(session, words.texts, words.found, scope),
    mode: "lexical",
    notices: tools.embedder === undefined ? [] : [...notices, "searched by the text's most telling words"]
  }
})
