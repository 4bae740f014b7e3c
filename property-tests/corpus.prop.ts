// The corpus against simple models: normalised text and lines against string methods, sections against a search line
// by line, and an index that was brought up to date again and again against one that is made again.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Corpus } from "../application/corpus/corpus.ts"
import { textOfUtf8, utf8Bytes } from "../domain/canonical/bytes.ts"
import { cutSections } from "../domain/corpus/sections.ts"
import { countLines, lineStarts, normalizeText, textOfLines } from "../domain/corpus/text.ts"
import { markdownHeadings } from "../infrastructure/corpus/texts/markdown-headings.ts"
import { sha256 } from "../infrastructure/hashing/node-hashing.ts"
import { corpusLayer } from "../infrastructure/testing/programs/corpus-program.ts"
import { propParameters } from "./support/configuration.ts"

const rawText = fc
  .array(fc.constantFrom("\r", "\n", "\r\n", "\ufeff", "a", "é", "😀", "\u2028", " "), { maxLength: 40 })
  .map((parts) => parts.join(""))

const naiveText = (text: string): string => text.replace(/^\ufeff/, "").replaceAll(/\r\n?/g, "\n")

const naiveLines = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

describe("text", () => {
  it("is normalised as string methods would, and normalising it again changes nothing more", () => {
    fc.assert(
      fc.property(rawText, (text) => {
        const normal = textOfUtf8(normalizeText(utf8Bytes(text)))
        expect(normal).toBe(naiveText(text))
        expect(normal).not.toContain("\r")
      }),
      propParameters(5)
    )
  })

  it("has the lines that a search for LF finds", () => {
    fc.assert(
      fc.property(rawText, fc.nat(12), fc.nat(12), (text, start, length) => {
        const normal = normalizeText(utf8Bytes(text))
        const lines = naiveLines(naiveText(text))
        expect(countLines(normal)).toBe(lines.length)
        expect(lineStarts(normal).length).toBe(lines.length + 1)
        expect(textOfUtf8(textOfLines(normal, start, start + length))).toBe(
          lines.slice(start, start + length).join("")
        )
      }),
      propParameters(5)
    )
  })
})

const markdownLine = fc.constantFrom(
  "# a",
  "# b",
  "## a",
  "### a/b",
  "###### c ##",
  "#### ~",
  "```",
  "text",
  "",
  "#no",
  "  # d",
  "    # code"
)

interface NaiveHeading {
  readonly line: number
  readonly level: number
  readonly text: string
}

/** Headings of lines without paragraphs of several lines, quotes and lists: a fence is all that hides one. */
const naiveHeadings = (lines: ReadonlyArray<string>): ReadonlyArray<NaiveHeading> => {
  let isFenced = false
  return lines.flatMap((line, index) => {
    if (line === "```") isFenced = !isFenced
    const found = /^ {0,3}(#{1,6}) ([^#]+?)(?: #+)?$/.exec(line)
    return isFenced || found === null ? [] : [{ line: index, level: found[1]!.length, text: found[2]! }]
  })
}

/** For each heading its path and its lines, each looked for on its own. */
const naiveSections = (lines: ReadonlyArray<string>) => {
  const headings = naiveHeadings(lines)
  return headings.map((heading, index) => {
    const after = headings.slice(index + 1).find(({ level }) => level <= heading.level)
    const above: Array<NaiveHeading> = []
    for (let at = index, level = 7; at >= 0; at--) {
      const each = headings[at]!
      if (each.level >= level) continue
      above.unshift(each)
      level = each.level
    }
    const path = above.map(({ text }) => text.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")
    const text = lines
      .slice(heading.line, after?.line)
      .map((line) => `${line}\n`)
      .join("")
    return { line: heading.line, path, end: after?.line ?? lines.length, hash: sha256(text) }
  })
}

describe("sections", () => {
  it("are those that a search line by line finds", () => {
    fc.assert(
      fc.property(fc.array(markdownLine, { maxLength: 25 }), (lines) => {
        const text = lines.map((line) => `${line}\n`).join("")
        const { headings, sections } = cutSections(
          { sha256, sha256OfBytes: (bytes) => sha256(textOfUtf8(bytes)) },
          {
            path: "p",
            stat: { size: 0, mtime_ns: "0", ctime_ns: "0", inode: "0" },
            hashed_at_ms: 0,
            text: utf8Bytes(text)
          },
          markdownHeadings(text, "markdown")
        )
        const byId = new Map(sections.map((section) => [section.section_id, section]))
        const found = headings.map(({ heading, line, section_id }) => {
          const { content_hash, line_end, line_start } = byId.get(section_id)!
          expect(line_start).toBe(line)
          expect(section_id).toBe(sha256(`p:${line_start}:${line_end}:${content_hash}`))
          return { line, path: heading, end: line_end, hash: content_hash }
        })
        expect(found).toEqual(naiveSections(lines))
        expect(sections[0]).toMatchObject({
          line_start: 0,
          line_end: lines.length,
          content_hash: sha256(text)
        })
        expect(byId.size).toBe(sections.length)
      }),
      propParameters(2)
    )
  })
})

type Edit =
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "index"; readonly paths: ReadonlyArray<string> }

const path = fc.constantFrom("a.md", "b.txt", "d/a.md", "d/e/c.md", ".gitignore")

const content = fc.oneof(
  fc.array(markdownLine, { maxLength: 6 }).map((lines) => lines.join("\n")),
  fc.constantFrom("", "*.txt\n", "/d\n", "e/\n!c.md\n", "\u0000", "\ufeff# x\r\n")
)

const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("write" as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), path }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("index" as const),
      paths: fc.constantFrom<ReadonlyArray<string>>([], [], ["d"], ["a.md", "d/e"])
    })
  }
)

const apply = (root: string, change: Exclude<Edit, { kind: "index" }>): void => {
  if (change.kind === "remove") return rmSync(join(root, change.path), { force: true })
  mkdirSync(dirname(join(root, change.path)), { recursive: true })
  return writeFileSync(join(root, change.path), change.content)
}

const allSections = Corpus.use(({ sections }) => sections())

describe("an index", () => {
  it("that follows edits holds in the end what one that is made again holds", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 12 }), async (edits) => {
        const root = mkdtempSync(join(tmpdir(), "cassette-prop-"))
        try {
          const followed = Effect.gen(function* () {
            const { index } = yield* Corpus
            for (const each of edits) {
              if (each.kind === "index") yield* Effect.ignore(index({ paths: each.paths }))
              else apply(root, each)
            }
            const report = yield* index()
            return { sections: yield* allSections, files: report.files, skipped: report.skipped }
          })
          const fresh = Effect.gen(function* () {
            const { index } = yield* Corpus
            const report = yield* index()
            return { sections: yield* allSections, files: report.files, skipped: report.skipped }
          })
          const inCorpus = <A, E>(program: Effect.Effect<A, E, Corpus>) =>
            Effect.runPromise(program.pipe(Effect.provide(corpusLayer({ root }))))
          const after = await inCorpus(followed)
          rmSync(join(root, "CORTEX"), { recursive: true })
          expect(after).toEqual(await inCorpus(fresh))
        } finally {
          rmSync(root, { recursive: true })
        }
      }),
      propParameters(0.5)
    )
  })
})
