// Attestations of bundles: a DSSE envelope (https://github.com/secure-systems-lab/dsse) around an in-toto statement whose
// subject is the SHA-256 of `bundle.json`. A bundle has exactly one statement, so its text is compared and not
// interpreted. The envelope lies beside the bundle and never in it. It is written in one way and read as DSSE has it:
// both alphabets of base64, key ids or none, and fields of other programs, which are passed over.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  base64Text,
  bytesEqual,
  bytesOfAnyBase64,
  hexText,
  joinBytes,
  utf8Bytes
} from "../canonical/bytes.ts"
import { isJsonObject } from "../canonical/json.ts"
import { jcsText } from "../canonical/jcs.ts"
import { readJsonBytes } from "../canonical/strict-reader.ts"
import { isSignedBy } from "../evidence/ed25519-form.ts"
import { publicKeyBytes, type SignatureChecks, type TrustFile, type TrustKey } from "../evidence/trust.ts"
import type { BundleFindingCode } from "./finding.ts"
import { type Manifest, MANIFEST_NAME } from "./manifest.ts"

const PAYLOAD_TYPE = "application/vnd.in-toto+json"
const STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
const PREDICATE_TYPE = "urn:cortex-cassette:bundle:5.0.0"

/** Longest envelope that is read (bytes), and most signatures in one. */
export const MAX_ATTESTATION_BYTES = 1_048_576
const MAX_SIGNATURES = 64

const Envelope = Schema.Struct({
  payloadType: Schema.Literal(PAYLOAD_TYPE),
  payload: Schema.String,
  signatures: Schema.Array(
    Schema.Struct({ keyid: Schema.optionalKey(Schema.String), sig: Schema.String })
  ).check(Schema.isMinLength(1), Schema.isMaxLength(MAX_SIGNATURES))
})

/** A bundle that is attested: its manifest, and the SHA-256 (hexadecimal) of its `bundle.json`. */
export interface AttestedBundle {
  readonly manifest: Manifest
  readonly manifestHash: string
}

/** The one statement about a bundle, as canonical text (`jcs/1`). */
const statementText = ({ manifest, manifestHash }: AttestedBundle): string =>
  jcsText({
    _type: STATEMENT_TYPE,
    subject: [{ name: MANIFEST_NAME, digest: { sha256: manifestHash } }],
    predicateType: PREDICATE_TYPE,
    predicate: {
      bundle_id: manifest.bundle_id,
      run_id: manifest.run_id,
      job_id: manifest.job_id,
      message_id: manifest.message_id,
      plan_hash: manifest.plan_hash,
      root_hash: manifest.hashes.root_hash
    }
  })

