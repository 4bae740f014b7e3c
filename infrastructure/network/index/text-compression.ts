// Compresses a text against the chunks that the cassettes of a network have: finds out which places of it are chunks,
// asks for their shortest symbols and puts those in that are shorter than what they stand for by the caller's measure.
// What comes out is no shorter for who expands it again.
import * as Effect from "effect/Effect"
import type { AskError } from "../../../application/network/answers.ts"
import type {
  LookupOptions,
  SymbolAnswer,
  SymbolQuestions
} from "../../../application/network/symbols/symbol-questions.ts"
import { chunksOf } from "../../../domain/network/chunks.ts"
import {
  compressionRanges,
  compressText,
  type HeldRange
} from "../../../domain/network/symbols/compression.ts"
import { symbolOf } from "../../../domain/network/symbols/symbols.ts"
import { sha256 } from "../../hashing/sha256.ts"
import { outlineOf } from "./outline.ts"

/** The length of a text by some measure, such as tokens. */
export type Measure = (text: string) => number

/** Which cassettes are looked into, how long symbols are, and what a text's length is measured in. */
export interface CompressionOptions extends LookupOptions {
  /** True: symbols are whole hashes instead of as few digits as tell them apart. */
  readonly wholeHashes?: boolean | undefined
  /** What decides whether a symbol is shorter than its text; UTF-16 units unless it is given. */
  readonly measure?: Measure | undefined
}

/** A symbol of a compressed text. */
export interface CompressionSymbol {
  readonly symbol: string
  readonly hash: string
  /** The text that it stands for. */
  readonly content: string
  /** In how many places. */
  readonly times: number
}

/** A text in which chunks are replaced by symbols, and those symbols. */
export interface Compression {
  /** Expanding it by one level gives back the text. */
  readonly text: string
  readonly symbols: ReadonlyArray<CompressionSymbol>
}

interface HashedRange extends HeldRange {
  readonly hash: string
}

/** A text with the chunks that some cassette has replaced by symbols; `name` tells how it is cut into chunks. */
export const compress = Effect.fnUntraced(function* (
  network: Pick<SymbolQuestions, "shortSymbols">,
  name: string,
  text: string,
  { measure = ({ length }) => length, wholeHashes = false, ...options }: CompressionOptions = {}
): Effect.fn.Return<SymbolAnswer<Compression>, AskError> {
  const ranges = compressionRanges(text, chunksOf(text, outlineOf(name, text))).map(({ end, start }) => ({
    start,
    end,
    hash: sha256(text.slice(start, end))
  }))
  const hashes = [...new Set(ranges.map(({ hash }) => hash))]
  const { answers, partial, symbols } = yield* network.shortSymbols(hashes, options)
  const worth = new Map<string, boolean>()
  const isWorth = (hash: string, symbol: string, content: string): boolean => {
    const known = worth.get(hash) ?? measure(symbol) < measure(content)
    worth.set(hash, known)
    return known
  }
  const held = ranges.flatMap(({ end, hash, start }): ReadonlyArray<HashedRange> => {
    const short = symbols[hash]
    if (short === undefined) return []
    const symbol = wholeHashes ? symbolOf("chunk", hash) : short
    return isWorth(hash, symbol, text.slice(start, end)) ? [{ start, end, hash, symbol }] : []
  })
  const compressed = compressText(text, held)
  const hashOf = new Map(held.map(({ hash, symbol }) => [symbol, hash]))
  const used = Map.groupBy(compressed.replaced, ({ symbol }) => symbol)
  return {
    text: compressed.text,
    symbols: [...used].map(([symbol, places]) => ({
      symbol,
      hash: hashOf.get(symbol) ?? "",
      content: text.slice(places[0]?.start, places[0]?.end),
      times: places.length
    })),
    answers,
    partial
  }
})
