// The order over all cassettes, and what a document's further texts count: told by lists that are written down here.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bestTexts, byNetworkRank, distinctTexts, type Ranked, withRepeats } from "./ranking.ts"

const base: Ranked = {
  source: "a",
  chunk: 1,
  path: "p",
  hash: "h",
  ordinal: 0,
  closeness: [],
  score: 1,
  lexical: 1,
  proximity: 0,
  repeats: 0
}

describe("order", () => {
  it("is by score, path, text, place and cassette", () => {
    const ordered = [
      { ...base, score: 2 },
      base,
      { ...base, source: "b" },
      { ...base, ordinal: 1 },
      { ...base, hash: "i" },
      { ...base, path: "q" }
    ]
    expect(ordered.toReversed().sort(byNetworkRank)).toEqual(ordered)
  })
  it("has every text once", () => {
    const ranked = [base, { ...base, path: "q" }, { ...base, hash: "i" }]
    expect(distinctTexts(ranked, 10).map(({ hash }) => hash)).toEqual(["h", "i"])
    expect(distinctTexts(ranked, 1)).toEqual([base])
  })
})

const candidate = (source: string, path: string, hash: string, score: number, ordinal = 0): Ranked => ({
  ...base,
  source,
  path,
  hash,
  ordinal,
  score,
  lexical: score
})

/** What is told of a list: whose text, its score and how many come before it. */
const told = (ranked: ReadonlyArray<Ranked>) =>
  ranked.map(({ hash, path, repeats, score, source }) => [`${source} ${path} ${hash}`, score, repeats])

describe("further texts of a document", () => {
  it("count 0.8 of their score, and 0.8 of that for each more, and the list is ordered again", () => {
    const ranked = [
      candidate("a", "p", "1", 10),
      candidate("a", "p", "2", 9),
      candidate("a", "p", "3", 8),
      candidate("a", "q", "4", 7.5),
      candidate("a", "q", "5", 1)
    ]
    expect(told(withRepeats(ranked))).toEqual([
      ["a p 1", 10, 0],
      ["a q 4", 7.5, 0],
      ["a p 2", 9 * 0.8, 1],
      ["a p 3", 8 * (0.8 * 0.8), 2],
      ["a q 5", 0.8, 1]
    ])
  })
  it("are those of one path in one cassette", () => {
    const ranked = [
      candidate("a", "p", "1", 4),
      candidate("b", "p", "2", 3),
      candidate("a", "q", "3", 2),
      candidate("b", "p", "4", 1)
    ]
    expect(told(withRepeats(ranked)).map(([, , repeats]) => repeats)).toEqual([0, 0, 0, 1])
  })
  it("are not equal texts, which count once however often they stand in it", () => {
    const ranked = [
      candidate("a", "p", "1", 4),
      candidate("a", "p", "1", 3.5, 1),
      candidate("a", "p", "1", 3, 2),
      candidate("a", "p", "2", 2, 3)
    ]
    const shared = withRepeats(ranked)
    expect(told(distinctTexts(shared, 10))).toEqual([
      ["a p 1", 4, 0],
      ["a p 2", 1.6, 1]
    ])
  })
  it("stand where they are better: an equal text in another document has that one's count", () => {
    const ranked = [
      candidate("a", "p", "1", 5),
      candidate("a", "p", "2", 4),
      candidate("a", "q", "2", 3.9),
      candidate("a", "q", "3", 3)
    ]
    const shared = distinctTexts(withRepeats(ranked), 10)
    expect(told(shared)).toEqual([
      ["a p 1", 5, 0],
      ["a q 2", 3.9, 0],
      ["a q 3", 3 * 0.8, 1]
    ])
  })
  it("of equal scores have one order, in any order of the list", () => {
    const ranked = fc.array(
      fc
        .tuple(
          fc.constantFrom("a", "b"),
          fc.constantFrom("p", "q"),
          fc.nat(5),
          fc.integer({ min: 1, max: 3 }),
          fc.nat(3)
        )
        .map(([source, path, hash, score, ordinal]) => candidate(source, path, `${hash}`, score, ordinal)),
      { maxLength: 20 }
    )
    fc.assert(
      fc.property(ranked, fc.integer({ min: 1, max: 8 }), (list, texts) => {
        const best = (from: ReadonlyArray<Ranked>) =>
          withRepeats(bestTexts(from.toSorted(byNetworkRank), texts))
        const shared = best(list)
        expect(told(best(list.toReversed()))).toEqual(told(shared))
        expect(shared).toEqual(shared.toSorted(byNetworkRank))
        // Whose texts it holds does not change, and the best text of each document keeps its score.
        const whole = bestTexts(list.toSorted(byNetworkRank), texts)
        expect(new Set(shared.map(({ hash }) => hash))).toEqual(new Set(whole.map(({ hash }) => hash)))
        for (const { lexical, repeats, score } of shared) {
          expect(score).toBe(
            Array.from({ length: repeats }).reduce((left: number) => left * 0.8, 1) * lexical
          )
        }
        expect(shared[0]?.score).toBe(whole[0]?.score)
      })
    )
  })
})

describe("the best texts", () => {
  const ranked = [
    candidate("a", "p", "1", 4),
    candidate("a", "q", "1", 3),
    candidate("a", "p", "2", 2),
    candidate("b", "p", "2", 2),
    candidate("a", "p", "3", 1)
  ]
  it.each([
    [1, 1],
    [2, 3],
    [3, 5],
    [4, 5]
  ])("of %i texts end with the one that completes them", (texts, length) => {
    expect(bestTexts(ranked, texts)).toEqual(ranked.slice(0, length))
  })
})
