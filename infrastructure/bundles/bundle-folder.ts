// A bundle's folder on disk, read as something that an enemy may have made and may be changing: what is read of each file, and
// when a text comes in pieces.
import { closeSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { BundleSource, type OpenedBundle } from "../../application/bundles/bundle-source.ts"
import type { ArtifactFacts } from "../../domain/bundles/folder-check.ts"
import { MAX_BUNDLE_ENTRIES, MAX_MANIFEST_BYTES } from "../../domain/bundles/limits.ts"
import { ARTIFACT_FOLDER, MANIFEST_NAME } from "../../domain/bundles/manifest.ts"
import type { ReadFault } from "../../domain/foundation/foreign-files.ts"
import {
  changed,
  changedSince,
  fault,
  ifSame,
  ifThere,
  listFolder,
  looking,
  openFile,
  type OpenFile,
  type Read,
  readPiece,
  readWholeFile,
  withFile
} from "../files/foreign-files.ts"
import { CARRIED_BYTES, factsOfWhole, TextScan } from "./text-scan.ts"

const PIECE_BYTES = 262_144

/** Up to this size a file is one piece of work: handing it around would cost more than reading it. */
const SMALL_BYTES = 16_384

/** How much is read before others get their turn. */
const TURN_BYTES = 16 * 1_048_576

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

/** The folder of the bundle that a path names: the path itself, or where the named `bundle.json` lies. */
export const folderOfBundle = (path: string): string =>
  basename(path) === MANIFEST_NAME && ifThere(() => statSync(path))?.isDirectory() !== true
    ? dirname(path)
    : path

const openBundle = (path: string): OpenedBundle => {
  const folder = folderOfBundle(path)
  const changedFolders = changedSince(folder, [".", ARTIFACT_FOLDER])
  const listing = listFolder(folder, ARTIFACT_FOLDER, MAX_BUNDLE_ENTRIES)
  const buffer = Buffer.allocUnsafe(PIECE_BYTES + CARRIED_BYTES)
  const isNamed = listing.entries.some((entry) => entry.path === MANIFEST_NAME)
  return {
    listing,
    // A name that is listed exactly, since some file systems take Bundle.json for bundle.json.
    manifest: isNamed
      ? readWholeFile(join(folder, MANIFEST_NAME), MAX_MANIFEST_BYTES)
      : Effect.fromResult(fault("missing", `there is no ${MANIFEST_NAME} in the folder`)),
    artifact: (name, bytes) => readArtifact(join(folder, name), bytes, buffer),
    changedFolders: looking(path, changedFolders)
  }
}

/** Bundles in folders of this machine's file systems. */
export const bundleFolderLayer: Layer.Layer<BundleSource> = Layer.succeed(BundleSource, {
  open: (path) => looking(path, () => openBundle(path))
})
