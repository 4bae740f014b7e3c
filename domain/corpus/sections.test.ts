/**
 * Normalised text, line counts, heading paths and sections, on texts whose answers are written down here.
 */
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { textOfUtf8, utf8Bytes } from "../canonical/bytes.ts"
import { isUnchanged } from "./freshness.ts"
import { type Heading, headingPaths, sectionEnds } from "./headings.ts"
import { cutSections, sectionId } from "./sections.ts"
import { isCorpusPath, isSymbolId } from "./symbols.ts"
import { countLines, lineStarts, normalizeText, textOfLines } from "./text.ts"

const sha256OfBytes = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex")

const normalized = (text: string) => textOfUtf8(normalizeText(utf8Bytes(text)))

describe("normalised text", () => {
  it.each([
    ["", ""],
    ["\ufeff", ""],
    ["\ufeff\ufeffa", "\ufeffa"],
    ["a\ufeff", "a\ufeff"],
    ["a\r\nb\rc\nd", "a\nb\nc\nd"],
    ["\r", "\n"],
    ["\r\r\n\n", "\n\n\n"],
    ["\r\n", "\n"],
    ["a\r\n\r\nb", "a\n\nb"],
    [" \t\u0085\u2028\f", " \t\u0085\u2028\f"],
    ["é\r\n😀\r", "é\n😀\n"]
  ])("of %j is %j", (text, expected) => {
    expect(normalized(text)).toBe(expected)
    expect(normalized(expected.startsWith("\ufeff") ? `\ufeff${expected}` : expected)).toBe(expected)
  })
})

describe("lines", () => {
  it.each([
    ["", 0],
    ["\n", 1],
    ["a", 1],
    ["a\n", 1],
    ["a\nb", 2],
    ["# T\n\na\nb\n", 4],
    ["\n\n", 2],
    ["a\u2028b\u0085c", 1]
  ])("of %j are %i", (text, count) => {
    const bytes = utf8Bytes(text)
    expect(countLines(bytes)).toBe(count)
    expect(lineStarts(bytes).length).toBe(count + 1)
    const lines = Array.from({ length: count }, (_, line) => textOfUtf8(textOfLines(bytes, line, line + 1)))
    expect(lines.join("")).toBe(text)
    expect(textOfUtf8(textOfLines(bytes, count, count + 5))).toBe("")
  })
})

const heading = (line: number, level: number, text: string): Heading => ({ line, level, text })

describe("heading paths", () => {
  it("are the texts from the top, also where levels are left out", () => {
    const headings = [
      heading(0, 2, "Preface"),
      heading(1, 1, "Guide"),
      heading(2, 3, "Deep"),
      heading(3, 2, "Install"),
      heading(4, 3, "Linux"),
      heading(5, 1, "End")
    ]
    expect(headingPaths(headings)).toEqual([
      "Preface",
      "Guide",
      "Guide/Deep",
      "Guide/Install",
      "Guide/Install/Linux",
      "End"
    ])
    expect(sectionEnds(headings, 9)).toEqual([1, 5, 3, 5, 5, 9])
  })

  it("escape what separates them, join blanks and cut what is long", () => {
    expect(headingPaths([heading(0, 1, " a/b ~ \t c \n d ")])).toEqual(["a~1b ~0 c d"])
    expect(headingPaths([heading(0, 1, "é".repeat(256))])).toEqual(["é".repeat(256)])
    expect(headingPaths([heading(0, 1, "😀".repeat(256))])).toEqual(["😀".repeat(256)])
    expect(headingPaths([heading(0, 1, "😀".repeat(257))])).toEqual([`${"😀".repeat(256)}…`])
    expect(headingPaths([heading(0, 1, ""), heading(1, 2, "x")])).toEqual(["", "/x"])
  })
})

const stat = { size: 3, mtime_ns: "5", ctime_ns: "6", inode: "7" }

const cut = (text: string, headings: ReadonlyArray<Heading>) =>
  cutSections(
    { sha256, sha256OfBytes },
    { path: "a.md", stat, hashed_at_ms: 9, text: utf8Bytes(text) },
    headings
  )

