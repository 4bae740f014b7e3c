// Symbols: short names of texts that cassettes hold, such as `@C:0123456789ab`. A symbol is the first digits of a
// text's SHA-256, so it names the same text everywhere or nothing. Reading them never throws and never guesses: what is
// not exactly of the form is no symbol.
import * as Result from "effect/Result"
import { MAX_SYMBOL_DIGITS, MIN_SYMBOL_DIGITS } from "../limits.ts"
import { InvalidNetworkSymbol } from "./symbol-errors.ts"

/** What a symbol names: a chunk, a document of the type `research`, or a memory that the caller may see. */
export type SymbolKind = "chunk" | "document" | "memory"

const kinds: ReadonlyMap<string, SymbolKind> = new Map([
  ["C", "chunk"],
  ["P", "document"],
  ["A", "memory"]
])

const letters: { readonly [Kind in SymbolKind]: string } = { chunk: "C", document: "P", memory: "A" }

/** A symbol taken apart. */
export interface NetworkSymbol {
  readonly kind: SymbolKind
  /** The first digits of a hash, 12 to 64 of them. */
  readonly prefix: string
}

/** The symbol of a hash, or of its first digits. */
export const symbolOf = (kind: SymbolKind, digits: string): string => `@${letters[kind]}:${digits}`

const beginsLikeASymbol = /^@[A-Za-z]:/
const hexadecimal = /^[0-9a-f]*$/

/** Whether a text is meant as a symbol of the network, well-formed or not. */
export const isMeantAsSymbol = (text: string): boolean => beginsLikeASymbol.test(text)

const faultOf = (text: string): string | undefined => {
  if (text !== text.trim()) return "there is white space around it"
  if (!beginsLikeASymbol.test(text)) return "it does not begin with @C:, @P: or @A:"
  if (!kinds.has(text.charAt(1))) return `${text.slice(0, 3)} names nothing`
  const digits = text.slice(3)
  if (!hexadecimal.test(digits)) return "a digit is none of 0 to 9 and a to f"
  if (digits.length < MIN_SYMBOL_DIGITS) {
    return `${digits.length} digits are fewer than ${MIN_SYMBOL_DIGITS}`
  }
  return digits.length > MAX_SYMBOL_DIGITS
    ? `${digits.length} digits are more than ${MAX_SYMBOL_DIGITS}`
    : undefined
}

/** Takes a symbol apart; anything else is refused with the form. */
export const parseSymbol = (text: string): Result.Result<NetworkSymbol, InvalidNetworkSymbol> => {
  const fault = faultOf(text)
  return fault === undefined
    ? Result.succeed({ kind: kinds.get(text.charAt(1)) ?? "chunk", prefix: text.slice(3) })
    : Result.fail(new InvalidNetworkSymbol({ symbol: text, reason: fault }))
}

/** Signs before a symbol, and the symbol; with one sign it is one, with more it is a text that looks like one. */
const marked = /(@+)([CPA]:[0-9a-f]{12,64})(?![0-9A-Za-z_])/g

/** A piece of a text: as it stands, or a symbol. */
export type TextPiece = { readonly text: string } | { readonly symbol: string }

/**
 * Cuts a text at its symbols. What looks like a symbol behind a second `@` is none: it stands in its piece with one `@`
 * less, which undoes `escapeSymbols`.
 */
export const piecesOf = (text: string): ReadonlyArray<TextPiece> => {
  const pieces: Array<TextPiece> = []
  let literal = ""
  let from = 0
  for (const { 0: found, 1: signs = "", 2: name = "", index } of text.matchAll(marked)) {
    literal += text.slice(from, index)
    from = index + found.length
    if (signs.length > 1) {
      literal += `${signs.slice(1)}${name}`
      continue
    }
    if (literal !== "") pieces.push({ text: literal })
    literal = ""
    pieces.push({ symbol: found })
  }
  literal += text.slice(from)
  if (literal !== "") pieces.push({ text: literal })
  return pieces
}

/** The different symbols of a text in order of their first places. */
export const symbolsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(piecesOf(text).flatMap((piece) => ("symbol" in piece ? [piece.symbol] : [])))
]

/** A text in which nothing is read as a symbol: what looks like one has one `@` more. */
export const escapeSymbols = (text: string): string => text.replaceAll(marked, "@$1$2")

/** Whether a symbol may be put between what stands before and behind it and is still read as that symbol. */
export const isFreeStanding = (before: string, behind: string): boolean =>
  !before.endsWith("@") && !/^[0-9A-Za-z_]/.test(behind)
