// The best of a stream: equals of the last one stay, and what was left out is told.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { BestScores } from "./best-scores.ts"

const keep = (limit: number, scores: ReadonlyArray<number>) => {
  const bests = new BestScores(limit)
  for (const [chunk, score] of scores.entries()) bests.add(chunk, score)
  return bests.all()
}

describe("the best scores", () => {
  it("keep equals of the last one, and say from where on they are complete", () => {
    expect(keep(2, [1, 3, 2, 2, 1])).toEqual({ chunks: [1, 2, 3], scores: [3, 2, 2], complete_from: 2 })
  })

  it("are all that there are when nothing was left out", () => {
    expect(keep(3, [1, 2])).toEqual({ chunks: [0, 1], scores: [1, 2], complete_from: null })
    expect(keep(2, [1, 1, 1])).toEqual({ chunks: [0, 1, 2], scores: [1, 1, 1], complete_from: null })
  })

  it("are those of a sorted list", () => {
    const scores = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 60 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), scores, (limit, given) => {
        const least = given.toSorted((left, right) => right - left)[limit - 1] ?? 0
        const wanted = [...given.keys()].filter((chunk) => given[chunk]! >= least)
        const { chunks, complete_from } = keep(limit, given)
        expect(chunks).toEqual(wanted)
        expect(complete_from).toBe(wanted.length === given.length ? null : least)
      })
    )
  })
})
