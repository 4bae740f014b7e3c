// Joining two lists by rank, and the arithmetic of vectors.
import { describe, expect, it } from "vitest"
import { fuse } from "./fusion.ts"
import { cosine, identityText, unitVector } from "../vectors.ts"

const order = (words: ReadonlyArray<string>, vectors: ReadonlyArray<string>) =>
  fuse(words, vectors).map(({ hash }) => hash)

describe("joined lists", () => {
  it("are one list when the other is empty", () => {
    expect(order(["a", "b"], [])).toEqual(["a", "b"])
    expect(order([], ["a", "b"])).toEqual(["a", "b"])
    expect(order([], [])).toEqual([])
  })
  it("put first what both have, and name the ranks", () => {
    expect(fuse(["a", "b", "c"], ["c", "b", "d"])[0]).toMatchObject({
      hash: "b",
      lexical_rank: 2,
      vector_rank: 2
    })
    expect(fuse(["a"], ["b"])).toMatchObject([
      { hash: "a", lexical_rank: 1, vector_rank: undefined },
      { hash: "b", lexical_rank: undefined, vector_rank: 1 }
    ])
  })
  it("let vectors that agree with no word change nothing among the words", () => {
    const words = Array.from({ length: 20 }, (_, index) => `w${index}`)
    const strange = Array.from({ length: 20 }, (_, index) => `v${index}`)
    expect(order(words, strange).filter((hash) => hash.startsWith("w"))).toEqual(words)
    expect(order(words, strange)[0]).toBe("w0")
  })
  it("let vectors that agree move what they rank higher", () => {
    const words = ["a", "b", "c", "d"]
    expect(order(words, ["d", "a", "b", "c"]).indexOf("d")).toBeLessThan(3)
  })
})

describe("vectors", () => {
  it("are brought to length 1, and refused without length, with another size or a number that is none", () => {
    expect(unitVector([3, 4], 2)).toEqual(Float32Array.from([0.6, 0.8]))
    for (const values of [[0, 0], [1], [1, 2, 3], [Number.NaN, 1], [Number.POSITIVE_INFINITY, 1]]) {
      expect(unitVector(values, 2)).toBeUndefined()
    }
  })
  it("are compared by their cosine", () => {
    const right = unitVector([1, 0], 2)!
    expect(cosine(right, right)).toBe(1)
    expect(cosine(right, unitVector([0, 2], 2)!)).toBe(0)
    expect(cosine(right, unitVector([-5, 0], 2)!)).toBe(-1)
  })
  it("name their maker by all four of its parts", () => {
    const identity = { model: "m", revision: "r", dimensions: 2, normalizer: "n" }
    const others = [{ model: "x" }, { revision: "x" }, { dimensions: 3 }, { normalizer: "x" }]
    const changed = others.map((other) => identityText(Object.assign({}, identity, other)))
    const texts = [identityText(identity), ...changed]
    expect(new Set(texts).size).toBe(5)
  })
})
