// What the network answers about symbols: the text of one, a text with its symbols replaced, and the shortest symbols of
// texts. By default only the first level is looked up; deeper levels, within the configured depth, when they are asked for.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { invalidAt, type InvalidInput } from "../../../domain/foundation/errors.ts"
import type { CassetteAnswer } from "../../../domain/network/cassette.ts"
import type { ReadScope } from "../../../domain/network/index-requests.ts"
import {
  DEFAULT_EXPANSION_DEPTH,
  MAX_EXPANSION_DEPTH,
  MAX_SYMBOL_DIGITS,
  MIN_SYMBOL_DIGITS
} from "../../../domain/network/limits.ts"
import { NetworkSymbolNotFound, type SymbolError } from "../../../domain/network/symbols/symbol-errors.ts"
import { circleFrom, expandText } from "../../../domain/network/symbols/symbol-expansion.ts"
import { type SymbolKind, symbolOf, symbolsIn } from "../../../domain/network/symbols/symbols.ts"
import type { QuerySession } from "../search/query-session.ts"
import { hashesOf, lookUpSymbols, type SymbolLookup, type SymbolPlace } from "./symbol-lookup.ts"

/** How far symbols are followed. */
export interface ExpansionOptions {
  /** How many levels are looked up, the symbol's own text being the first; by default 1, or all when expanding. */
  readonly depth?: number | undefined
  /** True: symbols inside texts are replaced by their texts. */
  readonly expand?: boolean | undefined
  /** The greatest depth that may be asked for; 3 unless a configuration says otherwise. */
  readonly maxDepth?: number | undefined
  /** False: texts are expanded unless the call says otherwise. */
  readonly lazy?: boolean | undefined
}

/** A symbol inside a text. */
export interface NestedSymbol {
  readonly symbol: string
  /** 2 for the symbols of the first text, 3 for those of their texts. */
  readonly level: number
  /** Null when it stands below the depth and was not looked up. */
  readonly hash: string | null
  /** Its text as it is stored; left out when it was not looked up, or is part of the expanded text. */
  readonly content?: string
}

/** The text that a symbol names. */
export interface ResolvedSymbol {
  /** As it was asked for. */
  readonly symbol: string
  readonly kind: SymbolKind
  readonly hash: string
  /** As it is stored, or with the symbols inside it replaced. */
  readonly content: string
  readonly expanded: boolean
  readonly depth: number
  /** At most 10. */
  readonly places: ReadonlyArray<SymbolPlace>
  readonly place_count: number
  readonly symbols: ReadonlyArray<NestedSymbol>
}

/** A text whose symbols were replaced. */
export interface ExpandedText {
  readonly text: string
  readonly depth: number
  /** The symbols of the text have level 1. */
  readonly symbols: ReadonlyArray<NestedSymbol>
}

interface Following {
  readonly depth: number
  readonly expand: boolean
}

/** What the options come to; a depth that is none is refused. */
export const followingOf = ({
  depth,
  expand,
  lazy = true,
  maxDepth = DEFAULT_EXPANSION_DEPTH
}: ExpansionOptions): Result.Result<Following, InvalidInput> => {
  const most = Math.min(maxDepth, MAX_EXPANSION_DEPTH)
  const isExpanded = expand ?? !lazy
  const levels = depth ?? (isExpanded ? most : 1)
  const message = `a whole number from 1 to ${most} (max_expansion_depth of the configuration)`
  return Number.isInteger(levels) && levels >= 1 && levels <= most
    ? Result.succeed({ depth: levels, expand: isExpanded })
    : Result.fail(invalidAt("/depth", message))
}

/** Symbols whose texts are expanded: those of the last level are not. */
const openedOf = ({ levels }: SymbolLookup, depth: number): ReadonlySet<string> =>
  new Set([...levels].filter(([, level]) => level < depth).map(([symbol]) => symbol))

