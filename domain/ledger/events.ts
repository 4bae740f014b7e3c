// The closed union of what can happen in a ledger. Each event type has a schema version and one Schema for the
// newest version of its data; older data is lifted by pure upcasters before it is decoded. What an event looks
// like is forever: a change of keys is a new schema version, never an edit of an old one.
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject, type JsonValue } from "../canonical/json.ts"
import { parseStoredJson } from "../canonical/stored-json.ts"
import { Identifier, WellFormedText } from "../canonical/text.ts"
import { Timestamp } from "../canonical/timestamp.ts"
import { Traceparent } from "../canonical/traceparent.ts"
import { ThoughtRecorded } from "./thoughts/thought-record.ts"
import type { EventEnvelope } from "./event-envelope.ts"
import { isEventData } from "./event-shapes.ts"
import { OUTCOMES, SOURCES } from "./rows.ts"

/** Any JSON object; its depth, numbers and strings are judged by the canonical writer. */
export const JsonObjectSchema = Schema.declare<JsonObject>(
  (value): value is JsonObject => isJsonObject(value),
  { expected: "a JSON object" }
)

/** Who posts a message. */
export const SourceSchema = Schema.Literals(SOURCES)
/** How a step ended. */
export const OutcomeSchema = Schema.Literals(OUTCOMES)
/** Whether a claim named a run or a job. */
export const ClaimScope = Schema.Literals(["run", "job"])
/** Why a step waits again: its lease had ended, its worker gave it back, or a person forced it. */
export const RequeueCause = Schema.Literals(["expired", "released", "forced"])
export type ClaimScope = typeof ClaimScope.Type
export type RequeueCause = typeof RequeueCause.Type

const Ordinal = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** The ledger exists; always the event at position 1, on the stream `ledger`. */
const LedgerCreated = Schema.Struct({ ledger_id: Identifier })

/** A message with its work: no `jobs` and `steps` means one job and one step that carry the payload. */
const MessagePosted = Schema.Struct({
  idempotency_key: Schema.NullOr(Identifier),
  jobs: Schema.optionalKey(Schema.NonEmptyArray(WellFormedText)),
  message_id: Schema.String,
  payload: JsonObjectSchema,
  source: SourceSchema,
  steps: Schema.optionalKey(Schema.NonEmptyArray(Schema.Struct({ job: Ordinal, payload: JsonObjectSchema }))),
  traceparent: Schema.optionalKey(Traceparent)
})

/** A worker took the oldest waiting step of a run or of one job, until the lease ends. */
const StepClaimed = Schema.Struct({
  fencing_token: Ordinal,
  lease_expires_at: Timestamp,
  scope: ClaimScope,
  step_id: Schema.String,
  traceparent: Schema.optionalKey(Traceparent),
  worker_id: Identifier
})

/** The lease's owner finished the step; the receipt is the proof. */
const StepCompleted = Schema.Struct({
  fencing_token: Ordinal,
  outcome: OutcomeSchema,
  receipt: JsonObjectSchema,
  step_id: Schema.String,
  traceparent: Schema.optionalKey(Traceparent),
  worker_id: Identifier
})

/** A leased step waits again; worker and token are the lease's, `requested_by` is who asked. */
const StepRequeued = Schema.Struct({
  cause: RequeueCause,
  fencing_token: Ordinal,
  reason: WellFormedText,
  requested_by: Identifier,
  step_id: Schema.String,
  worker_id: Identifier
})

/** The lease's owner got a new lease of the same step; `previous_token` is that of the lease that it ends. */
const LeaseRenewed = Schema.Struct({
  fencing_token: Ordinal,
  lease_expires_at: Timestamp,
  previous_token: Ordinal,
  step_id: Schema.String,
  worker_id: Identifier
})

/** The newest Schema of every event type's data. */
export const eventDataSchemas = {
  LeaseRenewed,
  LedgerCreated,
  MessagePosted,
  StepClaimed,
  StepCompleted,
  StepRequeued,
  ThoughtRecorded
}

/** The name of a kind of event. */
export type EventType = keyof typeof eventDataSchemas
/** The data of a kind of event. */
export type EventData<T extends EventType> = (typeof eventDataSchemas)[T]["Type"]

