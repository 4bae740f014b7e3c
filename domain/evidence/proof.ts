// Proofs as documents: strict Schemas and one text each (`jcs/1`), so that a proof can be filed, compared and checked by
// anybody who has the signed checkpoints that it connects. A proof names sizes and hashes and no roots: roots come
// from checkpoints alone, never from the proof itself.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { bytesOfHex, hexText, type Sha256Bytes } from "../canonical/bytes.ts"
import { jcs, jcsText } from "../canonical/jcs.ts"
import { readJson } from "../canonical/strict-reader.ts"
import { HistoryRewritten, NotAProof, ProofRefused } from "./checkpoint-errors.ts"
import type { CheckpointBody } from "./checkpoint.ts"
import { consistencyFault, inclusionFault } from "./merkle-proof.ts"
import { type Hash, leafHash } from "./merkle-tree.ts"

/** Most hashes on a path; a tree of 2^53 leaves needs 54. */
const MAX_PROOF_PATH = 64

const MAX_PROOF_LENGTH = 8_192

const HexHash = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "64 lower-case hexadecimal digits" })
)

const Size = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const Path = Schema.Array(HexHash).check(Schema.isMaxLength(MAX_PROOF_PATH))

/** The event with `hash` stands at position `index + 1` of a log whose first `size` events a checkpoint covers. */
export const InclusionProof = Schema.Struct({
  kind: Schema.Literal("inclusion"),
  size: Size,
  index: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  /** The event's own hash: the leaf's input. */
  hash: HexHash,
  path: Path
})
export type InclusionProof = typeof InclusionProof.Type

/** The first `from` events of the log with `to` events are those that the older checkpoint covers. */
export const ConsistencyProof = Schema.Struct({
  kind: Schema.Literal("consistency"),
  from: Size,
  to: Size,
  path: Path
})
export type ConsistencyProof = typeof ConsistencyProof.Type

/** A proof of inclusion or of consistency. */
export const Proof = Schema.Union([InclusionProof, ConsistencyProof])
export type Proof = typeof Proof.Type

/** Hashes as a proof's path. */
export const pathText = (path: ReadonlyArray<Hash>): ReadonlyArray<string> => path.map(hexText)

/** The one text of a proof (`jcs/1`), without a final line feed. */
export const formatProof = (proof: Proof): string => jcsText(proof)

const decode = Schema.decodeUnknownResult(Proof, { onExcessProperty: "error" })

const refused = (reason: string) => Result.fail(new NotAProof({ reason }))

/** A proof from its one text; one line feed may follow, as in a file. */
export const parseProof = (text: string): Result.Result<Proof, NotAProof> => {
  const canonical = text.endsWith("\n") ? text.slice(0, -1) : text
  if (canonical.length > MAX_PROOF_LENGTH) return refused(`it is over ${MAX_PROOF_LENGTH} characters`)
  const value = readJson(canonical, "jcs/1")
  if (Result.isFailure(value)) return refused(value.failure.message)
  const proof = decode(value.success)
  if (Result.isFailure(proof)) return refused(proof.failure.message)
  return Result.getOrUndefined(jcs(value.success)) === canonical
    ? Result.succeed(proof.success)
    : refused("it is not in canonical form (jcs/1)")
}

const hashesOf = (path: ReadonlyArray<string>): ReadonlyArray<Hash> =>
  path.map((hash) => bytesOfHex(hash) ?? new Uint8Array(0))

const hashOf = (hex: string): Hash => bytesOfHex(hex) ?? new Uint8Array(0)

/** Why an inclusion proof does not hold against a checkpoint, or undefined. */
export const inclusionProofFault = (
  sha256: Sha256Bytes,
  proof: InclusionProof,
  checkpoint: CheckpointBody
): ProofRefused | undefined => {
  const fault =
    proof.size === checkpoint.size
      ? inclusionFault(sha256, {
          size: proof.size,
          index: proof.index,
          leaf: leafHash(sha256, hashOf(proof.hash)),
          root: checkpoint.root,
          path: hashesOf(proof.path)
        })
      : "size_differs"
  if (fault === undefined) return undefined
  return new ProofRefused({
    kind: "inclusion",
    reason: fault,
    proof_sizes: [proof.size],
    checkpoint_sizes: [checkpoint.size]
  })
}

/**
 * Why a consistency proof does not connect two checkpoints of one origin, or undefined: `ProofRefused` when it is about
 * other sizes, `HistoryRewritten` when it is about these and fails.
 */
export const consistencyProofFault = (
  sha256: Sha256Bytes,
  proof: ConsistencyProof,
  older: CheckpointBody,
  newer: CheckpointBody
): ProofRefused | HistoryRewritten | undefined => {
  if (proof.from !== older.size || proof.to !== newer.size) {
    return new ProofRefused({
      kind: "consistency",
      reason: "size_differs",
      proof_sizes: [proof.from, proof.to],
      checkpoint_sizes: [older.size, newer.size]
    })
  }
  const fault = consistencyFault(sha256, {
    from: proof.from,
    to: proof.to,
    oldRoot: older.root,
    newRoot: newer.root,
    path: hashesOf(proof.path)
  })
  if (fault === undefined) return undefined
  return new HistoryRewritten({
    origin: older.origin,
    reason: older.size === newer.size && fault === "root_differs" ? "root_differs" : "proof_fails",
    size: older.size,
    root: hexText(older.root),
    other_size: newer.size,
    other_root: hexText(newer.root)
  })
}
