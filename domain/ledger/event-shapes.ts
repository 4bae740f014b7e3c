// The data of events as plain checks, one for each key: what nearly every stored event passes, many times faster than the Schema.
// It must take nothing that the Schema refuses; what it does not take goes to the Schema, which says what is wrong with it.
import { isJsonObject } from "../canonical/json.ts"
import { isIdentifier } from "../canonical/text.ts"
import { isTimestamp } from "../canonical/timestamp.ts"
import { isTraceparent } from "../canonical/traceparent.ts"
import { isHashText, isZonedTime, THOUGHT_TYPES } from "./thoughts/thought-record.ts"
import { OUTCOMES, SOURCES } from "./rows.ts"

type Check = (value: unknown) => boolean

const text =
  (holds: (text: string) => boolean): Check =>
  (value) =>
    typeof value === "string" && holds(value)

const oneOf =
  (...values: ReadonlyArray<string>): Check =>
  (value) =>
    values.includes(value as string)

const some =
  (holds: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every(holds)

const isText = text(() => true)
const isWellFormed = text((value) => value.isWellFormed() && !value.includes("\u0000"))
const isId = text(isIdentifier)
const isHash = text(isHashText)
const isTime = text(isTimestamp)
const isOrdinal: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 1

type Checks = Readonly<Record<string, Check>>

/** An object with all of the required keys, perhaps some of the optional ones, and no other. */
const shape = (required: Checks, optional: Checks = {}): Check => {
  const wanted = Object.keys(required).length
  const checks = new Map(Object.entries({ ...optional, ...required }))
  return (value) => {
    if (!isJsonObject(value)) return false
    let found = 0
    for (const key of Object.keys(value)) {
      const check = checks.get(key)
      if (check === undefined || !check(value[key])) return false
      if (Object.hasOwn(required, key)) found += 1
    }
    return found === wanted
  }
}

const traced = { traceparent: text(isTraceparent) }
const lease = { fencing_token: isOrdinal, step_id: isText, worker_id: isId }

const shapes: ReadonlyMap<string, Check> = new Map([
  ["LedgerCreated", shape({ ledger_id: isId })],
  ["LeaseRenewed", shape({ ...lease, lease_expires_at: isTime, previous_token: isOrdinal })],
  [
    "MessagePosted",
    shape(
      {
        idempotency_key: (value) => value === null || isId(value),
        message_id: isText,
        payload: isJsonObject,
        source: oneOf(...SOURCES)
      },
      {
        ...traced,
        jobs: some(isWellFormed),
        steps: some(shape({ job: isOrdinal, payload: isJsonObject }))
      }
    )
  ],
  ["StepClaimed", shape({ ...lease, lease_expires_at: isTime, scope: oneOf("run", "job") }, traced)],
  ["StepCompleted", shape({ ...lease, outcome: oneOf(...OUTCOMES), receipt: isJsonObject }, traced)],
  [
    "StepRequeued",
    shape({
      ...lease,
      cause: oneOf("expired", "released", "forced"),
      reason: isWellFormed,
      requested_by: isId
    })
  ],
  [
    "ThoughtRecorded",
    shape({
      agent_id: isId,
      content: isWellFormed,
      hash: isHash,
      id: isId,
      prev_hash: isHash,
      timestamp: text(isZonedTime),
      type: oneOf(...THOUGHT_TYPES)
    })
  ]
])

/** True for data, as a reader of JSON gives it, that the newest Schema of this type takes. */
export const isEventData = (type: string, data: unknown): boolean => shapes.get(type)?.(data) === true
