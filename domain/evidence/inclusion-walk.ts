// Many inclusion paths of one tree, in the order of their leaves. Neighbours share the upper part of their paths: what is known
// from the leaf before is not hashed or read again, so that a leaf costs a hash or two and not one for every level. Each path is still
// whole and stands for itself; one that is not exactly the one path of its leaf is refused.
import { bytesOfHex, hexText, type Sha256Bytes } from "../canonical/bytes.ts"
import { inclusionFault, type ProofFault } from "./merkle-proof.ts"
import { type Hash, nodeHash, type NodeAt, rangeRoot, splitLevel } from "./merkle-tree.ts"

/** One step from the root towards a leaf: the subtree that is entered, and the one beside it. */
interface Descent {
  readonly begin: number
  readonly size: number
  readonly besideBegin: number
  readonly besideSize: number
}

/** The steps from the root to a leaf; 0 <= index < size. */
const descentTo = (size: number, index: number): ReadonlyArray<Descent> => {
  const steps: Array<Descent> = []
  let begin = 0
  let rest = size
  let level = size > 1 ? splitLevel(size) : 0
  while (rest > 1) {
    const half = 2 ** level
    const isLeft = index < begin + half
    const right = begin + half
    steps.push(
      isLeft
        ? { begin, size: half, besideBegin: right, besideSize: rest - half }
        : { begin: right, size: rest - half, besideBegin: begin, besideSize: half }
    )
    begin = isLeft ? begin : right
    rest = isLeft ? half : rest - half
    // The largest power of two below what is left: one less on the left, which is full, or as far down as the right is small.
    do level -= 1
    while (2 ** level >= rest && level > 0)
  }
  return steps
}

/** How many steps two descents share. */
const sharedSteps = (left: ReadonlyArray<Descent>, right: ReadonlyArray<Descent>): number => {
  let shared = 0
  while (
    shared < left.length &&
    shared < right.length &&
    left[shared]!.begin === right[shared]!.begin &&
    left[shared]!.size === right[shared]!.size
  ) {
    shared += 1
  }
  return shared
}

/** Makes paths of one tree, lowest hash first, in hexadecimal. */
export class InclusionPaths {
  private readonly sha256: Sha256Bytes
  private readonly size: number
  private readonly nodeAt: NodeAt
  private descent: ReadonlyArray<Descent> = []
  /** The hashes beside the way to the leaf before, from the root down. */
  private beside: ReadonlyArray<string> = []

  constructor(sha256: Sha256Bytes, size: number, nodeAt: NodeAt) {
    this.sha256 = sha256
    this.size = size
    this.nodeAt = nodeAt
  }

  pathOf(index: number): ReadonlyArray<string> {
    const descent = descentTo(this.size, index)
    const shared = sharedSteps(this.descent, descent)
    const beside = descent.map((step, depth) =>
      depth < shared
        ? this.beside[depth]!
        : hexText(rangeRoot(this.sha256, step.besideBegin, step.besideSize, this.nodeAt))
    )
    this.descent = descent
    this.beside = beside
    return beside.toReversed()
  }
}

/** Verifies paths of one tree against its root. */
export class InclusionChecks {
  private readonly sha256: Sha256Bytes
  private readonly size: number
  private readonly root: Hash
  private descent: ReadonlyArray<Descent> = []
  /** Of the leaf that was shown last, from the root down: the hashes beside its way, and those on it. */
  private beside: ReadonlyArray<string> = []
  private own: ReadonlyArray<string> = []

  constructor(sha256: Sha256Bytes, size: number, root: Hash) {
    this.sha256 = sha256
    this.size = size
    this.root = root
  }

  /** Why the path does not show the leaf to stand at `index`, or undefined when it does. */
  fault(index: number, leaf: Hash, path: ReadonlyArray<string>): ProofFault | undefined {
    if (this.follows(index, leaf, path)) return undefined
    const hashes = path.map((hash) => bytesOfHex(hash) ?? new Uint8Array(0))
    return inclusionFault(this.sha256, { size: this.size, index, leaf, root: this.root, path: hashes })
  }

  /** True when the path follows from what is known of the tree; false when it must be verified to the root. */
  private follows(index: number, leaf: Hash, path: ReadonlyArray<string>): boolean {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.size) return false
    const descent = descentTo(this.size, index)
    if (path.length !== descent.length) return false
    const beside = path.toReversed()
    const shared = sharedSteps(this.descent, descent)
    for (let depth = 0; depth < shared; depth++) if (beside[depth] !== this.beside[depth]) return false
    const own: Array<string> = this.own.slice(0, shared)
    let hash = leaf
    for (let depth = descent.length - 1; depth >= shared; depth--) {
      own[depth] = hexText(hash)
      const other = bytesOfHex(beside[depth]!)
      if (other === undefined) return false
      const { begin, besideBegin } = descent[depth]!
      // At the parting of the two ways the hash above is known.
      if (depth > shared || this.descent.length === 0) {
        hash = begin < besideBegin ? nodeHash(this.sha256, hash, other) : nodeHash(this.sha256, other, hash)
      }
    }
    const isShown =
      this.descent.length === 0 || shared === descent.length
        ? hexText(hash) === (shared === 0 ? hexText(this.root) : this.own[shared - 1])
        : own[shared] === this.beside[shared] && beside[shared] === this.own[shared]
    if (!isShown) return false
    this.descent = descent
    this.beside = beside
    this.own = own
    return true
  }
}
