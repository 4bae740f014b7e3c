// Merkle roots from the events themselves: every event is read once, its place in the hash chain recomputed, its hash
// put into a growing tree. This is what a signature rests on and what a checkpoint is held against; it uses no cached
// tree, because anyone who can change the history can change a file beside it too. Memory stays flat.
import * as Effect from "effect/Effect"
import { bytesOfHex } from "../../../domain/canonical/bytes.ts"
import type { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import {
  chainFault,
  EMPTY_HEAD,
  type EventEnvelope,
  type Head,
  headOf
} from "../../../domain/ledger/event-envelope.ts"
import { MerkleFrontier } from "../../../domain/evidence/merkle-frontier.ts"
import { type Hash, HASH_BYTES, leafHash } from "../../../domain/evidence/merkle-tree.ts"
import { corrupt } from "../commands/head-check.ts"
import { Hashing } from "../../foundation/hashing.ts"
import { LedgerReader, type ReadError } from "../reading/ledger-reader.ts"
import { Signing } from "../../foundation/signing.ts"

const PAGE = 500

/** The input of an event's leaf, the bytes of its hash; undefined when the stored hash is none. */
export const leafInput = (event: EventEnvelope): Uint8Array | undefined => {
  const bytes = bytesOfHex(event.hash)
  return bytes?.length === HASH_BYTES ? bytes : undefined
}

/** What an event without a leaf turns every answer into. */
export const noLeaf = (event: { readonly position: number }): StoreCorrupt =>
  corrupt({
    code: "CHAIN_BROKEN",
    where: `event ${event.position}`,
    message: "hash is no SHA-256 in lower-case hexadecimal"
  })

/** The roots of some prefixes of a log, and the first fault of its chain if there is one. */
export interface EventRoots {
  /** The root over the first `size` events; undefined for a size that was not asked for or is not there. */
  readonly at: (size: number) => Hash | undefined
  /** Where the hash chain does not hold; the roots are those of the stored hashes all the same. */
  readonly fault: StoreCorrupt | undefined
}

/** Reads the events up to `size` and gives the roots of the prefixes in `sizes`. */
export const eventRoots = Effect.fnUntraced(function* (
  size: number,
  sizes: ReadonlyArray<number>
): Effect.fn.Return<EventRoots, ReadError, LedgerReader | Hashing | Signing> {
  const reader = yield* LedgerReader
  const hashing = yield* Hashing
  const { sha256 } = yield* Signing
  const roots = new Map<number, Hash>()
  const frontier = new MerkleFrontier(sha256)
  let fault: StoreCorrupt | undefined
  let head: Head = EMPTY_HEAD
  while (frontier.size < size) {
    const events = yield* reader.events(head.position, Math.min(PAGE, size - frontier.size))
    if (events.length === 0) break
    for (const event of events) {
      const message = chainFault(hashing.sha256, head, event)
      if (message !== undefined) {
        fault ??= corrupt({ code: "CHAIN_BROKEN", where: `event ${event.position}`, message })
      }
      head = headOf(event)
      const input = leafInput(event)
      if (input === undefined) return yield* Effect.fail(noLeaf(event))
      frontier.append(leafHash(sha256, input))
      if (sizes.includes(frontier.size)) roots.set(frontier.size, frontier.root())
    }
    yield* Effect.yieldNow
  }
  return { at: (size) => roots.get(size), fault }
})
