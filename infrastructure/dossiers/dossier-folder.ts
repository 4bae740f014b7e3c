// Dossiers on this machine's file systems, read as something that an enemy may have made and may be changing. A packed one is
// unpacked into a private folder first, which vanishes with the scope: what stands in a tar that we could not have packed is refused.
import { createHash } from "node:crypto"
import { isUtf8 } from "node:buffer"
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { PackedContent } from "../../application/bundles/bundle-archive.ts"
import {
  DossierFiles,
  type ForeignLines,
  type OpenedDossier
} from "../../application/dossiers/dossier-files.ts"
import type { FolderDraft, TargetFailure } from "../../application/foundation/folder-target.ts"
import { MANIFEST_NAME as BUNDLE_MANIFEST } from "../../domain/bundles/manifest.ts"
import { NotADossierArchive } from "../../domain/dossiers/errors.ts"
import {
  MAX_CHOSEN,
  MAX_DOSSIER_ENTRIES,
  MAX_FILE_BYTES,
  MAX_LINE_BYTES,
  MAX_MANIFEST_BYTES
} from "../../domain/dossiers/limits.ts"
import { BUNDLES_FOLDER, DOSSIER_FILES, MANIFEST_NAME } from "../../domain/dossiers/manifest.ts"
import { MAX_BUNDLE_STEPS } from "../../domain/bundles/limits.ts"
import type { ReadFault } from "../../domain/foundation/foreign-files.ts"
import { folderOfBundle } from "../bundles/bundle-folder.ts"
import { fileFailure } from "../files/file-system.ts"
import { writeContent } from "../files/folder-draft.ts"
import {
  changed,
  changedSince,
  fault,
  ifSame,
  ifThere,
  listFolder,
  looking,
  openFile,
  READ_FLAGS,
  type OpenFile,
  readWholeFile,
  withFile
} from "../files/foreign-files.ts"
import { linesFrom } from "../files/json-lines.ts"
import { piecesOf, readArchive } from "../files/tar-file.ts"

const LINE_FEED = Buffer.from("\n")

/** Why nothing of a file is read that stands behind a line which is too long. */
const tooLong: ReadFault = {
  fault: "unreadable",
  message: `a line is over ${MAX_LINE_BYTES} bytes, and what is behind it was not read`
}

/** The lines of an open file of the right size. */
const linesOf = (file: OpenFile, path: string): ForeignLines => {
  const state = createHash("sha256")
  const lines = linesFrom(file.descriptor, 0, MAX_LINE_BYTES, file.size)
  let taken = 0
  let failed: ReadFault | undefined
  const nextLine = () => {
    try {
      return lines.next()
    } catch (error) {
      const { code = "UNKNOWN" } = error as NodeJS.ErrnoException
      failed = { fault: "unreadable", message: `it cannot be read (${code})` }
      return undefined
    }
  }
  return {
    next: () => {
      const line = nextLine()
      if (line === undefined || line.done === true) return undefined
      const { bytes, ended } = line.value
      state.update(bytes)
      if (ended) state.update(LINE_FEED)
      taken += bytes.length + (ended ? 1 : 0)
      if (!ended && taken < file.size && bytes.length > MAX_LINE_BYTES) failed = tooLong
      return { text: (bytes as Buffer).toString("utf8"), isSound: ended && isUtf8(bytes) }
    },
    sha256: Effect.suspend(() => {
      if (failed !== undefined) return Effect.fail(failed)
      if (taken !== file.size) return Effect.fromResult(changed)
      return Effect.fromResult(ifSame(file, path, Result.succeed(state.digest("hex"))))
    })
  }
}

const openLines = (path: string, bytes: number): Effect.Effect<ForeignLines, ReadFault, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.suspend(() => Effect.fromResult(openFile(path))),
    ({ descriptor }) => Effect.sync(() => closeSync(descriptor))
  ).pipe(
    Effect.flatMap((file) =>
      file.size === bytes
        ? Effect.succeed(linesOf(file, path))
        : Effect.fromResult(fault("size", `it has ${file.size} bytes, the manifest says ${bytes}`))
    )
  )

const hashOfFirst = (path: string, bytes: number): Effect.Effect<string, ReadFault> =>
  withFile(path, ({ descriptor, size }) =>
    Effect.suspend(() => {
      if (size < bytes)
        return Effect.fromResult(fault("size", `it has ${size} bytes, ${bytes} are to be read`))
      const state = createHash("sha256")
      for (const piece of piecesOf(descriptor, bytes)) state.update(piece)
      return Effect.succeed(state.digest("hex"))
    })
  )

