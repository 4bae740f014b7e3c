// Properties of the Merkle tree, of checkpoints and of proof documents on random sizes, and on every kind of spoiled
// proof: what is honest holds, and nothing else does.

import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hexText } from "../domain/canonical/bytes.ts"
import {
  formatCheckpointBody,
  originOf,
  parseCheckpoint,
  parseCheckpointBody
} from "../domain/evidence/checkpoint.ts"
import { MerkleFrontier } from "../domain/evidence/merkle-frontier.ts"
import { consistencyFault, inclusionFault } from "../domain/evidence/merkle-proof.ts"
import { consistencyPath, type Hash, leafHash, rootAt } from "../domain/evidence/merkle-tree.ts"
import { formatProof, parseProof, pathText, type Proof } from "../domain/evidence/proof.ts"
import { formatSignedNote, isKeyName } from "../domain/evidence/signed-note.ts"
import {
  inclusionPath,
  naivePath,
  naiveProof,
  naiveRoot,
  numberedInputs,
  sha256
} from "../domain/evidence/testing/naive-merkle.ts"
import { propParameters } from "./support/configuration.ts"

const LARGEST = 1_500
const inputs = numberedInputs(LARGEST)

/** Every full subtree of the largest tree, level by level. */
const levels: ReadonlyArray<ReadonlyArray<Hash>> = (() => {
  const made: Array<Array<Hash>> = []
  const frontier = new MerkleFrontier(sha256)
  for (const input of inputs) {
    for (const [level, node] of frontier.append(leafHash(sha256, input)).entries()) {
      ;(made[level] ??= []).push(node)
    }
  }
  return made
})()

const nodeAt = (level: number, index: number): Hash => levels[level]![index]!
const root = (size: number): Hash => rootAt(sha256, size, nodeAt)

const size = fc.integer({ min: 1, max: LARGEST })
const sizeAndIndex = size.chain((size) => fc.tuple(fc.constant(size), fc.nat({ max: size - 1 })))
const sizes = size.chain((to) => fc.tuple(fc.integer({ min: 1, max: to }), fc.constant(to)))
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })

/** A path with one thing wrong: a bit flipped, a hash more, less, moved or of another length. */
const spoiled = (path: ReadonlyArray<Hash>): fc.Arbitrary<ReadonlyArray<Hash>> =>
  fc
    .tuple(fc.nat({ max: path.length }), fc.nat({ max: 255 }), hash, fc.nat({ max: 4 }))
    .map(([at, bit, extra, kind]) => {
      const there = path[at]
      if (kind === 0 || there === undefined) return path.toSpliced(at, 0, extra)
      if (kind === 1) return path.toSpliced(at, 1)
      if (kind === 2) return path.with(at, there.slice(1))
      if (kind === 3) return path.toSpliced(at, 0, there)
      const flipped = Uint8Array.from(there)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      return path.with(at, flipped)
    })

describe("the tree", () => {
  it("has the roots and paths of the recursive definition", () => {
    fc.assert(
      fc.property(sizes, ([from, to]) => {
        const part = inputs.slice(0, to)
        expect(hexText(root(to))).toBe(hexText(naiveRoot(part)))
        const consistency = consistencyPath(sha256, from, to, nodeAt)
        expect(pathText(consistency)).toEqual(pathText(naiveProof(from, part)))
        expect(pathText(inclusionPath(sha256, to, from - 1, nodeAt))).toEqual(
          pathText(naivePath(from - 1, part))
        )
      }),
      propParameters(0.5)
    )
  })

  it("grows from any size as if it had grown from the first leaf", () => {
    fc.assert(
      fc.property(sizes, ([from, to]) => {
        const frontier = new MerkleFrontier(sha256, from, nodeAt)
        for (const input of inputs.slice(from, to)) frontier.append(leafHash(sha256, input))
        expect(frontier.size).toBe(to)
        expect(hexText(frontier.root())).toBe(hexText(root(to)))
      }),
      propParameters()
    )
  })
})

describe("an inclusion proof", () => {
  const claimOf = (size: number, index: number) => ({
    size,
    index,
    leaf: nodeAt(0, index),
    root: root(size),
    path: inclusionPath(sha256, size, index, nodeAt)
  })

  it("holds, and not with a spoiled path", () => {
    fc.assert(
      fc.property(
        sizeAndIndex.chain(([size, index]) => {
          const claim = claimOf(size, index)
          return fc.tuple(fc.constant(claim), spoiled(claim.path))
        }),
        ([claim, path]) => {
          expect(inclusionFault(sha256, claim)).toBeUndefined()
          expect(inclusionFault(sha256, { ...claim, path })).toBeDefined()
        }
      ),
      propParameters(5)
    )
  })

  it("holds for no other index and no other size's root", () => {
    fc.assert(
      fc.property(sizeAndIndex, size, fc.nat({ max: LARGEST }), ([size, index], otherSize, otherIndex) => {
        fc.pre(otherSize !== size && otherIndex !== index)
        const claim = claimOf(size, index)
        expect(inclusionFault(sha256, { ...claim, index: otherIndex })).toBeDefined()
        expect(inclusionFault(sha256, { ...claim, root: root(otherSize) })).toBeDefined()
        expect(inclusionFault(sha256, { ...claim, size: otherSize, root: root(otherSize) })).toBeDefined()
      }),
      propParameters(5)
    )
  })

  it("of anything is judged without an exception", () => {
    const anyHash = fc.uint8Array({ maxLength: 40 })
    fc.assert(
      fc.property(
        fc.double(),
        fc.double(),
        anyHash,
        hash,
        fc.array(hash, { maxLength: 70 }),
        (size, index, leaf, root, path) => {
          expect(inclusionFault(sha256, { size, index, leaf, root, path })).toBeDefined()
          expect(
            consistencyFault(sha256, { from: size, to: index, oldRoot: leaf, newRoot: root, path })
          ).toBeDefined()
        }
      ),
      propParameters(2)
    )
  })
})

