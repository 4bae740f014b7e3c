// The growing edge of a Merkle tree: the roots of its full subtrees, one per binary digit of the size. It makes the
// root of any prefix while leaves pass by once, in memory that grows with the logarithm of their number, and names
// the nodes that each leaf completes, in the one order in which a file may append them.
import type { Sha256Bytes } from "../canonical/bytes.ts"
import { emptyRoot, type Hash, nodeHash, type NodeAt } from "./merkle-tree.ts"

/** The full subtrees that make up a tree of `size` leaves, largest first. */
const peaksOf = (size: number, nodeAt: NodeAt): Array<Hash> => {
  const peaks: Array<Hash> = []
  let begin = 0
  for (let level = Math.floor(Math.log2(size)) + 1; level >= 0; level--) {
    const span = 2 ** level
    if (begin + span > size) continue
    peaks.push(nodeAt(level, begin / span))
    begin += span
  }
  return peaks
}

/** A tree that only grows; it holds no more than one hash per binary digit of its size. */
export class MerkleFrontier {
  private readonly sha256: Sha256Bytes
  /** Largest subtree first. */
  private readonly peaks: Array<Hash>
  private leaves: number

  /** An empty tree, or the tree of the first `size` leaves as an accessor knows it. */
  constructor(sha256: Sha256Bytes, size = 0, nodeAt?: NodeAt) {
    this.sha256 = sha256
    this.leaves = size
    this.peaks = size === 0 || nodeAt === undefined ? [] : peaksOf(size, nodeAt)
  }

  /** The number of leaves so far. */
  get size(): number {
    return this.leaves
  }

  /** Adds a leaf's hash and gives the nodes that it completes: itself, then its parents upwards. */
  append(leaf: Hash): ReadonlyArray<Hash> {
    const completed = [leaf]
    let node = leaf
    for (let rest = this.leaves; rest % 2 === 1; rest = Math.floor(rest / 2)) {
      node = nodeHash(this.sha256, this.peaks.pop()!, node)
      completed.push(node)
    }
    this.peaks.push(node)
    this.leaves += 1
    return completed
  }

  /** The root over all leaves so far. */
  root(): Hash {
    const last = this.peaks.at(-1)
    if (last === undefined) return emptyRoot(this.sha256)
    return this.peaks.slice(0, -1).reduceRight((right, peak) => nodeHash(this.sha256, peak, right), last)
  }
}
