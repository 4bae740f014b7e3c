// A Schema as the JSON Schema that function calling of strict providers takes: objects with `properties`, `required` and
// `additionalProperties`, no unions, no references. Where a Schema takes several forms, its first one is told.
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject, type JsonValue } from "../../domain/canonical/json.ts"

const plain = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return (value as ReadonlyArray<JsonValue>).map(plain)
  if (!isJsonObject(value)) return value
  const { anyOf, ...others } = value
  if (Array.isArray(anyOf)) return plain({ ...others, ...(anyOf[0] as JsonObject) })
  const members: JsonObject = Object.fromEntries(
    Object.entries(others).map(([key, member]) => [key, key === "examples" ? member : plain(member)])
  )
  if (members["type"] !== "object") return members
  const { additionalProperties = true, properties = {}, required = [], type, ...told } = members
  return additionalProperties === true
    ? { type, ...told, properties, additionalProperties }
    : { type, ...told, properties, required, additionalProperties }
}

/** The JSON Schema of a tool's input. */
export const plainJsonSchema = (schema: Schema.Top): JsonObject => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  const names = Object.keys(definitions)
  if (names.length > 0) throw new Error(`a tool's Schema must hold no references: ${names.join(", ")}`)
  const isEmpty = root["type"] !== "object"
  // An empty Struct takes anything in JSON Schema; a tool without arguments takes an object without members.
  return plain(
    isEmpty ? { type: "object", additionalProperties: false } : (root as unknown as JsonObject)
  ) as JsonObject
}
