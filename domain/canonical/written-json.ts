// Reads JSON that another process of this program has just written with JSON.stringify. JSON.parse is the quickest parser
// there is, but V8's can give a key with an escape the name of another key, so text with a backslash goes through our
// own reader. It loads no library, since a process for each cassette loads it.
import { storedValue } from "./json-reading.ts"
import { type JsonValue, MAX_JSON_DEPTH } from "./json.ts"

/** A message has a few levels of its own around the deepest value that anybody gave us. */
const MAX_MESSAGE_DEPTH = 2 * MAX_JSON_DEPTH

/** The value of a message, or undefined when it is no JSON. */
export const messageValue = (text: string): JsonValue | undefined => {
  if (text.includes("\\")) return storedValue(text, MAX_MESSAGE_DEPTH)
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    // All that JSON.parse throws for a string is a SyntaxError.
    return undefined
  }
}
