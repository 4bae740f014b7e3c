// Stems of English words by the `stemmer` package (Porter's algorithm), remembered: most words of a text are few. It is
// asked only for lower-case words of ASCII letters; every other term is kept as it is.
import { stemmer } from "stemmer"
import type { Stem } from "../../domain/network/words.ts"

/** How many words are remembered. */
const MAX_REMEMBERED = 50_000

const remembered = new Map<string, string>()

/** The stem of a lower-case word; words of one or two letters are their own. */
export const englishStem: Stem = (word) => {
  if (word.length < 3) return word
  const known = remembered.get(word)
  if (known !== undefined) return known
  const stem = stemmer(word)
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(word, stem)
  return stem
}