/** The newest schema version of every event type; what this program writes. */
export const eventVersions: { readonly [T in EventType]: number } = {
  LeaseRenewed: 1,
  LedgerCreated: 1,
  MessagePosted: 1,
  StepClaimed: 1,
  StepCompleted: 1,
  StepRequeued: 1,
  ThoughtRecorded: 1
}

/** The types of events by name. */
export const EVENT_TYPES = Object.keys(eventVersions) as ReadonlyArray<EventType>

/** Lifts data of version n (at index n - 1) to version n + 1. */
export type Upcaster = (data: unknown) => unknown

/** The upcasters of every type, oldest first: always one less than the type's newest version. */
export const upcasters: { readonly [T in EventType]: ReadonlyArray<Upcaster> } = {
  LeaseRenewed: [],
  LedgerCreated: [],
  MessagePosted: [],
  StepClaimed: [],
  StepCompleted: [],
  StepRequeued: [],
  ThoughtRecorded: []
}

/** Applies the upcasters from `version` on; data of the newest version comes back as it is. */
export const upcast = (lifts: ReadonlyArray<Upcaster>, version: number, data: unknown): unknown =>
  lifts.slice(version - 1).reduce((lifted, lift) => lift(lifted), data)

/** A decoded event: the envelope's place and time with typed data of the newest version. */
export type LedgerEvent = {
  readonly [T in EventType]: {
    readonly type: T
    readonly position: number
    readonly stream_id: string
    readonly recorded_at: string
    readonly data: EventData<T>
  }
}[EventType]

/** Why an event's type, version or data is not one of the union. */
export interface EventFault {
  readonly position: number
  readonly message: string
}

const decoders = Object.fromEntries(
  Object.entries(eventDataSchemas).map(([type, schema]) => [
    type,
    Schema.decodeUnknownResult(schema as Schema.Decoder<unknown>, { onExcessProperty: "error" })
  ])
) as { readonly [type: string]: ((data: unknown) => Result.Result<unknown, unknown>) | undefined }

/** What is wrong with an event's type or version. */
const versionFault = ({ schema_version: version, type }: EventEnvelope): string | undefined => {
  if (!Object.hasOwn(decoders, type)) return `unknown event type ${JSON.stringify(type)}`
  const known = Number.isInteger(version) && version >= 1 && version <= eventVersions[type as EventType]
  return known ? undefined : `${type} has no schema version ${version}`
}

/** Lifts and decodes; data in a shape that is known needs no Schema. */
const dataOf = (envelope: EventEnvelope, read: JsonValue): Result.Result<LedgerEvent, EventFault> => {
  const { position, recorded_at, schema_version, stream_id, type } = envelope
  const lifted = upcast(upcasters[type as EventType], schema_version, read)
  const decoded = isEventData(type, lifted) ? Result.succeed(lifted) : decoders[type]?.(lifted)
  return decoded !== undefined && Result.isSuccess(decoded)
    ? Result.succeed({ type, position, stream_id, recorded_at, data: decoded.success } as LedgerEvent)
    : Result.fail({ position, message: `data of ${type}: ${String(decoded?.failure)}` })
}

/** As `decodeEvent`, with the value that was read from the event's data before. */
export const decodeReadEvent = (
  envelope: EventEnvelope,
  read: JsonValue
): Result.Result<LedgerEvent, EventFault> => {
  const fault = versionFault(envelope)
  return fault === undefined
    ? dataOf(envelope, read)
    : Result.fail({ position: envelope.position, message: fault })
}

/** Decodes a stored event strictly: unknown types, versions, keys and values are faults. */
export const decodeEvent = (envelope: EventEnvelope): Result.Result<LedgerEvent, EventFault> => {
  const { position, type } = envelope
  const fault = versionFault(envelope)
  if (fault !== undefined) return Result.fail({ position, message: fault })
  const read = parseStoredJson(envelope.data)
  return Result.isSuccess(read)
    ? dataOf(envelope, read.success)
    : Result.fail({ position, message: `data of ${type} is not JSON: ${read.failure.message}` })
}
