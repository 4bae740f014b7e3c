// The checkpoint rung: the root over the first events of the snapshot, against the root that a trusted key has signed.
// The events come from the pass of the chain rung where that reads them all; else they are read, and their chain
// is recomputed, here. No cached tree is used.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type {
  CheckpointOfAnotherLedger,
  CheckpointUntrusted,
  NotACheckpoint
} from "../../../domain/evidence/checkpoint-errors.ts"
import { type CheckpointBody, originOf } from "../../../domain/evidence/checkpoint.ts"
import type { Sha256Bytes } from "../../../domain/canonical/bytes.ts"
import {
  chainFault,
  EMPTY_HEAD,
  type EventEnvelope,
  type Head,
  headOf
} from "../../../domain/ledger/event-envelope.ts"
import { decodeEvent } from "../../../domain/ledger/events.ts"
import { MerkleFrontier } from "../../../domain/evidence/merkle-frontier.ts"
import { type Hash, leafHash } from "../../../domain/evidence/merkle-tree.ts"
import type { TrustFile } from "../../../domain/evidence/trust.ts"
import { believedCheckpoint, rewriteFault } from "../proofs/checkpoint.ts"
import { eachEvent } from "../reading/event-pages.ts"
import { leafInput } from "../proofs/event-roots.ts"
import { Hashing } from "../../foundation/hashing.ts"
import { stoppedByDamage } from "./ladder.ts"
import type { ReadError } from "../reading/ledger-reader.ts"
import { reading, type Rungs } from "./rungs.ts"
import { Signing } from "../../foundation/signing.ts"

/** A signed checkpoint as its file holds it, and whom to believe. */
export interface CheckpointEvidence {
  readonly note: string
  readonly trust: TrustFile
}

/** Why a checkpoint cannot be held against a ledger at all. */
export type UnbelievedCheckpoint = NotACheckpoint | CheckpointUntrusted | CheckpointOfAnotherLedger

/** The root over the first `size` events, fed event by event. */
export class PrefixRoot {
  private readonly sha256: Sha256Bytes
  private readonly size: number
  private readonly frontier: MerkleFrontier
  private broken = false

  constructor(sha256: Sha256Bytes, size: number) {
    this.sha256 = sha256
    this.size = size
    this.frontier = new MerkleFrontier(sha256)
  }

  /** Takes the next event; those behind the prefix are passed over. */
  add(event: EventEnvelope): void {
    if (this.frontier.size >= this.size) return
    const input = leafInput(event)
    if (input === undefined) this.broken = true
    this.frontier.append(leafHash(this.sha256, input ?? new Uint8Array(0)))
  }

  /** undefined when there were too few events, or one whose hash is none. */
  root(): Hash | undefined {
    return this.broken || this.frontier.size < this.size ? undefined : this.frontier.root()
  }
}

/** The origin of the snapshot's ledger; undefined where the first event is missing or was forged. */
const originIn = Effect.fnUntraced(function* ({
  snapshot
}: Rungs): Effect.fn.Return<string | undefined, ReadError, Hashing> {
  const { sha256 } = yield* Hashing
  const [first] = yield* reading(() => snapshot.eventsAfter(0, 1))
  if (first === undefined || chainFault(sha256, EMPTY_HEAD, first) !== undefined) return undefined
  const event = Result.getOrUndefined(decodeEvent(first))
  return event?.type === "LedgerCreated" ? originOf(event.data.ledger_id) : undefined
})

/** What a trusted key has signed about this ledger; a checkpoint without a trusted signature is an error, not a finding. */
export const believed = Effect.fnUntraced(function* (
  rungs: Rungs,
  { note, trust }: CheckpointEvidence
): Effect.fn.Return<CheckpointBody, ReadError | UnbelievedCheckpoint, Hashing | Signing> {
  const origin = yield* stoppedByDamage(rungs.list, "checkpoint", originIn(rungs))
  return yield* believedCheckpoint(note, trust, origin)
})

/** Reads the first `size` events into the root, recomputing their chain. */
const readPrefix = Effect.fnUntraced(function* (
  { list, snapshot }: Rungs,
  prefix: PrefixRoot,
  size: number
): Effect.fn.Return<void, ReadError, Hashing> {
  const { sha256 } = yield* Hashing
  let head: Head = EMPTY_HEAD
  // Positions that do not grow leave the root without some of its events.
  yield* eachEvent(snapshot, 0, (event) => {
    if (event.position > size) return false
    const fault = chainFault(sha256, head, event)
    if (fault !== undefined) list.add("CHAIN_BROKEN", `event ${event.position}`, fault)
    head = headOf(event)
    prefix.add(event)
    return true
  })
})

/**
 * Compares the signed root with the events, the newest of which is at `newest` (0 when it could not be read); `fed` is
 * what the chain rung has read already.
 */
export const verifySignedRoot = Effect.fnUntraced(function* (
  rungs: Rungs,
  checkpoint: CheckpointBody,
  newest: number,
  fed: PrefixRoot | undefined
): Effect.fn.Return<void, ReadError, Hashing | Signing> {
  const { sha256 } = yield* Signing
  const prefix = fed ?? new PrefixRoot(sha256, checkpoint.size)
  if (fed === undefined) yield* readPrefix(rungs, prefix, checkpoint.size)
  const logSize = newest > 0 ? newest : (yield* reading(() => rungs.snapshot.head()))?.size
  const rewritten = rewriteFault(checkpoint, logSize ?? 0, prefix.root())
  if (rewritten !== undefined) rungs.list.add("HISTORY_REWRITTEN", "checkpoint", rewritten.message)
})
