// What was written is read again, keys with escapes included, which V8's own parser can confuse.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { messageValue } from "./written-json.ts"

describe("a message", () => {
  it("is what was written", () => {
    const value = fc.jsonValue({ noUnicodeString: false })
    fc.assert(
      fc.property(value, (each) => {
        expect(messageValue(JSON.stringify(each))).toEqual(JSON.parse(JSON.stringify(each)))
      })
    )
  })

  it("keeps keys apart that differ by an escape", () => {
    const text = String.raw`[{"a\\":1},{"a\"":2},{"a\n":3}]`
    expect(messageValue(text)).toEqual([{ "a\\": 1 }, { 'a"': 2 }, { "a\n": 3 }])
  })

  it("is undefined when it is no JSON, with a backslash and without", () => {
    expect(messageValue("nonsense")).toBeUndefined()
    expect(messageValue('{"a":"\\')).toBeUndefined()
  })

  it("may be as deep as the deepest value with a message around it", () => {
    const deep = `${"[".repeat(72)}"\\n"${"]".repeat(72)}`
    expect(messageValue(deep)).toBeDefined()
  })
})
