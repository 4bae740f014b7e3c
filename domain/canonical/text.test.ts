// Text checks against TextEncoder and on the edges of each range.

import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Schema from "effect/Schema"
import { hasControlCharacter, Identifier, isWellFormedText, utf8ByteLength, WellFormedText } from "./text.ts"

describe("utf8ByteLength", () => {
  it("counts what TextEncoder writes, lone surrogates included", () => {
    const units = fc.array(
      fc.oneof(
        fc.integer({ min: 0, max: 0xffff }),
        fc.constantFrom(0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff)
      ),
      { maxLength: 20 }
    )
    fc.assert(
      fc.property(units, (list) => {
        const text = String.fromCharCode(...list)
        assert.strictEqual(utf8ByteLength(text), new TextEncoder().encode(text).length)
      }),
      { numRuns: 5000, seed: 8 }
    )
  })

  it("counts long text", () => {
    assert.strictEqual(utf8ByteLength("é😀a".repeat(100_000)), 700_000)
  })
})

describe("hasControlCharacter", () => {
  it("knows both ranges and nothing else, over all of the first 1,024 characters", () => {
    for (let unit = 0; unit < 1024; unit++) {
      const control = unit <= 0x1f || (unit >= 0x7f && unit <= 0x9f)
      assert.strictEqual(
        hasControlCharacter(`a${String.fromCharCode(unit)}b`),
        control,
        `U+${unit.toString(16)}`
      )
    }
    assert.isFalse(hasControlCharacter("\u2028\ufeff😀"))
  })
})

describe("isWellFormedText", () => {
  it("refuses half pairs", () => {
    assert.deepStrictEqual(["", "a", "😀", "\ud83d", "\ude00", "\ude00\ud83d"].map(isWellFormedText), [
      true,
      true,
      true,
      false,
      false,
      false
    ])
  })
})

describe("the schema pieces", () => {
  const messageOf = (schema: Schema.Decoder<unknown>, value: unknown): string => {
    try {
      Schema.decodeUnknownSync(schema)(value)
      return "accepted"
    } catch (error) {
      return String(error)
    }
  }

  it.each(["", "a", "line\nbreak\u0001", "😀".repeat(1000)])("WellFormedText takes %j", (text) => {
    assert.strictEqual(messageOf(WellFormedText, text), "accepted")
  })

  it.each(["\u0000", "a\u0000b", "\ud83d", 1])("WellFormedText refuses %j", (value) => {
    assert.notStrictEqual(messageOf(WellFormedText, value), "accepted")
  })

  it.each(["a", "run-1", "größe 😀", "x".repeat(256), "é".repeat(128), "😀".repeat(64)])(
    "Identifier takes %j",
    (text) => {
      assert.strictEqual(messageOf(Identifier, text), "accepted")
    }
  )

  it.each([
    "",
    "x".repeat(257),
    "é".repeat(129),
    `${"😀".repeat(64)}a`,
    "a\nb",
    "a\u0000",
    "\u007f",
    "\u0085",
    "\ud83d",
    7,
    null
  ])("Identifier refuses %j", (value) => {
    assert.notStrictEqual(messageOf(Identifier, value), "accepted")
  })

  it("say what they want", () => {
    assert.include(messageOf(WellFormedText, "\ud83d"), "text without lone surrogates and without U+0000")
    assert.include(
      messageOf(Identifier, ""),
      "1 to 256 UTF-8 bytes of well-formed text without control characters"
    )
  })
})
