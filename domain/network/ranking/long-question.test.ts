// Which terms of a long question are kept, what is not missed, and what the notices say.
import { describe, expect, it } from "vitest"
import { mostTelling } from "./long-question.ts"
import { questionOf } from "./query-text.ts"

const plain = (word: string) => word
const names = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `w${index}`)
const asked = (text: string, frequencyOf: (term: string) => number) => {
  const question = questionOf(text, plain)
  return mostTelling(question, question.terms.map(frequencyOf))
}

describe("a question of too many terms", () => {
  it("is left as it is while it has 64", () => {
    const question = questionOf(names(64).join(" "), plain)
    expect(mostTelling(question, []).question).toBe(question)
  })
  it("keeps those that stand in the fewest chunks, in binary order, with their counts", () => {
    const { frequencies, notices, question } = asked(`${names(100).join(" ")} rare`, (term) =>
      term === "rare" ? 1 : 5
    )
    expect(question.terms).toEqual([...names(63), "rare"].sort())
    expect(frequencies[question.terms.indexOf("rare")]).toBe(1)
    expect(question.neighbours).toHaveLength(62)
    expect(notices).toEqual([
      "the question has too many different terms: 37 of them were left out, and the 64 that stand in the fewest texts were looked for"
    ])
  })
  it("keeps words that hold the sentence together only where others leave room", () => {
    const rare = (term: string) => (term.startsWith("w") ? 9 : 1)
    expect(asked(`how do I ${names(64).join(" ")}`, rare).question.terms).toEqual([...names(64)].sort())
    expect(asked(`how do I ${names(62).join(" ")}`, rare).question.terms).toEqual(
      ["do", "how", ...names(62)].sort()
    )
  })
  it("does not miss what stands nowhere", () => {
    const { notices, question } = asked(names(1_000).join(" "), (term) => (term === "w999" ? 7 : 0))
    expect([question.terms, notices]).toEqual([["w999"], []])
  })
  it("says what was not counted and not read", () => {
    const { notices } = asked(`${names(1_010).join(" ")} ${" ".repeat(1_048_576)} end`, () => 1)
    expect(notices).toEqual([
      expect.stringContaining(": 946 of them were left out"),
      "the question is longer than 1048576 UTF-16 units: what follows was not read"
    ])
  })
})
