// Packs a bundle into one file and unpacks it again. What is packed was verified and is checked once more on its way;
// what is unpacked is verified before it is put in its place.
import * as Effect from "effect/Effect"
import { ARTIFACT_FOLDER } from "../../domain/bundles/manifest.ts"
import type { BundleChanged, NotABundleArchive } from "../../domain/bundles/errors.ts"
import type { FileUnreadable, TargetExists } from "../../domain/foundation/root-files.ts"
import { FolderTarget, type TargetFailure } from "../foundation/folder-target.ts"
import type { Hashing } from "../foundation/hashing.ts"
import { BundleArchive } from "./bundle-archive.ts"
import type { BundleSource } from "./bundle-source.ts"
import { type SoundBundle, soundBundle, type UnsoundBundle } from "./sound-bundle.ts"
import { traced } from "../foundation/telemetry.ts"

/** Packs the bundle in a folder into a file; both paths are absolute. `created` is false where the same file stood there. */
export const packBundle = traced("cassette.bundle.pack")(function* (
  folder: string,
  file: string
): Effect.fn.Return<
  Pick<SoundBundle, "report"> & { readonly created: boolean; readonly file: string },
  BundleChanged | FileUnreadable | TargetExists | TargetFailure | UnsoundBundle,
  BundleArchive | BundleSource | Hashing
> {
  const { manifest, manifestBytes, report } = yield* soundBundle(folder)
  const archive = yield* BundleArchive
  const how = yield* archive.pack(folder, { manifestBytes, artifacts: manifest.artifacts }, file)
  return { file, created: how === "created", report }
})

/** Unpacks a file into a folder; both paths are absolute. `created` is false where the same bundle stood there. */
export const unpackBundle = traced("cassette.bundle.unpack")(function* (
  file: string,
  folder: string
): Effect.fn.Return<
  Pick<SoundBundle, "report"> & { readonly created: boolean; readonly folder: string },
  FileUnreadable | NotABundleArchive | TargetExists | TargetFailure | UnsoundBundle,
  BundleArchive | BundleSource | FolderTarget | Hashing
> {
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const archive = yield* BundleArchive
      const draft = yield* FolderTarget.use((target) =>
        target.begin(folder, { folders: [ARTIFACT_FOLDER], source: file })
      )
      yield* archive.unpack(file, draft)
      const { report } = yield* soundBundle(draft.folder)
      return { folder, created: (yield* draft.finish) === "created", report }
    })
  )
})
