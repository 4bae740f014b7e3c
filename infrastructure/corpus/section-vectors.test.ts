/**
 * The published vectors, which another program computed: texts with their sections and headings.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { textOfUtf8, utf8Bytes } from "../../domain/canonical/bytes.ts"
import { cutSections } from "../../domain/corpus/sections.ts"
import { normalizeText } from "../../domain/corpus/text.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import { markdownHeadings } from "./texts/markdown-headings.ts"

interface Case {
  readonly path: string
  readonly text: string
  readonly line_count: number
  readonly sections: ReadonlyArray<object>
  readonly headings: ReadonlyArray<object>
}

const file = new URL("../../docs/spec/vectors/sections.json", import.meta.url)
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases: ReadonlyArray<Case> }

describe("the published sections", () => {
  it.each(cases)("of $path", ({ headings, line_count, path, sections, text }) => {
    const withPath = (rows: ReadonlyArray<object>) => rows.map((row) => Object.assign({ path }, row))
    const normal = normalizeText(utf8Bytes(text))
    const stat = { size: 0, mtime_ns: "0", ctime_ns: "0", inode: "0" }
    const found = cutSections(
      { sha256, sha256OfBytes: (bytes) => sha256(textOfUtf8(bytes)) },
      { path, stat, hashed_at_ms: 0, text: normal },
      path.endsWith(".md") ? markdownHeadings(textOfUtf8(normal), "markdown") : []
    )
    expect(found.file.line_count).toBe(line_count)
    expect(found.sections).toEqual(withPath(sections))
    expect(found.headings).toEqual(withPath(headings))
  })
})
