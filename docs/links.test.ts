// The links of the documents lead to files that exist: relative links of Markdown, and the `Where:` line that every
// decision has.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { relativeLinksOf } from "./testing/links.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

const markdownIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))

const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "bench/README.md",
  ...markdownIn("docs")
]
const decisions = markdownIn("docs/decisions")

const textOf = (file: string): string => readFileSync(join(root, file), "utf8")

/** The anchor that a heading gets on the pages of usual hosts. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set([...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)))

/** What a link of a document names: a file of the repository and, after the `#`, a heading in it. */
const isBroken = (document: string, link: string): boolean => {
  const [path = "", anchor] = link.split("#")
  const file = path === "" ? document : join(dirname(document), path)
  if (!existsSync(join(root, file))) return true
  return anchor !== undefined && file.endsWith(".md") && !anchorsOf(file).has(anchor)
}

describe("links", () => {
  it.each(documents)("of %s lead to files and headings that exist", (document) => {
    expect(relativeLinksOf(textOf(document)).filter((link) => isBroken(document, link))).toEqual([])
  })

  it("are looked at", () => {
    const text = '[a](b.md#c), [d](https://e.org) <img src="f.png" width="1">\n```\n[g](h.md)\n```\n[i](#j)'
    expect(relativeLinksOf(text)).toEqual(["b.md#c", "f.png", "#j"])
    expect(isBroken("ARCHITECTURE.md", "docs/spec/no-such-file.md")).toBe(true)
    expect(isBroken("ARCHITECTURE.md", "docs/spec/ledger.md#no-such-heading")).toBe(true)
    expect(isBroken("docs/decisions/storage.md", "ledger.md#ids-are-derived-and-ordered")).toBe(false)
  })
})

describe("decisions", () => {
  it("stand in a file for each subject, which ARCHITECTURE.md names", () => {
    expect(decisions.length).toBeGreaterThan(5)
    const architecture = textOf("ARCHITECTURE.md")
    expect(decisions.filter((file) => !architecture.includes(`](${file})`))).toEqual([])
  })

  it.each(decisions)("of %s each say where they are carried out, and what was decided", (file) => {
    const [, ...sections] = textOf(file).split(/^## /m)
    expect(sections.length).toBeGreaterThan(3)
    for (const section of sections) {
      const [title = "", , where = ""] = section.split("\n")
      const paths = /^Where: (.+)$/.exec(where)?.[1]?.split(", ") ?? []
      expect(paths.length, title).toBeGreaterThan(0)
      expect(
        paths.filter((path) => !existsSync(join(root, path))),
        title
      ).toEqual([])
      expect(section, title).toContain("**Decision.**")
    }
  })
})
