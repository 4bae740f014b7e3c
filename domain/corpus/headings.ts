// Heading paths: how one heading of a file is named from outside. A path is made of heading texts alone, so that it
// survives moved lines; two headings with one path make that path name nothing. Finding headings in Markdown is the
// parser's work, not this file's.
import { MAX_HEADING_CODE_POINTS } from "./limits.ts"

/** A heading as the parser found it. */
export interface Heading {
  /** 0-based line on which it begins. */
  readonly line: number
  /** 1 to 6. */
  readonly level: number
  /** Its text without markup. */
  readonly text: string
}

/** How a text writes its headings: as CommonMark has them, or as MDX does, which mixes it with JSX. */
export type MarkdownDialect = "markdown" | "mdx"

/** The dialect that a path's name tells; undefined for what is no Markdown. */
export const dialectOf = (path: string): MarkdownDialect | undefined => {
  const [, ending] = /\.(md|markdown|mdown|mkd|mdx)$/i.exec(path) ?? []
  return ending === undefined ? undefined : ending.toLowerCase() === "mdx" ? "mdx" : "markdown"
}

/** A heading's text as one part of a path: blanks joined, `~` as `~0` and `/` as `~1` (RFC 6901), a long text cut. */
const pathPart = (text: string): string => {
  const joined = text.trim().replaceAll(/\s+/g, " ")
  const short =
    joined.length <= MAX_HEADING_CODE_POINTS
      ? joined
      : Array.from(joined).slice(0, MAX_HEADING_CODE_POINTS).join("")
  return (short === joined ? short : `${short}…`).replaceAll("~", "~0").replaceAll("/", "~1")
}

/** The path of each heading, in order: its own part after those of the headings that it stands below. */
export const headingPaths = (headings: ReadonlyArray<Heading>): ReadonlyArray<string> => {
  const open: Array<{ readonly level: number; readonly path: string }> = []
  return headings.map(({ level, text }) => {
    while ((open.at(-1)?.level ?? 0) >= level) open.pop()
    const above = open.at(-1)
    const path = above === undefined ? pathPart(text) : `${above.path}/${pathPart(text)}`
    open.push({ level, path })
    return path
  })
}

/** The line after each heading's section: where the next heading of the same or a higher level begins. */
export const sectionEnds = (headings: ReadonlyArray<Heading>, lineCount: number): ReadonlyArray<number> => {
  const ends = headings.map(() => lineCount)
  const open: Array<number> = []
  for (const [index, { level, line }] of headings.entries()) {
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      if ((headings[last]?.level ?? 0) < level) break
      ends[last] = line
      open.pop()
    }
    open.push(index)
  }
  return ends
}
