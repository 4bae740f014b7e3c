// The numbers of ranking by hand, and the forms that they are stored in.
import { describe, expect, it } from "vitest"
import {
  closenesses,
  inverseFrequency,
  proximityBonus,
  sumCounts,
  termScore,
  weightsOf,
  wordScore
} from "./lexical.ts"
import { decodedPostings, decodePostings, encodePostings, type Posting } from "./postings.ts"
import { lengthOf, weightedCount, weightedCounts } from "./term-counts.ts"

describe("weights", () => {
  const question = { terms: ["a", "b", "c"], aside: new Set<string>(), neighbours: [], phrases: [] }

  it("come from counts summed over cassettes", () => {
    const sum = sumCounts(
      [
        { chunks: 10, words: 100, frequencies: [1, 2, 0] },
        { chunks: 30, words: 500, frequencies: [3, 0, 0] }
      ],
      3
    )
    expect(sum).toEqual({ chunks: 40, words: 600, frequencies: [4, 2, 0] })
    expect(weightsOf(question, sum)).toEqual({
      mean: 15,
      terms: [
        { term: "a", idf: Math.log(1 + 36.5 / 4.5), driver: true },
        { term: "b", idf: Math.log(1 + 38.5 / 2.5), driver: true }
      ]
    })
  })

  it("let a common term bring no chunk in, unless all are common: then the rarest does", () => {
    const drivers = (frequencies: ReadonlyArray<number>) =>
      weightsOf(question, { chunks: 20_000, words: 1, frequencies })
        .terms.filter(({ driver }) => driver)
        .map(({ term }) => term)
    expect(drivers([2_001, 2_000, 5])).toEqual(["b", "c"])
    expect(drivers([9_000, 8_000, 8_500])).toEqual(["b"])
    // In a small corpus every term brings chunks in.
    expect(
      weightsOf(question, { chunks: 100, words: 1, frequencies: [100, 50, 1] }).terms.map(
        ({ driver }) => driver
      )
    ).toEqual([true, true, true])
  })

  describe("of words that hold a sentence together", () => {
    const asking = { ...question, aside: new Set(["a", "b"]) }
    const counts = (frequencies: ReadonlyArray<number>) => ({ chunks: 100, words: 1, frequencies })
    it("are together half of the least of the others, and bring nothing in", () => {
      const share = (0.5 * inverseFrequency(100, 9)) / 2
      expect(weightsOf(asking, counts([1, 2, 9])).terms).toEqual([
        { term: "a", idf: share, driver: false },
        { term: "b", idf: share, driver: false },
        { term: "c", idf: inverseFrequency(100, 9), driver: true }
      ])
    })
    it("are never more than their own", () => {
      const [first] = weightsOf(asking, counts([100, 0, 1])).terms
      expect(first).toEqual({ term: "a", idf: inverseFrequency(100, 100), driver: false })
    })
    it("are those of any word where no other stands in a text", () => {
      expect(weightsOf(asking, counts([1, 2, 0]))).toEqual(weightsOf(question, counts([1, 2, 0])))
    })
  })

  it("score by BM25 with k1 0.8 and b 0.75", () => {
    const idf = inverseFrequency(100, 9)
    expect(idf).toBeCloseTo(Math.log(1 + 91.5 / 9.5), 12)
    expect(termScore(2, 3, 10, 10)).toBeCloseTo((2 * 3 * 1.8) / (3 + 0.8), 12)
    expect(termScore(2, 3, 20, 10)).toBeCloseTo((2 * 3 * 1.8) / (3 + 0.8 * (0.25 + 1.5)), 12)
  })
})

describe("words of a chunk in its document", () => {
  const weights = {
    mean: 10,
    terms: [
      { term: "a", idf: 2, driver: true },
      { term: "b", idf: 3, driver: false }
    ]
  }
  it("count a quarter in the chunk and three in the document, each for its length, and are saturated together", () => {
    const score = wordScore(weights, { counts: [2, 0], length: 10 }, { counts: [4, 6], length: 50 })
    const a = 0.25 * 2 + (0.75 * 4) / (0.25 + 0.75 * 5)
    const b = (0.75 * 6) / (0.25 + 0.75 * 5)
    expect(score).toBeCloseTo((2 * a * 1.8) / (a + 0.8) + (3 * b * 1.8) / (b + 0.8), 12)
  })
  it("give what BM25 gives where the document is that chunk, and nothing where there are none", () => {
    const own = { counts: [2, 1], length: 25 }
    expect(wordScore(weights, own, own)).toBeCloseTo(termScore(2, 2, 25, 10) + termScore(3, 1, 25, 10), 12)
    expect(wordScore(weights, { counts: [0, 0], length: 1 }, { counts: [0, 0], length: 9 })).toBe(0)
  })
})

describe("proximity", () => {
  const close = (text: string) => closenesses([["a", "b"]], text)[0]
  it.each([
    ["a b", 1],
    ["b a", 0.5],
    ["a x b", 0.25],
    [`a ${"x ".repeat(7)}b`, 0.0625],
    [`a ${"x ".repeat(8)}b`, 0],
    ["a x b x a b", 1],
    ["b", 0]
  ])("%s", (text, expected) => expect(close(text)).toBe(expected))
  it("adds 0.7 of the smaller inverse frequency times the closeness", () => {
    const weights = {
      mean: 1,
      terms: [
        { term: "a", idf: 2, driver: true },
        { term: "b", idf: 3, driver: true }
      ]
    }
    expect(proximityBonus([["a", "b"]], weights, [0.25])).toBeCloseTo(0.35, 12)
  })
})

describe("counts of a chunk", () => {
  const terms = { path: "doc a", heading: "a b", body: "a a ab b", identifiers: "a-b" }
  it("count a path four times, all else once, and whole terms only", () => {
    expect(weightedCount(terms, "a")).toBe(7)
    expect(weightedCount(terms, "a-b")).toBe(1)
    expect(weightedCount(terms, "c")).toBe(0)
    expect(Object.fromEntries(weightedCounts(terms))).toEqual({ doc: 4, a: 7, b: 2, ab: 1, "a-b": 1 })
  })
  it("are the same whether one term is looked for or all", () => {
    for (const [term, count] of weightedCounts(terms)) expect(weightedCount(terms, term)).toBe(count)
  })
  it("have a length of 1 at least", () => {
    expect(lengthOf(terms)).toBe(6)
    expect(lengthOf({ path: "", heading: "", body: "", identifiers: "" })).toBe(1)
  })
})

describe("postings", () => {
  const read = (bytes: Uint8Array): ReadonlyArray<Posting> => {
    const decoded = decodedPostings()
    const found = decodePostings(bytes, decoded)
    return Array.from({ length: found }, (_, index) => ({
      place: decoded.places[index]!,
      count: decoded.counts[index]!
    }))
  }
  const postings = [
    { place: 0, count: 1 },
    { place: 1, count: 127 },
    { place: 300, count: 128 },
    { place: 4_095, count: 1_000_000 }
  ]
  it("are read as they were written, in one piece or in two", () => {
    expect(read(encodePostings(postings, -1))).toEqual(postings)
    const both = [encodePostings(postings.slice(0, 2), -1), encodePostings(postings.slice(2), 1)]
    expect(read(Buffer.concat(both))).toEqual(postings)
  })
  it("end where the bytes end", () => {
    const bytes = encodePostings(postings, -1)
    for (let length = 0; length < bytes.length; length++) {
      expect(read(bytes.slice(0, length)).length).toBeLessThanOrEqual(postings.length)
    }
  })
})
