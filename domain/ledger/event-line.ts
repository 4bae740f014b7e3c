// An event as one line of JSON, and back: the envelope's fields with `data` as nested JSON. Data that is canonical stands in the
// line as it is stored, so that the line of an event is one text. Reading is strict, and takes any JSON text of the same values.
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject, type JsonValue, MAX_STORED_DEPTH } from "../canonical/json.ts"
import { jcsTextOfRead } from "../canonical/jcs.ts"
import { NotStrictJson } from "../canonical/not-strict-json.ts"
import { parseStoredJson } from "../canonical/stored-json.ts"
import { readJson } from "../canonical/strict-reader.ts"
import { refusalOrDefect } from "../canonical/writer.ts"
import type { EventEnvelope } from "./event-envelope.ts"

/** The fields of a line, in their order. */
const FIELDS: ReadonlyArray<string> = [
  "position",
  "type",
  "stream_id",
  "schema_version",
  "data",
  "recorded_at",
  "prev_hash",
  "hash"
] satisfies ReadonlyArray<keyof EventEnvelope>

const lineBreak = /[\n\r]/

const lineWith = (event: EventEnvelope, nested: string): string => {
  const { hash, position, prev_hash, recorded_at, schema_version, stream_id, type } = event
  const before = JSON.stringify({ position, type, stream_id, schema_version })
  const after = JSON.stringify({ recorded_at, prev_hash, hash })
  return `${before.slice(0, -1)},"data":${nested},${after.slice(1)}`
}

/** The event as one line of JSON; damaged data that is no JSON stands as a string. */
export const eventLine = (event: EventEnvelope): string => {
  const { data } = event
  const isNested = Result.isSuccess(parseStoredJson(data)) && !lineBreak.test(data)
  return lineWith(event, isNested ? data : JSON.stringify(data))
}

/** The envelope of a line's value; a field of another type is told by the chain. Data that is a string was no JSON when it was told. */
const envelopeOf = (value: JsonObject): EventEnvelope => {
  const data = value["data"]
  const text = typeof data === "string" ? data : jcsTextOfRead(data as JsonValue, MAX_STORED_DEPTH)
  return { ...(value as unknown as EventEnvelope), data: text }
}

/** The event of a line that is written as `eventLine` writes it, which has one meaning, or undefined. */
const asWritten = (line: string): EventEnvelope | undefined => {
  const read = parseStoredJson(line)
  if (Result.isFailure(read)) return undefined
  const value = read.success
  if (!isJsonObject(value) || !isJsonObject(value["data"])) return undefined
  if (Object.keys(value).length !== FIELDS.length) return undefined
  try {
    const event = envelopeOf(value)
    return lineWith(event, event.data) === line ? event : undefined
  } catch (thrown) {
    refusalOrDefect(thrown)
    return undefined
  }
}

/** The event of one line of JSON, or what is wrong with the line, whose number people are told. */
export const readEventLine = (line: string, number: number): Result.Result<EventEnvelope, string> => {
  const event = asWritten(line)
  if (event !== undefined) return Result.succeed(event)
  const read = readJson(line, "jcs/1", MAX_STORED_DEPTH + 1)
  if (Result.isFailure(read)) {
    return Result.fail(new NotStrictJson({ ...read.failure, line: number }).message)
  }
  const value = read.success
  if (!isJsonObject(value)) return Result.fail(`line ${number} is no event: it is no JSON object`)
  const missing = FIELDS.find((field) => !Object.hasOwn(value, field))
  if (missing !== undefined) return Result.fail(`line ${number} is no event: it has no field "${missing}"`)
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field))
  return unknown === undefined
    ? Result.succeed(envelopeOf(value))
    : Result.fail(`line ${number} is no event: an event has no field ${JSON.stringify(unknown)}`)
}
