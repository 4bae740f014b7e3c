// Proofs that must not hold: every shape of a wrong proof, with the fault that it has. Sizes go beyond 32 bits, where
// bit operations would end.
import { describe, expect, it } from "vitest"
import {
  consistencyFault,
  type ConsistencyClaim,
  inclusionFault,
  type InclusionClaim,
  type ProofFault
} from "./merkle-proof.ts"
import { consistencyPath, emptyRoot, type Hash, nodeHash, rootAt } from "./merkle-tree.ts"
import { inclusionPath, nodesOver, numberedInputs, sha256 } from "./testing/naive-merkle.ts"

const inputs = numberedInputs(13)
const nodeAt = nodesOver(inputs)
const root = (size: number): Hash => rootAt(sha256, size, nodeAt)
const other = (hash: Hash): Hash => hash.map((byte, index) => (index === 31 ? byte ^ 1 : byte))

const inclusion: InclusionClaim = {
  size: 13,
  index: 6,
  leaf: nodeAt(0, 6),
  root: root(13),
  path: inclusionPath(sha256, 13, 6, nodeAt)
}
const { path } = inclusion

const inclusions: ReadonlyArray<readonly [string, Partial<InclusionClaim>, ProofFault]> = [
  ["a size that is too large", { size: 26 }, "path_too_short"],
  ["a size that is too small", { size: 7 }, "path_too_long"],
  ["a wrong size of the same depth", { size: 14, index: 12, leaf: nodeAt(0, 12) }, "path_too_long"],
  ["size 0", { size: 0, index: 0, path: [] }, "size_out_of_range"],
  [
    "size 0 with the empty root",
    { size: 0, index: 0, path: [], root: emptyRoot(sha256) },
    "size_out_of_range"
  ],
  ["a size that is no whole number", { size: 12.5 }, "size_out_of_range"],
  ["a size beyond 2^53", { size: 2 ** 53 }, "size_out_of_range"],
  ["an index at the size", { index: 13 }, "index_out_of_range"],
  ["an index beyond the size", { index: 1_000 }, "index_out_of_range"],
  ["a negative index", { index: -1 }, "index_out_of_range"],
  ["an index that is no whole number", { index: 0.5 }, "index_out_of_range"],
  ["the neighbour's index", { index: 7 }, "root_differs"],
  ["an empty path", { path: [] }, "path_too_short"],
  ["an empty path whose leaf is the root", { path: [], leaf: root(13) }, "path_too_short"],
  ["a path without its end", { path: path.slice(0, -1) }, "path_too_short"],
  ["a path without its beginning", { path: path.slice(1) }, "path_too_short"],
  ["the root after the path", { path: [...path, root(13)] }, "path_too_long"],
  ["the root before the path", { path: [root(13), ...path] }, "path_too_long"],
  ["a path of more hashes than a call takes", { path: Array<Hash>(300_000).fill(root(13)) }, "path_too_long"],
  ["an empty hash after the path", { path: [...path, new Uint8Array(0)] }, "hash_length"],
  ["a hash of 31 bytes on the path", { path: [path[0]!.slice(1), ...path.slice(1)] }, "hash_length"],
  ["two hashes of the path swapped", { path: [path[1]!, path[0]!, ...path.slice(2)] }, "root_differs"],
  ["another leaf", { leaf: nodeAt(0, 5) }, "root_differs"],
  ["a leaf that is no hash", { leaf: new Uint8Array(0) }, "hash_length"],
  ["the empty root", { root: emptyRoot(sha256) }, "root_differs"],
  ["a root that is no hash", { root: new Uint8Array(0) }, "hash_length"],
  ...path.map((hash, at): readonly [string, Partial<InclusionClaim>, ProofFault] => [
    `a flipped bit in hash ${at}`,
    { path: path.with(at, other(hash)) },
    "root_differs"
  ])
]

describe("an inclusion proof with", () => {
  it.each(inclusions)("%s does not hold", (_name, change, fault) => {
    expect(inclusionFault(sha256, inclusion)).toBeUndefined()
    expect(inclusionFault(sha256, { ...inclusion, ...change })).toBe(fault)
  })

  it("an inner node in place of the leaf holds in a smaller tree only when its size is believed", () => {
    // Six pairs and a leaf look like a tree of seven leaves: nothing but the signed size tells them apart.
    const pairs = Array.from({ length: 6 }, (_, index) => nodeAt(1, index))
    const claim = {
      size: 13,
      index: 3,
      leaf: pairs[3]!,
      root: root(13),
      path: inclusionPath(sha256, 13, 6, nodeAt).slice(1)
    }
    expect(inclusionFault(sha256, claim)).toBe("path_too_short")
    expect(inclusionFault(sha256, { ...claim, size: 7 })).toBeUndefined()
  })
})

