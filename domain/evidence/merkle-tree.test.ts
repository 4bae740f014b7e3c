// Roots and proofs against the reference inputs of Certificate Transparency and against RFC 6962 as it is written down.
import { describe, expect, it } from "vitest"
import { bytesOfHex, hexText } from "../canonical/bytes.ts"
import { MerkleFrontier } from "./merkle-frontier.ts"
import { consistencyFault, inclusionFault } from "./merkle-proof.ts"
import { consistencyPath, emptyRoot, type Hash, leafHash, rootAt } from "./merkle-tree.ts"
import {
  inclusionPath,
  naivePath,
  naiveProof,
  naiveRoot,
  nodesOver,
  numberedInputs,
  sha256
} from "./testing/naive-merkle.ts"

const hash = (hex: string): Hash => bytesOfHex(hex)!

const referenceInputs = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f"
].map(hash)

const referenceRoots = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
]

/** Leaf index, size, path. */
const referenceInclusions: ReadonlyArray<readonly [number, number, ReadonlyArray<string>]> = [
  [0, 1, []],
  [
    0,
    8,
    [
      "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
    ]
  ],
  [
    5,
    8,
    [
      "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
      "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
    ]
  ],
  [2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]],
  [
    1,
    5,
    [
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
    ]
  ]
]

/** Older size, newer size, path. */
const referenceConsistencies: ReadonlyArray<readonly [number, number, ReadonlyArray<string>]> = [
  [1, 1, []],
  [
    1,
    8,
    [
      "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
    ]
  ],
  [
    6,
    8,
    [
      "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
      "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
    ]
  ],
  [
    2,
    5,
    [
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
    ]
  ],
  [
    6,
    7,
    [
      "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
      "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
    ]
  ]
]

describe("the reference inputs of RFC 6962", () => {
  const nodeAt = nodesOver(referenceInputs)

  it.each(referenceRoots.map((root, size) => [size, root] as const))(
    "have at size %i the root %s",
    (size, root) => {
      expect(hexText(rootAt(sha256, size, nodeAt))).toBe(root)
      const frontier = new MerkleFrontier(sha256)
      for (const input of referenceInputs.slice(0, size)) frontier.append(leafHash(sha256, input))
      expect(hexText(frontier.root())).toBe(root)
    }
  )

  it.each(referenceInclusions)("give the inclusion path of leaf %i at size %i", (index, size, path) => {
    expect(inclusionPath(sha256, size, index, nodeAt).map(hexText)).toEqual(path)
    const claim = {
      size,
      index,
      leaf: nodeAt(0, index),
      root: hash(referenceRoots[size]!),
      path: path.map(hash)
    }
    expect(inclusionFault(sha256, claim)).toBeUndefined()
  })

  it.each(referenceConsistencies)("give the consistency path from %i to %i", (from, to, path) => {
    expect(consistencyPath(sha256, from, to, nodeAt).map(hexText)).toEqual(path)
    const [oldRoot, newRoot] = [hash(referenceRoots[from]!), hash(referenceRoots[to]!)]
    expect(consistencyFault(sha256, { from, to, oldRoot, newRoot, path: path.map(hash) })).toBeUndefined()
  })

  it("have the empty root and the leaf hash of the empty input", () => {
    expect(hexText(emptyRoot(sha256))).toBe(referenceRoots[0])
    expect(hexText(leafHash(sha256, new Uint8Array(0)))).toBe(referenceRoots[1])
  })
})

const LARGEST = 40
const joined = (path: ReadonlyArray<Hash>): string => path.map(hexText).join(" ")
const inputs = numberedInputs(LARGEST)
const nodes = new Map<string, Hash>()
const recursive = nodesOver(inputs)
const nodeAt = (level: number, index: number): Hash => {
  const key = `${level} ${index}`
  const known = nodes.get(key) ?? recursive(level, index)
  nodes.set(key, known)
  return known
}
const sizes = Array.from({ length: LARGEST }, (_, n) => n + 1)
const roots = [naiveRoot([]), ...sizes.map((size) => naiveRoot(inputs.slice(0, size)))]

describe("all sizes up to 40 against the recursive definition", () => {
  it("roots, by look-up and while growing, from every size on", () => {
    const growing = new MerkleFrontier(sha256)
    for (const size of sizes) {
      growing.append(leafHash(sha256, inputs[size - 1]!))
      expect(growing.size).toBe(size)
      expect(growing.root()).toEqual(roots[size])
      expect(rootAt(sha256, size, nodeAt)).toEqual(roots[size])
      const resumed = new MerkleFrontier(sha256, size - 1, nodeAt)
      expect(resumed.root()).toEqual(roots[size - 1])
      resumed.append(leafHash(sha256, inputs[size - 1]!))
      expect(resumed.root()).toEqual(roots[size])
    }
  })

  it("the nodes that a leaf completes are the full subtrees that end with it", () => {
    const growing = new MerkleFrontier(sha256)
    for (const size of sizes) {
      const completed = growing.append(leafHash(sha256, inputs[size - 1]!))
      for (const [level, node] of completed.entries()) {
        expect(node).toEqual(nodeAt(level, size / 2 ** level - 1))
      }
      expect(size % 2 ** completed.length).not.toBe(0)
    }
  })

  it("inclusion paths, which hold at their own index and root and at no other", () => {
    for (const size of sizes) {
      for (let index = 0; index < size; index++) {
        const path = inclusionPath(sha256, size, index, nodeAt)
        expect(joined(path)).toBe(joined(naivePath(index, inputs.slice(0, size))))
        const claim = { size, index, leaf: nodeAt(0, index), root: roots[size]!, path }
        expect(inclusionFault(sha256, claim)).toBeUndefined()
        for (const wrong of [index - 1, index + 1]) {
          expect(inclusionFault(sha256, { ...claim, index: wrong })).toBeDefined()
        }
        expect(inclusionFault(sha256, { ...claim, root: roots[size - 1]! })).toBe("root_differs")
      }
    }
  })

  it("consistency paths, which hold between their own roots and no others", () => {
    for (const to of sizes) {
      for (let from = 1; from <= to; from++) {
        const path = consistencyPath(sha256, from, to, nodeAt)
        expect(joined(path)).toBe(joined(naiveProof(from, inputs.slice(0, to))))
        const claim = { from, to, oldRoot: roots[from]!, newRoot: roots[to]!, path }
        expect(consistencyFault(sha256, claim)).toBeUndefined()
        expect(consistencyFault(sha256, { ...claim, oldRoot: roots[from - 1]! })).toBeDefined()
        expect(consistencyFault(sha256, { ...claim, newRoot: roots[to - 1]! })).toBeDefined()
      }
    }
  })

  it("no inclusion path holds for another size's root", () => {
    for (const size of sizes) {
      const path = inclusionPath(sha256, size, size - 1, nodeAt)
      for (const other of sizes.filter((candidate) => candidate !== size)) {
        const claim = { size: other, index: size - 1, leaf: nodeAt(0, size - 1), root: roots[other]!, path }
        expect(inclusionFault(sha256, claim), `${size} as ${other}`).toBeDefined()
      }
    }
  })
})
