// Parsing of stored JSON text: keys with escapes keep their names, and everything else is as JSON.parse reads it.
import { describe, expect, it } from "vitest"
import * as Result from "effect/Result"
import { parseStoredJson } from "./stored-json.ts"

const parse = (text: string) => Result.getOrThrow(parseStoredJson(text))

describe("parseStoredJson", () => {
  it("reads a key with an escape by its own name, whatever was read before", () => {
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
