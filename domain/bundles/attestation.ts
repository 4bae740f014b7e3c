// Attestations of bundles: a DSSE envelope (https://github.com/secure-systems-lab/dsse) around an in-toto statement whose
// subject is the SHA-256 of `bundle.json`. A bundle has exactly one statement, so its text is compared and not
// interpreted. The envelope lies beside the bundle and never in it.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { base64Text, bytesOfBase64, hexText, joinBytes, utf8Bytes } from "../canonical/bytes.ts"
import { isJsonObject } from "../canonical/json.ts"
import { jcsText } from "../canonical/jcs.ts"
import { readJsonBytes } from "../canonical/strict-reader.ts"
import { publicKeyBytes, type SignatureChecks, type TrustFile, type TrustKey } from "../ledger/trust.ts"
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
  signatures: Schema.Array(Schema.Struct({ keyid: Schema.String, sig: Schema.String })).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(MAX_SIGNATURES)
  )
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

/** The envelope's text, with one signature. */
export const attestationText = (
  sha256: SignatureChecks["sha256"],
  bundle: AttestedBundle,
  key: { readonly publicKey: Uint8Array; readonly sign: (message: Uint8Array) => Uint8Array }
): string => {
  const payload = utf8Bytes(statementText(bundle))
  const signature = key.sign(signedBytes(payload))
  return `${jcsText({
    payloadType: PAYLOAD_TYPE,
    payload: base64Text(payload),
    signatures: [{ keyid: keyIdOf(sha256, key.publicKey), sig: base64Text(signature) }]
  })}\n`
}

/** Why an attestation does not count. */
export interface AttestationFault {
  readonly code: Extract<BundleFindingCode, `ATTESTATION_${string}`>
  readonly message: string
}

const decode = Schema.decodeUnknownResult(Envelope, { onExcessProperty: "error", errors: "first" })

const fault = (code: AttestationFault["code"], message: string) =>
  Result.fail<AttestationFault>({ code, message })

/** True when the bytes are a statement of our kind, about whatever bundle. */
const isStatement = (payload: Uint8Array): boolean => {
  const value = readJsonBytes(payload, "jcs/1")
  if (Result.isFailure(value) || !isJsonObject(value.success)) return false
  const { _type, predicateType } = value.success
  return _type === STATEMENT_TYPE && predicateType === PREDICATE_TYPE
}

const isInScope = ({ scope }: TrustKey, runId: string): boolean =>
  (scope.run_prefixes ?? []).some((prefix) => runId.startsWith(prefix))

/** The names of the trusted keys that signed this attestation of this bundle, at least one, or why it does not count. */
export const attestationSigners = (
  { sha256, verify }: SignatureChecks,
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
  const payload = bytesOfBase64(decoded.success.payload)
  if (payload === undefined) return fault("ATTESTATION_INVALID", "its payload is not base64")
  if (hexText(payload) !== hexText(utf8Bytes(statementText(bundle)))) {
    return isStatement(payload)
      ? fault("ATTESTATION_SUBJECT", "its statement is about another bundle, or this one was changed")
      : fault("ATTESTATION_INVALID", "its payload is not an in-toto statement about a bundle")
  }
  const message = signedBytes(payload)
  const trusted: Array<string> = []
  for (const key of trust.keys.filter(({ enabled }) => enabled)) {
    const publicKey = publicKeyBytes(key.public_key) ?? new Uint8Array(0)
    const own = signatures.filter(({ keyid }) => keyid === keyIdOf(sha256, publicKey))
    if (own.some(({ sig }) => !verify(publicKey, message, bytesOfBase64(sig) ?? new Uint8Array(0)))) {
      return fault("ATTESTATION_UNTRUSTED", `the signature is not the one of ${key.name}`)
    }
    if (own.length > 0 && isInScope(key, bundle.manifest.run_id)) trusted.push(key.name)
  }
  return trusted.length > 0
    ? Result.succeed(trusted)
    : fault(
        "ATTESTATION_UNTRUSTED",
        `no enabled key of the trust file has signed it for run ${bundle.manifest.run_id}`
      )
}
