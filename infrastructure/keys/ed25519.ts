// Ed25519 and SHA-256 from Node's cryptography under the signing port. It knows no files.
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
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
const signingKey = (key: KeyObject): SigningKey => ({
  publicKey: Uint8Array.from(
    createPublicKey(key).export({ format: "der", type: "spki" }).subarray(SPKI_PREFIX.length)
  ),
  sign: (message) => Effect.sync(() => sign(null, message, key))
})

// One block from the first byte to the last: OpenSSL would pass over text that stands around it.
const PRIVATE_PEM = /^-----BEGIN PRIVATE KEY-----\n(?:[A-Za-z0-9+/=]+\n)+-----END PRIVATE KEY-----\n?$/

const privateKeyOf = (text: string): KeyObject | undefined => {
  try {
    return createPrivateKey({ key: text, format: "pem" })
  } catch {
    // OpenSSL's words about a broken key do not help and differ between versions.
    return undefined
  }
}

/** The key that a text holds as PKCS#8 PEM, or why it holds none. */
export const signingKeyOfPem = (text: string): Result.Result<SigningKey, string> => {
  if (!PRIVATE_PEM.test(text)) return Result.fail("it is not one block BEGIN PRIVATE KEY and nothing else")
  const key = privateKeyOf(text)
  if (key === undefined) return Result.fail("what its block holds is no private key")
  return key.asymmetricKeyType === "ed25519"
    ? Result.succeed(signingKey(key))
    : Result.fail(`it holds a key of type ${key.asymmetricKeyType ?? "unknown"}`)
}
