// The port to packed bundles: one file that holds a bundle's files in a fixed order and form, so that packing is as
// deterministic as building. A file that could not have been packed by us is refused, never repaired.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { BundleChanged, NotABundleArchive } from "../../domain/bundles/errors.ts"
import type { TargetExists } from "../../domain/foundation/root-files.ts"
import type { ManifestArtifact } from "../../domain/bundles/manifest.ts"
import type { FolderDraft, TargetFailure } from "../foundation/folder-target.ts"

/** What is packed: the verified manifest's bytes, and the artifacts that it names. */
export interface PackedContent {
  readonly manifestBytes: Uint8Array
  readonly artifacts: ReadonlyArray<Pick<ManifestArtifact, "path" | "bytes" | "sha256">>
}

/** Port: packs the folder of a bundle into one uncompressed tar file, and unpacks it. */
export class BundleArchive extends Context.Service<
  BundleArchive,
  {
    /** Packs the bundle in a folder into a file: `unchanged` when the same stands there, byte for byte. */
    readonly pack: (
      folder: string,
      content: PackedContent,
      file: string
    ) => Effect.Effect<"created" | "unchanged", BundleChanged | TargetExists | TargetFailure>
    /** Unpacks a file into a draft; what it holds is not verified yet. */
    readonly unpack: (
      file: string,
      draft: FolderDraft
    ) => Effect.Effect<void, NotABundleArchive | TargetFailure>
  }
>()("cortex-cassette/application/BundleArchive") {}
