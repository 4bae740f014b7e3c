// Checkpoints and proofs of one ledger as its users see them: sign what it holds, hold a signed note against it, prove
// what a checkpoint covers. It takes checkpoints as the text of their notes and opens one span per public call; what
// is signed or judged rests on the events, and only proofs are made from the disposable tree.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  CheckpointOfAnotherLedger,
  type HistoryRewritten,
  type InvalidKeyName,
  type SigningFailed,
  type NotACheckpoint,
  type ProofRefused
} from "../../../domain/evidence/checkpoint-errors.ts"
import { type CheckpointBody, parseCheckpoint } from "../../../domain/evidence/checkpoint.ts"
import type { InvalidInput } from "../../../domain/foundation/errors.ts"
import type { ConsistencyProof, InclusionProof } from "../../../domain/evidence/proof.ts"
import type { TrustFile } from "../../../domain/evidence/trust.ts"
import {
  type CheckpointError,
  ledgerOrigin,
  type MadeCheckpoint,
  makeCheckpoint,
  type MakeCheckpointOptions,
  type VerifiedCheckpoint,
  verifyCheckpoint
} from "./checkpoint.ts"
import { decodeConsistency, decodeInclusion, decodeInclusions } from "../verification/evidence-input.ts"
import type { Hashing } from "../../foundation/hashing.ts"
import type { LedgerReader, ReadError } from "../reading/ledger-reader.ts"
import type { MerkleLog, MerkleLogError } from "./merkle-log.ts"
import { proveConsistency, proveInclusion, proveInclusions } from "./proofs.ts"
import type { Signing } from "../../foundation/signing.ts"
import { traced } from "../../foundation/telemetry.ts"

/** Which event is shown to be in which tree. */
export interface InclusionRequest {
  /** The event's position, from 1. */
  readonly position: number
  /** Events that the tree covers; by default those of the checkpoint, or all. */
  readonly size?: number | undefined
  /** The note that the proof is to hold against. */
  readonly checkpoint?: string | undefined
}

/** Which events are shown to be in the tree of a checkpoint. */
export interface InclusionsRequest {
  readonly events: ReadonlyArray<{ readonly position: number; readonly hash: string }>
  /** The note that the proofs are to hold against. */
  readonly checkpoint: string
}

/** Which two trees are shown to be of one history. */
export interface ConsistencyRequest {
  /** Events of the older tree; by default those of the older checkpoint. */
  readonly from?: number | undefined
  /** Events of the newer tree; by default those of the newer checkpoint, or all. */
  readonly to?: number | undefined
  /** The notes that the proof is to connect, as far as they are at hand. */
  readonly oldCheckpoint?: string | undefined
  readonly checkpoint?: string | undefined
}

type ProofError =
  | InvalidInput
  | NotACheckpoint
  | CheckpointOfAnotherLedger
  | HistoryRewritten
  | MerkleLogError

/**
 * The operations on checkpoints. Sizes count events; proofs are those of RFC 6962 trees, notes those of C2SP
 * signed-note.
 */
export interface CheckpointsShape {
  /** Signs the ledger as it is now; every event is read, and nothing is signed over a chain that does not hold. */
  readonly make: (
    options: MakeCheckpointOptions
  ) => Effect.Effect<MadeCheckpoint, InvalidInput | InvalidKeyName | SigningFailed | ReadError>
  /** Holds a signed note against the ledger: trust, origin, root and chain. */
  readonly verify: (
    note: string,
    trust: TrustFile
  ) => Effect.Effect<VerifiedCheckpoint, CheckpointError | ReadError>
  /** Shows that an event is among those that a checkpoint covers. */
  readonly proveInclusion: (
    request: InclusionRequest
  ) => Effect.Effect<InclusionProof, ProofError | ProofRefused>
  /**
   * Shows that events, as their caller has read them, are among those that a checkpoint covers: many at once, quickest in the order
   * of their positions.
   */
  readonly proveInclusions: (
    request: InclusionsRequest
  ) => Effect.Effect<ReadonlyArray<InclusionProof>, ProofError | ProofRefused>
  /** Shows that the history of an older checkpoint is the beginning of a newer one's. */
  readonly proveConsistency: (request: ConsistencyRequest) => Effect.Effect<ConsistencyProof, ProofError>
}

