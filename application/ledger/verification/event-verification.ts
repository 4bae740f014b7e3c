// The events rung: every event judged for itself, with any hash: data in canonical form, of a known type and version,
// within the rules that writers keep, with ids derived as they must be. It looks at no neighbour; that is the chain's.
import * as Effect from "effect/Effect"
import { eventFindings } from "../../../domain/ledger/event-check.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { eachEvent, startAfter } from "../reading/event-pages.ts"
import { Hashing } from "../../foundation/hashing.ts"
import type { ReadError } from "../reading/ledger-reader.ts"
import type { Rungs } from "./rungs.ts"

/** Judges the events after a position, or all; of one stream, or of all. */
export const verifyEvents = Effect.fnUntraced(function* (
  { list, snapshot }: Rungs,
  since?: number,
  streamId?: string
): Effect.fn.Return<void, ReadError, Hashing> {
  const { sha256 } = yield* Hashing
  // Positions that do not grow are a finding of the chain.
  const judge = (event: EventEnvelope) => {
    for (const { code, message, where } of eventFindings(sha256, event)) list.add(code, where, message)
  }
  yield* eachEvent(snapshot, startAfter(since), judge, streamId)
})
