// The chain rung: every event recomputed from the first to the last, its data in canonical form and of a known
// type, its ids derived as they must be, and the head at the end. Events are read page by page, so memory stays
// flat and the runtime gets its turn.
import * as Effect from "effect/Effect"
import { eventFindings } from "../../domain/ledger/event-check.ts"
import { EMPTY_HEAD, type EventEnvelope, type Head, headOf } from "../../domain/ledger/event-envelope.ts"
import { Hashing } from "./hashing.ts"
import type { ReadError } from "./ledger-reader.ts"
import { reading, type Rungs } from "./rungs.ts"

const PAGE = 1_000

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
      for (const { code, message, where } of eventFindings(sha256, head, event))
        list.add(code, where, message)
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
