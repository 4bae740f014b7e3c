// Verification of inclusion and consistency proofs (RFC 9162, sections 2.1.3.2 and 2.1.4.2; the trees are those of
// RFC 6962). It knows sizes, hashes and the path alone and needs no tree. It is strict: a path must have exactly the
// hashes that its sizes demand, so that no proof has two spellings.
import { bytesEqual, type Sha256Bytes } from "../canonical/bytes.ts"
import { type Hash, HASH_BYTES, nodeHash } from "./merkle-tree.ts"

/** Why a proof does not hold. */
export type ProofFault =
  | "size_out_of_range"
  | "index_out_of_range"
  | "hash_length"
  | "path_too_short"
  | "path_too_long"
  | "root_differs"
  | "old_root_differs"

const isSize = (size: number): boolean => Number.isSafeInteger(size) && size >= 1

const isOdd = (value: number): boolean => value % 2 === 1

const half = (value: number): number => Math.floor(value / 2)

const allHashes = (hashes: ReadonlyArray<Hash>): boolean => hashes.every((hash) => hash.length === HASH_BYTES)

/** What an inclusion proof says: the leaf with this hash stands at `index` in the tree of `size` leaves. */
export interface InclusionClaim {
  readonly size: number
  readonly index: number
  /** The leaf's hash, never its input; take it from `leafHash`, so that an inner node cannot pass as a leaf. */
  readonly leaf: Hash
  readonly root: Hash
  readonly path: ReadonlyArray<Hash>
}

/** Why the leaf is not shown to stand in the tree, or undefined when it is. */
export const inclusionFault = (sha256: Sha256Bytes, claim: InclusionClaim): ProofFault | undefined => {
  const { index, leaf, path, root, size } = claim
  if (!isSize(size)) return "size_out_of_range"
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return "index_out_of_range"
  if (!allHashes([leaf, root, ...path])) return "hash_length"
  let node = index
  let last = size - 1
  let hash = leaf
  for (const sibling of path) {
    if (last === 0) return "path_too_long"
    if (isOdd(node) || node === last) {
      hash = nodeHash(sha256, sibling, hash)
      while (!isOdd(node) && node !== 0) {
        node = half(node)
        last = half(last)
      }
    } else {
      hash = nodeHash(sha256, hash, sibling)
    }
    node = half(node)
    last = half(last)
  }
  if (last !== 0) return "path_too_short"
  return bytesEqual(hash, root) ? undefined : "root_differs"
}

/** What a consistency proof says: the tree of `from` leaves is the beginning of the tree of `to` leaves. */
export interface ConsistencyClaim {
  readonly from: number
  readonly to: number
  readonly oldRoot: Hash
  readonly newRoot: Hash
  readonly path: ReadonlyArray<Hash>
}

/** The old and the new root that a path leads to, for from < to; or why it leads nowhere. */
const rootsOfPath = (
  sha256: Sha256Bytes,
  { from, oldRoot, path, to }: ConsistencyClaim
): { readonly oldRoot: Hash; readonly newRoot: Hash } | "path_too_short" | "path_too_long" => {
  let node = from - 1
  let last = to - 1
  while (isOdd(node)) {
    node = half(node)
    last = half(last)
  }
  // The old tree is one full subtree: the path leaves its root out.
  const [first, ...rest] = node === 0 ? [oldRoot, ...path] : path
  if (first === undefined) return "path_too_short"
  let older = first
  let newer = first
  for (const hash of rest) {
    if (last === 0) return "path_too_long"
    if (isOdd(node) || node === last) {
      older = nodeHash(sha256, hash, older)
      newer = nodeHash(sha256, hash, newer)
      while (!isOdd(node) && node !== 0) {
        node = half(node)
        last = half(last)
      }
    } else {
      newer = nodeHash(sha256, newer, hash)
    }
    node = half(node)
    last = half(last)
  }
  return last === 0 ? { oldRoot: older, newRoot: newer } : "path_too_short"
}

/** Why the old tree is not shown to begin the new one, or undefined when it is. */
export const consistencyFault = (sha256: Sha256Bytes, claim: ConsistencyClaim): ProofFault | undefined => {
  const { from, newRoot, oldRoot, path, to } = claim
  if (!isSize(from) || !isSize(to) || from > to) return "size_out_of_range"
  if (!allHashes([oldRoot, newRoot, ...path])) return "hash_length"
  if (from === to) {
    if (path.length > 0) return "path_too_long"
    return bytesEqual(oldRoot, newRoot) ? undefined : "root_differs"
  }
  const roots = rootsOfPath(sha256, claim)
  if (typeof roots === "string") return roots
  if (!bytesEqual(roots.oldRoot, oldRoot)) return "old_root_differs"
  return bytesEqual(roots.newRoot, newRoot) ? undefined : "root_differs"
}