/** What is signed: DSSE's pre-authentication encoding of a payload. */
const signedBytes = (payload: Uint8Array): Uint8Array =>
  joinBytes(utf8Bytes(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload)

/** How an envelope names a key: the SHA-256 (hexadecimal) of its 32 bytes. */
const keyIdOf = (sha256: SignatureChecks["sha256"], publicKey: Uint8Array): string =>
  hexText(sha256(publicKey))

/** What a key signs to vouch for a bundle. */
export const attestationMessage = (bundle: AttestedBundle): Uint8Array =>
  signedBytes(utf8Bytes(statementText(bundle)))

/** The envelope's text, with the one signature that a key made over `attestationMessage`. */
export const attestationText = (
  sha256: SignatureChecks["sha256"],
  bundle: AttestedBundle,
  publicKey: Uint8Array,
  signature: Uint8Array
): string =>
  `${jcsText({
    payloadType: PAYLOAD_TYPE,
    payload: base64Text(utf8Bytes(statementText(bundle))),
    signatures: [{ keyid: keyIdOf(sha256, publicKey), sig: base64Text(signature) }]
  })}\n`

/** Why an attestation does not count. */
export interface AttestationFault {
  readonly code: Extract<BundleFindingCode, `ATTESTATION_${string}`>
  readonly message: string
}

const decode = Schema.decodeUnknownResult(Envelope, { onExcessProperty: "ignore", errors: "first" })

const fault = (code: AttestationFault["code"], message: string) =>
  Result.fail<AttestationFault>({ code, message })

/** True when the bytes are a statement of our kind, about any bundle. */
const isStatement = (payload: Uint8Array): boolean => {
  const value = readJsonBytes(payload, "jcs/1")
  if (Result.isFailure(value) || !isJsonObject(value.success)) return false
  const { _type, predicateType } = value.success
  return _type === STATEMENT_TYPE && predicateType === PREDICATE_TYPE
}

const isInScope = ({ scope }: TrustKey, runId: string): boolean =>
  (scope.run_prefixes ?? []).some((prefix) => runId.startsWith(prefix))

const publicKeyOf = (text: string): Uint8Array => publicKeyBytes(text) ?? new Uint8Array(0)
const hexOf = (text: string): string => hexText(publicKeyOf(text))

type EnvelopeSignature = (typeof Envelope.Type)["signatures"][number]

/** How a trusted key stands to an envelope: it has not signed it, has, or is named by a signature that is not its own. */
type Standing = "absent" | "signed" | "wrong"

/**
 * A signature that names its key must be that key's. One that names none may be any key's, so it is tried, and
 * is no fault where it does not fit.
 */
const standingOf = (
  { sha256, verify }: SignatureChecks,
  publicKey: Uint8Array,
  message: Uint8Array,
  signatures: ReadonlyArray<EnvelopeSignature>
): Standing => {
  const id = keyIdOf(sha256, publicKey)
  const fits = ({ sig }: EnvelopeSignature) =>
    isSignedBy(verify, publicKey, message, bytesOfAnyBase64(sig) ?? new Uint8Array(0))
  const named = signatures.filter(({ keyid }) => keyid === id)
  if (!named.every(fits)) return "wrong"
  const unnamed = signatures.filter(({ keyid = "" }) => keyid === "")
  return named.length > 0 || unnamed.some(fits) ? "signed" : "absent"
}

/** Who of a trust file signed a message: an envelope names keys without names, so one disabled entry disables its key. */
const trustedSigners = (
  checks: SignatureChecks,
  trust: TrustFile,
  runId: string,
  message: Uint8Array,
  signatures: ReadonlyArray<EnvelopeSignature>
): Result.Result<ReadonlyArray<string>, AttestationFault> => {
  const untrusted = (text: string) => fault("ATTESTATION_UNTRUSTED", text)
  const off = new Map(
    trust.keys.filter(({ enabled }) => !enabled).map(({ name, public_key }) => [hexOf(public_key), name])
  )
  const signers: Array<string> = []
  const disabled = new Set<string>()
  for (const key of trust.keys) {
    const offAs = off.get(hexOf(key.public_key))
    const standing = standingOf(checks, publicKeyOf(key.public_key), message, signatures)
    if (offAs !== undefined) {
      if (standing === "signed") disabled.add(offAs)
    } else if (standing === "wrong") return untrusted(`the signature is not the one of ${key.name}`)
    else if (standing === "signed" && isInScope(key, runId)) signers.push(key.name)
  }
  if (signers.length > 0) return Result.succeed(signers)
  const none = `no enabled key of the trust file has signed it for run ${runId}`
  if (disabled.size === 0) return untrusted(none)
  return untrusted(`${none}; a key that has is disabled there, as ${[...disabled].join(", ")}`)
}

/** The names of the trusted keys that signed this attestation of this bundle, at least one, or why it does not count. */
export const attestationSigners = (
  checks: SignatureChecks,
  trust: TrustFile,
  bundle: AttestedBundle,
  bytes: Uint8Array
): Result.Result<ReadonlyArray<string>, AttestationFault> => {
  const value = readJsonBytes(bytes, "jcs/1")
  if (Result.isFailure(value)) return fault("ATTESTATION_INVALID", value.failure.message)
  const decoded = decode(value.success)
  if (Result.isFailure(decoded)) {
    return fault("ATTESTATION_INVALID", decoded.failure.message.replaceAll(/\s*\n\s*/g, " "))
  }
  const { signatures } = decoded.success
  const payload = bytesOfAnyBase64(decoded.success.payload)
  if (payload === undefined) return fault("ATTESTATION_INVALID", "its payload is not base64")
  if (!bytesEqual(payload, utf8Bytes(statementText(bundle)))) {
    return isStatement(payload)
      ? fault("ATTESTATION_SUBJECT", "its statement is about another bundle, or this one was changed")
      : fault("ATTESTATION_INVALID", "its payload is not an in-toto statement about a bundle")
  }
  return trustedSigners(checks, trust, bundle.manifest.run_id, signedBytes(payload), signatures)
}
