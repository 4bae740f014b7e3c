// The closed union of what can happen in a ledger. Each event type has a schema version and one Schema for the
// newest version of its data; older data is lifted by pure upcasters before it is decoded. What an event looks
// like is forever: a change of keys is a new schema version, never an edit of an old one.
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../canonical/json.ts"
import { parseStoredJson } from "../canonical/stored-json.ts"
import { Identifier, WellFormedText } from "../canonical/text.ts"
import { Timestamp } from "../canonical/timestamp.ts"
import { Traceparent } from "../canonical/traceparent.ts"
import { ThoughtRecorded } from "../thoughts/thought-record.ts"
import type { EventEnvelope } from "./event-envelope.ts"
import { OUTCOMES, SOURCES } from "./rows.ts"

/** Any JSON object; its depth, numbers and strings are judged by the canonical writer. */
export const JsonObjectSchema = Schema.declare<JsonObject>(
  (value): value is JsonObject => isJsonObject(value),
  { expected: "a JSON object" }
)

export const SourceSchema = Schema.Literals(SOURCES)
export const OutcomeSchema = Schema.Literals(OUTCOMES)
export const ClaimScope = Schema.Literals(["run", "job"])
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

export type EventType = keyof typeof eventDataSchemas
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

/** Decodes a stored event strictly: unknown types, versions, keys and values are faults. */
export const decodeEvent = (envelope: EventEnvelope): Result.Result<LedgerEvent, EventFault> => {
  const fault = (message: string) => Result.fail({ position: envelope.position, message })
  const decode = Object.hasOwn(decoders, envelope.type) ? decoders[envelope.type] : undefined
  if (decode === undefined) return fault(`unknown event type ${JSON.stringify(envelope.type)}`)
  const type = envelope.type as EventType
  const version = envelope.schema_version
  if (!Number.isInteger(version) || version < 1 || version > eventVersions[type]) {
    return fault(`${type} has no schema version ${version}`)
  }
  const parsed = parseStoredJson(envelope.data)
  if (Result.isFailure(parsed)) return fault(`data of ${type} is not JSON: ${parsed.failure.message}`)
  const data = decode(upcast(upcasters[type], envelope.schema_version, parsed.success))
  if (Result.isFailure(data)) return fault(`data of ${type}: ${String(data.failure)}`)
  const { position, recorded_at, stream_id } = envelope
  return Result.succeed({ type, position, stream_id, recorded_at, data: data.success } as LedgerEvent)
}
