// Evidence without a ledger, for hosts on Node: key files, trust files, and proofs held against signed checkpoints. It
// needs no database; a private key is a value that signs and never leaves as bytes.
import * as Effect from "effect/Effect"
import {
  type VerifiedProof,
  verifyProof as verifyProofWith,
  type VerifyProofOptions
} from "../../application/ledger/proofs/proof-verification.ts"
import { nodeSigningLayer } from "../../infrastructure/keys/ed25519.ts"

/**
 * Holds a proof against the signed checkpoints that it is about. `ProofRefused` or `HistoryRewritten` where it does not hold,
 * `CheckpointUntrusted` where no trusted key has signed; texts of another form are `NotAProof` and `NotACheckpoint`.
 */
export const verifyProof = (
  options: VerifyProofOptions
): Effect.Effect<VerifiedProof, Effect.Error<ReturnType<typeof verifyProofWith>>> =>
  Effect.provide(verifyProofWith(options), nodeSigningLayer)

export { loadNote } from "../../infrastructure/keys/note-file.ts"
export { generateKeyFiles, type KeyFiles, loadSigningKey } from "../../infrastructure/keys/key-files.ts"
export { loadTrustFile, parseTrustFile } from "../../infrastructure/keys/trust-file.ts"
