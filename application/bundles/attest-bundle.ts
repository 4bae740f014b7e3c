// Attestations of bundles: who vouches for one, and whether such a voucher is believed. Verifying with an attestation is
// verifying the bundle and then, beside it, the one envelope that was handed over.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { attestationMessage, attestationSigners, attestationText } from "../../domain/bundles/attestation.ts"
import type { BundleFinding } from "../../domain/bundles/finding.ts"
import { hexText } from "../../domain/canonical/bytes.ts"
import type { SigningFailed } from "../../domain/evidence/checkpoint-errors.ts"
import type { TrustFile } from "../../domain/evidence/trust.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { FileUnreadable } from "../../domain/foundation/root-files.ts"
import type { Hashing } from "../foundation/hashing.ts"
import { signatureOf, Signing, type SigningKey } from "../foundation/signing.ts"
import type { BundleSource } from "./bundle-source.ts"
import { soundBundle, type UnsoundBundle } from "./sound-bundle.ts"
import { type VerifiedBundle, verifyBundle } from "./verify-bundle.ts"
import { traced } from "../foundation/telemetry.ts"

/** What is asked of an attestation. */
export interface AttestationRequest {
  readonly trust: TrustFile
  /** The envelope's bytes, undefined when there is none. */
  readonly envelope: Uint8Array | undefined
  readonly required: boolean
}

/** Signs the bundle at an absolute path; gives the envelope's text. `InvalidInput` when the key is none that can be believed. */
export const signBundle = traced("cassette.bundle.sign")(function* (
  path: string,
  key: SigningKey
): Effect.fn.Return<
  string,
  FileUnreadable | UnsoundBundle | InvalidInput | SigningFailed,
  BundleSource | Hashing | Signing
> {
  const { sha256 } = yield* Signing
  const { manifest, manifestBytes } = yield* soundBundle(path)
  const bundle = { manifest, manifestHash: hexText(sha256(manifestBytes)) }
  const signature = yield* signatureOf(key, attestationMessage(bundle))
  return attestationText(sha256, bundle, key.publicKey, signature)
})

const judge = Effect.fnUntraced(function* (
  { manifest, manifestBytes }: VerifiedBundle,
  { envelope, required, trust }: AttestationRequest
): Effect.fn.Return<Result.Result<ReadonlyArray<string>, Omit<BundleFinding, "where">>, never, Signing> {
  const checks = yield* Signing
  if (envelope === undefined) {
    return required
      ? Result.fail({ code: "ATTESTATION_MISSING", message: "there is no attestation, and one is required" })
      : Result.succeed([])
  }
  // A bundle that cannot be read has findings already, and nothing to be attested.
  if (manifest === undefined || manifestBytes === undefined) return Result.succeed([])
  const manifestHash = hexText(checks.sha256(manifestBytes))
  return attestationSigners(checks, trust, { manifest, manifestHash }, envelope)
})

/** Verifies the bundle at an absolute path together with its attestation. */
export const verifyAttestedBundle = traced("cassette.bundle.verifyAttested")(function* (
  path: string,
  request: AttestationRequest
): Effect.fn.Return<VerifiedBundle, FileUnreadable, BundleSource | Hashing | Signing> {
  const verified = yield* verifyBundle(path)
  const { report } = verified
  const judged = yield* judge(verified, request)
  if (Result.isSuccess(judged)) return { ...verified, report: { ...report, signers: judged.success } }
  const findings = [...report.findings, { ...judged.failure, where: "attestation" }]
  const verdict = report.verdict === "PASS" ? "FAIL" : report.verdict
  return { ...verified, report: { ...report, verdict, findings } }
})
