// The published vectors: roots, signed checkpoints and proofs that another implementation can be checked with.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { hexText, bytesOfHex, utf8Bytes } from "../../../domain/canonical/bytes.ts"
import { parseCheckpoint } from "../../../domain/evidence/checkpoint.ts"
import { MerkleFrontier } from "../../../domain/evidence/merkle-frontier.ts"
import { leafHash } from "../../../domain/evidence/merkle-tree.ts"
import { parseProof } from "../../../domain/evidence/proof.ts"
import { nodeSigningLayer, sha256Bytes } from "../../../infrastructure/keys/ed25519.ts"
import { parseTrustFile } from "../../../infrastructure/keys/trust-file.ts"
import { verifyProof } from "./proof-verification.ts"

const vectors: {
  readonly event_hashes: ReadonlyArray<string>
  readonly roots: ReadonlyArray<string>
  readonly trust: unknown
  readonly key_hash: string
  readonly checkpoints: ReadonlyArray<string>
  readonly proofs: ReadonlyArray<string>
} = JSON.parse(readFileSync(new URL("../../../docs/spec/vectors/checkpoints.json", import.meta.url), "utf8"))

const trust = Result.getOrThrow(parseTrustFile("vectors", utf8Bytes(JSON.stringify(vectors.trust))))

/** The checkpoints that a proof is about. */
const checkpointsOf = (text: string): ReadonlyArray<string> => {
  const proof = Result.getOrThrow(parseProof(text))
  const sizes = proof.kind === "inclusion" ? [proof.size] : [proof.from, proof.to]
  return sizes.map((size) => vectors.checkpoints[size - 1]!)
}

describe("the vectors of docs/spec/vectors/checkpoints.json", () => {
  it("have the roots of their event hashes, and checkpoints over them", () => {
    const frontier = new MerkleFrontier(sha256Bytes)
    const roots = [hexText(frontier.root())]
    for (const hash of vectors.event_hashes) {
      frontier.append(leafHash(sha256Bytes, bytesOfHex(hash)!))
      roots.push(hexText(frontier.root()))
      const checkpoint = Result.getOrThrow(parseCheckpoint(vectors.checkpoints[frontier.size - 1]!))
      assert.strictEqual(checkpoint.size, frontier.size)
      assert.strictEqual(hexText(checkpoint.root), roots.at(-1))
      assert.strictEqual(hexText(checkpoint.note.signatures[0]!.keyHash), vectors.key_hash)
    }
    assert.deepStrictEqual(roots, vectors.roots)
  })

  it.effect.each(vectors.proofs)("have a proof that holds: %s", (proof) =>
    verifyProof({ proof, checkpoints: checkpointsOf(proof), trust }).pipe(
      Effect.map((verified) => assert.strictEqual(verified.origin, vectors.checkpoints[0]!.split("\n")[0])),
      Effect.provide(nodeSigningLayer)
    )
  )

  it.effect.each(vectors.proofs.filter((proof) => /[0-9a-f]{64}/.test(proof)))(
    "have a proof that does not hold with a digit changed: %s",
    (proof) =>
      Effect.gen(function* () {
        // The last hexadecimal digit of each hash that stands in the proof.
        for (const { index } of proof.matchAll(/[0-9a-f](?=")/g)) {
          if (!/[0-9a-f]{64}$/.test(proof.slice(0, index + 1))) continue
          const changed = proof.slice(0, index) + (proof[index] === "0" ? "1" : "0") + proof.slice(index + 1)
          const error = yield* Effect.flip(
            verifyProof({ proof: changed, checkpoints: checkpointsOf(proof), trust })
          )
          assert.include(["ProofRefused", "HistoryRewritten"], error._tag)
        }
      }).pipe(Effect.provide(nodeSigningLayer))
  )
})