const consistency: ConsistencyClaim = {
  from: 6,
  to: 13,
  oldRoot: root(6),
  newRoot: root(13),
  path: consistencyPath(sha256, 6, 13, nodeAt)
}
const link = consistency.path

const consistencies: ReadonlyArray<readonly [string, Partial<ConsistencyClaim>, ProofFault]> = [
  ["from 0", { from: 0 }, "size_out_of_range"],
  [
    "from 0 with the empty root and nothing to show",
    { from: 0, oldRoot: emptyRoot(sha256), path: [] },
    "size_out_of_range"
  ],
  ["both sizes 0", { from: 0, to: 0, path: [] }, "size_out_of_range"],
  ["from beyond to", { from: 13, to: 6, oldRoot: root(13), newRoot: root(6) }, "size_out_of_range"],
  ["a size that is no number", { to: Number.NaN }, "size_out_of_range"],
  ["an older size that is one less", { from: 5 }, "path_too_short"],
  ["an older size that is one more", { from: 7 }, "path_too_short"],
  ["a newer size that is twice as large", { to: 26 }, "path_too_short"],
  ["a newer size that is half as large", { to: 7 }, "path_too_long"],
  ["an empty path", { path: [] }, "path_too_short"],
  ["a path without its end", { path: link.slice(0, -1) }, "path_too_short"],
  ["a path without its beginning", { path: link.slice(1) }, "path_too_short"],
  ["the newer root after the path", { path: [...link, root(13)] }, "path_too_long"],
  ["a path of more hashes than a call takes", { path: Array<Hash>(300_000).fill(root(13)) }, "path_too_long"],
  ["the older root before the path", { path: [root(6), ...link] }, "path_too_long"],
  ["its first hash twice", { path: [link[0]!, ...link] }, "path_too_long"],
  ["an empty hash before the path", { path: [new Uint8Array(0), ...link] }, "hash_length"],
  ["another older root", { oldRoot: root(5) }, "old_root_differs"],
  ["another newer root", { newRoot: root(12) }, "root_differs"],
  ["the roots swapped", { oldRoot: root(13), newRoot: root(6) }, "old_root_differs"],
  ["a path between equal sizes", { to: 6, newRoot: root(6) }, "path_too_long"],
  ["equal sizes and different roots", { to: 6, path: [] }, "root_differs"],
  ["a power of two and no path", { from: 8, oldRoot: root(8), path: [] }, "path_too_short"],
  [
    "the root of a power of two named again",
    { from: 8, oldRoot: root(8), path: [root(8), ...consistencyPath(sha256, 8, 13, nodeAt)] },
    "path_too_long"
  ]
]

describe("a consistency proof with", () => {
  it.each(consistencies)("%s does not hold", (_name, change, fault) => {
    expect(consistencyFault(sha256, consistency)).toBeUndefined()
    expect(consistencyFault(sha256, { ...consistency, ...change })).toBe(fault)
  })

  it.each(link.map((hash, at) => [at, hash] as const))(
    "a flipped bit in hash %i does not hold",
    (at, hash) => {
      expect(consistencyFault(sha256, { ...consistency, path: link.with(at, other(hash)) })).toMatch(
        /root_differs$/
      )
    }
  )
})

describe("sizes beyond 32 bits", () => {
  const level = 40
  const sibling = (n: number): Hash => sha256(Uint8Array.of(n))
  const size = 2 ** level + 1

  it("a leaf in a full subtree of 2^40 leaves", () => {
    const leaf = sibling(255)
    const path = Array.from({ length: level + 1 }, (_, n) => sibling(n))
    // Leaf 0: always the left child, and at the top the one lonely leaf stands to the right.
    const whole = path.reduce((hash, right) => nodeHash(sha256, hash, right), leaf)
    expect(inclusionFault(sha256, { size, index: 0, leaf, root: whole, path })).toBeUndefined()
    expect(inclusionFault(sha256, { size: size - 1, index: 0, leaf, root: whole, path })).toBe(
      "path_too_long"
    )
    const last = { size, index: size - 1, leaf, root: nodeHash(sha256, path[0]!, leaf), path: [path[0]!] }
    expect(inclusionFault(sha256, last)).toBeUndefined()
    expect(inclusionFault(sha256, { ...last, index: size - 2 })).toBe("path_too_short")
  })

  it("a full subtree of 2^40 leaves and one leaf more", () => {
    const claim = { from: size - 1, to: size, oldRoot: sibling(1), path: [sibling(2)] }
    const newRoot = nodeHash(sha256, sibling(1), sibling(2))
    expect(consistencyFault(sha256, { ...claim, newRoot })).toBeUndefined()
    expect(consistencyFault(sha256, { ...claim, newRoot, to: 2 * size })).toBe("path_too_short")
  })
})
