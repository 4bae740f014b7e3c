// py/1: what Python's json module prints. The texts here were printed by Python 3.11.

import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { compareCodePoints, pyText } from "./py.ts"
import { readJson } from "./strict-reader.ts"
import {
  jsonArbitrary,
  safeIntegerArbitrary,
  textArbitrary,
  withoutNegativeZero
} from "./testing/json-arbitrary.ts"

describe("pyText", () => {
  it("sorts keys by code points, where UTF-16 order would differ", () => {
    const value = { "\u{10000}": 1, "\uffff": 2, "\ue000": 3, "\ud7ff": 4, z: 5 }
    assert.strictEqual(pyText(value), '{"z":5,"\\ud7ff":4,"\\ue000":3,"\\uffff":2,"\\ud800\\udc00":1}')
  })

  it("escapes everything beyond printable ASCII in lower case, and the slash not", () => {
    assert.strictEqual(
      pyText('\u0000\b\t\n\u000b\f\r\u001f "\\/~\u007f\u0080é\u2028😀'),
      '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f \\"\\\\/~\\u007f\\u0080\\u00e9\\u2028\\ud83d\\ude00"'
    )
  })

  it("writes integers to the last safe one, and no negative zero", () => {
    assert.strictEqual(
      pyText([0, -0, -1, 2 ** 53 - 1, -(2 ** 53 - 1)]),
      "[0,0,-1,9007199254740991,-9007199254740991]"
    )
  })

  it("keeps integer-like keys in text order", () => {
    assert.strictEqual(pyText({ 9: 1, 10: 2, a: { ["__proto__"]: 3 } }), '{"10":2,"9":1,"a":{"__proto__":3}}')
  })

  it("gives ASCII that reads back as the same value, for 2,000 generated values", () => {
    fc.assert(
      fc.property(jsonArbitrary(safeIntegerArbitrary), (value) => {
        const text = pyText(value)
        assert.match(text, /^[ -~]*$/)
        assert.isTrue(
          isDeepStrictEqual(Result.getOrThrow(readJson(text, "py/1")), withoutNegativeZero(value))
        )
      }),
      { numRuns: 2000, seed: 311 }
    )
  })
})

describe("compareCodePoints", () => {
  it("orders as lists of code points do, for 2,000 generated pairs", () => {
    const pointsOf = (text: string) => Array.from(text, (character) => character.codePointAt(0)!)
    const model = (left: string, right: string): number => {
      const [a, b] = [pointsOf(left), pointsOf(right)]
      const differing = a.findIndex((point, index) => point !== b[index])
      return differing >= 0 && differing < b.length ? a[differing]! - b[differing]! : a.length - b.length
    }
    fc.assert(
      fc.property(textArbitrary, textArbitrary, textArbitrary, (prefix, left, right) => {
        const [a, b] = [prefix + left, prefix + right]
        assert.strictEqual(Math.sign(compareCodePoints(a, b)), Math.sign(model(a, b)))
      }),
      { numRuns: 2000, seed: 311 }
    )
  })
})