const nestedOf = (
  { levels, targets }: SymbolLookup,
  from: number,
  withTexts: boolean
): ReadonlyArray<NestedSymbol> =>
  [...levels].flatMap(([symbol, level]) => {
    if (level < from) return []
    const target = targets.get(symbol)
    const nested = { symbol, level, hash: target?.hash ?? null }
    return [withTexts && target !== undefined ? { ...nested, content: target.content } : nested]
  })

/** The text of a symbol that is of the form. */
export const resolveSymbol = Effect.fnUntraced(function* (
  session: QuerySession,
  symbol: string,
  { depth, expand }: Following,
  scope: ReadScope
): Effect.fn.Return<ResolvedSymbol, SymbolError> {
  const found = yield* lookUpSymbols(session, [symbol], depth, scope)
  const target = found.targets.get(symbol)
  if (target === undefined)
    return yield* new NetworkSymbolNotFound({ symbol, trail: [symbol], unanswered: [] })
  const { content, hash, kind, place_count, places } = target
  const circle = expand ? circleFrom([symbol], found.targets, openedOf(found, depth)) : undefined
  if (circle !== undefined) return yield* circle
  return {
    symbol,
    kind,
    hash,
    content: expand ? yield* Effect.fromResult(expandText(content, depth - 1, found.targets)) : content,
    expanded: expand,
    depth,
    places,
    place_count,
    symbols: nestedOf(found, 2, !expand)
  }
})

/** A text with its symbols replaced through so many levels. */
export const expandSymbols = Effect.fnUntraced(function* (
  session: QuerySession,
  text: string,
  { depth }: Following,
  scope: ReadScope
): Effect.fn.Return<ExpandedText, SymbolError> {
  const symbols = symbolsIn(text)
  const found = yield* lookUpSymbols(session, symbols, depth, scope)
  const circle = circleFrom(symbols, found.targets, openedOf(found, depth))
  if (circle !== undefined) return yield* circle
  return {
    text: yield* Effect.fromResult(expandText(text, depth, found.targets)),
    depth,
    symbols: nestedOf(found, 1, false)
  }
})

const sharedDigits = (left: string, right: string): number => {
  let shared = 0
  while (shared < left.length && left[shared] === right[shared]) shared += 1
  return shared
}

/** More hashes than this with the same first digits are not compared: their symbols are whole hashes. */
const COMPARED_HASHES = 1_000

/** The symbols of those hashes that some cassette has a chunk of: as short as the network allows. */
export const shortSymbols = Effect.fnUntraced(function* (
  session: QuerySession,
  hashes: ReadonlyArray<string>,
  scope: ReadScope
): Effect.fn.Return<ReadonlyMap<string, string>> {
  const prefixOf = (hash: string) => hash.slice(0, MIN_SYMBOL_DIGITS)
  const found = yield* hashesOf(session, "chunk", hashes.map(prefixOf), COMPARED_HASHES, scope)
  return new Map(
    hashes.flatMap((hash) => {
      const near = found.get(prefixOf(hash)) ?? []
      if (!near.includes(hash)) return []
      const shared = near.map((other) => (other === hash ? 0 : sharedDigits(hash, other)))
      const digits =
        near.length >= COMPARED_HASHES
          ? MAX_SYMBOL_DIGITS
          : shared.reduce((most, each) => Math.max(most, each + 1), MIN_SYMBOL_DIGITS)
      return [[hash, symbolOf("chunk", hash.slice(0, digits))]]
    })
  )
})

/** An error that says which cassettes might have known better. */
export const withUnanswered = (
  error: SymbolError,
  answers: Readonly<Record<string, CassetteAnswer>>
): SymbolError =>
  error instanceof NetworkSymbolNotFound
    ? new NetworkSymbolNotFound({
        symbol: error.symbol,
        trail: error.trail,
        asked: Object.entries(answers)
          .filter(([, { status }]) => status === "ok" || status === "partial")
          .map(([id]) => id),
        unanswered: Object.entries(answers)
          .filter(([, { status }]) => status !== "ok")
          .map(([cassette_id, { reason, status }]) => ({ cassette_id, reason: reason ?? status }))
      })
    : error
