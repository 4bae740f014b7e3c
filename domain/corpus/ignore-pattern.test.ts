// Lines of .gitignore files and the paths that they leave out; what git says of each was asked of git.
import { describe, expect, it } from "vitest"
import { utf8Bytes } from "../canonical/bytes.ts"
import { ignoreRulesOf, ignoreVerdict } from "./ignore-pattern.ts"

const bytes = (text: string): string => String.fromCharCode(...utf8Bytes(text))
const verdict = (rules: string, path: string): boolean | undefined =>
  ignoreVerdict(ignoreRulesOf(bytes(rules)), bytes(path.replace(/\/$/, "")), path.endsWith("/"))

describe("a pattern", () => {
  it.each([
    ["a", "x/a", true],
    ["/a", "x/a", undefined],
    ["x/a", "y/x/a", undefined],
    ["a/", "a", undefined],
    ["a/", "x/a/", true],
    ["*.log", "x/a.log", true],
    ["*.log", "x/a.log.md", undefined],
    ["x/*", "x/y/a", undefined],
    ["/*.md", "x/a.md", undefined],
    ["/*.md", "a.md", true],
    ["x/*.md", "x/.md", true],
    ["**/a", "a", true],
    ["**/a", "x/y/a", true],
    ["x/**", "x/y/a", true],
    ["x/**", "x/", undefined],
    ["x/**/a", "x/a", true],
    ["x/**/a", "x/y/z/a", true],
    ["x/y**", "x/yz/a", true],
    ["x/*y**", "x/yz/a", undefined],
    ["a?", "aé", undefined],
    ["a??", "aé", true],
    ["a?b", "a\nb", true],
    ["[é]", "é", undefined],
    ["[é][é]", "é", true],
    ["x[/]a", "x/a", undefined],
    ["[!a]", "b", true],
    ["[^a]", "a", undefined],
    ["[]a]", "]", true],
    ["[!]a]", "]", undefined],
    ["[a-c]", "b", true],
    ["[c-a]", "b", undefined],
    ["[a-]", "-", true],
    ["[\\]]", "]", true],
    ["[a", "[a", undefined],
    ["[[:alpha:]]", "é", undefined],
    ["[[:alpha:]]", "q", true],
    ["[[:space:]x]", "\t", true],
    ["[[:space:]x]", "\f", undefined],
    ["[[:punct:]]", "@", true],
    ["[[:nope:]]", "n", undefined],
    ["A.md", "a.md", undefined],
    ["a\\", "a\\", undefined],
    ["a\\\\", "a\\", true]
  ])("%j says of %j %j", (rules, path, expected) => {
    expect(verdict(rules, path)).toBe(expected)
  })

  it("takes time in proportion to its length and the path's", () => {
    expect(verdict(`${"*a".repeat(200)}b`, "a".repeat(4_000))).toBeUndefined()
    expect(verdict(`${"**/a/".repeat(200)}b`, "a/".repeat(2_000))).toBeUndefined()
  })
})

describe("the lines of a file", () => {
  it.each([
    ["the last line that matches decides", "*.md\n!a.md\n", "a.md", false],
    ["a comment is none, unless it is escaped", "#a\n", "#a", undefined],
    ["an escaped hash is a name", "\\#a\n", "#a", true],
    ["an escaped exclamation mark is a name", "\\!a\n", "!a", true],
    ["blanks at the end do not count", "a  \n", "a", true],
    ["an escaped one does", "a\\ \n", "a ", true],
    ["a tab at the end is a part of it", "a\t\n", "a", undefined],
    ["blanks at the beginning are a part of it", " a\n", "a", undefined],
    ["one carriage return belongs to the end of the line", "a\r\n", "a", true],
    ["a byte order mark is no part of the first line", "\ufeffa\n", "a", true],
    ["empty lines and bare marks say nothing", "\n!\n/\n!/\n", "a", undefined],
    ["the last line needs no end", "a\nb", "b", true]
  ])("%s", (_, rules, path, expected) => {
    expect(verdict(rules, path)).toBe(expected)
  })
})