describe("a consistency proof", () => {
  const claimOf = (from: number, to: number) => ({
    from,
    to,
    oldRoot: root(from),
    newRoot: root(to),
    path: consistencyPath(sha256, from, to, nodeAt)
  })

  it("holds, and not with a spoiled path", () => {
    fc.assert(
      fc.property(
        sizes.chain(([from, to]) => {
          const claim = claimOf(from, to)
          return fc.tuple(fc.constant(claim), spoiled(claim.path))
        }),
        ([claim, path]) => {
          expect(consistencyFault(sha256, claim)).toBeUndefined()
          expect(consistencyFault(sha256, { ...claim, path })).toBeDefined()
        }
      ),
      propParameters(5)
    )
  })

  it("holds between no other roots", () => {
    fc.assert(
      fc.property(sizes, size, ([from, to], other) => {
        const claim = claimOf(from, to)
        if (other !== from) expect(consistencyFault(sha256, { ...claim, oldRoot: root(other) })).toBeDefined()
        if (other !== to) expect(consistencyFault(sha256, { ...claim, newRoot: root(other) })).toBeDefined()
      }),
      propParameters(5)
    )
  })

  it("is not found for a history that was changed before the older size", () => {
    fc.assert(
      fc.property(sizes, fc.nat(), ([from, to], seed) => {
        const changed = seed % from
        const other = inputs.slice(0, to).with(changed, sha256(inputs[changed]!))
        const claim = { ...claimOf(from, to), newRoot: naiveRoot(other), path: naiveProof(from, other) }
        expect(consistencyFault(sha256, claim)).toBeDefined()
      }),
      propParameters(0.25)
    )
  })
})

describe("documents", () => {
  const path = fc.array(hash, { maxLength: 64 }).map(pathText)
  const whole = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
  const proof: fc.Arbitrary<Proof> = fc.oneof(
    fc.record({
      kind: fc.constant("inclusion" as const),
      size: whole,
      index: fc.maxSafeNat(),
      hash: hash.map(hexText),
      path
    }),
    fc.record({ kind: fc.constant("consistency" as const), from: whole, to: whole, path })
  )

  it("a proof is read back as it was written", () => {
    fc.assert(
      fc.property(proof, (value) => {
        expect(Result.getOrThrow(parseProof(formatProof(value)))).toEqual(value)
      }),
      propParameters()
    )
  })

  const line = fc
    .string({ unit: "binary", minLength: 1, maxLength: 40 })
    .filter((text) => text.isWellFormed() && ![...text].some((character) => character < " "))
  const name = line.filter(isKeyName)
  const body = fc.record({ origin: line.map(originOf), size: fc.maxSafeNat(), root: hash })
  const signature = fc.record({
    name,
    keyHash: fc.uint8Array({ minLength: 4, maxLength: 4 }),
    signature: fc.uint8Array({ minLength: 1, maxLength: 100 })
  })

  it("a checkpoint is read back as it was written", () => {
    fc.assert(
      fc.property(body, fc.array(signature, { minLength: 1, maxLength: 5 }), (body, signatures) => {
        const text = formatCheckpointBody(body)
        expect(Result.getOrThrow(parseCheckpointBody(text))).toEqual(body)
        const read = Result.getOrThrow(parseCheckpoint(formatSignedNote({ text, signatures })))
        expect(read).toEqual({ ...body, note: { text, signatures } })
      }),
      propParameters()
    )
  })

  it("a checkpoint with one character changed is refused, or is another one by its own spelling", () => {
    fc.assert(
      fc.property(
        body,
        signature,
        fc.nat(),
        fc.string({ unit: "binary", maxLength: 2 }),
        (body, signature, seed, insertion) => {
          const note = formatSignedNote({ text: formatCheckpointBody(body), signatures: [signature] })
          const at = seed % note.length
          const changed = note.slice(0, at) + insertion + note.slice(at + 1)
          const read = parseCheckpoint(changed)
          if (Result.isSuccess(read)) {
            const { note: parts, ...head } = read.success
            expect(formatSignedNote({ ...parts, text: formatCheckpointBody(head) })).toBe(changed)
          }
        }
      ),
      propParameters(5)
    )
  })
})
