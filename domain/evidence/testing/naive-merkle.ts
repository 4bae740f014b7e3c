/**
 * The Merkle tree of RFC 6962 exactly as section 2.1 writes it down: recursive, over whole lists of inputs, with its own
 * hashing. It shares nothing with the product, so that agreement means something; only what asks the product
 * itself for a path does.
 */
import { createHash } from "node:crypto"
import { bytesOfHex, type Sha256Bytes } from "../../canonical/bytes.ts"
import { InclusionPaths } from "../inclusion-walk.ts"
import { type Hash, leafHash, type NodeAt, nodeHash } from "../merkle-tree.ts"

type Inputs = ReadonlyArray<Uint8Array>

const digest = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const state = createHash("sha256")
  for (const part of parts) state.update(part)
  return new Uint8Array(state.digest())
}

/** SHA-256 under the port that the product's functions take. */
export const sha256: Sha256Bytes = (bytes) => digest(bytes)

const splitOf = (size: number): number => {
  let k = 1
  while (k * 2 < size) k *= 2
  return k
}

/** MTH(D[n]). */
export const naiveRoot = (inputs: Inputs): Uint8Array => {
  if (inputs.length === 0) return digest()
  if (inputs.length === 1) return digest(Uint8Array.of(0), inputs[0]!)
  const k = splitOf(inputs.length)
  return digest(Uint8Array.of(1), naiveRoot(inputs.slice(0, k)), naiveRoot(inputs.slice(k)))
}

/** PATH(m, D[n]). */
export const naivePath = (m: number, inputs: Inputs): ReadonlyArray<Uint8Array> => {
  if (inputs.length === 1) return []
  const k = splitOf(inputs.length)
  return m < k
    ? [...naivePath(m, inputs.slice(0, k)), naiveRoot(inputs.slice(k))]
    : [...naivePath(m - k, inputs.slice(k)), naiveRoot(inputs.slice(0, k))]
}

const subproof = (m: number, inputs: Inputs, whole: boolean): ReadonlyArray<Uint8Array> => {
  if (m === inputs.length) return whole ? [] : [naiveRoot(inputs)]
  const k = splitOf(inputs.length)
  return m <= k
    ? [...subproof(m, inputs.slice(0, k), whole), naiveRoot(inputs.slice(k))]
    : [...subproof(m - k, inputs.slice(k), false), naiveRoot(inputs.slice(0, k))]
}

/** PROOF(m, D[n]). */
export const naiveProof = (m: number, inputs: Inputs): ReadonlyArray<Uint8Array> => subproof(m, inputs, true)

/** An accessor of full subtrees over inputs, as the product's functions take it. */
export const nodesOver =
  (inputs: Inputs): NodeAt =>
  (level, index) => {
    if (level === 0) return leafHash(sha256, inputs[index]!)
    const nodeAt = nodesOver(inputs)
    return nodeHash(sha256, nodeAt(level - 1, 2 * index), nodeAt(level - 1, 2 * index + 1))
  }

/** Different inputs of 32 bytes. */
export const numberedInputs = (count: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: count }, (_, n) => digest(Uint8Array.of(n % 256, Math.floor(n / 256))))

/** The product's path of one leaf, as bytes. */
export const inclusionPath = (
  sha: Sha256Bytes,
  size: number,
  index: number,
  nodeAt: NodeAt
): ReadonlyArray<Hash> => new InclusionPaths(sha, size, nodeAt).pathOf(index).map((hash) => bytesOfHex(hash)!)
