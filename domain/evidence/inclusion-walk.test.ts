/**
 * Paths of many leaves of one tree: each is the recursive definition's, in whichever order they are asked for, and nothing but the
 * one path of a leaf is taken for it, however much is known of its neighbours.
 */
import { describe, expect, it } from "vitest"
import { hexText } from "../canonical/bytes.ts"
import { InclusionChecks, InclusionPaths } from "./inclusion-walk.ts"
import { leafHash } from "./merkle-tree.ts"
import { naivePath, naiveRoot, nodesOver, numberedInputs, sha256 } from "./testing/naive-merkle.ts"

const SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 31, 33, 64, 70]

const treeOf = (size: number) => {
  const inputs = numberedInputs(size)
  return {
    inputs,
    root: naiveRoot(inputs),
    leaves: inputs.map((input) => leafHash(sha256, input)),
    paths: inputs.map((_, index) => naivePath(index, inputs).map(hexText)),
    made: new InclusionPaths(sha256, size, nodesOver(inputs))
  }
}

/** Leaves in their order, from the end, and here and there. */
const ordersOf = (size: number): ReadonlyArray<ReadonlyArray<number>> => {
  const all = Array.from({ length: size }, (_, index) => index)
  return [
    all,
    all.toReversed(),
    all.map((index) => (index * 29 + 3) % size),
    all.filter((index) => index % 3 === 1)
  ]
}

describe("paths of many leaves", () => {
  it("are those of the recursive definition, in any order", () => {
    for (const size of SIZES) {
      const { made, paths } = treeOf(size)
      for (const order of ordersOf(size)) {
        expect(order.map((index) => made.pathOf(index))).toEqual(order.map((index) => paths[index]))
      }
    }
  })
})

describe("checks of many leaves", () => {
  it("take the path of each leaf, in any order and again", () => {
    for (const size of SIZES) {
      const { leaves, paths, root } = treeOf(size)
      const checks = new InclusionChecks(sha256, size, root)
      for (const index of ordersOf(size).flatMap((order) => order.flatMap((each) => [each, each]))) {
        expect(checks.fault(index, leaves[index]!, paths[index]!)).toBeUndefined()
      }
    }
  })

  it("refuse a path with any one hash changed, cut or added, before and after its neighbours are known", () => {
    const size = 13
    const { leaves, paths, root } = treeOf(size)
    for (let index = 0; index < size; index++) {
      const path = paths[index]!
      const wrong = [
        ...path.map((_, place) => path.with(place, "0".repeat(64))),
        path.slice(1),
        path.slice(0, -1),
        [...path, path[0]!]
      ]
      const fresh = () => new InclusionChecks(sha256, size, root)
      const warm = fresh()
      for (let other = 0; other < size; other++) {
        if (other !== index) expect(warm.fault(other, leaves[other]!, paths[other]!)).toBeUndefined()
      }
      for (const checks of [fresh(), warm]) {
        for (const changed of wrong) expect(checks.fault(index, leaves[index]!, changed)).toBeDefined()
        expect(checks.fault(index, leaves[(index + 1) % size]!, path)).toBe("root_differs")
        expect(checks.fault(index, leaves[index]!, path)).toBeUndefined()
      }
    }
  })

  it("refuse places beyond the tree", () => {
    const { leaves, paths, root } = treeOf(5)
    const checks = new InclusionChecks(sha256, 5, root)
    for (const index of [-1, 5, 0.5, Number.NaN]) {
      expect(checks.fault(index, leaves[0]!, paths[0]!)).toBe("index_out_of_range")
    }
  })
})
