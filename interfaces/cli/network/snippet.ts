// A piece of a hit for people to read: the lines where most of the question's words stand, with the words marked on a
// terminal that may be coloured.
import type { Question } from "../../../domain/network/ranking/query-text.ts"
import { wordsOf } from "../../../domain/network/ranking/words.ts"
import { englishStem } from "../../embedding/texts.ts"
import { printable } from "../../shared/terminal-text.ts"

/** How much of a text is shown (UTF-16 units). */
const SHOWN_UNITS = 240

type Marked = ReadonlyArray<{ readonly start: number; readonly end: number }>

/** Where the question's words stand; those that only hold it together where no other one does. */
const marksIn = (text: string, { aside, terms }: Question): Marked => {
  const asked = new Set(terms)
  const { identifiers, sequence, singles } = wordsOf(text, englishStem)
  const found = [...sequence, ...identifiers, ...singles].filter(({ term }) => asked.has(term))
  const telling = found.filter(({ term }) => !aside.has(term))
  return (telling.length === 0 ? found : telling).sort(
    (left, right) => left.start - right.start || right.end - left.end
  )
}

/** The beginning of the piece in which most marks stand. */
const bestStart = (marks: Marked): number => {
  let best = { start: marks[0]?.start ?? 0, count: 0 }
  for (const { start } of marks) {
    const count = marks.filter((mark) => mark.start >= start && mark.end <= start + SHOWN_UNITS).length
    if (count > best.count) best = { start, count }
  }
  return best.start
}

const collapse = (text: string): string => printable(text.replaceAll(/\s+/g, " "))

/** One line of a text, with the question's words marked when colours are wanted. */
export const snippet = (content: string, question: Question, colours: boolean): string => {
  const text = content.normalize("NFC")
  const marks = marksIn(text, question)
  const begins = bestStart(marks)
  const from = Math.max(
    0,
    text.lastIndexOf(" ", Math.max(0, begins - 30)) + 1,
    text.lastIndexOf("\n", begins) + 1
  )
  const to = Math.min(text.length, from + SHOWN_UNITS)
  let line = from > 0 ? "… " : ""
  let at = from
  for (const { end, start } of marks) {
    if (start < at || end > to) continue
    const word = collapse(text.slice(start, end))
    line += collapse(text.slice(at, start)) + (colours ? `\u001b[1;33m${word}\u001b[0m` : word)
    at = end
  }
  return `${line}${collapse(text.slice(at, to))}${to < text.length ? " …" : ""}`
}
