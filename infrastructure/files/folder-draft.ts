// Folders of evidence written to this machine's file systems: everything is flushed at the end, before the one rename that puts the
// folder in its place, since a disk takes many files together far faster than one by one. A process that is killed
// leaves a folder `.NAME.partial-…` beside the target and the target as it was.
import { randomUUID } from "node:crypto"
import {
  appendFileSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type FolderDraft,
  FolderTarget,
  type TargetFailure
} from "../../application/foundation/folder-target.ts"
import { InvalidInput } from "../../domain/foundation/errors.ts"
import { TargetExists } from "../../domain/foundation/root-files.ts"
import { permissionsLike } from "./file-access.ts"
import { fileFailure, flush } from "./file-system.ts"
import { newPlaceFault } from "./new-place.ts"
import { isSameFolder } from "./same-content.ts"
import { filesBelow, folderArchive, putFile } from "./tar-file.ts"

const attempt = <A>(path: string, work: () => A): Effect.Effect<A, TargetFailure> =>
  Effect.try({
    try: work,
    catch: (error) => (error instanceof InvalidInput ? error : fileFailure("path", path, error))
  })

/** Writes a new file with the permissions of `mode`, less the process's mask; it is not on the disk before it is flushed. */
export const writeContent = (path: string, content: string | Iterable<Uint8Array>, mode?: number): void => {
  const descriptor = openSync(path, "wx", mode)
  try {
    for (const piece of typeof content === "string" ? [Buffer.from(content)] : content) {
      for (let written = 0; written < piece.length;) written += writeSync(descriptor, piece, written)
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Puts a file's content on the disk. */
export const flushFile = (path: string): void => {
  const descriptor = openSync(path, "r+")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Every file below a folder, then the folders, innermost first. */
const flushAll = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) flushAll(path)
    else flushFile(path)
  }
  flush(folder)
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** What rename says when something stands in the way. */
const inTheWay = new Set(["ENOTEMPTY", "EEXIST", "ENOTDIR", "EPERM"])

/** Puts a finished folder on the disk and in its place; throws `TargetExists` when something else stands there. */
export const putFolder = (folder: string, target: string): "created" | "unchanged" => {
  flushAll(folder)
  if (!exists(target)) {
    try {
      renameSync(folder, target)
      flush(dirname(target))
      return "created"
    } catch (error) {
      if (!inTheWay.has((error as NodeJS.ErrnoException).code ?? "") || !exists(target)) throw error
    }
  }
  if (isSameFolder(folder, target)) return "unchanged"
  throw new TargetExists({ path: target })
}

const finished = (target: string, put: () => "created" | "unchanged"): FolderDraft["finish"] =>
  Effect.try({
    try: put,
    catch: (error) => (error instanceof TargetExists ? error : fileFailure("path", target, error))
  })

/** Puts a draft's files in their place as one tar file. */
const putPacked = (folder: string, target: string, mode: number | undefined): "created" | "unchanged" => {
  const packed = `${folder}.tar`
  try {
    writeContent(packed, folderArchive(folder, filesBelow(folder)), mode)
    flushFile(packed)
    return putFile(packed, target)
  } finally {
    rmSync(packed, { force: true })
  }
}

const draftIn = (
  folder: string,
  target: string,
  permissions: { readonly file: number; readonly folder: number } | undefined
): FolderDraft => {
  const place = (name: string): string => {
    const path = join(folder, name)
    if (name.includes("/")) mkdirSync(dirname(path), { recursive: true, mode: permissions?.folder })
    return path
  }
  return {
    folder,
    write: (name, content) => attempt(target, () => writeContent(place(name), content, permissions?.file)),
    append: (name, text) =>
      attempt(target, () => appendFileSync(place(name), text, { mode: permissions?.file ?? 0o666 })),
    finish: finished(target, () => putFolder(folder, target)),
    finishPacked: finished(target, () => putPacked(folder, target, permissions?.file))
  }
}

const makeFolder = (target: string, folders: ReadonlyArray<string>, mode: number | undefined): string => {
  const unfit = newPlaceFault("path", target)
  if (unfit !== undefined) throw unfit
  if (!exists(dirname(target))) {
    const message = `there is no folder ${dirname(target)}`
    throw new InvalidInput({ message: `${target}: ${message}`, issues: [{ path: "path", message }] })
  }
  const folder = join(dirname(target), `.${basename(target)}.partial-${randomUUID()}`)
  mkdirSync(folder, mode)
  for (const name of folders) mkdirSync(join(folder, name), mode)
  return folder
}

/** Folders of evidence on this machine's file systems. */
export const folderDraftLayer: Layer.Layer<FolderTarget> = Layer.succeed(FolderTarget, {
  begin: (target, { folders = [], source } = {}) =>
    Effect.gen(function* () {
      const permissions =
        source === undefined
          ? undefined
          : yield* attempt(target, () => permissionsLike(source, dirname(target)))
      const folder = yield* Effect.acquireRelease(
        attempt(target, () => makeFolder(target, folders, permissions?.folder)),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      return draftIn(folder, target, permissions)
    })
})
