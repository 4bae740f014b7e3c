// jcs/1 against the examples of RFC 8785 and against another implementation on generated values.

import { assert, describe, it } from "@effect/vitest"
import canonicalize from "canonicalize"
import * as fc from "fast-check"
import { jcsText, jcsTextOfRead } from "./jcs.ts"
import type { JsonValue } from "./json.ts"
import { jsonArbitrary, numberArbitrary } from "./testing/json-arbitrary.ts"

const doubleOf = (hex: string): number => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt(`0x${hex}`))
  return view.getFloat64(0)
}

describe("the examples of RFC 8785", () => {
  it("writes the sample of section 3.2.3", () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000f\nA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false]
    }
    assert.strictEqual(
      jcsText(value),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
  })

  it("sorts keys by UTF-16 units, integer-like ones too", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }
    const names = [...jcsText(value).matchAll(/:"([^"]+)"/g)].map((match) => match[1])
    assert.deepStrictEqual(names, [
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh"
    ])
  })

  it.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"]
  ])("writes the double %s as %s", (hex, text) => {
    assert.strictEqual(jcsText(doubleOf(hex)), text)
    assert.strictEqual(jcsText([doubleOf(hex)]), `[${text}]`)
  })
})

describe("keys that a plain copy would lose", () => {
  it("keeps the order of integer-like keys and __proto__ as a key, at any level", () => {
    const value = { a: { 9: 1, 10: { ["__proto__"]: [2] } }, ["__proto__"]: { 2: null }, b: ["x"] }
    assert.strictEqual(
      jcsText(value),
      '{"__proto__":{"2":null},"a":{"10":{"__proto__":[2]},"9":1},"b":["x"]}'
    )
  })

  it("takes a member called toJSON as data", () => {
    assert.strictEqual(jcsText({ toJSON: "text", a: 1 }), '{"a":1,"toJSON":"text"}')
  })

  it("takes objects without a prototype", () => {
    assert.strictEqual(jcsText(Object.assign(Object.create(null), { b: 1, a: 2 })), '{"a":2,"b":1}')
  })

  it("writes the same object twice when it stands at two places", () => {
    const shared = { z: 1 }
    assert.strictEqual(jcsText([shared, { a: shared }]), '[{"z":1},{"a":{"z":1}}]')
  })
})

describe("agreement with the canonicalize package", () => {
  it("writes 5,000 generated values alike", () => {
    fc.assert(
      fc.property(jsonArbitrary(numberArbitrary), (value) => {
        assert.strictEqual(jcsText(value), canonicalize(value))
      }),
      { numRuns: 5000, seed: 8785 }
    )
  })
})

describe("what was read", () => {
  const outcomeOf = (write: () => string): unknown => {
    try {
      return write()
    } catch (thrown) {
      return thrown
    }
  }
  const sameOutcome = (read: JsonValue) =>
    assert.deepStrictEqual(
      outcomeOf(() => jcsTextOfRead(read)),
      outcomeOf(() => jcsText(read))
    )

  it("is written or refused as any other value is, with keys in order or not", () => {
    fc.assert(
      fc.property(jsonArbitrary(numberArbitrary), (value) => {
        sameOutcome(JSON.parse(JSON.stringify(value)) as JsonValue)
        sameOutcome(JSON.parse(jcsText(value)) as JsonValue)
      }),
      { numRuns: 2000, seed: 8785 }
    )
  })

  it.each([
    ['"\\ud800"'],
    ['{"\\udc00":1}'],
    ['"\\\\ud800"'],
    ["[1e999]"],
    ["[-0]"],
    ['{"10":1,"9":2}'],
    ["[".repeat(64) + "]".repeat(64)],
    ["[".repeat(65) + "]".repeat(65)],
    ['{"a":'.repeat(65) + "1" + "}".repeat(65)]
  ])("is written or refused as any other value is: %s", (text) => sameOutcome(JSON.parse(text) as JsonValue))
})
