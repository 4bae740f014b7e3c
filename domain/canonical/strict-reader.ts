// Reads JSON from text or bytes strictly, and says why and where it refuses them, by line and column.

import * as Result from "effect/Result"
import { type JsonValue, MAX_JSON_DEPTH } from "./json.ts"
import { type Halves, JsonFault, readStrictly } from "./json-reading.ts"
import type { CanonicalRule } from "./not-canonical.ts"
import { type NotStrictJson, notStrictJsonAt } from "./not-strict-json.ts"

// TextDecoder is a global of every JavaScript host, yet part of no ECMAScript library that TypeScript knows.
declare const TextDecoder: new (
  encoding: "utf-8",
  options: { readonly fatal: true; readonly ignoreBOM: true }
) => { decode: (bytes: Uint8Array, options?: { readonly stream: true }) => string }

/** The value of a JSON text, or why the text is refused; a key named `__proto__` is an ordinary own key. */
export const readJson = (
  text: string,
  rule: CanonicalRule,
  maxDepth = MAX_JSON_DEPTH,
  halves: Halves = "refuse"
): Result.Result<JsonValue, NotStrictJson> =>
  Result.try({
    try: () => readStrictly(text, rule, maxDepth, halves),
    catch: (thrown) => {
      if (thrown instanceof JsonFault) return notStrictJsonAt(rule, thrown.reason, text, thrown.offset)
      throw thrown
    }
  })

/** As `readJson`, for bytes that must be UTF-8 without a byte order mark. */
export const readJsonBytes = (
  bytes: Uint8Array,
  rule: CanonicalRule,
  maxDepth = MAX_JSON_DEPTH,
  halves: Halves = "refuse"
): Result.Result<JsonValue, NotStrictJson> => {
  const text = decodedText(bytes)
  if (text !== undefined) return readJson(text, rule, maxDepth, halves)
  const sound = soundPrefix(bytes)
  return Result.fail(notStrictJsonAt(rule, "not_utf8", sound, sound.length))
}

const decodedText = (bytes: Uint8Array, options?: { readonly stream: true }): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, options)
  } catch {
    // With "fatal" the decoder throws for one reason: the bytes are not UTF-8.
    return undefined
  }
}

/** The text before the first byte that is not UTF-8, found by halving, since the decoder does not tell. */
const soundPrefix = (bytes: Uint8Array): string => {
  let sound = 0
  let broken = bytes.length
  while (broken - sound > 1) {
    const middle = sound + Math.floor((broken - sound) / 2)
    if (decodedText(bytes.subarray(0, middle), { stream: true }) === undefined) broken = middle
    else sound = middle
  }
  return decodedText(bytes.subarray(0, sound), { stream: true }) ?? ""
}
