// Finds the words of a text: identifiers whole and by part, pairs of neighbouring characters where a script writes
// no blanks, emoji. Documents and questions are taken apart by this one rule, so that everything in a text is
// found by its own spelling. Any text is accepted, hostile ones too; nothing here can fail.
import { appendTo } from "../../foundation/appending.ts"
import { isAscii } from "../../canonical/ascii.ts"
import { fold } from "../folding.ts"
import { MAX_IDENTIFIER_UNITS, MAX_TERM_UNITS } from "../limits.ts"

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
  /** Characters inside of runs without blanks that are words by themselves: a question for one alone finds them. */
  readonly singles: ReadonlyArray<Word>
}

/** Words of a text while it is taken apart. */
interface Collected {
  readonly sequence: Array<Word>
  readonly singles: Array<Word>
}

/** Scripts that put no blanks between words, and emoji. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー`
const EMOJI = String.raw`(?:[\u{1f1e6}-\u{1f1ff}]{1,2}|[0-9#*]\ufe0f?\u20e3|\p{Extended_Pictographic}(?:[\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]|\u200d\p{Extended_Pictographic})*)`
const LETTERS = String.raw`[\p{L}\p{N}\p{M}_]+`
const JOINED = String.raw`${LETTERS}(?:(?:['’]|[-./\\:+#@&$=~]{1,3})${LETTERS})*(?:\+\+|#(?![\p{L}\p{N}]))?`

const finder = new RegExp(`${EMOJI}|${JOINED}`, "gu")
// The same for texts of ASCII alone, in which no emoji stands, and several times as quick.
const asciiFinder = /\w+(?:(?:'|[-./\\:+#@&$=~]{1,3})\w+)*(?:\+\+|#(?![A-Za-z0-9]))?/g
const emoji = new RegExp(`^${EMOJI}$`, "u")
const unspacedRuns = new RegExp(`[${UNSPACED}\\p{M}]+|[^${UNSPACED}]+`, "gu")
const startsUnspaced = new RegExp(`^[${UNSPACED}]`, "u")
// What people type as a word of one character: an ideograph, a syllable of Hangul, and where vowels are marks a letter with one.
// A single kana, or a letter without a vowel (some marks take it away), is a sound and no word.
const wordByItself =
  /^(?:\p{Script=Han}|[\uac00-\ud7a3]|[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}](?![\u0e3a\u0e4c\u0eba\u0ecc\u1039\u103a\u17d2])\p{M})/u
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

/** Overlapping pairs of characters, and those that are words by themselves; a run of one is a word in any case. */
const pairs = (run: string, start: number, { sequence, singles }: Collected): void => {
  const characters = [...run.matchAll(/\P{M}\p{M}*/gu)]
  if (characters.length > 1) {
    for (const { 0: character, index } of characters) {
      if (!wordByItself.test(character)) continue
      const at = start + index
      singles.push({ term: fold(character), start: at, end: at + character.length })
    }
  }
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

const addPart = (part: string, start: number, stem: Stem, collected: Collected): void => {
  const { sequence } = collected
  if (isAscii(part)) {
    sequence.push({ term: termOf(part, stem), start, end: start + part.length })
    return
  }
  for (const { 0: run, index } of part.matchAll(unspacedRuns)) {
    if (startsUnspaced.test(run)) pairs(run, start + index, collected)
    else {
      const term = termOf(run, stem)
      if (term !== "") sequence.push({ term, start: start + index, end: start + index + run.length })
    }
  }
}

/** Adds the parts of one joined word; gives how many there were. */
const addParts = (word: string, stem: Stem, collected: Collected): number => {
  let parts = 0
  for (const { 0: run, index } of word.matchAll(letterRuns)) {
    let at = index
    for (const part of run.split(humps)) {
      addPart(part, at, stem, collected)
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
const addNames = (text: string, stem: Stem, identifiers: Array<Word>): void => {
  let at = 0
  for (const name of text.split(/([/\\]+|::+)/)) {
    if (name !== text && (name.match(letterRuns)?.flatMap((run) => run.split(humps)).length ?? 0) > 1) {
      addIdentifier(name, at, stem, identifiers)
    }
    at += name.length
  }
}

const oneWord = (term: string, piece: string): Words => ({
  sequence: [{ term, start: 0, end: piece.length }],
  identifiers: [],
  singles: []
})

/** The words of one piece of a text, and their places in it: nothing around the piece matters. */
const wordsOfPiece = (piece: string, stem: Stem): Words => {
  if (plainWord.test(piece)) return oneWord(cut(stem(piece)), piece)
  if (!isAscii(piece) && emoji.test(piece)) return oneWord(fold(piece), piece)
  const collected: Collected = { sequence: [], singles: [] }
  const identifiers: Array<Word> = []
  const word = piece.replace(possessive, "")
  const joined = word.replaceAll(apostrophes, "")
  const parts = joined === word ? addParts(word, stem, collected) : addJoined(joined, word, stem, collected)
  if (parts > 1 || /[+#]$/.test(joined)) addIdentifier(joined, 0, stem, identifiers)
  if (parts > 1) addNames(joined, stem, identifiers)
  return { ...collected, identifiers }
}

/** A text in its NFC form, and what finds its pieces: words, what is written like one, and emoji. */
const withFinder = (text: string): readonly [source: string, finder: RegExp] =>
  isAscii(text) ? [text, asciiFinder] : [text.normalize("NFC"), finder]

const moved = (words: ReadonlyArray<Word>, by: number): ReadonlyArray<Word> =>
  words.map(({ end, start, term }) => ({ term, start: start + by, end: end + by }))

/** The words and identifiers of a text as they are written, with their places in its NFC form. */
export const writtenWords = (
  text: string
): ReadonlyArray<{ readonly written: string; readonly start: number; readonly end: number }> => {
  const [source, pieces] = withFinder(text)
  return [...source.matchAll(pieces)].map(({ 0: written, index }) => ({
    written,
    start: index,
    end: index + written.length
  }))
}

/** The words of a text. */
export const wordsOf = (text: string, stem: Stem): Words => {
  const [source, pieces] = withFinder(text)
  const sequence: Array<Word> = []
  const identifiers: Array<Word> = []
  const singles: Array<Word> = []
  for (const { 0: piece, index } of source.matchAll(pieces)) {
    const words = wordsOfPiece(piece, stem)
    appendTo(sequence, moved(words.sequence, index))
    appendTo(identifiers, moved(words.identifiers, index))
    appendTo(singles, moved(words.singles, index))
  }
  return { sequence, identifiers, singles }
}

/** A word whose apostrophes were taken out: its parts cover the whole of what was written. */
const addJoined = (joined: string, written: string, stem: Stem, collected: Collected): number => {
  const own: Collected = { sequence: [], singles: [] }
  const parts = addParts(joined, stem, own)
  const whole = ({ term }: Word): Word => ({ term, start: 0, end: written.length })
  appendTo(collected.sequence, own.sequence.map(whole))
  appendTo(collected.singles, own.singles.map(whole))
  return parts
}

/** Terms as the index keeps them: words, and identifiers with single characters, each separated by one blank. */
export interface TermTexts {
  readonly sequence: string
  readonly identifiers: string
}

/** The same of one piece of a text, with each of its terms apart. */
export interface PieceTerms extends TermTexts {
  readonly words: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
}

const termsIn = (words: ReadonlyArray<Word>): ReadonlyArray<string> => words.map(({ term }) => term)

/** The terms of one piece of a text. */
export const pieceTerms = (piece: string, stem: Stem): PieceTerms => {
  const { identifiers, sequence, singles } = wordsOfPiece(piece, stem)
  const words = termsIn(sequence)
  const names = termsIn([...identifiers, ...singles])
  return { words, names, sequence: words.join(" "), identifiers: names.join(" ") }
}

/** The terms of a text, given those of its pieces, most of which come again and again; each is shown on the way. */
export const termTextsBy = (
  text: string,
  termsOf: (piece: string) => PieceTerms,
  show?: (piece: PieceTerms) => void
): TermTexts => {
  const [source, pieces] = withFinder(text)
  const sequences: Array<string> = []
  const names: Array<string> = []
  for (const piece of source.match(pieces) ?? []) {
    const terms = termsOf(piece)
    if (terms.sequence !== "") sequences.push(terms.sequence)
    if (terms.identifiers !== "") names.push(terms.identifiers)
    show?.(terms)
  }
  return { sequence: sequences.join(" "), identifiers: names.join(" ") }
}

/** The terms of a text. */
export const termTexts = (text: string, stem: Stem): TermTexts =>
  termTextsBy(text, (piece) => pieceTerms(piece, stem))
