// What a payload or a receipt is about, in a few words. Only what its first levels say; a body may have a mebibyte.
import { jcs } from "../canonical/jcs.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../canonical/json.ts"
import * as Result from "effect/Result"
import { beginningOf } from "./bodies.ts"

/** Longest gist (UTF-16 units). */
const GIST_UNITS = 160

const isScalar = (value: JsonValue | undefined): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** One line of at most so many units, with a mark where something was left out. */
export const lineOf = (text: string, units = GIST_UNITS): string => {
  const [line = ""] = text.split("\n", 1)
  const shown = beginningOf(line, units)
  return shown === text ? text : `${shown} …`
}

const textAt = (body: JsonObject, ...names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (typeof value === "string" && value !== "") return value
  }
  return undefined
}

/** What a payload asks for: its `op`, else its `intent`, else its first key; and the first thing that its `refs` name. */
export const gistOfPayload = (payload: JsonObject): string => {
  const name = textAt(payload, "op", "intent") ?? Object.keys(payload)[0] ?? ""
  const refs = Object.hasOwn(payload, "refs") ? payload["refs"] : undefined
  const ref = isJsonObject(refs) ? Object.values(refs).find(isScalar) : undefined
  return lineOf(ref === undefined ? name : `${name} ${String(ref)}`)
}

/** Why something failed: `message`, `reason` or `error`, or those of an `error` that is an object. */
const reasonOf = (receipt: JsonObject): string | undefined => {
  const own = textAt(receipt, "message", "reason", "error")
  const error = Object.hasOwn(receipt, "error") ? receipt["error"] : undefined
  if (own !== undefined || !isJsonObject(error)) return own
  const said = textAt(error, "message", "reason")
  const code = textAt(error, "code", "_tag")
  return [code, said].filter((part) => part !== undefined).join(": ") || undefined
}

/** The receipt of a step that read a slice of a text, if it is one. */
const readingOf = ({ bytes_read, cache, slice }: JsonObject): string | undefined =>
  typeof bytes_read === "number" && typeof slice === "string" && typeof cache === "string"
    ? `${bytes_read} bytes of ${slice} (${cache})`
    : undefined

/** What a receipt says: why it failed, what was read, else how its text begins. */
export const gistOfReceipt = (receipt: JsonObject, isSuccess: boolean): string => {
  const said = (isSuccess ? undefined : reasonOf(receipt)) ?? readingOf(receipt)
  return lineOf(said ?? Result.getOrElse(jcs(receipt), () => ""))
}
