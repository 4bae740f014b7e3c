// The pages of the site: what becomes of links, of signs that would be taken for tags, and the order of the navigation. The build
// itself, in CI, fails where a link leads nowhere.
import { describe, expect, it } from "vitest"
import { navigation, sitePages } from "./pages.ts"

const texts: Readonly<Record<string, string>> = {
  "README.md":
    '# Cassette\n\n[b](docs/guides/b.md#part), [a](docs/guides/a.md), [code](domain/ledger), `<T>` < 3 {{x}}\n<img src="docs/images/a.png" alt="">\n',
  "docs/guides/a.md":
    "# `a` first\n\n[home](../../README.md) [order](../../examples/flow/order.ts) [flow](../../examples/flow/)\n",
  "docs/guides/b.md":
    "# b\n\n```ts\n// [not](a-link.md) {{y}}\n```\n[schema](../spec/s.json), <https://example.org>\n",
  "docs/api/README.md": "# The library\n",
  "examples/flow/order.ts": "export const order = 1\n"
}

const pages = sitePages({
  documents: Object.keys(texts).filter((path) => path.endsWith(".md")),
  programs: ["examples/flow/order.ts"],
  assets: ["docs/images/a.png", "docs/spec/s.json"],
  read: (path) => texts[path] ?? ""
})

describe("pages of the site", () => {
  it("have links to pages, programs, folders and copies; those to other files are text", () => {
    expect(pages.get("index.md")).toBe(
      '# Cassette\n\n[b](./docs/guides/b.md#part), [a](./docs/guides/a.md), code, `<T>` &lt; 3 &#123;&#123;x}}\n<img src="/docs/images/a.png" alt="">\n'
    )
    expect(pages.get("docs/guides/a.md")).toContain(
      "[home](../../index.md) [order](../../examples/flow/order.ts.md) [flow](../../examples/flow/index.md)"
    )
    expect(pages.get("docs/guides/b.md")).toContain("// [not](a-link.md) {{y}}")
    expect(pages.get("docs/guides/b.md")).toContain("[schema](/docs/spec/s.json), <https://example.org>")
  })

  it("show programs as they are, with a list of each folder", () => {
    expect(pages.get("examples/flow/order.ts.md")).toContain("````ts\nexport const order = 1\n````")
    expect(pages.get("examples/flow/index.md")).toContain("- [order.ts](./order.ts.md)")
  })

  it("are all in the navigation once, guides in the order of the front page", () => {
    const groups = navigation(pages)
    expect(groups.map(({ text }) => text)).toEqual(["Start", "Guides", "Reference", "Examples"])
    expect(groups[1]?.items).toEqual([
      { text: "b", link: "/docs/guides/b" },
      { text: "a first", link: "/docs/guides/a" }
    ])
    expect(groups.flatMap(({ items }) => items).length).toBe(pages.size)
  })
})
