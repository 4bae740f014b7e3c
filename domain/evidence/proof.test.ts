// Proof documents: one text each, strict reading, and the judgement against checkpoints.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { hexText } from "../canonical/bytes.ts"
import { consistencyPath, leafHash, nodeHash, rootAt } from "./merkle-tree.ts"
import {
  type ConsistencyProof,
  consistencyProofFault,
  formatProof,
  type InclusionProof,
  inclusionProofFault,
  parseProof,
  pathText
} from "./proof.ts"
import { inclusionPath, nodesOver, numberedInputs, sha256 } from "./testing/naive-merkle.ts"

const inputs = numberedInputs(9)
const nodeAt = nodesOver(inputs)
const head = (size: number) => ({ origin: "cassette/l", size, root: rootAt(sha256, size, nodeAt) })

const inclusion: InclusionProof = {
  kind: "inclusion",
  size: 9,
  index: 4,
  hash: hexText(inputs[4]!),
  path: pathText(inclusionPath(sha256, 9, 4, nodeAt))
}

const consistency: ConsistencyProof = {
  kind: "consistency",
  from: 4,
  to: 9,
  path: pathText(consistencyPath(sha256, 4, 9, nodeAt))
}

const H = "ab".repeat(32)

describe("a proof's text", () => {
  it("is canonical, and read back with or without a final line feed", () => {
    expect(formatProof({ kind: "consistency", from: 1, to: 2, path: [H] })).toBe(
      `{"from":1,"kind":"consistency","path":["${H}"],"to":2}`
    )
    expect(formatProof({ kind: "inclusion", size: 1, index: 0, hash: H, path: [] })).toBe(
      `{"hash":"${H}","index":0,"kind":"inclusion","path":[],"size":1}`
    )
    for (const proof of [inclusion, consistency]) {
      expect(Result.getOrThrow(parseProof(formatProof(proof)))).toEqual(proof)
      expect(Result.getOrThrow(parseProof(`${formatProof(proof)}\n`))).toEqual(proof)
    }
  })

  const good = `{"from":1,"kind":"consistency","path":["${H}"],"to":2}`

  it.each([
    ["nothing", ""],
    ["trailing garbage", `${good}x`],
    ["two line feeds", `${good}\n\n`],
    ["a carriage return", `${good}\r\n`],
    ["a second document", `${good}\n${good}`],
    ["a space", good.replace(":1", ": 1")],
    ["another order of keys", `{"kind":"consistency","from":1,"path":["${H}"],"to":2}`],
    ["a key twice", good.replace('"from":1', '"from":1,"from":1')],
    ["an unknown key", good.replace('"to":2', '"to":2,"zzz":1')],
    ["a missing key", good.replace(',"to":2', "")],
    ["the keys of the other kind", good.replace("consistency", "inclusion")],
    ["an unknown kind", good.replace("consistency", "absence")],
    ["a size as text", good.replace('"to":2', '"to":"2"')],
    ["a fraction", good.replace('"to":2', '"to":2.5')],
    ["an exponent", good.replace('"to":2', '"to":2e0')],
    ["size 0", good.replace('"from":1', '"from":0')],
    ["a negative size", good.replace('"from":1', '"from":-1')],
    ["a size beyond 2^53", good.replace('"to":2', '"to":9007199254740992')],
    ["upper-case digits", good.replace(H, H.toUpperCase())],
    ["a hash of 31 bytes", good.replace(H, H.slice(2))],
    ["a hash of 33 bytes", good.replace(H, `${H}ab`)],
    ["a hash that is no text", good.replace(`"${H}"`, "1")],
    ["a path that is no list", good.replace(`["${H}"]`, `"${H}"`)],
    ["65 hashes", good.replace(`"${H}"`, Array.from({ length: 65 }, () => `"${H}"`).join(","))],
    ["a text without end", good.replace(`"${H}"`, Array.from({ length: 200 }, () => `"${H}"`).join(","))]
  ])("is refused with %s", (_name, text) => {
    expect(Result.isSuccess(parseProof(good))).toBe(true)
    expect(Result.isFailure(parseProof(text))).toBe(true)
  })
})

describe("an inclusion proof", () => {
  it("holds against the checkpoint of its size alone", () => {
    expect(inclusionProofFault(sha256, inclusion, head(9))).toBeUndefined()
    expect(inclusionProofFault(sha256, inclusion, head(8))).toMatchObject({
      _tag: "ProofRefused",
      reason: "size_differs",
      proof_sizes: [9],
      checkpoint_sizes: [8]
    })
    expect(inclusionProofFault(sha256, inclusion, { ...head(9), root: head(8).root })?.reason).toBe(
      "root_differs"
    )
    expect(inclusionProofFault(sha256, { ...inclusion, index: 9 }, head(9))?.reason).toBe(
      "index_out_of_range"
    )
    expect(inclusionProofFault(sha256, { ...inclusion, hash: H }, head(9))?.reason).toBe("root_differs")
  })

  it("does not take an inner node for an event", () => {
    const size = 4
    const pair = nodeHash(sha256, nodeAt(0, 0), nodeAt(0, 1))
    const pretended: InclusionProof = {
      kind: "inclusion",
      size: 2,
      index: 0,
      hash: hexText(pair),
      path: [hexText(nodeAt(1, 1))]
    }
    // Even a checkpoint that lies about the size does not help: the hash is a leaf's input here, never a node.
    const lying = { ...head(size), size: 2 }
    expect(inclusionProofFault(sha256, pretended, lying)?.reason).toBe("root_differs")
    const leaf = hexText(leafHash(sha256, inputs[4]!))
    expect(inclusionProofFault(sha256, { ...inclusion, hash: leaf }, head(9))?.reason).toBe("root_differs")
  })
})

describe("a consistency proof", () => {
  it("connects the checkpoints of its sizes", () => {
    expect(consistencyProofFault(sha256, consistency, head(4), head(9))).toBeUndefined()
  })

  it.each([
    [3, 9],
    [4, 8],
    [9, 4]
  ])("is refused as being about others for %i and %i", (older, newer) => {
    expect(consistencyProofFault(sha256, consistency, head(older), head(newer))).toMatchObject({
      _tag: "ProofRefused",
      kind: "consistency",
      reason: "size_differs",
      proof_sizes: [4, 9],
      checkpoint_sizes: [older, newer]
    })
  })

  it("that fails between checkpoints of its sizes says that history was rewritten", () => {
    const forged = { ...head(4), root: head(5).root }
    expect(consistencyProofFault(sha256, consistency, forged, head(9))).toMatchObject({
      _tag: "HistoryRewritten",
      origin: "cassette/l",
      reason: "proof_fails",
      size: 4,
      other_size: 9
    })
    const cut = { ...consistency, path: consistency.path.slice(1) }
    expect(consistencyProofFault(sha256, cut, head(4), head(9))?._tag).toBe("HistoryRewritten")
  })

  it("two checkpoints of one size with different roots contradict each other", () => {
    const same: ConsistencyProof = { kind: "consistency", from: 4, to: 4, path: [] }
    expect(consistencyProofFault(sha256, same, head(4), head(4))).toBeUndefined()
    const fault = consistencyProofFault(sha256, same, head(4), { ...head(4), root: head(5).root })
    expect(fault).toMatchObject({ _tag: "HistoryRewritten", reason: "root_differs" })
  })
})
