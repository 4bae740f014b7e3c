// Packed bundles: which files an archive of one holds, in which order, and how one from elsewhere is unpacked. An artifact is
// held against what was verified while it goes through.
import { createHash, randomUUID } from "node:crypto"
import { closeSync, constants, openSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BundleArchive, type PackedContent } from "../../application/bundles/bundle-archive.ts"
import type { FolderDraft, TargetFailure } from "../../application/foundation/folder-target.ts"
import { BundleChanged, NotABundleArchive } from "../../domain/bundles/errors.ts"
import { TargetExists } from "../../domain/foundation/root-files.ts"
import { isArtifactPath } from "../../domain/bundles/folder-check.ts"
import { MAX_BUNDLE_BYTES, MAX_BUNDLE_STEPS, MAX_MANIFEST_BYTES } from "../../domain/bundles/limits.ts"
import { MANIFEST_NAME } from "../../domain/bundles/manifest.ts"
import { InvalidInput } from "../../domain/foundation/errors.ts"
import { TAR_END } from "../../domain/foundation/tar.ts"
import { permissionsLike } from "../files/file-access.ts"
import { fileFailure } from "../files/file-system.ts"
import { flushFile, writeContent } from "../files/folder-draft.ts"
import { newPlaceFault } from "../files/new-place.ts"
import { type ArchiveRules, piecesOf, putFile, readArchive, tarEntry } from "../files/tar-file.ts"
import { folderOfBundle } from "./bundle-folder.ts"

/** An artifact's bytes, held against what was verified when the last one has gone through. */
function* artifactPieces(
  folder: string,
  artifact: PackedContent["artifacts"][number]
): Generator<Uint8Array> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const descriptor = openSync(join(folder, artifact.path), flags)
  try {
    const state = createHash("sha256")
    let bytes = 0
    for (const piece of piecesOf(descriptor, artifact.bytes)) {
      state.update(piece)
      bytes += piece.length
      yield piece
    }
    if (bytes !== artifact.bytes || state.digest("hex") !== artifact.sha256) {
      throw new BundleChanged({ path: artifact.path, reason: "its bytes are others" })
    }
  } finally {
    closeSync(descriptor)
  }
}

/** The whole archive: artifacts in the order of their names, then the manifest, whose name comes behind theirs. */
function* archive(folder: string, { artifacts, manifestBytes }: PackedContent): Generator<Uint8Array> {
  for (const artifact of artifacts) {
    yield* tarEntry(artifact.path, artifact.bytes, artifactPieces(folder, artifact))
  }
  yield* tarEntry(MANIFEST_NAME, manifestBytes.length, [manifestBytes])
  yield new Uint8Array(TAR_END)
}

/** Others may read an archive when they may read the folder and the files in it. */
const modeOfArchive = (folder: string, place: string): number =>
  permissionsLike(folder, place).file & permissionsLike(join(folder, MANIFEST_NAME), place).file

const pack = (folder: string, content: PackedContent, file: string): "created" | "unchanged" => {
  const unfit = newPlaceFault("file", file)
  if (unfit !== undefined) throw unfit
  const draft = join(dirname(file), `.${basename(file)}.partial-${randomUUID()}`)
  try {
    const source = folderOfBundle(folder)
    writeContent(draft, archive(source, content), modeOfArchive(source, dirname(file)))
    flushFile(draft)
    return putFile(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

type PackFailure = BundleChanged | TargetExists | TargetFailure

const packFailure = (file: string, error: unknown): PackFailure => {
  if (error instanceof BundleChanged || error instanceof TargetExists || error instanceof InvalidInput) {
    return error
  }
  const { code, path = "" } = error as NodeJS.ErrnoException
  if (code === "ENOENT" && dirname(path) === dirname(file)) {
    const message = `there is no folder ${dirname(file)}`
    return new InvalidInput({ message: `${file}: ${message}`, issues: [{ path: "file", message }] })
  }
  // What is opened below the bundle was there a moment ago.
  if (code === "ENOENT" || code === "ELOOP")
    return new BundleChanged({ path, reason: "it is no file any more" })
  return fileFailure("file", file, error)
}

const rulesFor = (file: string): ArchiveRules => ({
  maker: "bundle pack",
  mayStand: (name, size) => (name === MANIFEST_NAME ? size <= MAX_MANIFEST_BYTES : isArtifactPath(name)),
  maxFiles: MAX_BUNDLE_STEPS + 1,
  maxBytes: MAX_BUNDLE_BYTES + MAX_MANIFEST_BYTES,
  refuse: (reason) => new NotABundleArchive({ file, reason })
})

const unpack = (file: string, folder: string): void => {
  let mode: number | undefined
  readArchive(file, rulesFor(file), (name, content) => {
    mode ??= permissionsLike(file, folder).file
    writeContent(join(folder, name), content, mode)
  })
}

const unpackFailure = (draft: FolderDraft, error: unknown): NotABundleArchive | TargetFailure =>
  error instanceof NotABundleArchive ? error : fileFailure("folder", draft.folder, error)

/** Packed bundles as files. */
export const tarArchiveLayer: Layer.Layer<BundleArchive> = Layer.succeed(BundleArchive, {
  pack: (folder, content, file) =>
    Effect.try({ try: () => pack(folder, content, file), catch: (error) => packFailure(file, error) }),
  unpack: (file, draft) =>
    Effect.try({ try: () => unpack(file, draft.folder), catch: (error) => unpackFailure(draft, error) })
})
