// A bundle's folder on disk, read as something that an enemy may have made and may be changing: no link is followed, a
// file is what its descriptor says, and what was read counts only when the name still leads to the same unchanged file
// afterwards. Reading is synchronous in pieces; between pieces and files the runtime gets its turn.
import {
  closeSync,
  constants,
  type Dir,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
  statSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { BundleSource, type OpenedBundle } from "../../application/bundles/bundle-source.ts"
import type {
  ArtifactFacts,
  FolderEntry,
  FolderListing,
  ReadFault
} from "../../domain/bundles/folder-check.ts"
import { FileUnreadable } from "../../domain/foundation/root-files.ts"
import { MAX_BUNDLE_ENTRIES, MAX_MANIFEST_BYTES } from "../../domain/bundles/limits.ts"
import { ARTIFACT_FOLDER, MANIFEST_NAME } from "../../domain/bundles/manifest.ts"
import { CARRIED_BYTES, factsOfWhole, TextScan } from "./text-scan.ts"

const PIECE_BYTES = 262_144

/** Up to this size a file is one piece of work: handing it around would cost more than reading it. */
const SMALL_BYTES = 16_384

/** How much is read before others get their turn. */
const TURN_BYTES = 16 * 1_048_576

// Windows knows no such flags; there a link shows in the listing alone.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** What reading gave, or why it did not come to its end. */
type Read<A> = Result.Result<A, ReadFault>

const fault = (kind: ReadFault["fault"], message: string): Read<never> =>
  Result.fail({ fault: kind, message })

const faultOf = (error: unknown): ReadFault => {
  const { code = "UNKNOWN" } = error as NodeJS.ErrnoException
  if (code === "ENOENT" || code === "ENOTDIR") return { fault: "missing", message: "there is no such file" }
  if (code === "ELOOP" || code === "EMLINK") return { fault: "kind", message: "it is a link, not a file" }
  if (code === "ENXIO" || code === "EISDIR") return { fault: "kind", message: "it is no regular file" }
  return { fault: "unreadable", message: `it cannot be read (${code})` }
}

interface Identity {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

const isSame = (left: Identity, right: Identity | undefined): boolean =>
  right !== undefined &&
  left.dev === right.dev &&
  left.ino === right.ino &&
  left.size === right.size &&
  left.mtimeNs === right.mtimeNs &&
  left.ctimeNs === right.ctimeNs

/** What a look gives, undefined when there is nothing to look at; what else the system says is thrown. */
const ifThere = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch (error) {
    if (faultOf(error).fault === "missing") return undefined
    throw error
  }
}

const identityOf = (path: string): Identity | undefined => ifThere(() => lstatSync(path, { bigint: true }))

/** A regular file that is open, with what it was at that moment. */
interface OpenFile {
  readonly descriptor: number
  readonly size: number
  readonly opened: Identity
}

const openFile = (path: string): Read<OpenFile> => {
  try {
    const descriptor = openSync(path, READ_FLAGS)
    const stat = fstatSync(descriptor, { bigint: true })
    if (stat.isFile()) return Result.succeed({ descriptor, size: Number(stat.size), opened: stat })
    closeSync(descriptor)
    return fault("kind", "it is no regular file")
  } catch (error) {
    return Result.fail(faultOf(error))
  }
}

const changed = fault("changed", "it changed, or another file took its place, while it was read")

/** What was read from an open file, if its path still leads to the same unchanged file. */
const ifSame = <A>(file: OpenFile, path: string, read: Read<A>): Read<A> => {
  try {
    return isSame(file.opened, identityOf(path)) ? read : changed
  } catch (error) {
    return Result.fail(faultOf(error))
  }
}

/** Uses an open file and closes it; what came out counts only when path and file are still what they were. */
const withFile = <A>(
  path: string,
  use: (file: OpenFile) => Effect.Effect<A, ReadFault>
): Effect.Effect<A, ReadFault> =>
  Effect.flatMap(
    Effect.suspend(() => Effect.fromResult(openFile(path))),
    (file) =>
      Effect.result(use(file)).pipe(
        Effect.flatMap((read) => Effect.fromResult(ifSame(file, path, read))),
        Effect.ensuring(Effect.sync(() => closeSync(file.descriptor)))
      )
  )

/** How many bytes came; 0 at the end of the file. */
const readPiece = (descriptor: number, buffer: Buffer, start: number): Read<number> => {
  try {
    return Result.succeed(readSync(descriptor, buffer, start, buffer.length - start, null))
  } catch (error) {
    return Result.fail(faultOf(error))
  }
}

const manifestBytes = ({ descriptor, size }: OpenFile): Read<Uint8Array> => {
  if (size > MAX_MANIFEST_BYTES) return fault("size", `it may have ${MAX_MANIFEST_BYTES} bytes`)
  const bytes = Buffer.alloc(size + 1)
  let length = 0
  while (length <= size) {
    const read = readPiece(descriptor, bytes, length)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    if (read.success === 0) break
    length += read.success
  }
  return length === size ? Result.succeed(bytes.subarray(0, size)) : changed
}

const readManifest = (folder: string): Effect.Effect<Uint8Array, ReadFault> =>
  withFile(join(folder, MANIFEST_NAME), (file) =>
    Effect.suspend(() => Effect.fromResult(manifestBytes(file)))
  )

/** Reads a file of stated size piece by piece, one byte more at most. */
const scan = Effect.fnUntraced(function* (
  file: OpenFile,
  buffer: Buffer
): Effect.fn.Return<ArtifactFacts, ReadFault> {
  const pieces = new TextScan(buffer)
  let length = 0
  let sinceTurn = 0
  while (length <= file.size) {
    const read = yield* Effect.fromResult(readPiece(file.descriptor, buffer, pieces.start))
    if (read === 0) break
    pieces.take(read)
    length += read
    sinceTurn += read
    if (sinceTurn < TURN_BYTES) continue
    sinceTurn = 0
    yield* Effect.yieldNow
  }
  return length === file.size ? pieces.facts() : yield* Effect.fromResult(changed)
})

const sizeFault = (size: number, bytes: number): Read<never> =>
  fault("size", `it has ${size} bytes, the manifest says ${bytes}`)

/** Reads a file that fits into the buffer. */
const readWhole = ({ descriptor }: OpenFile, bytes: number, buffer: Buffer): Read<ArtifactFacts> =>
  // A read of a regular file that gives less than was asked for has reached its end.
  Result.flatMap(readPiece(descriptor, buffer, 0), (read) =>
    read === bytes ? Result.succeed(factsOfWhole(buffer.subarray(0, read))) : changed
  )

const readSmall = (path: string, bytes: number, buffer: Buffer): Read<ArtifactFacts> =>
  Result.flatMap(openFile(path), (file) => {
    try {
      const facts = file.size === bytes ? readWhole(file, bytes, buffer) : sizeFault(file.size, bytes)
      return ifSame(file, path, facts)
    } finally {
      closeSync(file.descriptor)
    }
  })

const readArtifact = (path: string, bytes: number, buffer: Buffer): Effect.Effect<ArtifactFacts, ReadFault> =>
  bytes <= SMALL_BYTES
    ? Effect.suspend(() => Effect.fromResult(readSmall(path, bytes, buffer)))
    : withFile(path, (file) => {
        if (file.size !== bytes) return Effect.fromResult(sizeFault(file.size, bytes))
        if (file.size >= PIECE_BYTES) return scan(file, buffer)
        return Effect.suspend(() => Effect.fromResult(readWhole(file, bytes, buffer)))
      })

const kindOfEntry = (entry: {
  isFile: () => boolean
  isDirectory: () => boolean
  isSymbolicLink: () => boolean
}): FolderEntry["kind"] => {
  if (entry.isSymbolicLink()) return "link"
  return entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other"
}

const listInto = (entries: Array<FolderEntry>, folder: Dir, prefix: string): boolean => {
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length >= MAX_BUNDLE_ENTRIES) return true
      entries.push({ path: `${prefix}${entry.name}`, kind: kindOfEntry(entry) })
    }
    return false
  } finally {
    folder.closeSync()
  }
}

