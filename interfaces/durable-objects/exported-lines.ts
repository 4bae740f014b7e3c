// The log as a stream of bytes, page by page as it is read: one event a line.
import * as Effect from "effect/Effect"
import type { LedgerShape } from "../../application/ledger/ledger.ts"
import { eventLine } from "../../domain/ledger/event-line.ts"

/** How many events are read at a time. */
const PAGE = 500

/** The events of a ledger as JSON lines, from the first to the newest at the time when it is read to the end. */
export const exportedLines = (ledger: LedgerShape): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  let after = 0
  return new ReadableStream({
    pull: async (controller) => {
      const events = await Effect.runPromise(ledger.eventsAfter({ after, limit: PAGE }))
      const last = events.at(-1)
      if (last === undefined) return controller.close()
      after = last.position
      controller.enqueue(encoder.encode(events.map((event) => `${eventLine(event)}\n`).join("")))
    }
  })
}
