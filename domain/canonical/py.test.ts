// py/1: what Python's json module prints. The texts here were printed by Python 3.11.

import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { compareCodePoints, pyText, pyTextOfRead } from "./py.ts"
import { readJson } from "./strict-reader.ts"
import {
  jsonArbitrary,
  safeIntegerArbitrary,
  textArbitrary,
  withoutNegativeZero
} from "./testing/json-arbitrary.ts"

describe("pyTextOfRead", () => {
  const read = (text: string) => Result.getOrThrow(readJson(text, "py/1"))

  it("sorts what was read in another order, at every level, and moves no integer-like key", () => {
    for (const text of [
      '{"b":1,"a":2}',
      '[{"a":{"d":1,"c":[{"b":1,"a":"\u00e9"}]}}]',
      '{"a":1,"10":2,"9":3}',
      '{"10":1,"9":2}',
      '{"__proto__":{"b":1,"a":2},"_":1}',
      '{"\ue000":1,"\ud800\udc00":2}',
      '{"\ud800\udc00":1,"\ue000":2}'
    ]) {
      assert.strictEqual(pyTextOfRead(read(text)), pyText(JSON.parse(text)), text)
    }
  })

  it("prints what pyText prints, for 2,000 generated values in order and as they come", () => {
    fc.assert(
      fc.property(jsonArbitrary(safeIntegerArbitrary), (value) => {
        for (const text of [pyText(value), JSON.stringify(value)]) {
          assert.strictEqual(pyTextOfRead(read(text)), pyText(value))
        }
      }),
      { numRuns: 2_000, seed: 312 }
    )
  })
})

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
