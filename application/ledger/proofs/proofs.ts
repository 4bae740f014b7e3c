// Making proofs. A proof comes from the disposable tree and, when its checkpoints are at hand, is held against them
// before anybody gets it: a tree that does not fit is made again from the events once, and what still does not fit is
// a rewritten history. A damaged tree can so make a proof fail, and never make a false one pass.
import * as Effect from "effect/Effect"
import { bytesEqual, bytesOfHex } from "../../../domain/canonical/bytes.ts"
import { type HistoryRewritten, ProofRefused } from "../../../domain/evidence/checkpoint-errors.ts"
import type { CheckpointBody } from "../../../domain/evidence/checkpoint.ts"
import { invalidAt, type InvalidInput } from "../../../domain/foundation/errors.ts"
import { InclusionChecks } from "../../../domain/evidence/inclusion-walk.ts"
import { type Hash, leafHash } from "../../../domain/evidence/merkle-tree.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { type ConsistencyProof, type InclusionProof, pathText } from "../../../domain/evidence/proof.ts"
import { rewriteFault } from "./checkpoint.ts"
import { leafInput, noLeaf } from "./event-roots.ts"
import { LedgerReader } from "../reading/ledger-reader.ts"
import { MerkleLog, type MerkleLogError, type MerklePaths } from "./merkle-log.ts"
import { Signing } from "../../foundation/signing.ts"
import { traced } from "../../foundation/telemetry.ts"

const outOfRange = (path: string, value: number, least: number, most: number) =>
  Number.isInteger(value) && value >= least && value <= most
    ? undefined
    : invalidAt(path, `must be a whole number from ${least} to ${most}`)

/** The first checkpoint that covers more events than there are. */
const cutBefore = (logSize: number, checkpoints: ReadonlyArray<CheckpointBody | undefined>) => {
  const beyond = checkpoints.find((checkpoint) => (checkpoint?.size ?? 0) > logSize)
  return beyond === undefined ? undefined : rewriteFault(beyond, logSize, undefined)
}

export interface InclusionOptions {
  /** The event's position, from 1. */
  readonly position: number
  /** Events that the tree covers; by default all, or those of the checkpoint. */
  readonly size?: number | undefined
  /** The checkpoint that the proof is for; its trust is the verifier's concern. */
  readonly checkpoint?: CheckpointBody | undefined
}

/** Gets an answer from the tree, once more from a new one when it does not fit the events or the checkpoint. */
const fitting = Effect.fnUntraced(function* <A>(
  size: number,
  answer: Effect.Effect<A, MerkleLogError>,
  fits: (answer: A) => boolean
): Effect.fn.Return<A, MerkleLogError, MerkleLog> {
  const merkle = yield* MerkleLog
  const first = yield* answer
  if (fits(first)) return first
  yield* merkle.rebuild(size)
  return yield* answer
})

/** The proofs of events in one tree, each verified; the tree must be the checkpoint's where one is expected. */
const inclusionsOf = Effect.fnUntraced(function* (
  size: number,
  events: ReadonlyArray<Pick<EventEnvelope, "position" | "hash">>,
  expected: CheckpointBody | undefined,
  logSize: number
): Effect.fn.Return<
  ReadonlyArray<InclusionProof>,
  HistoryRewritten | ProofRefused | MerkleLogError,
  MerkleLog | Signing
> {
  const merkle = yield* MerkleLog
  const { sha256 } = yield* Signing
  /** The first of the events that a tree's answer does not show to be there. */
  const fault = ({ paths, root }: MerklePaths): ProofRefused | undefined => {
    const checks = new InclusionChecks(sha256, size, root)
    for (const [place, { hash, position }] of events.entries()) {
      const leaf = leafHash(sha256, bytesOfHex(hash) ?? new Uint8Array(0))
      const reason = checks.fault(position - 1, leaf, paths[place] ?? [])
      if (reason === undefined) continue
      return new ProofRefused({ kind: "inclusion", reason, proof_sizes: [size], checkpoint_sizes: [size] })
    }
    return undefined
  }
  // The tree's first answer is nearly always the last, and is not judged twice.
  let judged: { readonly answer: MerklePaths; readonly broken: ProofRefused | undefined } | undefined
  const answer = yield* fitting(
    size,
    merkle.inclusions(
      size,
      events.map(({ position }) => position - 1)
    ),
    (found) => {
      judged = { answer: found, broken: fault(found) }
      return judged.broken === undefined && (expected === undefined || bytesEqual(found.root, expected.root))
    }
  )
  const rewritten = expected === undefined ? undefined : rewriteFault(expected, logSize, answer.root)
  if (rewritten !== undefined) return yield* rewritten
  const broken = judged?.answer === answer ? judged.broken : fault(answer)
  if (broken !== undefined) return yield* broken
  return events.map(({ hash, position }, place) => ({
    kind: "inclusion",
    size,
    index: position - 1,
    hash,
    path: answer.paths[place] ?? []
  }))
})

