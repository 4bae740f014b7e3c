// Everything that can be said of a stored event for itself: the canonical form of its data, its type and version, the
// rules that writers keep, and the id that it gives; and with the one before it, the chain. Verification, the opening of
// a ledger and the writer all ask here, so that none of them builds upon what another would refuse.
import * as Result from "effect/Result"
import type { Sha256 } from "../canonical/sha256.ts"
import { parseCanonicalJson } from "../canonical/stored-json.ts"
import { MAX_STORED_DEPTH } from "../canonical/json.ts"
import { contentFault } from "./event-content.ts"
import { chainFault, type EventEnvelope, hasFieldTypes, type Head, runOfStream } from "./event-envelope.ts"
import { decodeEvent, decodeReadEvent, type LedgerEvent } from "./events.ts"
import { messageIdAt } from "./ids.ts"
import type { Finding, FindingCode } from "./verification.ts"

/** What is wrong with the id that a message gives itself. */
export const messageIdFault = (sha256: Sha256, event: LedgerEvent): string | undefined => {
  if (event.type !== "MessagePosted") return undefined
  const { idempotency_key, message_id } = event.data
  const runId = runOfStream(event.stream_id) ?? ""
  return message_id === messageIdAt(sha256, runId, event.position, idempotency_key)
    ? undefined
    : `${message_id} does not follow from its run, key and position`
}

/** A stored event as it was judged for itself; `event` is left out where it cannot be decoded. */
export interface JudgedEvent {
  readonly findings: ReadonlyArray<Finding>
  readonly event: LedgerEvent | undefined
}

/** Judges an event for itself, and reads its data once; cells of another type are a fault of the chain. */
export const judgedEvent = (sha256: Sha256, envelope: EventEnvelope): JudgedEvent => {
  const findings: Array<Finding> = []
  const add = (code: FindingCode, message: string | undefined) => {
    if (message !== undefined) findings.push({ code, where: `event ${envelope.position}`, message })
  }
  if (!hasFieldTypes(envelope)) return { findings, event: undefined }
  const read = parseCanonicalJson(envelope.data, MAX_STORED_DEPTH)
  if (read === undefined) {
    add("DATA_NOT_CANONICAL", "data is not the canonical form (jcs/1) of its own value")
  }
  const decoded = read === undefined ? decodeEvent(envelope) : decodeReadEvent(envelope, read)
  if (Result.isFailure(decoded)) {
    add("EVENT_INVALID", decoded.failure.message)
    return { findings, event: undefined }
  }
  const event = decoded.success
  add("EVENT_INVALID", contentFault(event, envelope.data))
  add("MESSAGE_ID_FORGED", messageIdFault(sha256, event))
  return { findings, event }
}

/** What is wrong with an event for itself. */
export const eventFindings = (sha256: Sha256, event: EventEnvelope): ReadonlyArray<Finding> =>
  judgedEvent(sha256, event).findings

/** The gravest thing that is wrong with an event behind `before` or for itself, or undefined. */
export const nextEventFinding = (sha256: Sha256, before: Head, event: EventEnvelope): Finding | undefined => {
  const message = chainFault(sha256, before, event)
  return message === undefined
    ? eventFindings(sha256, event)[0]
    : { code: "CHAIN_BROKEN", where: `event ${event.position}`, message }
}
