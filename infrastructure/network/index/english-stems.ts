// Stems of English words by the `stemmer` package (Porter's algorithm), and the terms of what texts are made of, both
// remembered: most words of a text are few. Stems are asked only for lower-case words of ASCII letters; every other term is
// kept as it is.
import { stemmer } from "stemmer"
import { isAscii } from "../../../domain/canonical/ascii.ts"
import { type PieceTerms, pieceTerms, type Stem } from "../../../domain/network/ranking/words.ts"

/** How many words are remembered, and of how many UTF-16 units at most. */
const MAX_REMEMBERED = 50_000
const MAX_REMEMBERED_UNITS = 64

/** A string of its own: a piece of a text keeps the whole text in memory. */
const ownCopy = (piece: string): string => {
  const encoding = isAscii(piece) ? "latin1" : "utf16le"
  return Buffer.from(piece, encoding).toString(encoding)
}

const remembering = <A>(make: (text: string) => A): ((text: string) => A) => {
  const remembered = new Map<string, A>()
  return (text) => {
    const known = remembered.get(text)
    if (known !== undefined) return known
    if (text.length > MAX_REMEMBERED_UNITS) return make(text)
    const own = ownCopy(text)
    const made = make(own)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(own, made)
    return made
  }
}

/** The stem of a lower-case word; words of one or two letters are their own. */
export const englishStem: Stem = remembering((word) => (word.length < 3 ? word : stemmer(word)))

/** The terms of one piece of a text. */
export const englishTerms = remembering((piece): PieceTerms => pieceTerms(piece, englishStem))
