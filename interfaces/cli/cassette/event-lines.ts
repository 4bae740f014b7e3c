// One event as one line: for people a timeline entry, for programs the envelope with its data as nested JSON. Data
// that is canonical stands in the line as it is stored, but for characters that are escaped for the terminal's sake:
// its canonical text is what is hashed.
import * as Result from "effect/Result"
import type { JsonObject, JsonValue } from "../../../domain/canonical/json.ts"
import { isJsonObject } from "../../../domain/canonical/json.ts"
import { parseStoredJson } from "../../../domain/canonical/stored-json.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { eventLine } from "../../../domain/ledger/event-line.ts"
import { type EventType, eventVersions } from "../../../domain/ledger/events.ts"
import { printable, printableJson } from "../../shared/terminal-text.ts"

/** The event as one line of JSON, with what a terminal would obey as escapes. */
export const eventJsonLine = (event: EventEnvelope): string => printableJson(eventLine(event))

const word = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null)

/** What an event says, by type: the few fields that people look for. */
const summaries: { readonly [Type in EventType]: (data: JsonObject) => string } = {
  LedgerCreated: (data) => `ledger ${word(data["ledger_id"])}`,
  MessagePosted: (data) => `${word(data["message_id"])} from ${word(data["source"])}`,
  StepClaimed: (data) =>
    `${word(data["step_id"])} by ${word(data["worker_id"])}, token ${word(data["fencing_token"])}, until ${word(data["lease_expires_at"])}`,
  LeaseRenewed: (data) =>
    `${word(data["step_id"])} by ${word(data["worker_id"])}, token ${word(data["previous_token"])} -> ${word(data["fencing_token"])}, until ${word(data["lease_expires_at"])}`,
  StepRequeued: (data) =>
    `${word(data["step_id"])} ${word(data["cause"])}, asked by ${word(data["requested_by"])}: ${word(data["reason"])}`,
  StepCompleted: (data) =>
    `${word(data["step_id"])} ${word(data["outcome"])} by ${word(data["worker_id"])}, token ${word(data["fencing_token"])}`,
  ThoughtRecorded: (data) => `${word(data["id"])} ${word(data["type"])} by ${word(data["agent_id"])}`
}

const summaryOf = ({ data, type }: EventEnvelope): string => {
  const value = parseStoredJson(data)
  const summary = Object.hasOwn(summaries, type) ? summaries[type as EventType] : undefined
  if (Result.isFailure(value) || !isJsonObject(value.success))
    return "data is not a JSON object: run cortex cassette verify"
  return summary === undefined ? data : summary(value.success)
}

/** The longest name of a type that there is. */
const TYPE_WIDTH = Math.max(...Object.keys(eventVersions).map((type) => type.length))

/** The event as one line of a timeline. */
export const eventTextLine = (event: EventEnvelope): string =>
  printable(
    `${String(event.position).padStart(7)}  ${event.recorded_at}  ${event.type.padEnd(TYPE_WIDTH)}  ${event.stream_id}  ${summaryOf(event)}`
  )
