// Looks symbols up in all cassettes that are asked, level by level: first which hashes begin with their digits, then the
// texts of those. Equal texts of several cassettes are one target with its places. A symbol that does not name
// exactly one text is a typed error with the trail that led to it.
import * as Effect from "effect/Effect"
import type { ReadScope, SymbolTextPlace } from "../../../domain/network/index-requests.ts"
import {
  MAX_EXPANDED_BYTES,
  MAX_EXPANDED_SYMBOLS,
  MAX_PLACES,
  MAX_SYMBOL_CANDIDATES
} from "../../../domain/network/limits.ts"
import {
  AmbiguousNetworkSymbol,
  ExpandedTextTooLarge,
  NetworkSymbolDamaged,
  NetworkSymbolNotFound,
  type SymbolError
} from "../../../domain/network/symbols/symbol-errors.ts"
import type { SymbolTarget } from "../../../domain/network/symbols/symbol-expansion.ts"
import {
  type NetworkSymbol,
  parseSymbol,
  type SymbolKind,
  symbolOf,
  symbolsIn
} from "../../../domain/network/symbols/symbols.ts"
import { byPlace } from "../../../domain/network/text-order.ts"
import { utf8ByteLength } from "../../../domain/canonical/text.ts"
import { meantBy } from "../../../domain/canonical/meant-by.ts"
import type { QuerySession } from "../search/query-session.ts"
import * as Result from "effect/Result"

/** Where the text of a symbol stands. */
export interface SymbolPlace extends SymbolTextPlace {
  readonly source: string
}

/** The text of a symbol with the first of its places, and how many there are. */
export interface FoundTarget extends SymbolTarget {
  readonly places: ReadonlyArray<SymbolPlace>
  readonly place_count: number
}

/** Everything that symbols lead to through some levels. */
export interface SymbolLookup {
  /** By the symbols as they are spelt. */
  readonly targets: ReadonlyMap<string, FoundTarget>
  /** The first level of each symbol, from 1; those one level behind the last have no target. */
  readonly levels: ReadonlyMap<string, number>
}

/** How many hashes one request names at most, and how many whole texts one answer brings. */
const PREFIXES_OF_REQUEST = 10_000
const TEXTS_OF_REQUEST: { readonly [Kind in SymbolKind]: number } = { chunk: 1_000, document: 16, memory: 16 }

const batches = <A>(values: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size)
  )

