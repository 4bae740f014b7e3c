/**
 * Headings as CommonMark has them: what looks like one inside code, HTML or a paragraph is none.
 */
import { describe, expect, it } from "vitest"
import { MAX_HEADING_UNITS } from "../../domain/corpus/limits.ts"
import { markdownHeadings } from "./markdown-headings.ts"

const found = (text: string) => markdownHeadings(text).map(({ level, line, text }) => [line, level, text])

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
    ["---\ntitle: x\n---\n", [[1, 2, "title: x"]]],
    ["", []]
  ])("of %j", (text, headings) => {
    expect(found(text)).toEqual(headings)
  })

  // Each of these took minutes while its markup was read.
  it.each(["*a ", "*a_ ", "![", "\\"])(
    "of a heading of four million characters of %j, as it is written",
    (part) => {
      const source = part.repeat(4_000_000 / part.length).trimEnd()
      const [heading] = markdownHeadings(`# ${source}\n`)
      expect(heading?.text === source).toBe(true)
    }
  )

  it("keep their markup only beyond the limit", () => {
    const longest = "*a*".padEnd(MAX_HEADING_UNITS, "b")
    expect(markdownHeadings(`# ${longest}\n# ${longest}b\n`).map(({ text }) => text.slice(0, 3))).toEqual([
      "abb",
      "*a*"
    ])
  })
})
