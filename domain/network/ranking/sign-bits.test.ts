// Signs choose the near ones: their distances are those of counting by hand, and the rule of candidates is one of sums.
import { describe, expect, it } from "vitest"
import { CANDIDATES_PER_TEXT, EXACT_VECTORS, MIN_CANDIDATES } from "../limits.ts"
import { candidateDistance, signDistances, signsOf, signWords, sumOfCensuses } from "./sign-bits.ts"

describe("signs", () => {
  it("are one bit for each number above 0, low bits first", () => {
    const vector = Array.from({ length: 40 }, (_, place) => (place === 0 || place === 33 ? 0.5 : -0.5))
    expect([...signsOf(vector)]).toEqual([1, 2])
    expect([...signsOf([0, -0, 1, Number.MIN_VALUE])]).toEqual([0b1100])
    expect([1, 32, 33, 384].map(signWords)).toEqual([1, 1, 2, 12])
  })

  it("differ in as many bits as counting says", () => {
    const patterns = [0, 1, 0x80_00_00_00, 0xff_ff_ff_ff, 0x12_34_56_78, 0xaa_aa_aa_aa, 0x0f_f0_00_ff]
    const words = Uint32Array.from(patterns.flatMap((left) => patterns.map((right) => [left, right])).flat())
    const asked = Uint32Array.of(0x55_55_55_55, 0xde_ad_be_ef)
    const bits = (word: number) => (word >>> 0).toString(2).replaceAll("0", "").length
    expect([...signDistances(words, asked)]).toEqual(
      patterns.flatMap((left) => patterns.map((right) => bits(left ^ asked[0]!) + bits(right ^ asked[1]!)))
    )
  })
})

describe("the rule of candidates", () => {
  const even = (count: number) => Array.from({ length: 101 }, () => count)

  it("compares all up to a bound, and the nearest beyond it", () => {
    expect(candidateDistance([EXACT_VECTORS], 10)).toBeNull()
    expect(candidateDistance([0, EXACT_VECTORS, 1], 10)).toBe(1)
    // 101,000 vectors: 0.64 % are 647.
    expect(candidateDistance(even(1_000), 10)).toBe(0)
    expect(candidateDistance(even(300), 10)).toBe(0)
    expect(candidateDistance(even(10), 10, 100)).toBe(MIN_CANDIDATES / 10 - 1)
    expect(candidateDistance(even(10), 100, 100)).toBe((CANDIDATES_PER_TEXT * 100) / 10 - 1)
    expect(candidateDistance(even(1), 1_000, 100)).toBeNull()
    expect(candidateDistance([], 10)).toBeNull()
  })

  it("counts over all cassettes, with or without vectors", () => {
    const sum = sumOfCensuses([[], [1, 2], [3, 4, 5]])
    expect(sum).toEqual([4, 6, 5])
    expect(sumOfCensuses([])).toEqual([])
  })
})
