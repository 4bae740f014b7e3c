// Sample rows, events and moments for the tests of the ledger's domain, each complete and legal, so that a test
// names only the value that it is about. The times are fixed; nothing here asks a clock.

import { hash } from "node:crypto"
import * as Result from "effect/Result"
import { jcsText } from "../../canonical/jcs.ts"
import type { Sha256 } from "../../canonical/sha256.ts"
import { timestampFromMillis } from "../../canonical/timestamp.ts"
import type { Moment } from "../decide.ts"
import { EMPTY_HEAD, type EventEnvelope, eventHash, type Head, headOf } from "../event-envelope.ts"
import { decodeEvent, type LedgerEvent } from "../events.ts"
import { jobIdOf, messageIdAt, receiptIdOf, stepIdOf } from "../ids.ts"
import type { ReceiptRow, StepRow } from "../rows.ts"

export const sha256: Sha256 = (text) => hash("sha256", text, "hex")

/** The time so many seconds after the samples' first event. */
export const at = (seconds: number): string =>
  timestampFromMillis(Date.UTC(2026, 10, 27, 10, 0, 0) + seconds * 1000)

export const run = "run-1"
export const messageId = messageIdAt(sha256, run, 2, null)
export const jobId = jobIdOf(messageId, 1)
export const stepId = stepIdOf(jobId, 1)

/** The moment of the event at `position`, so many seconds after the first event. */
export const momentAt = (seconds: number, position = 3): Moment => ({
  position,
  recorded_at: at(seconds),
  sha256
})

/** The sample step, waiting since second 0. */
export const pendingStep: StepRow = {
  step_id: stepId,
  job_id: jobId,
  ordinal: 1,
  status: "PENDING",
  lease_owner: null,
  lease_expires_at: null,
  fencing_token: 0,
  payload_json: `{"op":"READ","refs":["a"]}`,
  created_at: at(0),
  run_id: run,
  event_position: 2
}

/** The same step leased by worker-1 with token 1 until second 300. */
export const leasedStep: StepRow = {
  ...pendingStep,
  status: "LEASED",
  lease_owner: "worker-1",
  lease_expires_at: at(300),
  fencing_token: 1,
  event_position: 3
}

/** The same step after its completion. */
export const committedStep: StepRow = { ...leasedStep, status: "COMMITTED", event_position: 4 }

/** The receipt of the committed step. */
export const receipt: ReceiptRow = {
  receipt_id: receiptIdOf(stepId),
  step_id: stepId,
  job_id: jobId,
  worker_id: "worker-1",
  fencing_token: 1,
  outcome: "SUCCESS",
  receipt_json: `{"ok":true}`,
  created_at: at(10),
  event_position: 4
}

/** A stored event that follows `head`, with the right hash; `fields` replaces anything before hashing. */
export const envelopeAfter = (
  head: Head,
  type: string,
  data: unknown,
  fields: Partial<Omit<EventEnvelope, "hash">> = {}
): EventEnvelope => {
  const unhashed = {
    position: head.position + 1,
    type,
    stream_id: `run:${run}`,
    schema_version: 1,
    data: jcsText(data),
    recorded_at: head.recorded_at ?? at(0),
    prev_hash: head.hash,
    ...fields
  }
  return { ...unhashed, hash: eventHash(sha256, unhashed) }
}

/** A chain of `length` correct events. */
export const chainOf = (length: number): ReadonlyArray<EventEnvelope> => {
  const events: Array<EventEnvelope> = []
  let head = EMPTY_HEAD
  for (let index = 0; index < length; index++) {
    const event = envelopeAfter(head, "Sample", { index }, { recorded_at: at(index) })
    events.push(event)
    head = headOf(event)
  }
  return events
}

/** A decoded event at a position and second; throws when the data is not that of its type. */
export const eventAt = (
  position: number,
  seconds: number,
  type: LedgerEvent["type"],
  data: unknown,
  streamId = `run:${run}`
): LedgerEvent =>
  Result.getOrThrowWith(
    decodeEvent(
      envelopeAfter({ position: position - 1, hash: EMPTY_HEAD.hash, recorded_at: at(seconds) }, type, data, {
        stream_id: streamId
      })
    ),
    (fault) => new Error(fault.message)
  )
