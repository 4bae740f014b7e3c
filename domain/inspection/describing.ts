// A few words for a stored payload or receipt, which may be large, or damaged.
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../canonical/json.ts"
import { parseStoredJson } from "../canonical/stored-json.ts"
import { gistOfPayload, gistOfReceipt, lineOf } from "../history/gist.ts"

/** The longest text that words are looked for in (UTF-16 units): a larger one is named by its beginning. */
const MAX_DESCRIBED = 65_536

const objectOf = (text: string): JsonObject | undefined => {
  if (text.length > MAX_DESCRIBED) return undefined
  const read = parseStoredJson(text)
  return Result.isSuccess(read) && isJsonObject(read.success) ? read.success : undefined
}

/** What a step asks. */
export const whatOf = (payload: string): string => {
  const object = objectOf(payload)
  return object === undefined ? lineOf(payload) : gistOfPayload(object)
}

/** Why a receipt is no success. */
export const reasonOf = (receipt: string): string => {
  const object = objectOf(receipt)
  return object === undefined ? lineOf(receipt) : gistOfReceipt(object, false)
}
