// Cutting documents: what comes out covers every word, keeps the text as it stands, and is bounded.
import { describe, expect, it } from "vitest"
import { utf8ByteLength } from "../canonical/text.ts"
import { chunksOf, type OutlinePart } from "./chunks.ts"
import { MAX_CHUNK_BYTES, TARGET_CHUNK_BYTES } from "./limits.ts"

const textsOf = (text: string, outline: ReadonlyArray<OutlinePart> = []) =>
  chunksOf(text, outline).map(({ end, start }) => text.slice(start, end))

describe("chunks", () => {
  it("of a small text are one, without the blanks around it", () => {
    expect(textsOf("\n  one\n\ntwo \n")).toEqual(["one\n\ntwo"])
    expect(textsOf(" \n\t")).toEqual([])
    expect(textsOf("")).toEqual([])
  })

  it("break at empty lines, with any line ends", () => {
    const paragraph = "word ".repeat(200).trim()
    for (const end of ["\n\n", "\r\n\r\n", "\r\r"]) {
      const text = Array.from({ length: 6 }, () => paragraph).join(end)
      const pieces = textsOf(text)
      expect(pieces.length).toBe(6)
      expect(new Set(pieces)).toEqual(new Set([paragraph]))
    }
  })

  it("are bounded in bytes and lose nothing but blanks, even without any boundary", () => {
    for (const text of [
      "漢".repeat(5_000),
      "🚀".repeat(5_000),
      "a".repeat(10_000),
      "a b ".repeat(9_000),
      "l\n".repeat(4_000)
    ]) {
      const pieces = textsOf(text)
      expect(pieces.length).toBeGreaterThan(1)
      for (const piece of pieces) {
        expect(utf8ByteLength(piece)).toBeLessThanOrEqual(MAX_CHUNK_BYTES)
        expect(piece.isWellFormed()).toBe(true)
      }
      expect(pieces.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""))
    }
    expect(TARGET_CHUNK_BYTES).toBeLessThan(MAX_CHUNK_BYTES)
  })

  it("follow an outline, with the names and the opening of the enclosing part", () => {
    const text = "intro\n# A\na\n## B\nb\n"
    const outline = [
      { start: 6, end: 12, kind: "heading", path: ["A"] },
      { start: 12, end: 19, kind: "heading", path: ["A", "B"] }
    ] as const
    expect(
      chunksOf(text, outline).map(({ heading_path, kind, ordinal, parent_ordinal }) => ({
        ordinal,
        kind,
        heading_path,
        parent_ordinal
      }))
    ).toEqual([
      { ordinal: 0, kind: "paragraph", heading_path: [], parent_ordinal: null },
      { ordinal: 1, kind: "heading", heading_path: ["A"], parent_ordinal: null },
      { ordinal: 2, kind: "heading", heading_path: ["A", "B"], parent_ordinal: 1 }
    ])
  })

  it("that continue a part name its first piece", () => {
    const text = `# A\n${"word ".repeat(2_000)}`
    const chunks = chunksOf(text, [{ start: 0, end: text.length, kind: "heading", path: ["A"] }])
    expect(chunks.length).toBeGreaterThan(2)
    expect(chunks.map(({ parent_ordinal }) => parent_ordinal)).toEqual([
      null,
      ...chunks.slice(1).map(() => 0)
    ])
  })
})
