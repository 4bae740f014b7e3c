// What the reader without a library adds to the tests of the strict reader: stored text is read, or is none.
import { describe, expect, it } from "vitest"
import { JsonFault, readStrictly, storedValue } from "./json-reading.ts"

describe("the reader", () => {
  it("says what is wrong and where", () => {
    expect(() => readStrictly('{"a":1,"a":2}', "jcs/1")).toThrow(new JsonFault("duplicate_key", 7))
  })

  it("reads stored text, with escaped keys too, and gives nothing for what is no JSON", () => {
    expect(storedValue('{"a\\\\":1,"a\\"":[true]}')).toEqual({ "a\\": 1, 'a"': [true] })
    expect(storedValue("{")).toBeUndefined()
  })
})
