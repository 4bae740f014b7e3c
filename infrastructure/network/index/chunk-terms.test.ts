// Terms that are counted while they are found: the same numbers as from the texts that are stored.
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { lengthOf, type TermPairs, weightedCounts } from "../../../domain/network/ranking/term-counts.ts"
import { searchedChunksOf } from "./chunk-terms.ts"

const countsIn = ({ list, pairs }: TermPairs): ReadonlyMap<string, number> =>
  new Map(
    Array.from({ length: pairs.length / 2 }, (_, index) => [list[pairs[2 * index]!]!, pairs[2 * index + 1]!])
  )

const text = fc
  .array(
    fc.constantFrom(
      "running",
      "runs",
      "HashMap.get",
      "a",
      "it's",
      "東京都",
      "C++",
      "x",
      "# On maps",
      "\n\n",
      "straße",
      "main_loop()"
    ),
    { maxLength: 60 }
  )
  .map((words) => words.join(" "))
const record = fc.record({ path: fc.constantFrom("a.md", "maps/hash-map.ts", "notes/東京.txt", ""), text })

it("terms are counted as their stored texts count them, and so are words, for many records together", () => {
  let several = 0
  fc.assert(
    fc.property(fc.array(record, { maxLength: 5 }), (records) => {
      for (const chunk of searchedChunksOf(records).flat()) {
        expect(countsIn(chunk.counts)).toEqual(weightedCounts(chunk.terms))
        expect(chunk.words).toBe(lengthOf(chunk.terms))
        several += Math.max(0, ...countsIn(chunk.counts).values()) > 1 ? 1 : 0
      }
    }),
    { numRuns: 200, seed: 11 }
  )
  expect(several).toBeGreaterThan(200)
})