/** Shows that the event at a position is among the first `size` events. */
export const proveInclusion = traced("cassette.proof.inclusion")(function* ({
  checkpoint,
  position,
  size: given
}: InclusionOptions): Effect.fn.Return<
  InclusionProof,
  InvalidInput | HistoryRewritten | ProofRefused | MerkleLogError,
  LedgerReader | MerkleLog | Signing
> {
  const reader = yield* LedgerReader
  const { position: logSize } = yield* reader.head
  const size = given ?? checkpoint?.size ?? logSize
  const expected = checkpoint?.size === size ? checkpoint : undefined
  const cut = cutBefore(logSize, [expected])
  if (cut !== undefined) return yield* cut
  const refused = outOfRange("/size", size, 1, logSize) ?? outOfRange("/position", position, 1, size)
  if (refused !== undefined) return yield* refused
  const [event] = yield* reader.events(position - 1, 1)
  if (event === undefined || leafInput(event) === undefined) {
    return yield* Effect.fail(noLeaf(event ?? { position }))
  }
  const [proof] = yield* inclusionsOf(size, [event], expected, logSize)
  return proof ?? (yield* Effect.fail(noLeaf(event)))
})

/** Events whose hashes are to be shown to stand in the tree of a checkpoint. */
export interface InclusionsOptions {
  /** In the order of their positions, which is quickest. */
  readonly events: ReadonlyArray<Pick<EventEnvelope, "position" | "hash">>
  /** The checkpoint that the proofs are for; its trust is the verifier's concern. */
  readonly checkpoint: CheckpointBody
}

/** Shows that events, as their caller has read them, are among those that a checkpoint covers. */
export const proveInclusions = traced("cassette.proof.inclusions")(function* ({
  checkpoint,
  events
}: InclusionsOptions): Effect.fn.Return<
  ReadonlyArray<InclusionProof>,
  InvalidInput | HistoryRewritten | ProofRefused | MerkleLogError,
  LedgerReader | MerkleLog | Signing
> {
  const { position: logSize } = yield* (yield* LedgerReader).head
  const cut = cutBefore(logSize, [checkpoint])
  if (cut !== undefined) return yield* cut
  const { size } = checkpoint
  for (const { position } of events) {
    const refused = outOfRange("/events/position", position, 1, size)
    if (refused !== undefined) return yield* refused
  }
  return yield* inclusionsOf(size, events, checkpoint, logSize)
})

export interface ConsistencyOptions {
  /** Events of the older and of the newer tree; the newer is by default the whole log. */
  readonly from: number
  readonly to?: number | undefined
  /** The checkpoints that the proof is to connect, as far as they are at hand. */
  readonly checkpoints?: ReadonlyArray<CheckpointBody> | undefined
}

/** Shows that the first `from` events are the beginning of the first `to`. */
export const proveConsistency = traced("cassette.proof.consistency")(function* ({
  checkpoints = [],
  from,
  to: given
}: ConsistencyOptions): Effect.fn.Return<
  ConsistencyProof,
  InvalidInput | HistoryRewritten | MerkleLogError,
  LedgerReader | MerkleLog
> {
  const merkle = yield* MerkleLog
  const { position: logSize } = yield* (yield* LedgerReader).head
  const to = given ?? logSize
  const cut = cutBefore(
    logSize,
    checkpoints.filter(({ size }) => size === from || size === to)
  )
  if (cut !== undefined) return yield* cut
  const refused = outOfRange("/to", to, 1, logSize) ?? outOfRange("/from", from, 1, to)
  if (refused !== undefined) return yield* refused
  const faultOf = (found: { readonly oldRoot: Hash; readonly root: Hash }) =>
    checkpoints
      .filter(({ size }) => size === from || size === to)
      .map((checkpoint) =>
        rewriteFault(checkpoint, logSize, checkpoint.size === from ? found.oldRoot : found.root)
      )
      .find((fault) => fault !== undefined)
  const answer = yield* fitting(to, merkle.consistency(from, to), (found) => faultOf(found) === undefined)
  const rewritten = faultOf(answer)
  if (rewritten !== undefined) return yield* rewritten
  return { kind: "consistency", from, to, path: pathText(answer.path) }
})
