// The rule jcs/1: RFC 8785 (JSON Canonicalization Scheme), for events, ids and thought records. Text stays
// raw UTF-8, keys stand in UTF-16 order, numbers in their shortest ECMAScript form. Its output is hashed and
// stored forever: it must never change under this name.

import * as Result from "effect/Result"
import { type JsonObject, type JsonValue, MAX_JSON_DEPTH } from "./json.ts"
import type { NotCanonical } from "./not-canonical.ts"
import { orderedText, refusalOrDefect, type WritingRule } from "./writer.ts"

const sort = (keys: Array<string>): void => {
  for (let index = 1; index < keys.length; index++) {
    if (keys[index - 1]! > keys[index]!) {
      keys.sort()
      return
    }
  }
}

const rule: WritingRule = { name: "jcs/1", integersOnly: false, sort }

/**
 * The value's canonical text under jcs/1; throws `NotCanonical`.
 *
 * @example
 * import { jcsText } from "cortex-cassette/domain"
 *
 * if (jcsText({ b: 1, a: [true] }) !== '{"a":[true],"b":1}') throw new Error("not canonical")
 */
export const jcsText = (value: unknown): string => orderedText(rule, value)

/** True when JSON.stringify writes the keys in the rule's order at every level, and nothing is of another kind or too deep. */
const isInOrder = (value: JsonValue, maxDepth: number): boolean => {
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean"
  if (value === null) return true
  if (maxDepth === 0) return false
  if (Array.isArray(value)) {
    return (value as ReadonlyArray<JsonValue>).every((member) => isInOrder(member, maxDepth - 1))
  }
  let before: string | undefined
  for (const key of Object.keys(value)) {
    if ((before !== undefined && before >= key) || !isInOrder((value as JsonObject)[key]!, maxDepth - 1))
      return false
    before = key
  }
  return true
}

/**
 * As `jcsText`, for a value that a reader of JSON or a database made: plain, without accessors. One whose keys are in order is
 * printed as it stands, without the walk that joins texts; only JSON.stringify's escape of a lone surrogate is no canonical text.
 */
export const jcsTextOfRead = (value: JsonValue, maxDepth = MAX_JSON_DEPTH): string => {
  if (isInOrder(value, maxDepth)) {
    const text = JSON.stringify(value)
    if (!text.includes("\\ud")) return text
  }
  return orderedText(rule, value, maxDepth)
}

/** The value's canonical text under jcs/1, or the refusal as a value; up to 64 levels deep unless told otherwise. */
export const jcs = (value: unknown, maxDepth?: number): Result.Result<string, NotCanonical> =>
  Result.try({ try: () => orderedText(rule, value, maxDepth), catch: refusalOrDefect })
