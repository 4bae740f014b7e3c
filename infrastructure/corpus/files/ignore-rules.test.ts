// Globs of the caller against paths with every character that a name may have.
import { describe, expect, it } from "vitest"
import { globs } from "./ignore-rules.ts"

describe("a glob", () => {
  it.each([
    ["docs/**", "docs/a\nb/c.md"],
    ["docs/**/*.md", "docs/a\nb/c\nd.md"],
    ["*.md", "docs/c\r\nd.md"],
    ["docs/?b.md", "docs/\nb.md"],
    ["docs/**", "docs/a\u2028b.md"]
  ])("%j matches %j, line breaks and all", (glob, path) => {
    const matches = globs("/include", [glob])
    expect(typeof matches === "function" && matches(path)).toBe(true)
  })
})
