// What a JSON value is here, and how deep one may go. Every layer types stored and wire data with these
// names. This file must never widen "plain": a class instance, a Date or a Map is not a JSON object.

/** A JSON text's value: null, boolean, number, text, list or object, read-only all the way down. */
export type JsonValue = null | boolean | number | string | ReadonlyArray<JsonValue> | JsonObject

/** A JSON object: own string keys (any, `__proto__` included) with JSON values. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Deepest nesting that is written or read: a scalar has depth 0, `[]` has 1; 64 passes and 65 is refused. */
export const MAX_JSON_DEPTH = 64

/** Deepest nesting of stored text: an event's `data` holds a step's payload three levels down. */
export const MAX_STORED_DEPTH = MAX_JSON_DEPTH + 3

/** True when the object was made by `{}` or `Object.create(null)`, so that it carries no class's behaviour. */
export const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** True for a plain object, neither null nor a list; looks at this level only, never at the members. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && isPlainObject(value)