describe("sections", () => {
  it("have the id that follows from place and text", () => {
    const text = "# T\n\na\nb\n"
    const content_hash = sha256(text)
    const { file, sections } = cut(text, [])
    expect(sections).toEqual([
      {
        section_id: sha256(`a.md:0:4:${content_hash}`),
        path: "a.md",
        line_start: 0,
        line_end: 4,
        content_hash
      }
    ])
    expect(file).toEqual({ path: "a.md", ...stat, hashed_at_ms: 9, content_hash, line_count: 4 })
    expect(sectionId(sha256, { path: "a.md", line_start: 0, line_end: 4, content_hash })).toBe(
      sections[0]?.section_id
    )
  })

  it("of an empty file are one of no lines", () => {
    const { sections } = cut("", [])
    expect(sections.map(({ line_end, line_start }) => [line_start, line_end])).toEqual([[0, 0]])
    expect(sections[0]?.content_hash).toBe(sha256(""))
  })

  it("of a heading run to the next of its level or above, with their LFs", () => {
    const text = "intro\n# A\na\n## B\nb\n# C\nc"
    const { headings, sections } = cut(text, [heading(1, 1, "A"), heading(3, 2, "B"), heading(5, 1, "C")])
    expect(
      sections.map(({ content_hash, line_end, line_start }) => [line_start, line_end, content_hash])
    ).toEqual([
      [0, 7, sha256(text)],
      [1, 5, sha256("# A\na\n## B\nb\n")],
      [3, 5, sha256("## B\nb\n")],
      [5, 7, sha256("# C\nc")]
    ])
    expect(headings.map(({ heading, section_id }) => [heading, section_id])).toEqual([
      ["A", sections[1]?.section_id],
      ["A/B", sections[2]?.section_id],
      ["C", sections[3]?.section_id]
    ])
  })

  it("that cover the whole file are the whole-file section, with two names", () => {
    const { headings, sections } = cut("# A\na\n## B\n", [heading(0, 1, "A"), heading(2, 2, "B")])
    expect(sections.length).toBe(2)
    expect(headings[0]?.section_id).toBe(sections[0]?.section_id)
    expect(headings[1]?.section_id).toBe(sections[1]?.section_id)
  })
})

describe("a stat", () => {
  const file = (mtime: number, ctime: number, hashed: number) => ({
    path: "a",
    size: 1,
    inode: "1",
    mtime_ns: `${mtime}000000`,
    ctime_ns: `${ctime}000000`,
    hashed_at_ms: hashed,
    content_hash: "",
    line_count: 0
  })

  it("proves an unchanged text only when the last change is two seconds older than the hash", () => {
    const judge = (mtime: number, ctime: number, hashed: number) => {
      const row = file(mtime, ctime, hashed)
      return isUnchanged(row, row)
    }
    expect(judge(1_000, 1_000, 3_000)).toBe(true)
    expect(judge(1_001, 1_000, 3_000)).toBe(false)
    expect(judge(1_000, 1_001, 3_000)).toBe(false)
    expect(judge(9_000, 1_000, 3_000)).toBe(false)
  })

  it("that differs in anything proves nothing", () => {
    const row = file(1, 1, 9_000)
    for (const change of [{ size: 2 }, { mtime_ns: "2" }, { ctime_ns: "2" }, { inode: "2" }]) {
      expect(isUnchanged(row, { ...row, ...change })).toBe(false)
    }
  })
})

describe("names", () => {
  it.each(["@A/b", "@DOCS/readme", "@D_1/a.b-c_d/E", "@A/.", "@A/-/_"])("%s is a symbol", (text) => {
    expect(isSymbolId(text)).toBe(true)
  })

  it.each([
    "",
    "@",
    "@A",
    "@A/",
    "A/b",
    "@a/b",
    "@1A/b",
    "@A//b",
    "@A/b/",
    "@A/b c",
    "@A/..",
    "@A/a..b",
    "@A/é",
    "@A/b\n",
    " @A/b",
    "@C:abc",
    `@A/${"b".repeat(254)}`
  ])("%j is none", (text) => {
    expect(isSymbolId(text)).toBe(false)
  })

  it("a path stays below the root", () => {
    for (const path of ["a", "a/b.md", "a b/ü", "..a/b..", "-x", "a#b"]) expect(isCorpusPath(path)).toBe(true)
    for (const path of ["", "/a", "a/", "a//b", ".", "a/./b", "..", "a/../b", "a\nb", "\ud800"]) {
      expect(isCorpusPath(path)).toBe(false)
    }
  })
})