/** The hashes of each prefix over all cassettes, sorted; at most `limit` of each cassette. */
export const hashesOf = Effect.fnUntraced(function* (
  session: QuerySession,
  kind: SymbolKind,
  prefixes: ReadonlyArray<string>,
  limit: number,
  scope: ReadScope
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<string>>> {
  const found = new Map(prefixes.map((prefix) => [prefix, new Set<string>()]))
  for (const asked of batches([...found.keys()], PREFIXES_OF_REQUEST)) {
    const answers = yield* session.eachFile((cassette) =>
      cassette.askIndex({ op: "prefixed", scope, kind, prefixes: asked, limit })
    )
    for (const lists of answers.values()) {
      for (const [index, hashes] of lists.entries()) {
        const known = found.get(asked[index] ?? "")
        for (const hash of hashes) known?.add(hash)
      }
    }
  }
  return new Map([...found].map(([prefix, hashes]) => [prefix, [...hashes].sort()]))
})

interface FoundText {
  readonly content: string | null
  /** The first of all cassettes, in their order. */
  readonly places: ReadonlyArray<SymbolPlace>
  readonly place_count: number
  /** The cassettes whose text is not the one that the hash names. */
  readonly damaged: ReadonlyArray<string>
}

/** The texts of hashes with places of all cassettes; undefined when they are too large together. */
const textsOf = Effect.fnUntraced(function* (
  session: QuerySession,
  kind: SymbolKind,
  hashes: ReadonlyArray<string>,
  scope: ReadScope
): Effect.fn.Return<ReadonlyMap<string, FoundText> | undefined> {
  const found = new Map<string, FoundText>()
  let bytes = 0
  for (const asked of batches(hashes, TEXTS_OF_REQUEST[kind])) {
    const answers = yield* session.eachFile((cassette) =>
      cassette.askIndex({ op: "texts", scope, kind, hashes: asked })
    )
    for (const [source, texts] of answers) {
      for (const { content, hash, place_count, places } of texts) {
        const known = found.get(hash)
        if (known?.content == null && content !== null) bytes += utf8ByteLength(content)
        found.set(hash, {
          content: known?.content ?? content,
          places: [...(known?.places ?? []), ...places.map((place) => Object.assign({ source }, place))]
            .sort(byPlace)
            .slice(0, MAX_PLACES),
          place_count: (known?.place_count ?? 0) + place_count,
          damaged: [...(known?.damaged ?? []), ...(content === null ? [source] : [])]
        })
      }
    }
    if (bytes > MAX_EXPANDED_BYTES) return undefined
  }
  return found
})

/** A symbol that is looked up, with the trail that led to it. */
interface Wanted extends NetworkSymbol {
  readonly symbol: string
  readonly trail: ReadonlyArray<string>
}

const wantedOf = (symbol: string, trail: ReadonlyArray<string>): ReadonlyArray<Wanted> => {
  const parsed = parseSymbol(symbol)
  return Result.isSuccess(parsed) ? [{ ...parsed.success, symbol, trail: [...trail, symbol] }] : []
}

const notFound = ({ symbol, trail }: Pick<Wanted, "symbol" | "trail">) =>
  new NetworkSymbolNotFound({ symbol, trail, unanswered: [] })

/** The one of the hashes that first digits mean; `nameOf` spells the symbol of a hash. */
export const hashMeant = (
  { prefix, symbol, trail }: Pick<Wanted, "prefix" | "symbol" | "trail">,
  hashes: Iterable<string>,
  nameOf: (hash: string) => string
): Result.Result<string, AmbiguousNetworkSymbol | NetworkSymbolNotFound> => {
  const meant = Result.mapError(
    meantBy(prefix, hashes, MAX_SYMBOL_CANDIDATES),
    ({ candidates, has_more }) =>
      new AmbiguousNetworkSymbol({
        symbol,
        trail,
        candidates: candidates.map(nameOf),
        has_more
      })
  )
  return Result.flatMap(meant, (hash) =>
    hash === undefined ? Result.fail(notFound({ symbol, trail })) : Result.succeed(hash)
  )
}

const targetOf = (
  wanted: Wanted,
  hash: string,
  text: FoundText | undefined
): Result.Result<FoundTarget, NetworkSymbolDamaged | NetworkSymbolNotFound> => {
  // It was withdrawn, or its cassette fell silent, since its hash was found.
  if (text === undefined) return Result.fail(notFound(wanted))
  const { content, damaged, place_count, places } = text
  if (content !== null) return Result.succeed({ kind: wanted.kind, hash, content, places, place_count })
  return Result.fail(
    new NetworkSymbolDamaged({ symbol: wanted.symbol, trail: wanted.trail, cassettes: damaged })
  )
}

/** The targets of the symbols of one level; the first in order that has none is the error. */
const targetsOf = Effect.fnUntraced(function* (
  session: QuerySession,
  level: ReadonlyArray<Wanted>,
  scope: ReadScope
): Effect.fn.Return<ReadonlyMap<string, FoundTarget>, SymbolError> {
  const targets = new Map<string, FoundTarget>()
  for (const [kind, wanted] of Map.groupBy(level, (each) => each.kind)) {
    const prefixes = wanted.map(({ prefix }) => prefix)
    const hashes = yield* hashesOf(session, kind, prefixes, MAX_SYMBOL_CANDIDATES + 1, scope)
    const named = new Map<Wanted, string>()
    for (const each of wanted) {
      const found = hashes.get(each.prefix) ?? []
      named.set(each, yield* Effect.fromResult(hashMeant(each, found, (hash) => symbolOf(kind, hash))))
    }
    const texts = yield* textsOf(session, kind, [...new Set(named.values())], scope)
    if (texts === undefined) {
      return yield* new ExpandedTextTooLarge({ limit: MAX_EXPANDED_BYTES, unit: "bytes" })
    }
    for (const [each, hash] of named) {
      targets.set(each.symbol, yield* Effect.fromResult(targetOf(each, hash, texts.get(hash))))
    }
  }
  return targets
})

/** Looks up symbols and what their texts name, through so many levels (1 or more). */
export const lookUpSymbols = Effect.fnUntraced(function* (
  session: QuerySession,
  symbols: ReadonlyArray<string>,
  depth: number,
  scope: ReadScope
): Effect.fn.Return<SymbolLookup, SymbolError> {
  const targets = new Map<string, FoundTarget>()
  const levels = new Map<string, number>()
  let level = symbols.flatMap((symbol) => wantedOf(symbol, []))
  let bytes = 0
  for (let number = 1; level.length > 0; number++) {
    for (const { symbol } of level) levels.set(symbol, number)
    if (number > depth) break
    if (levels.size > MAX_EXPANDED_SYMBOLS) {
      return yield* new ExpandedTextTooLarge({ limit: MAX_EXPANDED_SYMBOLS, unit: "symbols" })
    }
    const found = yield* targetsOf(session, level, scope)
    const next = new Map<string, Wanted>()
    for (const { symbol, trail } of level) {
      const target = found.get(symbol)
      if (target === undefined) continue
      targets.set(symbol, target)
      bytes += utf8ByteLength(target.content)
      for (const nested of symbolsIn(target.content)) {
        if (levels.has(nested) || next.has(nested)) continue
        for (const wanted of wantedOf(nested, trail)) next.set(nested, wanted)
      }
    }
    if (bytes > MAX_EXPANDED_BYTES) {
      return yield* new ExpandedTextTooLarge({ limit: MAX_EXPANDED_BYTES, unit: "bytes" })
    }
    level = [...next.values()]
  }
  return { targets, levels }
})
