// Parsing of stored JSON text: keys with escapes keep their names, and everything else is as JSON.parse reads it.
import { describe, expect, it } from "vitest"
import * as Result from "effect/Result"
import { parseCanonicalJson, parseStoredJson } from "./stored-json.ts"

const parse = (text: string) => Result.getOrThrow(parseStoredJson(text))

describe("parseStoredJson", () => {
  it("reads a key with an escape by its own name, after any other text", () => {
    JSON.parse('{"a":1,"\\\\":2}')
    expect(Object.keys(parse('{"a":1,"\\"":2}') as object)).toEqual(["a", '"'])
  })
  it("reads plain text as JSON.parse does", () => {
    expect(parse('{"a":[1,true,null,"é"],"b":{}}')).toEqual({ a: [1, true, null, "é"], b: {} })
  })
  it("keeps __proto__ an ordinary key on both ways", () => {
    expect(Object.keys(parse('{"__proto__":1}') as object)).toEqual(["__proto__"])
    expect(Object.keys(parse('{"__proto__":"\\n"}') as object)).toEqual(["__proto__"])
  })
  it.each(["", "{", '{"a":1}x', '{"\\q":1}'])("answers text that is no JSON (%s) with a failure", (text) => {
    expect(Result.isFailure(parseStoredJson(text))).toBe(true)
  })
})

describe("parseCanonicalJson", () => {
  it("refuses no text whose key JSON.parse takes for one that it read before", () => {
    const text = '{"":"","\\u001f":false}'
    JSON.parse('{"x":{"\\\\":{"b":"","c":[]},"":1},"y":{"":"","\\u001f":false}}')
    expect(parseCanonicalJson(text)).toEqual({ "": "", "\u001f": false })
    const nested = '{"x":{"":"","\\\\":false},"y":{"":"","\\u001f":false}}'
    expect(parseCanonicalJson(nested)).toEqual({
      x: { "": "", "\\": false },
      y: { "": "", "\u001f": false }
    })
  })
  it("reads text that is its own canonical text", () => {
    expect(parseCanonicalJson('{"a":[1,"\\n"],"b":null}')).toEqual({ a: [1, "\n"], b: null })
  })
  it("reads a key with an escape by its own name, after any other text", () => {
    JSON.parse('{"a":1,"\\\\":2}')
    const value = parseCanonicalJson('{"\\"":2,"a":1}')
    expect(value === undefined || Object.keys(value as object)).toEqual(['"', "a"])
  })
  it.each([
    "",
    "{",
    ' {"a":1}',
    '{"b":1,"a":2}',
    '{"a":1,"a":1}',
    '{"a":1.0}',
    '"\\u0061"',
    '"\\ud800"',
    "[1] "
  ])("does not read %s", (text) => expect(parseCanonicalJson(text)).toBeUndefined())
})
