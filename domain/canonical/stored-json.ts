// Parses JSON text that is expected to be canonical already: stored events, payloads and receipts. JSON.parse is
// the quickest parser there is, but V8's can give a key with an escape the name of another key that it read before,
// so text with a backslash goes through our own reader. It never judges whether the text is canonical.
import * as Result from "effect/Result"
import { type JsonValue, MAX_STORED_DEPTH } from "./json.ts"
import type { NotStrictJson } from "./not-strict-json.ts"
import { jcsTextOfRead } from "./jcs.ts"
import { readJson } from "./strict-reader.ts"
import { refusalOrDefect } from "./writer.ts"

/** The value of stored JSON text, or why it is none. */
export const parseStoredJson = (text: string): Result.Result<JsonValue, NotStrictJson> => {
  if (text.includes("\\")) return readJson(text, "jcs/1", MAX_STORED_DEPTH)
  try {
    return Result.succeed(JSON.parse(text) as JsonValue)
  } catch {
    return readJson(text, "jcs/1", MAX_STORED_DEPTH)
  }
}

const ifWrittenAlike = (value: JsonValue, text: string, maxDepth?: number): JsonValue | undefined => {
  try {
    return jcsTextOfRead(value, maxDepth) === text ? value : undefined
  } catch (thrown) {
    refusalOrDefect(thrown)
    return undefined
  }
}

/**
 * The value of text that is its own canonical text (`jcs/1`), or undefined. Canonical text has one meaning, so a value
 * that is written as the same text again was read rightly, by JSON.parse too. Else JSON.parse may have read a key wrongly.
 */
export const parseCanonicalJson = (text: string, maxDepth?: number): JsonValue | undefined => {
  let parsed: JsonValue
  try {
    parsed = JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
  const value = ifWrittenAlike(parsed, text, maxDepth)
  if (value !== undefined || !text.includes("\\")) return value
  const read = readJson(text, "jcs/1", maxDepth)
  return Result.isSuccess(read) ? ifWrittenAlike(read.success, text, maxDepth) : undefined
}
