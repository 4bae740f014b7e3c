// The port for the disposable Merkle tree over the events' hashes: it makes proofs quick and is never evidence. What it
// answers hangs together (every path fits the root that it gives for the same size), yet only the events themselves
// (event-roots.ts) and signed checkpoints say whether it is the right tree; `rebuild` makes it from the events.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageFull } from "../../../domain/foundation/storage-errors.ts"
import type { Hash } from "../../../domain/evidence/merkle-tree.ts"
import type { ReadError } from "../reading/ledger-reader.ts"

/** The ledger cannot be read, or there is no room for the tree's file. */
export type MerkleLogError = ReadError | StorageFull

/** A path in the tree of some size, and that tree's root. */
export interface MerklePath {
  readonly root: Hash
  readonly path: ReadonlyArray<Hash>
}

/** The paths of some leaves in one tree, in hexadecimal, and that tree's root. */
export interface MerklePaths {
  readonly root: Hash
  readonly paths: ReadonlyArray<ReadonlyArray<string>>
}

/** Port: the Merkle tree over the events' hashes (RFC 6962), of which paths are asked. */
export class MerkleLog extends Context.Service<
  MerkleLog,
  {
    /** The paths of leaves in the tree of the first `size` events; 0 <= index < size <= events of the log. Quickest in their order. */
    readonly inclusions: (
      size: number,
      indices: ReadonlyArray<number>
    ) => Effect.Effect<MerklePaths, MerkleLogError>
    /** The path from the tree of `from` events to that of `to`; 1 <= from <= to <= events of the log. */
    readonly consistency: (
      from: number,
      to: number
    ) => Effect.Effect<MerklePath & { readonly oldRoot: Hash }, MerkleLogError>
    /** Forgets the tree and makes it again from the first `size` events. */
    readonly rebuild: (size: number) => Effect.Effect<void, MerkleLogError>
  }
>()("cortex-cassette/application/MerkleLog") {}
