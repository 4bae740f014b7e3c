// Random JSON values that look for trouble: keys that sort differently by UTF-16 and by code point, that look
// like integers or are called __proto__; text with escapes, controls and astral characters; extreme numbers.

import * as fc from "fast-check"
import type { JsonValue } from "../json.ts"

const awkwardText = fc.constantFrom(
  "",
  "__proto__",
  "constructor",
  "toJSON",
  "0",
  "1",
  "10",
  "9",
  "01",
  "-1",
  "4294967295",
  '"',
  "\\",
  "/",
  "\u0000",
  "\u001f",
  "\u007f",
  "\u0080",
  "é",
  "\u2028",
  "\ud7ff",
  "\ue000",
  "\ufeff",
  "\uffff",
  "\u{10000}",
  "😀",
  "\u{10ffff}"
)

/** Well-formed text: any code points but lone surrogates, with a share of awkward words. */
export const textArbitrary = fc.oneof(
  awkwardText,
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ maxLength: 12 })
)

/** Any finite double, small integers, and the edges of what is exact. */
export const numberArbitrary = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(
    0,
    -0,
    5e-324,
    -5e-324,
    1e21,
    1e-7,
    1e23,
    2 ** 53,
    2 ** 53 - 1,
    -(2 ** 53),
    1.7976931348623157e308
  )
)

/** Integers that py/1 writes. */
export const safeIntegerArbitrary = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER)
)

/** JSON values whose numbers come from `numbers`. Members are defined, so that `__proto__` is an own key. */
export const jsonArbitrary = (numbers: fc.Arbitrary<number>): fc.Arbitrary<JsonValue> =>
  fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.oneof(fc.constant(null), fc.boolean(), numbers, textArbitrary),
      fc.array(tie("value"), { maxLength: 5 }),
      fc.array(fc.tuple(textArbitrary, tie("value")), { maxLength: 6 }).map(objectOf)
    )
  })).value

const objectOf = (entries: ReadonlyArray<readonly [string, JsonValue]>): JsonValue =>
  Object.fromEntries(entries)

/** The same value with every object's keys put in the opposite order (integer-like keys stay where V8 puts them). */
export const withKeysReversed = (value: JsonValue): JsonValue => {
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map(withKeysReversed)
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([key, member]) => [key, withKeysReversed(member)]))
}

/** The same value with 0 for every negative zero: what a reader gives back, since no rule writes the sign. */
export const withoutNegativeZero = (value: JsonValue): JsonValue => {
  if (value === 0) return 0
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map(withoutNegativeZero)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutNegativeZero(member)]))
}
