// The memory of recent expansions: exact keys, a bound, and nothing large.
import { describe, expect, it } from "vitest"
import { makeRecentExpansions } from "./recent-expansions.ts"
import { sample } from "../testing/expansion-caches.ts"

describe("recent expansions", () => {
  it("are found by exactly their key", () => {
    const recent = makeRecentExpansions()
    recent.keep(sample())
    expect(recent.find(sample())).toEqual(sample())
    expect(recent.find(sample({ run_id: "run_2" }))).toBeUndefined()
    expect(recent.find(sample({ slice: "lines[0:8]" }))).toBeUndefined()
  })

  it("never take more than their bound, and nothing large", () => {
    const recent = makeRecentExpansions()
    const numbered = (number: number, size = 100_000) => sample({ run_id: `r${number}` }, "x".repeat(size))
    const keptOf = (count: number) =>
      Array.from({ length: count }, (_, number) => recent.find(numbered(number))).filter(Boolean).length
    for (let number = 0; number < 80; number++) recent.keep(numbered(number))
    expect(keptOf(80)).toBe(80)
    for (let number = 80; number < 200; number++) recent.keep(numbered(number))
    expect(keptOf(200)).toBeLessThan(84)
    expect(recent.find(numbered(199))).toBeDefined()
    recent.keep(numbered(500, 300_000))
    expect(recent.find(numbered(500))).toBeUndefined()
  })
})
