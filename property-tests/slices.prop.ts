// Properties of slices on random Unicode text: they agree with a naive model that makes the lists which the product
// must not make, never cut a character in two, and are refused exactly where the model runs out of text.
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { textArbitrary } from "../domain/canonical/testing/json-arbitrary.ts"
import { applySlice, parseSlice, type Slice, sliceText } from "../domain/corpus/slice.ts"
import { propParameters } from "./support/configuration.ts"

/** Text with many line ends of every kind, of characters of one to four bytes. */
const text = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("\n", "\n\n", "\r\n", "\r", "\u2028", "😀", "é", "e\u0301") },
      { weight: 2, arbitrary: textArbitrary }
    ),
    { maxLength: 24 }
  )
  .map((parts) => parts.join(""))

const near = fc.oneof(
  { weight: 9, arbitrary: fc.nat({ max: 40 }) },
  { weight: 1, arbitrary: fc.maxSafeNat() }
)

const slice: fc.Arbitrary<Slice> = fc.oneof(
  fc
    .tuple(fc.constantFrom("lines" as const, "chars" as const), near, fc.integer({ min: 1, max: 20 }))
    .map(([unit, start, length]) => ({
      unit,
      start: Math.min(start, Number.MAX_SAFE_INTEGER - length),
      end: Math.min(start, Number.MAX_SAFE_INTEGER - length) + length
    })),
  fc
    .tuple(fc.constantFrom("head" as const, "tail" as const), near)
    .map(([unit, count]) => ({ unit, count: Math.max(1, count) }))
)

/** The piece, or how many units there are. */
const naive = (whole: string, cut: Slice): string | number => {
  if (cut.unit === "lines") {
    const lines = whole.split("\n")
    return cut.end <= lines.length ? lines.slice(cut.start, cut.end).join("\n") : lines.length
  }
  const points = [...whole]
  if (cut.unit === "chars") {
    return cut.end <= points.length ? points.slice(cut.start, cut.end).join("") : points.length
  }
  return (cut.unit === "head" ? points.slice(0, cut.count) : points.slice(-cut.count)).join("")
}

describe("slices", () => {
  it("agree with the naive model", () => {
    fc.assert(
      fc.property(text, slice, (whole, cut) => {
        const result = applySlice(whole, cut)
        const got = Result.isSuccess(result) ? result.success : result.failure.available
        expect(got).toBe(naive(whole, cut))
      }),
      propParameters(10)
    )
  })

  it("take no more characters than they say, and whole ones", () => {
    fc.assert(
      fc.property(text, slice, (whole, cut) => {
        const result = applySlice(whole, cut)
        if (Result.isFailure(result)) return
        const piece = result.success
        expect(piece.isWellFormed()).toBe(true)
        expect(whole).toContain(piece)
        if (cut.unit === "lines") expect(piece.split("\n")).toHaveLength(cut.end - cut.start)
        else if (cut.unit === "chars") expect([...piece]).toHaveLength(cut.end - cut.start)
        else expect([...piece].length).toBeLessThanOrEqual(cut.count)
      }),
      propParameters(5)
    )
  })

  it("fit together again", () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 60 }), (whole, at) => {
        const points = [...whole].length
        fc.pre(points > 0)
        const count = 1 + (at % points)
        const head = Result.getOrThrow(applySlice(whole, { unit: "head", count }))
        const rest =
          count === points
            ? ""
            : Result.getOrThrow(applySlice(whole, { unit: "chars", start: count, end: points }))
        expect(head + rest).toBe(whole)
      }),
      propParameters(5)
    )
  })

  it("have one spelling, which is read back as the same slice", () => {
    fc.assert(
      fc.property(slice, (cut) => {
        expect(Result.getOrThrow(parseSlice(` ${sliceText(cut)}\n`))).toStrictEqual(cut)
      }),
      propParameters(2)
    )
  })

  it("are refused when anything in the spelling is changed to something else", () => {
    fc.assert(
      fc.property(slice, fc.nat({ max: 60 }), textArbitrary, (cut, at, put) => {
        const spelled = sliceText(cut)
        const place = at % (spelled.length + 1)
        const changed = spelled.slice(0, place) + put + spelled.slice(place + 1)
        const result = parseSlice(changed)
        if (Result.isFailure(result)) return
        expect(sliceText(result.success)).toBe(changed.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, ""))
      }),
      propParameters(5)
    )
  })
})
