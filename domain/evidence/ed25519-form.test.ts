/**
 * Keys and signatures that libraries judge differently. The points of small order are found here by arithmetic, not
 * listed: a signature with R of small order and S = 0 would be accepted under such a key for one message in a few.
 */
import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { isPublicKey, isSignedBy, type VerifySignature } from "./ed25519-form.ts"

const P = 2n ** 255n - 19n
const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
const SIGN = 2n ** 255n

const mod = (n: bigint): bigint => ((n % P) + P) % P
const power = (base: bigint, exponent: bigint): bigint => {
  let [result, square] = [1n, mod(base)]
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = mod(result * square)
    square = mod(square * square)
  }
  return result
}
const inverse = (n: bigint): bigint => power(n, P - 2n)
const D = mod(-121_665n * inverse(121_666n))

/** The y of the double of a point, or undefined when no point has this y. */
const doubled = (y: bigint): bigint | undefined => {
  const xx = mod((y * y - 1n) * inverse(D * y * y + 1n))
  if (xx !== 0n && power(xx, (P - 1n) / 2n) !== 1n) return undefined
  return mod((y * y + xx) * inverse(2n - y * y + xx))
}

/** A root of -1, and with it the y of order 8: those whose double has y = 0. */
const rootOf = (n: bigint): bigint => {
  const root = power(n, (P + 3n) / 8n)
  return mod(root * root) === mod(n) ? root : mod(root * power(2n, (P - 1n) / 4n))
}
// y = 0 after doubling means yy = -xx; with the curve's equation, D y^4 + 2 y^2 - 1 = 0.
const eighth = (() => {
  const inner = rootOf(1n + D)
  for (const root of [inner, P - inner]) {
    const yy = mod((root - 1n) * inverse(D))
    const y = rootOf(yy)
    if (mod(y * y) === yy) return y
  }
  throw new Error("there is a point of order 8")
})()

const smallOrder = [1n, P - 1n, 0n, eighth, P - eighth]

const bytesOf = (n: bigint): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, index) => Number((n >> BigInt(8 * index)) & 255n))
const numberOf = (bytes: Uint8Array): bigint => bytes.reduceRight((n, byte) => n * 256n + BigInt(byte), 0n)

const seed = Buffer.alloc(32, 7)
const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed])
const privateKey = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" })
const publicKey = Uint8Array.from(
  createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(12)
)
const message = Buffer.from("message")
const signature = Uint8Array.from(sign(null, message, privateKey))
const nodeVerify: VerifySignature = (key, text, signed) =>
  verify(
    null,
    text,
    createPublicKey({
      key: Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), key]),
      format: "der",
      type: "spki"
    }),
    signed
  )
/** A library that accepts everything: what is refused is refused by the form alone. */
const credulous: VerifySignature = () => true

describe("an Ed25519 key", () => {
  it("is a point that is not of small order, whichever its sign", () => {
    assert.strictEqual(doubled(doubled(doubled(eighth)!)!), 1n)
    assert.strictEqual(new Set(smallOrder).size, 5)
    for (const y of smallOrder) {
      assert.isFalse(isPublicKey(bytesOf(y)), `${y}`)
      assert.isFalse(isPublicKey(bytesOf(y + SIGN)), `${y} with a sign`)
    }
    assert.isTrue(isPublicKey(publicKey))
    publicKey.forEach((_, index) => {
      const other = Uint8Array.from(publicKey)
      other[index]! ^= 1
      assert.isTrue(isPublicKey(other))
    })
  })

  it("has one encoding: no y of the prime or above", () => {
    for (let more = 0n; more < 19n; more++) {
      for (const sign of [0n, SIGN]) assert.isFalse(isPublicKey(bytesOf(P + more + sign)), `${more}`)
    }
    assert.isTrue(isPublicKey(bytesOf(P - 2n)))
    assert.isTrue(isPublicKey(bytesOf(2n)))
  })

  it("has 32 bytes", () => {
    for (const length of [0, 31, 33, 64]) assert.isFalse(isPublicKey(new Uint8Array(length).fill(9)))
  })

  it("of small order has signed nothing, also where the library says that it has", () => {
    for (const y of smallOrder) {
      assert.isFalse(isSignedBy(credulous, bytesOf(y), message, signature))
    }
  })
})

describe("an Ed25519 signature", () => {
  const withR = (r: Uint8Array): Uint8Array => Uint8Array.from([...r, ...signature.slice(32)])

  it("that is right is taken, and only where the library says so", () => {
    assert.isTrue(isSignedBy(nodeVerify, publicKey, message, signature))
    assert.isFalse(isSignedBy(nodeVerify, publicKey, Buffer.from("other"), signature))
  })

  it("has an S below the order of the group", () => {
    const s = numberOf(signature.slice(32))
    for (const over of [L, s + L, 2n ** 256n - 1n]) {
      const spoilt = Uint8Array.from([...signature.slice(0, 32), ...bytesOf(over)])
      assert.isFalse(isSignedBy(credulous, publicKey, message, spoilt))
    }
    const highest = Uint8Array.from([...signature.slice(0, 32), ...bytesOf(L - 1n)])
    assert.isTrue(isSignedBy(credulous, publicKey, message, highest))
  })

  it("has an R that is the one encoding of a point that is not of small order", () => {
    for (const y of [...smallOrder, P, P + 1n, P + 18n]) {
      for (const sign of [0n, SIGN]) {
        assert.isFalse(isSignedBy(credulous, publicKey, message, withR(bytesOf(y + sign))), `${y}`)
      }
    }
  })

  it("that its own signer made with an R of small order is refused, where libraries disagree", () => {
    const scalar = createHash("sha512").update(seed).digest().subarray(0, 32)
    scalar[0]! &= 248
    scalar[31] = (scalar[31]! & 127) | 64
    const r = bytesOf(1n)
    const k = numberOf(createHash("sha512").update(r).update(publicKey).update(message).digest())
    const made = Uint8Array.from([...r, ...bytesOf((k * numberOf(scalar)) % L)])
    assert.isFalse(isSignedBy(nodeVerify, publicKey, message, made))
    assert.isFalse(isSignedBy(credulous, publicKey, message, made))
  })

  it("has 64 bytes", () => {
    for (const length of [0, 63, 65]) {
      assert.isFalse(isSignedBy(credulous, publicKey, message, new Uint8Array(length).fill(9)))
    }
  })
})
