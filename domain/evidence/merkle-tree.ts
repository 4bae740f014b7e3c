// The Merkle tree of RFC 6962 (section 2.1) over any list of leaf inputs: hashes, roots and proofs, made from an
// accessor of full subtrees, so that O(log n) look-ups answer for any size. It keeps nothing and trusts nothing: an
// accessor that lies yields a wrong root, and verification (merkle-proof.ts) is what finds that.
import type { Sha256Bytes } from "../canonical/bytes.ts"

/** A SHA-256 hash, 32 bytes. */
export type Hash = Uint8Array

/** Bytes of one hash. */
export const HASH_BYTES = 32

/**
 * The hash of a full subtree: level 0 holds the leaves, node `index` of `level` covers the leaves from
 * `index * 2^level` to before `(index + 1) * 2^level`.
 */
export type NodeAt = (level: number, index: number) => Hash

const LEAF_PREFIX = 0x00
const NODE_PREFIX = 0x01

/** The hash of a leaf whose input is these bytes. */
export const leafHash = (sha256: Sha256Bytes, input: Uint8Array): Hash => {
  const prefixed = new Uint8Array(1 + input.length)
  prefixed[0] = LEAF_PREFIX
  prefixed.set(input, 1)
  return sha256(prefixed)
}

/** The hash of an inner node. */
export const nodeHash = (sha256: Sha256Bytes, left: Hash, right: Hash): Hash => {
  const prefixed = new Uint8Array(1 + 2 * HASH_BYTES)
  prefixed[0] = NODE_PREFIX
  prefixed.set(left, 1)
  prefixed.set(right, 1 + HASH_BYTES)
  return sha256(prefixed)
}

/** The root of the tree without leaves. */
export const emptyRoot = (sha256: Sha256Bytes): Hash => sha256(new Uint8Array(0))

/** The largest power of two below `size` (which is 2 or more), as its exponent. Bit operations end at 2^32. */
export const splitLevel = (size: number): number => {
  let level = 0
  while (2 ** (level + 1) < size) level++
  return level
}

/** The root over the leaves [begin, begin + size); `begin` is a multiple of the least power of two >= size. */
export const rangeRoot = (sha256: Sha256Bytes, begin: number, size: number, nodeAt: NodeAt): Hash => {
  if (size === 1) return nodeAt(0, begin)
  const level = splitLevel(size)
  const half = 2 ** level
  if (2 * half === size) return nodeAt(level + 1, begin / size)
  const left = nodeAt(level, begin / half)
  return nodeHash(sha256, left, rangeRoot(sha256, begin + half, size - half, nodeAt))
}

/** The root of the tree over the first `size` leaves (0 or more). */
export const rootAt = (sha256: Sha256Bytes, size: number, nodeAt: NodeAt): Hash =>
  size === 0 ? emptyRoot(sha256) : rangeRoot(sha256, 0, size, nodeAt)

/** PROOF(from, D[to]): what shows that the tree of `from` leaves begins the tree of `to`; 1 <= from <= to. */
export const consistencyPath = (
  sha256: Sha256Bytes,
  from: number,
  to: number,
  nodeAt: NodeAt
): ReadonlyArray<Hash> => {
  const path: Array<Hash> = []
  let begin = 0
  let rest = to
  let old = from
  while (old !== rest) {
    const half = 2 ** splitLevel(rest)
    if (old <= half) {
      path.push(rangeRoot(sha256, begin + half, rest - half, nodeAt))
      rest = half
    } else {
      path.push(rangeRoot(sha256, begin, half, nodeAt))
      begin += half
      rest -= half
      old -= half
    }
  }
  // A subtree that is the whole old tree needs no naming: its root is what the verifier has already.
  if (begin !== 0) path.push(rangeRoot(sha256, begin, rest, nodeAt))
  return path.toReversed()
}
