// Headings of Markdown by markdown-it, in its CommonMark rules. Only blocks are parsed, and the inline markup of headings
// themselves: of a long text that is a small part. Headings inside quotes and lists belong to those and are left out.
import * as Layer from "effect/Layer"
import MarkdownIt from "markdown-it"
import type { Token } from "markdown-it"
import { Markdown } from "../../../application/corpus/markdown.ts"
import type { Heading, MarkdownDialect } from "../../../domain/corpus/headings.ts"
import { MAX_HEADING_UNITS } from "../../../domain/corpus/limits.ts"
import { frontMatterLines } from "./front-matter.ts"
import { mdxBlocks } from "./mdx-blocks.ts"

const parser = new MarkdownIt("commonmark")
const mdxParser = new MarkdownIt("commonmark").use(mdxBlocks)

/** Keeps the tokens of the document's own headings alone, since those of everything else take many times the text. */
class HeadingState extends parser.block.State {
  override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
    const token = super.push(type, tag, nesting)
    const isHeading = type === "heading_open" && token.level === 0
    // A heading's text follows right upon its opening.
    const isItsText = type === "inline" && this.tokens.at(-2)?.type === "heading_open"
    if (!isHeading && !isItsText) this.tokens.pop()
    return token
  }
}
for (const each of [parser, mdxParser]) {
  each.core.ruler.enableOnly(["normalize", "block"])
  each.block.State = HeadingState
}

/** The text with empty lines in the place of its front matter, so that every other line keeps its number. */
const withoutFrontMatter = (text: string): string => {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text
  const count = frontMatterLines(plain)
  if (count === 0) return plain
  const ends = /\r\n|\r|\n|$/g
  for (let line = 0; line < count; line++) ends.exec(plain)
  return "\n".repeat(count) + plain.slice(ends.lastIndex)
}

// Escapes and entities stay tokens of their own when inline markup is parsed alone.
const textTypes: ReadonlySet<string> = new Set(["text", "text_special", "code_inline"])

/** Inline markup as text: what a reader sees, images as their descriptions. */
const plainText = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .map((token) => {
      if (textTypes.has(token.type)) return token.content
      if (token.type === "softbreak" || token.type === "hardbreak") return " "
      return token.type === "image" ? plainText(token.children ?? []) : ""
    })
    .join("")

/** A heading's text without its markup; one that is too long for that as it is written. */
const textOfHeading = (source: string, env: Record<string, unknown>): string => {
  if (source.length > MAX_HEADING_UNITS) return source
  const inline: Array<Token> = []
  parser.inline.parse(source, parser, env, inline)
  return plainText(inline)
}

/** The headings of a Markdown document, by the dialect that its name tells. */
export const markdownHeadings = (text: string, dialect: MarkdownDialect): ReadonlyArray<Heading> => {
  const env = {}
  const blocks = (dialect === "mdx" ? mdxParser : parser).parse(withoutFrontMatter(text), env)
  return blocks.flatMap((block, index) => {
    if (block.type !== "heading_open" || block.map === null) return []
    return [
      {
        line: block.map[0],
        level: Number(block.tag.slice(1)),
        text: textOfHeading(blocks[index + 1]?.content ?? "", env)
      }
    ]
  })
}

export const markdownLayer: Layer.Layer<Markdown> = Layer.succeed(Markdown, { headings: markdownHeadings })
