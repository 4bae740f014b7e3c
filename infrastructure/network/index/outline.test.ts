// Outlines: headings of Markdown as CommonMark reads them, definitions of source code with their comments.
import { describe, expect, it } from "vitest"
import { chunksOf } from "../../../domain/network/chunks.ts"
import { outlineOf } from "./outline.ts"

const shown = (path: string, text: string) =>
  chunksOf(text, outlineOf(path, text)).map(({ end, heading_path, kind, start }) => [
    kind,
    heading_path.join("."),
    text.slice(start, end)
  ])

describe("outlines", () => {
  it("of Markdown nest by level, with any line ends", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const text = ["# A", "a", "### B", "b", "## C", "```", "# no heading", "```", "D", "===", "d", ""].join(
        end
      )
      expect(shown("x.md", text).map(([kind, path]) => [kind, path])).toEqual([
        ["heading", "A"],
        ["heading", "A.B"],
        ["heading", "A.C"],
        ["heading", "D"]
      ])
    }
  })

  it("of TypeScript are its definitions, each with the comment before it", () => {
    const text = `import x from "y"

/** Adds. */
export const add = (a: number): number => a

// Names.
export interface Named {
  readonly name: string
}

class Hub<T> {
  private n = 1
  query(): T { return x }
}
`
    expect(shown("src/x.ts", text)).toEqual([
      ["paragraph", "", 'import x from "y"'],
      ["definition", "add", "/** Adds. */\nexport const add = (a: number): number => a"],
      ["definition", "Named", "// Names.\nexport interface Named {\n  readonly name: string\n}"],
      ["definition", "Hub", "class Hub<T> {\n  private n = 1\n  query(): T { return x }\n}"]
    ])
  })

  it("of Python are functions and classes, and of a large class its methods", () => {
    const body = Array.from({ length: 120 }, (_, line) => `        value_${line} = ${line}`).join("\n")
    const text = `@cached\ndef first(x):\n    return x\n\nclass Large:\n    def one(self):\n${body}\n\n    def two(self):\n${body}\n`
    const parts = shown("x.py", text).map(([kind, path]) => `${kind} ${path}`)
    expect(new Set(parts)).toEqual(
      new Set(["definition first", "definition Large", "definition Large.one", "definition Large.two"])
    )
  })

  it("of broken code are what can be read, of other files none", () => {
    expect(shown("x.ts", "function ok() {}\n\nfunction (((\n").map(([, path]) => path)).toContain("ok")
    expect(outlineOf("x.txt", "# A\n\nfunction b() {}")).toEqual([])
  })
})
