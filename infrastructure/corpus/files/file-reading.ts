// Reads one text below the root: no link is followed, nothing but a regular file is read, the size is judged first, and
// a file that changes meanwhile is an error. The bytes are held once; what they say is checked and normalised in place.
import { isUtf8 } from "node:buffer"
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync
} from "node:fs"
import { join, sep } from "node:path"
import * as Result from "effect/Result"
import type { FileText } from "../../../application/corpus/corpus-files.ts"
import {
  FileChanged,
  type FileReadError,
  FileTooLarge,
  NotText,
  TargetVanished
} from "../../../domain/corpus/errors.ts"
import { FileUnreadable, NotAFile, PathOutsideRoot } from "../../../domain/foundation/root-files.ts"
import { sameStat } from "../../../domain/corpus/freshness.ts"
import { MAX_FILE_BYTES } from "../../../domain/corpus/limits.ts"
import type { FileStat } from "../../../domain/corpus/rows.ts"
import { normalizeText } from "../../../domain/corpus/text.ts"
import { isOpenDatabase } from "../../sqlite/connection/open-databases.ts"

/** How much is looked at before the rest of a file is read (bytes). */
const FIRST_READ_BYTES = 65_536

const fileStat = ({ ctimeNs, ino, mtimeNs, size }: BigIntStats): FileStat => ({
  size: Number(size),
  mtime_ns: `${mtimeNs}`,
  ctime_ns: `${ctimeNs}`,
  inode: `${ino}`
})

/** One stat of a path; undefined when there is nothing, or nothing that can be looked at. */
export const statOf = (absolute: string): FileStat | undefined => {
  try {
    const stats = statSync(absolute, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? undefined : fileStat(stats)
  } catch {
    // Reading will say what is wrong with it.
    return undefined
  }
}

/** True when `real` is the root or lies below it. */
export const isBelow = (root: string, real: string): boolean =>
  real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)

/** The error for what the operating system said about a path. */
const readFailure = (path: string, error: unknown): TargetVanished | NotAFile | FileUnreadable => {
  const { code = "UNKNOWN" } = error as NodeJS.ErrnoException
  if (code === "ENOENT" || code === "ENOTDIR") return new TargetVanished({ path })
  if (code === "ELOOP") return new NotAFile({ path, reason: "a link stands there" })
  return new FileUnreadable({ path, code })
}

const fill = (descriptor: number, buffer: Buffer, from: number, to: number): number => {
  let at = from
  while (at < to) {
    const count = readSync(descriptor, buffer, at, to - at, at)
    if (count === 0) break
    at += count
  }
  return at
}

/** The error when what was opened is not the file that stands at the path, links aside. */
const placeFault = (root: string, path: string, opened: BigIntStats): FileReadError | undefined => {
  const absolute = join(root, path)
  const real = realpathSync.native(absolute)
  if (!isBelow(root, real)) return new PathOutsideRoot({ path })
  if (real !== absolute)
    return new NotAFile({ path, reason: "a link leads there, and links are not followed" })
  const standing = lstatSync(absolute, { bigint: true })
  return standing.ino === opened.ino && standing.dev === opened.dev ? undefined : new FileChanged({ path })
}

const readOpened = (
  root: string,
  path: string,
  descriptor: number
): Result.Result<FileText, FileReadError> => {
  const before = fstatSync(descriptor, { bigint: true })
  const fault = placeFault(root, path, before)
  if (fault !== undefined) return Result.fail(fault)
  if (!before.isFile()) return Result.fail(new NotAFile({ path, reason: "it is no regular file" }))
  const stat = fileStat(before)
  if (stat.size > MAX_FILE_BYTES) {
    return Result.fail(new FileTooLarge({ path, size: stat.size, limit: MAX_FILE_BYTES }))
  }
  const buffer = Buffer.allocUnsafeSlow(stat.size)
  const first = fill(descriptor, buffer, 0, Math.min(stat.size, FIRST_READ_BYTES))
  if (buffer.subarray(0, first).includes(0)) return Result.fail(new NotText({ path, reason: "BINARY" }))
  const length = fill(descriptor, buffer, first, stat.size)
  const after = fileStat(fstatSync(descriptor, { bigint: true }))
  if (length !== stat.size || !sameStat(stat, after)) return Result.fail(new FileChanged({ path }))
  if (buffer.includes(0)) return Result.fail(new NotText({ path, reason: "BINARY" }))
  return isUtf8(buffer)
    ? Result.succeed({ stat, text: normalizeText(buffer) })
    : Result.fail(new NotText({ path, reason: "NOT_UTF8" }))
}

/** Reads the text at a path below the root, whose own path must be real. */
export const readText = (root: string, path: string): Result.Result<FileText, FileReadError> => {
  const file = join(root, path)
  if (isOpenDatabase(file)) return Result.fail(new NotText({ path, reason: "BINARY" }))
  try {
    // Without blocking: opening a pipe without a writer would wait forever.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const descriptor = openSync(file, flags)
    try {
      return readOpened(root, path, descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    return Result.fail(readFailure(path, error))
  }
}
