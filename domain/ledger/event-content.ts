// What every command is held to before its event is written, judged again on the event itself: streams, ids, texts,
// limits, times of leases. A forger can give any event a valid hash; what no honest writer would have written is
// still told by its content. It must never be laxer or stricter than the commands.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { jcs } from "../canonical/jcs.ts"
import { type JsonObject, MAX_JSON_DEPTH } from "../canonical/json.ts"
import { isIdentifier, utf8ByteLength } from "../canonical/text.ts"
import { isTimestamp, millisFromTimestamp } from "../canonical/timestamp.ts"
import { holdsNul, Reason } from "./commands.ts"
import { LEDGER_STREAM, runOfStream, taskOfStream } from "./event-envelope.ts"
import type { LedgerEvent } from "./events.ts"
import { intentOf } from "./evolve.ts"
import {
  MAX_EVENT_BYTES,
  MAX_JOBS_PER_MESSAGE,
  MAX_PAYLOAD_BYTES,
  MAX_STEPS_PER_MESSAGE,
  MAX_TEXT_BYTES,
  MAX_THOUGHT_BYTES,
  MAX_TTL_SECONDS,
  MIN_TTL_SECONDS
} from "./limits.ts"

const isReason = Schema.is(Reason)

const OPEN_BRACKET = 0x5b
const OPEN_BRACE = 0x7b

/** True for what the Schema `Text` takes. */
const isText = (text: string): boolean =>
  text.isWellFormed() && !text.includes("\u0000") && utf8ByteLength(text) <= MAX_TEXT_BYTES

/**
 * True when no payload in `data` can be over a limit: a character of UTF-16 is three bytes of UTF-8 at most, and
 * nesting needs brackets. Nearly every event is, and need not be measured.
 */
const isSmall = (data: string): boolean => {
  if (data.length * 3 > MAX_PAYLOAD_BYTES) return false
  let brackets = 0
  for (let index = 0; index < data.length; index++) {
    const unit = data.charCodeAt(index)
    if (unit === OPEN_BRACE || unit === OPEN_BRACKET) brackets += 1
  }
  return brackets <= MAX_JSON_DEPTH
}

const streamFault = (event: LedgerEvent): string | undefined => {
  if ((event.type === "LedgerCreated") !== (event.position === 1)) {
    return "the event at position 1, and no other, creates the ledger"
  }
  const owner =
    event.type === "LedgerCreated"
      ? event.stream_id === LEDGER_STREAM && "ledger"
      : event.type === "ThoughtRecorded"
        ? taskOfStream(event.stream_id)
        : runOfStream(event.stream_id)
  return typeof owner === "string" && isIdentifier(owner)
    ? undefined
    : `${JSON.stringify(event.stream_id)} is no stream of such an event`
}

const payloadFault = (name: string, payload: JsonObject): string | undefined => {
  const text = jcs(payload)
  if (Result.isFailure(text)) return `${name}: ${text.failure.message}`
  return utf8ByteLength(text.success) > MAX_PAYLOAD_BYTES
    ? `${name} is over ${MAX_PAYLOAD_BYTES} bytes`
    : undefined
}

const payloadsOf = (event: LedgerEvent): ReadonlyArray<readonly [name: string, payload: JsonObject]> => {
  switch (event.type) {
    case "MessagePosted":
      return [
        ["payload", event.data.payload],
        ...(event.data.steps ?? []).map(
          ({ payload }, index) => [`the payload of step ${index + 1}`, payload] as const
        )
      ]
    case "StepCompleted":
      return [["receipt", event.data.receipt]]
    default:
      return []
  }
}

const leaseFault = (recordedAt: string, leaseExpiresAt: string): string | undefined => {
  // A time that is none is a fault of the chain.
  if (!isTimestamp(recordedAt)) return undefined
  const seconds = (millisFromTimestamp(leaseExpiresAt) - millisFromTimestamp(recordedAt)) / 1_000
  return Number.isInteger(seconds) && seconds >= MIN_TTL_SECONDS && seconds <= MAX_TTL_SECONDS
    ? undefined
    : `the lease holds ${seconds} s: whole seconds from ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS} are allowed`
}

const typeFault = (event: LedgerEvent): string | undefined => {
  switch (event.type) {
    case "MessagePosted": {
      const { jobs, payload, steps = [] } = event.data
      // A payload's own steps are the steps of its one job.
      if (jobs === undefined && Object.hasOwn(payload, "steps")) return "the payload's steps are left out"
      const intents = jobs ?? [intentOf(payload)]
      if (intents.length > MAX_JOBS_PER_MESSAGE) return `more than ${MAX_JOBS_PER_MESSAGE} jobs`
      if (steps.length > MAX_STEPS_PER_MESSAGE) return `more than ${MAX_STEPS_PER_MESSAGE} steps`
      return intents.every((intent) => isText(intent)) ? undefined : "an intent is too long"
    }
    case "LeaseRenewed":
    case "StepClaimed":
      return leaseFault(event.recorded_at, event.data.lease_expires_at)
    case "StepRequeued":
      return isReason(event.data.reason) ? undefined : "the reason is blank or too long"
    case "ThoughtRecorded":
      return utf8ByteLength(event.data.content) > MAX_THOUGHT_BYTES
        ? `the thought is over ${MAX_THOUGHT_BYTES} bytes`
        : undefined
    default:
      return undefined
  }
}

/** What no command would have written, the size of bodies apart; `data` is the event's text, perhaps without its bodies. */
export const claimFault = (event: LedgerEvent, data: string): string | undefined =>
  streamFault(event) ?? (holdsNul(data) ? "U+0000 stands in a string" : typeFault(event))

/** What no command would have written, in one sentence, or undefined; `data` is the event's stored text. */
export const contentFault = (event: LedgerEvent, data: string): string | undefined => {
  const fault = claimFault(event, data)
  if (fault !== undefined || isSmall(data)) return fault
  if (utf8ByteLength(data) > MAX_EVENT_BYTES) return `data is over ${MAX_EVENT_BYTES} bytes`
  for (const [name, payload] of payloadsOf(event)) {
    const found = payloadFault(name, payload)
    if (found !== undefined) return found
  }
  return undefined
}
