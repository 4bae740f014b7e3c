// Points of the history that were noted elsewhere, held against the stored events. No key and no tree is needed: the
// hash of one event stands for all events before it. A point is compared with the stored hash and with what the event
// hashes to, and is never taken from the ledger itself.
import * as Effect from "effect/Effect"
import type { Sha256 } from "../../../domain/canonical/sha256.ts"
import {
  EMPTY_HEAD,
  type EventEnvelope,
  eventHash,
  type Head,
  headOf
} from "../../../domain/ledger/event-envelope.ts"
import type { TrustedPoint } from "../../../domain/ledger/verification.ts"
import { Hashing } from "../../foundation/hashing.ts"
import type { ReadError } from "../reading/ledger-reader.ts"
import { reading, type Rungs } from "./rungs.ts"

const faultAt = (
  sha256: Sha256,
  { hash, position }: TrustedPoint,
  event: EventEnvelope | undefined
): string | undefined => {
  if (event === undefined) return `the history was cut: there is no event at position ${position}`
  if (event.hash !== hash) {
    return `the history was rewritten: the event at position ${position} has hash ${event.hash}, noted was ${hash}`
  }
  return eventHash(sha256, event) === hash
    ? undefined
    : `the event at position ${position} was changed under its hash: what it holds gives another one`
}

/** The head at a noted point, or undefined and a finding when the point does not stand in the history. */
export const verifyPoint = Effect.fnUntraced(function* (
  { list, snapshot }: Rungs,
  point: TrustedPoint
): Effect.fn.Return<Head | undefined, ReadError, Hashing> {
  const { sha256 } = yield* Hashing
  const { position } = point
  if (position === 0 && point.hash === EMPTY_HEAD.hash) return EMPTY_HEAD
  const [next] = yield* reading(() => snapshot.eventsAfter(position - 1, 1))
  const event = next?.position === position ? next : undefined
  const fault = faultAt(sha256, point, event)
  if (fault !== undefined) list.add("HISTORY_REWRITTEN", `event ${position}`, fault)
  return fault !== undefined || event === undefined ? undefined : headOf(event)
})
