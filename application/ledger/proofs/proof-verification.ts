// Verifying proofs without any ledger: the proof, the signed checkpoints that it connects and a trust file are enough.
// Trust comes first, then that all speak of one log, then the hashes. Nothing here reads a tree or an event.
import * as Effect from "effect/Effect"
import {
  CheckpointOfAnotherLedger,
  type CheckpointUntrusted,
  type HistoryRewritten,
  type NotACheckpoint,
  type NotAProof,
  type ProofRefused
} from "../../../domain/evidence/checkpoint-errors.ts"
import { invalidAt, type InvalidInput } from "../../../domain/foundation/errors.ts"
import {
  consistencyProofFault,
  inclusionProofFault,
  parseProof,
  type Proof
} from "../../../domain/evidence/proof.ts"
import type { TrustFile } from "../../../domain/evidence/trust.ts"
import { believedCheckpoint } from "./checkpoint.ts"
import { decodeVerifyProof } from "../verification/evidence-input.ts"
import { Signing } from "../../foundation/signing.ts"
import { traced } from "../../foundation/telemetry.ts"

/** What a proof was found to show. */
export interface VerifiedProof {
  readonly proof: Proof
  readonly origin: string
  /** The trusted keys that signed each checkpoint, older first. */
  readonly signers: ReadonlyArray<ReadonlyArray<string>>
}

/**
 * A proof with the texts of the signed checkpoints that it is about, one for inclusion and two for consistency,
 * and whose keys count.
 */
export interface VerifyProofOptions {
  readonly proof: string
  /** One checkpoint for an inclusion proof, two for a consistency proof, in any order. */
  readonly checkpoints: ReadonlyArray<string>
  readonly trust: TrustFile
}

const wrongCount = (kind: Proof["kind"]) =>
  invalidAt(
    "/checkpoints",
    kind === "inclusion" ? "an inclusion proof needs one" : "a consistency proof needs two"
  )

/** Holds a proof against the signed checkpoints that it is about. */
export const verifyProof = traced("cassette.proof.verify")(function* (
  options: VerifyProofOptions
): Effect.fn.Return<
  VerifiedProof,
  | InvalidInput
  | NotAProof
  | NotACheckpoint
  | CheckpointUntrusted
  | CheckpointOfAnotherLedger
  | ProofRefused
  | HistoryRewritten,
  Signing
> {
  const { sha256 } = yield* Signing
  const { checkpoints, proof: text, trust } = yield* Effect.fromResult(decodeVerifyProof(options))
  const proof = yield* Effect.fromResult(parseProof(text))
  const believed = yield* Effect.forEach(checkpoints, (note) => believedCheckpoint(note, trust, undefined))
  const [older, newer, ...more] = believed.toSorted((left, right) => left.size - right.size)
  if (older === undefined || more.length > 0 || (newer === undefined) !== (proof.kind === "inclusion")) {
    return yield* wrongCount(proof.kind)
  }
  if (newer !== undefined && newer.origin !== older.origin) {
    return yield* new CheckpointOfAnotherLedger({ expected: older.origin, actual: newer.origin })
  }
  const fault =
    proof.kind === "inclusion"
      ? inclusionProofFault(sha256, proof, older)
      : consistencyProofFault(sha256, proof, older, newer ?? older)
  if (fault !== undefined) return yield* fault
  return {
    proof,
    origin: older.origin,
    signers: newer === undefined ? [older.signers] : [older.signers, newer.signers]
  }
})
