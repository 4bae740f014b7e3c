// What tells most about a text: its frequent words that are seldom elsewhere, and nothing that stands in it alone.
import { describe, expect, it } from "vitest"
import { MAX_TELLING_TERMS, MAX_TEXT_TERMS } from "../limits.ts"
import { tellingTerms, termsOfText } from "./distinctive-terms.ts"

const stem = (word: string) => word

describe("the telling terms of a text", () => {
  it("are counted with its identifiers, up to a bound", () => {
    expect([...termsOfText("lease lease of src/main.py", stem)]).toEqual([
      ["lease", 2],
      ["of", 1],
      ["src", 1],
      ["main", 1],
      ["py", 1],
      ["src/main.py", 1],
      ["main.py", 1]
    ])
    const long = Array.from({ length: 2 * MAX_TEXT_TERMS }, (_, word) => `w${word}`).join(" ")
    expect(termsOfText(`${long} w0`, stem).get("w0")).toBe(2)
    expect(termsOfText(long, stem).size).toBe(MAX_TEXT_TERMS)
  })

  it("are the frequent ones that are seldom elsewhere, and not those that are nowhere else", () => {
    const counts = new Map([
      ["common", 9],
      ["own", 9],
      ["rare", 1],
      ["twice", 2]
    ])
    expect(tellingTerms(counts, [1_000, 1, 10, 10], 1_000, 1)).toEqual(["common", "rare", "twice"])
    const many = new Map(Array.from({ length: 50 }, (_, index) => [`t${index}`, index + 1]))
    const telling = tellingTerms(
      many,
      [...many].map(() => 5),
      1_000,
      1
    )
    expect(telling).toHaveLength(MAX_TELLING_TERMS)
    expect(telling).toContain("t49")
    expect(telling).not.toContain("t0")
    expect(telling).toEqual(telling.toSorted())
  })
})