/** What a note says, when it is of the opened ledger; whether it is trusted is its verifier's concern. */
const ownCheckpoint = Effect.fnUntraced(function* (
  note: string
): Effect.fn.Return<CheckpointBody, NotACheckpoint | CheckpointOfAnotherLedger | ReadError, LedgerReader> {
  const checkpoint = yield* Effect.fromResult(parseCheckpoint(note))
  const expected = yield* ledgerOrigin
  return checkpoint.origin === expected
    ? checkpoint
    : yield* new CheckpointOfAnotherLedger({ expected, actual: checkpoint.origin })
})

const ifGiven = (note: string | undefined) =>
  note === undefined ? Effect.succeed(undefined) : ownCheckpoint(note)

const inclusion = traced("cassette.checkpoints.proveInclusion")(function* (request: InclusionRequest) {
  const { checkpoint, position, size } = yield* Effect.fromResult(decodeInclusion(request))
  return yield* proveInclusion({ position, size, checkpoint: yield* ifGiven(checkpoint) })
})

const inclusions = traced("cassette.checkpoints.proveInclusions")(function* (request: InclusionsRequest) {
  const { checkpoint, events } = yield* Effect.fromResult(decodeInclusions(request))
  const own = yield* ownCheckpoint(checkpoint)
  return yield* proveInclusions({ events, checkpoint: own })
})

const consistency = traced("cassette.checkpoints.proveConsistency")(function* (request: ConsistencyRequest) {
  const { checkpoint, from, oldCheckpoint, to } = yield* Effect.fromResult(decodeConsistency(request))
  const older = yield* ifGiven(oldCheckpoint)
  const newer = yield* ifGiven(checkpoint)
  return yield* proveConsistency({
    from: from ?? older?.size ?? 0,
    to: to ?? newer?.size,
    checkpoints: [older, newer].filter((known) => known !== undefined)
  })
})

const makeCheckpoints = Effect.gen(function* () {
  const ports = yield* Effect.context<LedgerReader | Hashing | Signing | MerkleLog>()
  return {
    make: (options) => Effect.provideContext(makeCheckpoint(options), ports),
    verify: (note, trust) => Effect.provideContext(verifyCheckpoint(note, trust), ports),
    proveInclusion: (request) => Effect.provideContext(inclusion(request), ports),
    proveInclusions: (request) => Effect.provideContext(inclusions(request), ports),
    proveConsistency: (request) => Effect.provideContext(consistency(request), ports)
  } satisfies CheckpointsShape
})

/**
 * Signed checkpoints of a ledger's history, and proofs against them.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import { Checkpoints, generateKeyFiles, Ledger, loadSigningKey, type TrustFile } from "cortex-cassette"
 *
 * const program = Effect.gen(function* () {
 *   const ledger = yield* Ledger
 *   const checkpoints = yield* Checkpoints
 *   yield* ledger.postMessage({ run_id: "r1", source: "USER", payload: { intent: "greet" } })
 *   const { public_key } = yield* generateKeyFiles("audit.pem")
 *   const { note } = yield* checkpoints.make({ key: yield* loadSigningKey("audit.pem"), keyName: "audit" })
 *   // Kept elsewhere, the note and the trust file tell later whether the history was rewritten.
 *   const scope = { ledgers: [ledger.ledgerId ?? ""] }
 *   const trust: TrustFile = { keys: [{ name: "audit", public_key, scope, enabled: true }] }
 *   return yield* checkpoints.verify(note, trust)
 * })
 *
 * await Effect.runPromise(Effect.provide(program, Ledger.layer({ filename: "signed.db" })))
 */
export class Checkpoints extends Context.Service<Checkpoints, CheckpointsShape>()(
  "cortex-cassette/Checkpoints"
) {
  /** Checkpoints over ports that the host brings. */
  static readonly layerNoDeps: Layer.Layer<Checkpoints, never, LedgerReader | Hashing | Signing | MerkleLog> =
    Layer.effect(this, makeCheckpoints)
}
