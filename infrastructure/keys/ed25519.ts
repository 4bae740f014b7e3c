// Ed25519 and SHA-256 from Node's cryptography under the signing port. It knows no files.
import { createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Signing, type SigningKey } from "../../application/foundation/signing.ts"
import { joinBytes, type Sha256Bytes } from "../../domain/canonical/bytes.ts"
import {
  PUBLIC_KEY_BYTES,
  SIGNATURE_BYTES,
  type VerifySignature
} from "../../domain/evidence/ed25519-form.ts"

// SubjectPublicKeyInfo of Ed25519 (RFC 8410) is this and the key's 32 bytes.
const SPKI_PREFIX = Uint8Array.from(Buffer.from("302a300506032b6570032100", "hex"))

/** SHA-256 of bytes. */
export const sha256Bytes: Sha256Bytes = (bytes) => hash("sha256", bytes, "buffer")

/** Checks an Ed25519 signature; false for what is no key or no signature. */
export const verifySignature: VerifySignature = (publicKey, message, signature) => {
  if (publicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false
  const spki = Buffer.from(joinBytes(SPKI_PREFIX, publicKey))
  return verify(null, message, createPublicKey({ key: spki, format: "der", type: "spki" }), signature)
}

/** Node's cryptography under the signing port. */
export const nodeSigningLayer: Layer.Layer<Signing> = Layer.succeed(Signing, {
  sha256: sha256Bytes,
  verify: verifySignature
})

/** A private key as a value that signs, and shows nothing else of itself. */
export const signingKey = (key: KeyObject): SigningKey => ({
  publicKey: Uint8Array.from(
    createPublicKey(key).export({ format: "der", type: "spki" }).subarray(SPKI_PREFIX.length)
  ),
  sign: (message) => Effect.sync(() => sign(null, message, key))
})
