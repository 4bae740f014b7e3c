// The chain rung narrowed to one run: each of its events bears its own hash, follows the event before it and is followed by
// the next one, or is the head. That shows where the run's events stand in the log, in reads that grow with the run alone;
// that the whole log is one chain is for the whole verification to say.
import * as Effect from "effect/Effect"
import type { Sha256 } from "../../../domain/canonical/sha256.ts"
import {
  chainFault,
  EMPTY_HEAD,
  type EventEnvelope,
  headOf,
  runStream
} from "../../../domain/ledger/event-envelope.ts"
import { eachEvent, startAfter } from "../reading/event-pages.ts"
import { Hashing } from "../../foundation/hashing.ts"
import type { ReadError } from "../reading/ledger-reader.ts"
import type { Rungs } from "./rungs.ts"

const checkLinks = (sha256: Sha256, { list, snapshot }: Rungs, event: EventEnvelope): void => {
  const { hash, position } = event
  // One at a time: a page of several may end early, where events hold much text.
  const before = snapshot.eventsAfter(position - 2, 1).find((other) => other.position === position - 1)
  const [next] = snapshot.eventsAfter(position, 1)
  // Where the event before is not there, the position says that it does not follow.
  const fault = chainFault(sha256, before === undefined ? EMPTY_HEAD : headOf(before), event)
  if (fault !== undefined) list.add("CHAIN_BROKEN", `event ${position}`, fault)
  if (next !== undefined) {
    if (next.position === position + 1 && next.prev_hash === hash) return
    list.add("CHAIN_BROKEN", `event ${next.position}`, `it does not follow event ${position}, one of the run`)
    return
  }
  const head = snapshot.head()
  if (head?.size === position && head.hash === hash) return
  list.add("HEAD_MISMATCH", "head", `the newest event, at position ${position}, is not the head`)
}

/** Verifies the links of one run's events to their neighbours. */
export const verifyRunChain = Effect.fnUntraced(function* (
  rungs: Rungs,
  runId: string
): Effect.fn.Return<void, ReadError, Hashing> {
  const { counts, list, snapshot } = rungs
  const { sha256 } = yield* Hashing
  let read = 0
  const onEvent = (event: EventEnvelope) => {
    read += 1
    checkLinks(sha256, rungs, event)
  }
  const stuck = yield* eachEvent(snapshot, startAfter(), onEvent, runStream(runId))
  if (stuck !== undefined) {
    list.add("CHAIN_BROKEN", "events", `positions after ${stuck} are no whole numbers that can be counted`)
  }
  counts["events"] = read
})
