// The rule jcs/1: RFC 8785 (JSON Canonicalization Scheme), for events, ids and thought records. Text stays
// raw UTF-8, keys stand in UTF-16 order, numbers in their shortest ECMAScript form. Its output is hashed and
// stored forever: it must never change under this name.

import * as Result from "effect/Result"
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

/** The value's canonical text under jcs/1; throws `NotCanonical`. */
export const jcsText = (value: unknown): string => orderedText(rule, value)

/** The value's canonical text under jcs/1, or the refusal as a value; up to 64 levels deep unless told otherwise. */
export const jcs = (value: unknown, maxDepth?: number): Result.Result<string, NotCanonical> =>
  Result.try({ try: () => orderedText(rule, value, maxDepth), catch: refusalOrDefect })
