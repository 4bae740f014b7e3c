/**
 * Headings as CommonMark has them: what looks like one inside code, HTML or a paragraph is none.
 */
import { describe, expect, it } from "vitest"
import type { MarkdownDialect } from "../../../domain/corpus/headings.ts"
import { MAX_HEADING_UNITS } from "../../../domain/corpus/limits.ts"
import { markdownHeadings } from "./markdown-headings.ts"

const found = (text: string, dialect: MarkdownDialect = "markdown") =>
  markdownHeadings(text, dialect).map(({ level, line, text }) => [line, level, text])

describe("headings", () => {
  it.each([
    [
      "# One\n\n## Two ##\n",
      [
        [0, 1, "One"],
        [2, 2, "Two"]
      ]
    ],
    ["```\n# code\n```\n# real\n", [[3, 1, "real"]]],
    ["~~~md\n# code\n```\n# code\n~~~\n# real", [[5, 1, "real"]]],
    ["```\n# open to the end", []],
    ["    # indented\n\n   # not\n", [[2, 1, "not"]]],
    ["#no\n#\tyes\n#######no\n####### no", [[1, 1, "yes"]]],
    [
      "Title\n=====\n\nTwo\nlines\n---\n",
      [
        [0, 1, "Title"],
        [3, 2, "Two lines"]
      ]
    ],
    ["text\n# interrupts\nmore", [[1, 1, "interrupts"]]],
    ["<!--\n# comment\n-->\n# real", [[3, 1, "real"]]],
    ["<pre>\n# html\n</pre>\n", []],
    ["> # quoted\n\n- # listed\n\n# real\n", [[4, 1, "real"]]],
    ["- item\n# real", [[1, 1, "real"]]],
    ["# a *b* **c** `d*` [e](f) ![g](h) <i>i</i> \\# &amp;", [[0, 1, "a b c d* e g i # &"]]],
    ["# see [ref] and [x][ref]\n\n[ref]: /url\n", [[0, 1, "see ref and x"]]],
    [
      "#\n## \n",
      [
        [0, 1, ""],
        [1, 2, ""]
      ]
    ],
    ["---\nno setting\n---\n", [[1, 2, "no setting"]]],
    ["", []]
  ])("of %j", (text, headings) => {
    expect(found(text)).toEqual(headings)
  })

  // Each of these took minutes while its markup was read.
  it.each(["*a ", "*a_ ", "![", "\\"])(
    "of a heading of four million characters of %j, as it is written",
    (part) => {
      const source = part.repeat(4_000_000 / part.length).trimEnd()
      const [heading] = markdownHeadings(`# ${source}\n`, "markdown")
      expect(heading?.text === source).toBe(true)
    }
  )

  it("keep their markup only beyond the limit", () => {
    const longest = "*a*".padEnd(MAX_HEADING_UNITS, "b")
    expect(found(`# ${longest}\n# ${longest}b\n`).map(([, , text]) => String(text).slice(0, 3))).toEqual([
      "abb",
      "*a*"
    ])
  })
})

describe("front matter", () => {
  it.each([
    ["---\ntitle: T\n---\n\n# Real\n", [[4, 1, "Real"]]],
    ["\ufeff---\r\ntitle: T\r\n# a comment\r\n---\r\n# Real\r\n", [[4, 1, "Real"]]],
    [
      "---\n# a comment\ntitle: T\nlist:\n- one\n- two\ntext: |\n  # indented\n\n  ---\n...\n# Real",
      [[11, 1, "Real"]]
    ],
    ["---\n\nname: a b\ndescription: Use it: always\n---\n# Real", [[5, 1, "Real"]]],
    ["---\n'a b': 1\n-x: 2\n---\n# Real", [[4, 1, "Real"]]],
    ['+++\n# a comment\ntitle = "T"\n\n[table]\n# another\nx = 1\n+++\n# Real', [[8, 1, "Real"]]]
  ])("is no heading: %j", (text, headings) => {
    expect(found(text)).toEqual(headings)
  })

  it.each([
    ["---\n\n# Real\n\nNote: text\n\n---\n", [[2, 1, "Real"]]],
    ["---\n# Real\n---\n", [[1, 1, "Real"]]],
    ["---\ntitle: never closed\n\n# Real\n", [[3, 1, "Real"]]],
    ["---\n\nA text.\n---\n", [[2, 2, "A text."]]],
    ["---\nhttps://example.org\n---\n", [[1, 2, "https://example.org"]]],
    ["text\n\n---\ntitle: T\n---\n", [[3, 2, "title: T"]]],
    ["+++\n# Real\n", [[1, 1, "Real"]]]
  ])("is not what begins with a rule: %j", (text, headings) => {
    expect(found(text)).toEqual(headings)
  })
})

describe("headings of MDX", () => {
  it.each([
    ["import A from './a'\nexport const b = `\n# no\n`\n\n# Real\n", [[5, 1, "Real"]]],
    ["export const c = {\n\n  text: `\n# no\n`\n}\n\n# Real\n", [[7, 1, "Real"]]],
    ["{/*\n# no\n\n# no\n*/}\n\n# Real", [[6, 1, "Real"]]],
    ["<Code text={`\n# no\n\n# no\n`} />\n# Real", [[5, 1, "Real"]]],
    [
      "<Tabs>\n\n## Inner\n\nIt's text.\n\n</Tabs>\n\n# Real",
      [
        [2, 2, "Inner"],
        [8, 1, "Real"]
      ]
    ],
    ['<Tab title="a > b" on={() => 1}>\n    ## Indented\n</Tab>', []],
    ["---\ntitle: T\n---\nimport A from 'a'\n\n# Real", [[5, 1, "Real"]]],
    ["```js\nimport x\n# no\n```\n# Real {1 + 1}", [[4, 1, "Real {1 + 1}"]]],
    ["{ never closed\n\n# Real", [[2, 1, "Real"]]],
    ['export const s = "it\'s"\n\n# Real', [[2, 1, "Real"]]]
  ])("of %j", (text, headings) => {
    expect(found(text, "mdx")).toEqual(headings)
  })
})
