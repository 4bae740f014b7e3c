// Files that an enemy may have made and may be changing: no link is followed, a file is what its descriptor says, and what was
// read counts only when the name still leads to the same unchanged file afterwards. Reading is synchronous in pieces; between
// pieces and files the runtime gets its turn.
import {
  closeSync,
  constants,
  type Dir,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync
} from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { FolderEntry, FolderListing, ReadFault } from "../../domain/foundation/foreign-files.ts"
import { FileUnreadable } from "../../domain/foundation/root-files.ts"

// Windows knows no such flags; there a link shows in the listing alone.
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** What reading gave, or why it did not come to its end. */
export type Read<A> = Result.Result<A, ReadFault>

export const fault = (kind: ReadFault["fault"], message: string): Read<never> =>
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
export const ifThere = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch (error) {
    if (faultOf(error).fault === "missing") return undefined
    throw error
  }
}

const identityOf = (path: string): Identity | undefined => ifThere(() => lstatSync(path, { bigint: true }))

/** A regular file that is open, with what it was at that moment. */
export interface OpenFile {
  readonly descriptor: number
  readonly size: number
  readonly opened: Identity
}

export const openFile = (path: string): Read<OpenFile> => {
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

export const changed = fault("changed", "it changed, or another file took its place, while it was read")

/** What was read from an open file, if its path still leads to the same unchanged file. */
export const ifSame = <A>(file: OpenFile, path: string, read: Read<A>): Read<A> => {
  try {
    return isSame(file.opened, identityOf(path)) ? read : changed
  } catch (error) {
    return Result.fail(faultOf(error))
  }
}

/** Uses an open file and closes it; what came out counts only when path and file are still what they were. */
export const withFile = <A>(
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
export const readPiece = (descriptor: number, buffer: Buffer, start: number): Read<number> => {
  try {
    return Result.succeed(readSync(descriptor, buffer, start, buffer.length - start, null))
  } catch (error) {
    return Result.fail(faultOf(error))
  }
}

const wholeBytes = ({ descriptor, size }: OpenFile, maxBytes: number): Read<Uint8Array> => {
  if (size > maxBytes) return fault("size", `it may have ${maxBytes} bytes`)
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

/** The bytes of a file that has at most so many. */
export const readWholeFile = (path: string, maxBytes: number): Effect.Effect<Uint8Array, ReadFault> =>
  withFile(path, (file) => Effect.suspend(() => Effect.fromResult(wholeBytes(file, maxBytes))))

const kindOfEntry = (entry: {
  isFile: () => boolean
  isDirectory: () => boolean
  isSymbolicLink: () => boolean
}): FolderEntry["kind"] => {
  if (entry.isSymbolicLink()) return "link"
  return entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other"
}

const listInto = (entries: Array<FolderEntry>, folder: Dir, prefix: string, most: number): boolean => {
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length >= most) return true
      entries.push({ path: `${prefix}${entry.name}`, kind: kindOfEntry(entry) })
    }
    return false
  } finally {
    folder.closeSync()
  }
}

// What is missing shows as missing files, each with its finding.
const openFolder = (path: string): Dir | undefined => ifThere(() => opendirSync(path, { bufferSize: 1_024 }))

/** The names in a folder, and in one folder below it; at most so many. */
export const listFolder = (folder: string, below: string, most: number): FolderListing => {
  const entries: Array<FolderEntry> = []
  const top = openFolder(folder)
  let cut = top !== undefined && listInto(entries, top, "", most)
  if (entries.some(({ kind, path }) => path === below && kind === "folder")) {
    const inner = openFolder(join(folder, below))
    if (inner !== undefined) cut = listInto(entries, inner, `${below}/`, most) || cut
  }
  entries.sort((left, right) => (left.path < right.path ? -1 : 1))
  return { entries, cut }
}

/** Looks at a folder; where the system does not let it, nothing can be said of what is in it. */
export const looking = <A>(path: string, look: () => A): Effect.Effect<A, FileUnreadable> =>
  Effect.try({
    try: look,
    catch: (error) => {
      const { code } = error as NodeJS.ErrnoException
      if (code === undefined) throw error
      return new FileUnreadable({ path, code })
    }
  })

/** Remembers what folders are, and tells later which of them are not that any more. */
export const changedSince = (folder: string, names: ReadonlyArray<string>): (() => ReadonlyArray<string>) => {
  const before = names.map((name) => ({ name, was: identityOf(join(folder, name)) }))
  return () =>
    before.flatMap(({ name, was }) => {
      const now = identityOf(join(folder, name))
      return (was === undefined ? now === undefined : isSame(was, now)) ? [] : [name]
    })
}
