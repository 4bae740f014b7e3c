// Packs a bundle into one file and unpacks it again. What is packed was verified and is checked once more on its way;
// what is unpacked is verified before it is put in its place.
import * as Effect from "effect/Effect"
import { ARTIFACT_FOLDER } from "../../domain/bundles/manifest.ts"
import { FolderTarget } from "../foundation/folder-target.ts"
import { BundleArchive } from "./bundle-archive.ts"
import { soundBundle } from "./sound-bundle.ts"
import { traced } from "../foundation/telemetry.ts"

/** Packs the bundle in a folder into a file; both paths are absolute. */
export const packBundle = traced("cassette.bundle.pack")(function* (folder: string, file: string) {
  const { manifest, manifestBytes, report } = yield* soundBundle(folder)
  const archive = yield* BundleArchive
  const how = yield* archive.pack(folder, { manifestBytes, artifacts: manifest.artifacts }, file)
  return { file, created: how === "created", report }
})

/** Unpacks a file into a folder; both paths are absolute. */
export const unpackBundle = traced("cassette.bundle.unpack")(function* (file: string, folder: string) {
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
