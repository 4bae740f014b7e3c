// The rule py/1: what Python's json.dumps(sort_keys=True, separators=(",", ":")) prints, for bundles. Keys
// stand in code-point order and everything beyond printable ASCII is escaped. Only safe integers are written,
// since JavaScript cannot tell Python's 1.0 from 1; a float must never be printed under this name.

import * as Result from "effect/Result"
import type { JsonValue } from "./json.ts"
import type { NotCanonical } from "./not-canonical.ts"
import { orderedText, refusalOrDefect, type WritingRule } from "./writer.ts"

// UTF-16 order puts a surrogate (so every code point from U+10000 on) before U+E000..U+FFFF; code-point order
// puts it after. Moving the two ranges past each other makes units compare as code points do.
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Negative when `left` comes first in code-point order; both are well-formed. */
export const compareCodePoints = (left: string, right: string): number => {
  const shorter = Math.min(left.length, right.length)
  for (let index = 0; index < shorter; index++) {
    const difference = rank(left.charCodeAt(index)) - rank(right.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

const rule: WritingRule = {
  name: "py/1",
  integersOnly: true,
  sort: (keys) => {
    keys.sort(compareCodePoints)
  }
}

const beyondPrintableAscii = /[^ -~]/g

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The value's canonical text under py/1, pure ASCII; throws `NotCanonical`. */
export const pyText = (value: unknown): string =>
  orderedText(rule, value).replace(beyondPrintableAscii, escaped)

/** True for the keys that JSON.stringify would move or JavaScript swallow: integer-like ones first, __proto__ not at all. */
const isAwkwardKey = (key: string): boolean => {
  const first = key.charCodeAt(0)
  return (first >= 0x30 && first <= 0x39) || key === "__proto__"
}

/** True when keys stand in the rule's order at every level, and none is of those that come first in any order. */
const isInOrder = (value: JsonValue): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return value.every(isInOrder)
  let before: string | undefined
  for (const [key, member] of Object.entries(value)) {
    if (isAwkwardKey(key) || (before !== undefined && compareCodePoints(before, key) >= 0)) return false
    if (typeof member === "object" && !isInOrder(member)) return false
    before = key
  }
  return true
}

/**
 * As `pyText`, for a value that `readJson` read under py/1. Such a value holds nothing that must be refused, so that
 * one whose keys are in order is printed as it stands, without the walk that checks.
 */
export const pyTextOfRead = (value: JsonValue): string =>
  isInOrder(value) ? JSON.stringify(value).replace(beyondPrintableAscii, escaped) : pyText(value)

/** The value's canonical text under py/1, or the refusal as a value. */
export const py = (value: unknown): Result.Result<string, NotCanonical> =>
  Result.try({ try: () => pyText(value), catch: refusalOrDefect })
