// The chain rung: every event recomputed from the first to the last, its data in canonical form and of a known
// type, its ids derived as they must be, and the head at the end. Events are read page by page, so memory stays
// flat and the runtime gets its turn.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { jcs } from "../../domain/canonical/jcs.ts"
import { MAX_STORED_DEPTH } from "../../domain/canonical/json.ts"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import { parseStoredJson } from "../../domain/canonical/stored-json.ts"
import {
  chainFault,
  EMPTY_HEAD,
  type EventEnvelope,
  type Head,
  headOf,
  runOfStream
} from "../../domain/ledger/event-envelope.ts"
import { contentFault } from "../../domain/ledger/event-content.ts"
import { decodeEvent } from "../../domain/ledger/events.ts"
import { messageIdAt } from "../../domain/ledger/ids.ts"
import { Hashing } from "./hashing.ts"
import type { ReadError } from "./ledger-reader.ts"
import { reading, type FindingList, type Rungs } from "./rungs.ts"

const PAGE = 1_000

const isCanonical = (data: string): boolean => {
  const value = parseStoredJson(data)
  if (Result.isFailure(value)) return false
  const text = jcs(value.success, MAX_STORED_DEPTH)
  return Result.isSuccess(text) && text.success === data
}

/** Checks one event against the one before it and for itself. */
const checkEvent = (sha256: Sha256, list: FindingList, before: Head, event: EventEnvelope): void => {
  const where = `event ${event.position}`
  const fault = chainFault(sha256, before, event)
  if (fault !== undefined) list.add("CHAIN_BROKEN", where, fault)
  if (!isCanonical(event.data)) {
    list.add("DATA_NOT_CANONICAL", where, "data is not the canonical form (jcs/1) of its own value")
  }
  const decoded = decodeEvent(event)
  if (Result.isFailure(decoded)) {
    list.add("EVENT_INVALID", where, decoded.failure.message)
    return
  }
  const content = contentFault(decoded.success, event.data)
  if (content !== undefined) list.add("EVENT_INVALID", where, `${event.type}: ${content}`)
  if (decoded.success.type !== "MessagePosted") return
  const { idempotency_key, message_id } = decoded.success.data
  const runId = runOfStream(event.stream_id) ?? ""
  if (message_id !== messageIdAt(sha256, runId, event.position, idempotency_key)) {
    list.add("MESSAGE_ID_FORGED", where, `${message_id} does not follow from its run, key and position`)
  }
}

export interface ChainOptions {
  /** Where to begin: a place that stands and is trusted; by default before the first event. */
  readonly since?: Head | undefined
  /** Is given every event that is read. */
  readonly onEvent?: ((event: EventEnvelope) => void) | undefined
}

/** Verifies the chain, whole or from a trusted place on, and the head; gives the newest event's place. */
export const verifyChain = Effect.fnUntraced(function* (
  rungs: Rungs,
  { onEvent, since = EMPTY_HEAD }: ChainOptions = {}
): Effect.fn.Return<Head, ReadError, Hashing> {
  const { counts, list, snapshot } = rungs
  const { sha256 } = yield* Hashing
  let head: Head = since
  let read = 0
  // From the lowest number on, so that no event stands before the first one unseen.
  let from = since.position === 0 ? Number.MIN_SAFE_INTEGER : since.position
  while (true) {
    const after = from
    const events = yield* reading(() => snapshot.eventsAfter(after, PAGE))
    if (events.length === 0) break
    for (const event of events) {
      checkEvent(sha256, list, head, event)
      onEvent?.(event)
      head = headOf(event)
    }
    read += events.length
    // A position beyond what a number holds is no progress, and asking on would never end.
    if (head.position <= from) {
      list.add("CHAIN_BROKEN", "events", `positions after ${from} are no whole numbers that can be counted`)
      break
    }
    from = head.position
    yield* Effect.yieldNow
  }
  counts["events"] = read
  const stored = yield* reading(() => snapshot.head())
  if (stored === undefined || stored.size !== head.position || stored.hash !== head.hash) {
    list.add(
      "HEAD_MISMATCH",
      "head",
      stored === undefined
        ? "there is no head"
        : `the head says position ${stored.size}, the newest event is at position ${head.position}`
    )
  }
  if (read > 0 && head.position !== since.position + read) {
    list.add(
      "CHAIN_BROKEN",
      "events",
      `${read} events are stored after position ${since.position}, the newest is at position ${head.position}`
    )
  }
  return head
})
