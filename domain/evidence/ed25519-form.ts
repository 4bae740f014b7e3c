// Which bytes may be an Ed25519 key or signature at all (RFC 8032, 5.1), judged on the encoding alone. Libraries differ
// here: some accept points of small order, with which a signature over any message can be invented. What this file
// refuses is refused under every library.
import { hexText } from "../canonical/bytes.ts"

/** Bytes of an Ed25519 public key and of its signature. */
export const PUBLIC_KEY_BYTES = 32
export const SIGNATURE_BYTES = 64

/** Checks an Ed25519 signature over a message; false where anything does not fit, never an exception. */
export type VerifySignature = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean

// Numbers are compared as hexadecimal of equal length, the highest digit first.
const PRIME = "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed"
const GROUP_ORDER = "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed"

/** The y of the eight points whose order divides 8: of order 1, 2, 4 (0) and 8 (two, which sum up to the prime). */
const SMALL_ORDER_Y: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000001",
  "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826",
  "7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7"
])

/** A little-endian number as hexadecimal. */
const numberText = (bytes: Uint8Array): string => hexText(bytes.toReversed())

/** True when 32 bytes are the one encoding of a y, and no point with this y is of small order; the top bit is x's sign. */
const isSoundPoint = (bytes: Uint8Array): boolean => {
  const y = Uint8Array.from(bytes)
  y[31]! &= 0x7f
  const text = numberText(y)
  return text < PRIME && !SMALL_ORDER_Y.has(text)
}

/** True when bytes may be believed as a public key: 32, the one encoding of their point, which is not of small order. */
export const isPublicKey = (bytes: Uint8Array): boolean =>
  bytes.length === PUBLIC_KEY_BYTES && isSoundPoint(bytes)

/** True when bytes may be a signature: 64, R as a public key, S below the order of the group. */
const isSignature = (bytes: Uint8Array): boolean =>
  bytes.length === SIGNATURE_BYTES &&
  isSoundPoint(bytes.subarray(0, PUBLIC_KEY_BYTES)) &&
  numberText(bytes.subarray(PUBLIC_KEY_BYTES)) < GROUP_ORDER

/** True when a key has signed a message, and key and signature have their one form; `verify` does the arithmetic. */
export const isSignedBy = (
  verify: VerifySignature,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array
): boolean => isPublicKey(publicKey) && isSignature(signature) && verify(publicKey, message, signature)
