// What the protocol writes, read once for all who follow it.
import { isJsonObject, type JsonObject } from "../../../domain/canonical/json.ts"
import { storedValue } from "../../../domain/canonical/json-reading.ts"

/** The answers in written lines, those of batches too: what has a `result` or an `error`. A request of the server is none. */
export const writtenAnswers = (text: string): ReadonlyArray<JsonObject> =>
  text
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [storedValue(line)].flat()))
    .filter(isJsonObject)
    .filter((message) => Object.hasOwn(message, "result") || Object.hasOwn(message, "error"))
