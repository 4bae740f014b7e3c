// Finds the words of a text: identifiers whole and by part, pairs of neighbouring characters where a script writes
// no blanks, emoji. Documents and questions are taken apart by this one rule, so that whatever stands in a text is
// found by its own spelling. Any text is accepted, hostile ones too; nothing here can fail.
import { fold, isAscii } from "./folding.ts"
import { MAX_IDENTIFIER_UNITS, MAX_TERM_UNITS } from "./limits.ts"

/** Reduces a lower-case English word to its stem. */
export type Stem = (word: string) => string

/** A piece of a text that became a term, with its place in the text (UTF-16 units of its NFC form). */
interface Word {
  readonly term: string
  readonly start: number
  readonly end: number
}

export interface Words {
  /** Words and parts of identifiers in the order of the text: phrases and distances are counted in these. */
  readonly sequence: ReadonlyArray<Word>
  /** Identifiers of several parts as a whole; each covers words of the sequence. */
  readonly identifiers: ReadonlyArray<Word>
}

/** Scripts that put no blanks between words, and emoji. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー`
const EMOJI = String.raw`(?:[\u{1f1e6}-\u{1f1ff}]{1,2}|[0-9#*]\ufe0f?\u20e3|\p{Extended_Pictographic}(?:[\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]|\u200d\p{Extended_Pictographic})*)`
const LETTERS = String.raw`[\p{L}\p{N}\p{M}_]+`
const JOINED = String.raw`${LETTERS}(?:(?:['’]|[-./\\:+#@&$=~]{1,3})${LETTERS})*(?:\+\+|#(?![\p{L}\p{N}]))?`

const finder = new RegExp(`${EMOJI}|${JOINED}`, "gu")
const emoji = new RegExp(`^${EMOJI}$`, "u")
const unspacedRuns = new RegExp(`[${UNSPACED}\\p{M}]+|[^${UNSPACED}]+`, "gu")
const startsUnspaced = new RegExp(`^[${UNSPACED}]`, "u")
const plainWord = /^[a-z]+$/
const letterRuns = /[\p{L}\p{N}\p{M}]+/gu
// Before an upper-case letter that follows a lower-case one or a digit, and before the last of several capitals.
const humps = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
const possessive = /['’]s$/i
const apostrophes = /(?<=\p{L})['’](?=\p{L})/gu

const cut = (term: string): string => (term.length > MAX_TERM_UNITS ? term.slice(0, MAX_TERM_UNITS) : term)

const termOf = (text: string, stem: Stem): string => {
  const folded = fold(text)
  return cut(plainWord.test(folded) ? stem(folded) : folded)
}

/** Overlapping pairs of characters; a single one stands for itself. */
const pairs = (run: string, start: number, sequence: Array<Word>): void => {
  const characters = [...run.matchAll(/\P{M}\p{M}*/gu)]
  const last = Math.max(1, characters.length - 1)
  for (let index = 0; index < last; index++) {
    const from = characters[index]
    const to = characters[index + 1] ?? from
    if (from === undefined || to === undefined) return
    const end = to.index + to[0].length
    const term = fold(run.slice(from.index, end))
    if (term !== "") sequence.push({ term, start: start + from.index, end: start + end })
  }
}

const addPart = (part: string, start: number, stem: Stem, sequence: Array<Word>): void => {
  if (isAscii(part)) {
    sequence.push({ term: termOf(part, stem), start, end: start + part.length })
    return
  }
  for (const { 0: run, index } of part.matchAll(unspacedRuns)) {
    if (startsUnspaced.test(run)) pairs(run, start + index, sequence)
    else {
      const term = termOf(run, stem)
      if (term !== "") sequence.push({ term, start: start + index, end: start + index + run.length })
    }
  }
}

/** Adds the parts of one joined word; gives how many there were. */
const addParts = (word: string, start: number, stem: Stem, sequence: Array<Word>): number => {
  let parts = 0
  for (const { 0: run, index } of word.matchAll(letterRuns)) {
    let at = start + index
    for (const part of run.split(humps)) {
      addPart(part, at, stem, sequence)
      at += part.length
      parts += 1
    }
  }
  return parts
}

const addIdentifier = (text: string, start: number, stem: Stem, identifiers: Array<Word>): void => {
  if (text.length > MAX_IDENTIFIER_UNITS) return
  const folded = fold(text)
  const term = plainWord.test(folded) ? stem(folded) : folded
  if (term !== "") identifiers.push({ term, start, end: start + text.length })
}

/** Names inside a path or a qualified name that have several parts themselves: `main.py` of `src/main.py`. */
const addNames = (text: string, start: number, stem: Stem, identifiers: Array<Word>): void => {
  let at = start
  for (const name of text.split(/([/\\]+|::+)/)) {
    if (name !== text && (name.match(letterRuns)?.flatMap((run) => run.split(humps)).length ?? 0) > 1) {
      addIdentifier(name, at, stem, identifiers)
    }
    at += name.length
  }
}

/** The words and identifiers of a text as they are written, with their places in its NFC form. */
export const writtenWords = (
  text: string
): ReadonlyArray<{ readonly written: string; readonly start: number; readonly end: number }> =>
  [...text.normalize("NFC").matchAll(finder)].map(({ 0: written, index }) => ({
    written,
    start: index,
    end: index + written.length
  }))

/** The words of a text. */
export const wordsOf = (text: string, stem: Stem): Words => {
  const source = isAscii(text) ? text : text.normalize("NFC")
  const sequence: Array<Word> = []
  const identifiers: Array<Word> = []
  for (const { 0: found, index } of source.matchAll(finder)) {
    if (plainWord.test(found)) {
      sequence.push({ term: cut(stem(found)), start: index, end: index + found.length })
      continue
    }
    if (!isAscii(found) && emoji.test(found)) {
      sequence.push({ term: fold(found), start: index, end: index + found.length })
      continue
    }
    const word = found.replace(possessive, "")
    const joined = word.replaceAll(apostrophes, "")
    const parts =
      joined === word ? addParts(word, index, stem, sequence) : addJoined(joined, index, word, stem, sequence)
    if (parts > 1 || /[+#]$/.test(joined)) addIdentifier(joined, index, stem, identifiers)
    if (parts > 1) addNames(joined, index, stem, identifiers)
  }
  return { sequence, identifiers }
}

/** A word whose apostrophes were taken out: its parts cover the whole of what was written. */
const addJoined = (
  joined: string,
  start: number,
  written: string,
  stem: Stem,
  sequence: Array<Word>
): number => {
  const from = sequence.length
  const parts = addParts(joined, start, stem, sequence)
  for (let index = from; index < sequence.length; index++) {
    sequence[index] = { ...sequence[index]!, start, end: start + written.length }
  }
  return parts
}

/** The terms of a text as the index keeps them: words and identifiers, each separated by one blank. */
export const termTexts = (
  text: string,
  stem: Stem
): { readonly sequence: string; readonly identifiers: string } => {
  const { identifiers, sequence } = wordsOf(text, stem)
  return {
    sequence: sequence.map(({ term }) => term).join(" "),
    identifiers: identifiers.map(({ term }) => term).join(" ")
  }
}
