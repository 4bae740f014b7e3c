// The port through which a bundle is written: into a private folder beside the target first, and put in its place as a
// whole when everything is on the disk. A process that is killed before leaves the target as it was; nothing is written over.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { TargetExists } from "../../domain/foundation/root-files.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { ReadOnlyStore, StorageFailure, StorageFull } from "../../domain/foundation/storage-errors.ts"

/** What the disk can answer instead of taking a file. */
export type TargetFailure = InvalidInput | ReadOnlyStore | StorageFull | StorageFailure

/** A bundle that is being written; it vanishes with its scope unless it was finished. */
export interface BundleDraft {
  /** Where the files lie until then. */
  readonly folder: string
  /** Writes a file of the bundle; the name is one that a bundle may have. It gets the permissions of the draft. */
  readonly write: (name: string, content: string | Iterable<Uint8Array>) => Effect.Effect<void, TargetFailure>
  /** Puts everything on the disk and the folder in its place: `created`, or `unchanged` when the same stands there, byte for byte. */
  readonly finish: Effect.Effect<"created" | "unchanged", TargetFailure | TargetExists>
}

export class BundleTarget extends Context.Service<
  BundleTarget,
  {
    /** Begins a bundle that is to stand at an absolute path. As a copy of `source` it is never more open than that. */
    readonly begin: (path: string, source?: string) => Effect.Effect<BundleDraft, TargetFailure, Scope.Scope>
  }
>()("cortex-cassette/application/BundleTarget") {}