const BUNDLED_NAME =
  /^bundles\/job_\d{13}_[0-9a-f]{16}\.\d{4}\/(?:bundle\.json|artifacts\/[0-9a-f]{16}\.txt)$/

/** The names in a dossier: the few at its top, and what a bundle may hold. */
const mayStand = (name: string, size: number): boolean =>
  name === MANIFEST_NAME
    ? size <= MAX_MANIFEST_BYTES
    : size <= MAX_FILE_BYTES && (DOSSIER_FILES.some((known) => known === name) || BUNDLED_NAME.test(name))

const unpackFailure = (file: string, error: unknown): NotADossierArchive | TargetFailure =>
  error instanceof NotADossierArchive ? error : fileFailure("path", file, error)

/** Unpacks a file into a private folder. */
const unpacked = (file: string): Effect.Effect<string, NotADossierArchive | TargetFailure, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => mkdtempSync(join(tmpdir(), "cassette-dossier-")),
      catch: (error) => fileFailure("path", tmpdir(), error)
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ).pipe(
    Effect.tap((folder) =>
      Effect.try({
        try: () =>
          readArchive(
            file,
            {
              maker: "dossier export --tar",
              mayStand,
              maxFiles: DOSSIER_FILES.length + 1 + MAX_CHOSEN * (MAX_BUNDLE_STEPS + 1),
              maxBytes: Number.MAX_SAFE_INTEGER,
              refuse: (reason) => new NotADossierArchive({ file, reason })
            },
            (name, content) => {
              const path = join(folder, name)
              mkdirSync(dirname(path), { recursive: true })
              writeContent(path, content)
            }
          ),
        catch: (error) => unpackFailure(file, error)
      })
    )
  )

const openFolder = (folder: string): OpenedDossier => {
  const changedFolders = changedSince(folder, [".", BUNDLES_FOLDER])
  const listing = listFolder(folder, BUNDLES_FOLDER, MAX_DOSSIER_ENTRIES)
  const names = new Set(listing.entries.map(({ path }) => path))
  // A name that is listed exactly, since some file systems take Events.jsonl for events.jsonl; a list that was cut cannot tell.
  const ifNamed = <A, R>(name: string, read: Effect.Effect<A, ReadFault, R>) =>
    listing.cut || names.has(name)
      ? read
      : Effect.fromResult(fault("missing", `there is no ${name} in the folder`))
  return {
    folder,
    listing,
    file: (name, maxBytes) => ifNamed(name, readWholeFile(join(folder, name), maxBytes)),
    lines: (name, bytes) => ifNamed(name, openLines(join(folder, name), bytes)),
    changedFolders: looking(folder, changedFolders)
  }
}

const isFile = (path: string): boolean => ifThere(() => statSync(path))?.isFile() === true

/** The folder of the dossier that a path names, or undefined for a packed one. */
const folderOf = (path: string): string | undefined => {
  if (!isFile(path)) return path
  return basename(path) === MANIFEST_NAME ? dirname(path) : undefined
}

/** The bytes of a file of a bundle; what is no file any more throws. */
function* filePieces(path: string, bytes: number): Generator<Uint8Array> {
  const descriptor = openSync(path, READ_FLAGS)
  try {
    yield* piecesOf(descriptor, bytes)
  } finally {
    closeSync(descriptor)
  }
}

const carry = Effect.fnUntraced(function* (
  bundle: string,
  { artifacts, manifestBytes }: PackedContent,
  draft: FolderDraft,
  into: string
): Effect.fn.Return<void, TargetFailure> {
  const folder = folderOfBundle(bundle)
  for (const { bytes, path } of artifacts) {
    yield* draft.write(`${into}/${path}`, filePieces(join(folder, path), bytes))
  }
  yield* draft.write(`${into}/${BUNDLE_MANIFEST}`, [manifestBytes])
})

/** Dossiers in folders, or packed, on this machine's file systems. */
export const dossierFolderLayer: Layer.Layer<DossierFiles> = Layer.succeed(DossierFiles, {
  open: (path) =>
    Effect.gen(function* () {
      const folder = yield* looking(path, () => folderOf(path))
      const opened = folder ?? (yield* unpacked(path))
      return yield* looking(path, () => openFolder(opened))
    }),
  hashOfFirst,
  carry
})
