// Reading the log from one place to its end, page by page, so that memory stays flat and the runtime gets its turn. It
// judges nothing but its own progress.
import * as Effect from "effect/Effect"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import type { LedgerSnapshot } from "../verification/ledger-evidence.ts"
import type { ReadError } from "./ledger-reader.ts"
import { reading } from "../verification/rungs.ts"

const PAGE = 1_000

/** Where to begin: from the lowest number on, so that no event stands before the first one unseen, or after a position. */
export const startAfter = (position = 0): number => (position === 0 ? Number.MIN_SAFE_INTEGER : position)

/**
 * Gives every event after a position, of one stream or of all, to `onEvent`, in order, until that answers false. Ends with
 * undefined, or with the position after which positions do not grow any more: asking on would never end. A `ReadError` that
 * `onEvent` throws is the effect's.
 */
export const eachEvent = Effect.fnUntraced(function* (
  snapshot: LedgerSnapshot,
  position: number,
  onEvent: (event: EventEnvelope) => boolean | void,
  streamId?: string
): Effect.fn.Return<number | undefined, ReadError> {
  let after = position
  while (true) {
    const from = after
    const events = yield* reading(() => snapshot.eventsAfter(from, PAGE, streamId))
    const last = events.at(-1)
    if (last === undefined) return undefined
    const ended = yield* reading(() => events.some((event) => onEvent(event) === false))
    if (ended) return undefined
    if (!(last.position > from)) return from
    after = last.position
    yield* Effect.yieldNow
  }
})
