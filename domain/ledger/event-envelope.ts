// The envelope of a stored event and the hash chain over envelopes. The hash covers `data` as the stored text,
// never re-serialised, so that an auditor needs no knowledge of event types to check a history. The form is
// versioned by its first element and never changes (docs/spec/ledger.md, "Envelope").
import type { Sha256 } from "../canonical/sha256.ts"
import { isTimestamp } from "../canonical/timestamp.ts"
import { ZERO_HASH } from "./limits.ts"

/**
 * An event as it is stored: `data` is canonical JSON, `hash` covers all other fields, `prev_hash` is the hash
 * before it.
 */
export interface EventEnvelope {
  readonly position: number
  readonly type: string
  readonly stream_id: string
  readonly schema_version: number
  /** Canonical JSON (`jcs/1`) as stored. */
  readonly data: string
  readonly recorded_at: string
  readonly prev_hash: string
  readonly hash: string
}

/** The newest event's place in the chain: its position, hash and time. */
export interface Head {
  readonly position: number
  readonly hash: string
  /** undefined for an empty log. */
  readonly recorded_at: string | undefined
}

/** The head of a log without events. */
export const EMPTY_HEAD: Head = { position: 0, hash: ZERO_HASH, recorded_at: undefined }

const ENVELOPE_RULE = "cassette/event/1"

/**
 * Lower-case hex SHA-256 of the `jcs/1` array over the envelope's fields without the hash itself. Printed without the
 * canonical writer, since this runs for every event that is written or verified: its texts are well-formed and its numbers
 * whole, and of such a list JSON.stringify prints the canonical text. Joining the texts here was a fifth slower.
 */
export const eventHash = (sha256: Sha256, event: Omit<EventEnvelope, "hash">): string =>
  sha256(
    JSON.stringify([
      ENVELOPE_RULE,
      event.position,
      event.type,
      event.stream_id,
      event.schema_version,
      event.data,
      event.recorded_at,
      event.prev_hash
    ])
  )

/** The head after `event`. */
export const headOf = (event: EventEnvelope): Head => ({
  position: event.position,
  hash: event.hash,
  recorded_at: event.recorded_at
})

/** True when every field has the type that its column promises: a damaged page can hold anything. */
export const hasFieldTypes = (event: EventEnvelope): boolean =>
  Number.isSafeInteger(event.position) &&
  Number.isSafeInteger(event.schema_version) &&
  typeof event.type === "string" &&
  typeof event.stream_id === "string" &&
  typeof event.data === "string" &&
  typeof event.recorded_at === "string" &&
  typeof event.prev_hash === "string" &&
  typeof event.hash === "string"

/** What is wrong between two neighbours of the chain, in one sentence, or undefined when they fit. */
export const chainFault = (sha256: Sha256, before: Head, event: EventEnvelope): string | undefined => {
  if (!hasFieldTypes(event)) return "a field has a value of another type"
  if (event.position !== before.position + 1) {
    return `position ${event.position} follows position ${before.position}`
  }
  if (event.prev_hash !== before.hash) return `prev_hash is not the hash of position ${before.position}`
  if (!isTimestamp(event.recorded_at)) return "recorded_at is not a time of the one form"
  if (before.recorded_at !== undefined && event.recorded_at < before.recorded_at) {
    return `recorded_at ${event.recorded_at} is before the time of position ${before.position}`
  }
  if (event.hash !== eventHash(sha256, event)) return "hash is not the hash of this event"
  return undefined
}

/** The stream of a run's events. */
export const runStream = (runId: string): string => `run:${runId}`

/** The run whose stream this is, or undefined for any other stream. */
export const runOfStream = (streamId: string): string | undefined =>
  streamId.startsWith("run:") ? streamId.slice("run:".length) : undefined

/** The stream of a task's thoughts. */
export const taskStream = (taskId: string): string => `task:${taskId}`

/** The task whose stream this is, or undefined for any other stream. */
export const taskOfStream = (streamId: string): string | undefined =>
  streamId.startsWith("task:") ? streamId.slice("task:".length) : undefined

/** The stream of the ledger's own events. */
export const LEDGER_STREAM = "ledger"
