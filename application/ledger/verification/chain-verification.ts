// The chain rung: every event's hash recomputed and linked to the one before it, from the first to the last, and the head
// at the end. It reads and hashes and does nothing else, so that a chain is checked about as fast as it can be read.
import * as Effect from "effect/Effect"
import {
  chainFault,
  EMPTY_HEAD,
  type EventEnvelope,
  type Head,
  headOf
} from "../../../domain/ledger/event-envelope.ts"
import { eachEvent, startAfter } from "../reading/event-pages.ts"
import { Hashing } from "../../foundation/hashing.ts"
import type { ReadError } from "../reading/ledger-reader.ts"
import { Progress } from "../../foundation/progress.ts"
import { reading, type Rungs } from "./rungs.ts"

/** How many events are read between two reports of progress. */
const REPORTED_EVENTS = 10_000

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
  const report = yield* Progress
  const total = (yield* reading(() => snapshot.head()))?.size ?? 0
  let read = 0
  const stuck = yield* eachEvent(snapshot, startAfter(since.position), (event) => {
    const fault = chainFault(sha256, head, event)
    if (fault !== undefined) list.add("CHAIN_BROKEN", `event ${event.position}`, fault)
    onEvent?.(event)
    head = headOf(event)
    read += 1
    if (read % REPORTED_EVENTS === 0) report(`chain, event ${event.position} of ${total}`)
  })
  if (stuck !== undefined) {
    list.add("CHAIN_BROKEN", "events", `positions after ${stuck} are no whole numbers that can be counted`)
  }
  counts["events"] = read
  const stored = yield* reading(() => snapshot.head())
  if (stored === undefined || stored.size !== head.position || stored.hash !== head.hash) {
    list.add(
      "HEAD_MISMATCH",
      "head",
      stored === undefined
        ? "there is no head"
        : `the head says position ${stored.size} with hash ${stored.hash}, the newest event is at position ${head.position} with hash ${head.hash}`
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