// What is missing shows as missing files, each with its finding.
const openFolder = (path: string): Dir | undefined => ifThere(() => opendirSync(path, { bufferSize: 1_024 }))

const list = (folder: string): FolderListing => {
  const entries: Array<FolderEntry> = []
  const top = openFolder(folder)
  let cut = top !== undefined && listInto(entries, top, "")
  if (entries.some(({ kind, path }) => path === ARTIFACT_FOLDER && kind === "folder")) {
    const artifacts = openFolder(join(folder, ARTIFACT_FOLDER))
    if (artifacts !== undefined) cut = listInto(entries, artifacts, `${ARTIFACT_FOLDER}/`) || cut
  }
  entries.sort((left, right) => (left.path < right.path ? -1 : 1))
  return { entries, cut }
}

/** The folder of the bundle that a path names: the path itself, or where the named `bundle.json` lies. */
export const folderOfBundle = (path: string): string =>
  basename(path) === MANIFEST_NAME && ifThere(() => statSync(path))?.isDirectory() !== true
    ? dirname(path)
    : path

/** Looks at a bundle's folder; where the system does not let it, nothing can be said of the bundle. */
const looking = <A>(path: string, look: () => A): Effect.Effect<A, FileUnreadable> =>
  Effect.try({
    try: look,
    catch: (error) => {
      const { code } = error as NodeJS.ErrnoException
      if (code === undefined) throw error
      return new FileUnreadable({ path, code })
    }
  })

const openBundle = (path: string): OpenedBundle => {
  const folder = folderOfBundle(path)
  const folders = [".", ARTIFACT_FOLDER].map((name) => ({ name, before: identityOf(join(folder, name)) }))
  const listing = list(folder)
  const buffer = Buffer.allocUnsafe(PIECE_BYTES + CARRIED_BYTES)
  const isNamed = listing.entries.some((entry) => entry.path === MANIFEST_NAME)
  return {
    listing,
    // A name that is listed exactly, since some file systems take Bundle.json for bundle.json.
    manifest: isNamed
      ? readManifest(folder)
      : Effect.fromResult(fault("missing", `there is no ${MANIFEST_NAME} in the folder`)),
    artifact: (name, bytes) => readArtifact(join(folder, name), bytes, buffer),
    changedFolders: looking(path, () =>
      folders.flatMap(({ before, name }) => {
        const after = identityOf(join(folder, name))
        const isStill = before === undefined ? after === undefined : isSame(before, after)
        return isStill ? [] : [name]
      })
    )
  }
}

/** Bundles in folders of this machine's file systems. */
export const bundleFolderLayer: Layer.Layer<BundleSource> = Layer.succeed(BundleSource, {
  open: (path) => looking(path, () => openBundle(path))
})
