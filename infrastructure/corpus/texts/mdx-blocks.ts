// The blocks of MDX that are no Markdown: imports and exports, tags of JSX, and expressions in braces. Their lines are
// passed over, so that a `#` in a string or a comment is no heading; Markdown between tags is read as Markdown. Code in
// the text is not parsed, only its brackets and quotes are followed.
import type { StateBlock } from "markdown-it"

type Kind = "module" | "tag" | "expression"

const kindOf = (line: string): Kind | undefined => {
  if (/^(?:import|export)(?:[\s{*'"]|$)/.test(line)) return "module"
  if (line.startsWith("{")) return "expression"
  return /^<(?:\/?[A-Za-z_$]|\/?>)/.test(line) ? "tag" : undefined
}

/** Where a string, a template or a comment that may begin at `at` ends; `at` itself when none does. */
const afterQuoted = (source: string, at: number, kind: Kind): number => {
  const mark = source[at]!
  if (source.startsWith("/*", at)) {
    const end = source.indexOf("*/", at + 2)
    return end === -1 ? source.length : end + 2
  }
  if (mark !== "`" && mark !== '"' && mark !== "'") return at
  for (let next = at + 1; next < source.length; next++) {
    if (source[next] === "\\") next += 1
    else if (source[next] === mark) return next + 1
    // A string of JavaScript ends with its line; an apostrophe in a text of JSX opens none.
    else if (source[next] === "\n" && mark !== "`" && kind !== "tag") return next
  }
  return source.length
}

const isBlankAfter = (source: string, at: number): boolean =>
  /^\n[ \t]*(?:\n|$)/.test(source.slice(at, at + 256))

/** Where a block that begins at `start` ends; undefined when nothing closes it. */
const endOf = (source: string, start: number, kind: Kind): number | undefined => {
  let depth = 0
  for (let at = start; at < source.length; at++) {
    const after = afterQuoted(source, at, kind)
    if (after > at) {
      at = after - 1
      continue
    }
    const unit = source[at]!
    if ("{[(".includes(unit)) depth += 1
    else if ("}])".includes(unit)) depth -= 1
    if (depth > 0) continue
    if (kind === "tag" ? unit === ">" : kind === "expression" && unit === "}") return at + 1
    if (kind === "module" && unit === "\n" && isBlankAfter(source, at)) return at
  }
  return kind === "module" && depth <= 0 ? source.length : undefined
}

const passOver = (state: StateBlock, startLine: number): boolean => {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!
  if (state.level > 0 || state.env.isBroken === true) return false
  const kind = kindOf(state.src.slice(start, state.eMarks[startLine]))
  if (kind === undefined) return false
  const end = endOf(state.src, start, kind)
  if (end === undefined) {
    // A text with a block that nothing closes is no MDX: the rest of it is read as Markdown.
    state.env.isBroken = true
    return false
  }
  let line = startLine
  while (line < state.lineMax && state.eMarks[line]! < end) line += 1
  state.line = line + 1
  return true
}

/** Teaches a parser the blocks of MDX, which has no indented code. */
export const mdxBlocks = ({
  block
}: {
  readonly block: { readonly ruler: StateBlock["md"]["block"]["ruler"] }
}): void => {
  block.ruler.disable("code")
  block.ruler.before("fence", "mdx", passOver)
}
