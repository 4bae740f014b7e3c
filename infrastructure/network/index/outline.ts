// The outline of a document by what its name says it is: headings of Markdown, definitions of source code, nothing for
// all else. A parser that finds nothing, or a text too large for it, leaves the document to be cut by paragraphs.
import { extname } from "node:path"
import { dialectOf, type MarkdownDialect } from "../../../domain/corpus/headings.ts"
import { MAX_MARKDOWN_BYTES } from "../../../domain/corpus/limits.ts"
import type { OutlinePart } from "../../../domain/network/chunks.ts"
import { markdownHeadings } from "../../corpus/texts/markdown-headings.ts"
import { codeDefinitions } from "./code-definitions.ts"

/** Where lines begin, by the rule of CommonMark: after LF, CRLF or CR. */
const lineStarts = (text: string): ReadonlyArray<number> => {
  const starts = [0]
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length)
  return starts
}

const markdownOutline = (text: string, dialect: MarkdownDialect): ReadonlyArray<OutlinePart> => {
  const starts = lineStarts(text)
  const headings = markdownHeadings(text, dialect)
  const open: Array<{ readonly level: number; readonly text: string }> = []
  return headings.map((heading, index) => {
    while (open.length > 0 && open.at(-1)!.level >= heading.level) open.pop()
    open.push(heading)
    const next = headings[index + 1]
    return {
      start: starts[heading.line] ?? text.length,
      end: next === undefined ? text.length : (starts[next.line] ?? text.length),
      kind: "heading" as const,
      path: open.map((each) => each.text.replaceAll(/\s+/g, " "))
    }
  })
}

/** The outline of a document. */
export const outlineOf = (path: string, text: string): ReadonlyArray<OutlinePart> => {
  if (text.length > MAX_MARKDOWN_BYTES) return []
  const dialect = dialectOf(path)
  return dialect === undefined
    ? codeDefinitions(extname(path).toLowerCase(), text)
    : markdownOutline(text, dialect)
}
