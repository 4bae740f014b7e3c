// Packed bundles as uncompressed ustar files on this machine's file systems. Reading compares every header with the one
// that packing would have made and takes nothing else: no link, no folder, no second spelling of a field, nothing behind
// the end. Contents go through in pieces, so that memory stays flat.
import { createHash, randomUUID } from "node:crypto"
import { closeSync, constants, fstatSync, linkSync, openSync, readSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BundleArchive, type PackedContent } from "../../application/bundles/bundle-archive.ts"
import type { BundleDraft, TargetFailure } from "../../application/bundles/bundle-target.ts"
import { BundleChanged, NotABundleArchive } from "../../domain/bundles/errors.ts"
import { TargetExists } from "../../domain/foundation/root-files.ts"
import { isArtifactPath } from "../../domain/bundles/folder-check.ts"
import { MAX_BUNDLE_BYTES, MAX_BUNDLE_STEPS, MAX_MANIFEST_BYTES } from "../../domain/bundles/limits.ts"
import { MANIFEST_NAME } from "../../domain/bundles/manifest.ts"
import { parseTarHeader, TAR_BLOCK, TAR_END, tarHeader, tarPadding } from "../../domain/bundles/tar.ts"
import { InvalidInput } from "../../domain/foundation/errors.ts"
import { permissionsLike } from "../files/file-access.ts"
import { fileFailure, flush } from "../files/file-system.ts"
import { newPlaceFault } from "../files/new-place.ts"
import { flushFile, writeContent } from "./bundle-draft.ts"
import { folderOfBundle } from "./bundle-folder.ts"
import { isSameFile } from "./same-content.ts"

const PIECE_BYTES = 262_144

/** The pieces of the next `bytes` bytes of a file, fewer when it ends before; each is valid until the next is asked for. */
export function* piecesOf(descriptor: number, bytes: number): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(bytes, PIECE_BYTES)))
  for (let left = bytes; left > 0;) {
    const read = readSync(descriptor, buffer, 0, Math.min(left, buffer.length), null)
    if (read === 0) return
    left -= read
    yield buffer.subarray(0, read)
  }
}

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

/** A file of an archive: its header, its content, what fills the last block. */
export function* tarEntry(name: string, size: number, content: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield tarHeader(name, size)
  yield* content
  yield new Uint8Array(tarPadding(size))
}

/** The whole archive: artifacts in the order of their names, then the manifest, whose name comes behind theirs. */
function* archive(folder: string, { artifacts, manifestBytes }: PackedContent): Generator<Uint8Array> {
  for (const artifact of artifacts) {
    yield* tarEntry(artifact.path, artifact.bytes, artifactPieces(folder, artifact))
  }
  yield* tarEntry(MANIFEST_NAME, manifestBytes.length, [manifestBytes])
  yield new Uint8Array(TAR_END)
}

/** Puts a finished file in its place; throws `TargetExists` when something else stands there. */
export const putFile = (draft: string, file: string): "created" | "unchanged" => {
  try {
    // A link is refused when the name is taken, which a rename would not be.
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    if (isSameFile(draft, file)) return "unchanged"
    throw new TargetExists({ path: file })
  }
  flush(dirname(file))
  return "created"
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

const refuse = (file: string, reason: string) => new NotABundleArchive({ file, reason })

const mayStand = (name: string, size: number): boolean =>
  name === MANIFEST_NAME ? size <= MAX_MANIFEST_BYTES : isArtifactPath(name)

const block = (descriptor: number, bytes: number): Uint8Array =>
  Buffer.concat([...piecesOf(descriptor, bytes)].map((piece) => Uint8Array.from(piece)))

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

/** Reads header after header to the end of the archive, and hands each file over. */
const readEntries = (
  file: string,
  descriptor: number,
  take: (name: string, content: Iterable<Uint8Array>) => void
): void => {
  let before = ""
  let total = 0
  for (let count = 0; ; count++) {
    const header = block(descriptor, TAR_BLOCK)
    if (header.length === TAR_BLOCK && isZero(header)) break
    const found = header.length === TAR_BLOCK ? parseTarHeader(header) : undefined
    if (found === undefined)
      throw refuse(file, `entry ${count + 1} is not a file as bundle pack writes it, or is cut off`)
    const { name, size } = found
    total += size
    if (!mayStand(name, size)) throw refuse(file, `entry ${count + 1} has a name or size that no bundle has`)
    if (name <= before) throw refuse(file, `entry ${count + 1} is not in the order of names`)
    if (count > MAX_BUNDLE_STEPS || total > MAX_BUNDLE_BYTES + MAX_MANIFEST_BYTES) {
      throw refuse(file, "it holds more than any bundle may")
    }
    before = name
    let read = 0
    const counted = function* () {
      for (const piece of piecesOf(descriptor, size)) {
        read += piece.length
        yield piece
      }
    }
    take(name, counted())
    const padding = block(descriptor, tarPadding(size))
    if (read !== size || padding.length !== tarPadding(size)) throw refuse(file, "it is cut off")
    if (!isZero(padding)) throw refuse(file, `something stands behind the content of entry ${count + 1}`)
  }
  const rest = block(descriptor, TAR_END - TAR_BLOCK + 1)
  if (rest.length !== TAR_END - TAR_BLOCK || !isZero(rest)) {
    throw refuse(file, "it does not end as bundle pack ends a file")
  }
}

const openArchive = (file: string): number => {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code = "UNKNOWN" } = error as NodeJS.ErrnoException
    throw refuse(file, code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`)
  }
}

const unpack = (file: string, folder: string): void => {
  const descriptor = openArchive(file)
  try {
    const mode = permissionsLike(file, folder).file
    if (!fstatSync(descriptor).isFile()) throw refuse(file, "it is a folder or a device")
    readEntries(file, descriptor, (name, content) => writeContent(join(folder, name), content, mode))
  } finally {
    closeSync(descriptor)
  }
}

const unpackFailure = (draft: BundleDraft, error: unknown): NotABundleArchive | TargetFailure =>
  error instanceof NotABundleArchive ? error : fileFailure("folder", draft.folder, error)

/** Packed bundles as files. */
export const tarArchiveLayer: Layer.Layer<BundleArchive> = Layer.succeed(BundleArchive, {
  pack: (folder, content, file) =>
    Effect.try({ try: () => pack(folder, content, file), catch: (error) => packFailure(file, error) }),
  unpack: (file, draft) =>
    Effect.try({ try: () => unpack(file, draft.folder), catch: (error) => unpackFailure(draft, error) })
})
